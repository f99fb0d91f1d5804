/**
 * Builds, runs and ends the program: the only place that catches everything. Errors become a message and an exit
 * status; the process ends only after all output was taken.
 */
import type { RunContext } from './cli/run/context.ts';
import { guarded } from './cli/run/guarded.ts';
import { ClosedPipe, type Host } from './host/host.ts';
import { Secrets } from './model/secrets.ts';
import { quoteForShellOf } from './model/shell-quote.ts';

/** Runs the program in the given world; resolves to its exit status. */
export async function main(world: Host): Promise<number> {
  const secrets = new Secrets();
  const host = guarded(world, secrets);
  let context: RunContext | undefined;
  quoteForShellOf(host.platform);
  host.onCrash(async (error) => {
    const status = await report(error, host, secrets, context);
    context?.log.end();
    return status;
  });
  try {
    const { parse } = await import('./cli/parse/program.ts');
    const parsed = await parse(host.argv, host.stdout.columns);
    if (parsed.kind === 'shown') {
      await host.stdout.write(parsed.text.endsWith('\n') ? parsed.text : `${parsed.text}\n`);
      return 0;
    }
    const { createContext, execute, print } = await import('./cli/run/run.ts');
    context = createContext(host, parsed.invocation.globals, secrets);
    const result = await execute(parsed.invocation, context);
    await print(result, context).catch(unlessPipeClosed);
    if (result.failure) throw result.failure;
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    return await report(error, host, secrets, context);
  } finally {
    await context?.close();
  }
}

/** A reader that closes the pipe early does not change the outcome of the command. */
function unlessPipeClosed(error: unknown) {
  if (!(error instanceof ClosedPipe)) throw error;
}

async function report(error: unknown, host: Host, secrets: Secrets, context: RunContext | undefined): Promise<number> {
  const { asCliError, errorText, mistyped } = await import('./cli/run/report.ts');
  const failure = asCliError(error, context?.written());
  for (const secret of mistyped(failure, host)) secrets.use(secret);
  const json = context ? context.forProgram() : wantsJson(host);
  const { globals = {} } = context ?? {};
  context?.log.failed(failure);
  const bug = host.argv.includes('--debug') && error instanceof Error && failure.cause === error ? error.stack : undefined;
  const text = errorText(failure, { json, where: globals, ...(bug === undefined ? {} : { stack: bug }) });
  await host.stderr.write(text).catch(() => {});
  return failure.exit;
}

/** Whether errors are printed as JSON: read from the raw arguments, because parsing them may be what failed. */
function wantsJson({ argv, env }: Host): boolean {
  const joined = argv.map((word, index) => (word === '-o' || word === '--output' ? `=${argv[index + 1]}` : word));
  const given = joined.map((word) => /^(?:--output)?=(.+)$|^-o=?(.+)$/.exec(word)).findLast((match) => match);
  const format = given?.[1] ?? given?.[2] ?? env.PROCTOR_OUTPUT;
  return format === 'json' || format === 'ndjson';
}
