/**
 * Builds, runs and ends the program: the only place that catches everything. Errors become a message and an exit
 * status; the process ends only after all output was taken.
 */
import type { RunContext } from './cli/run/context.ts';
import { Terminal } from './cli/run/terminal.ts';
import { CliError } from './errors.ts';
import { ClosedPipe, type Host } from './host/host.ts';
import { Secrets } from './model/secrets.ts';
import { quoteForShellOf } from './model/shell-quote.ts';

/** Runs the program in the given world; resolves to its exit status. */
export async function main(world: Host): Promise<number> {
  const secrets = new Secrets();
  const terminal = new Terminal(world, secrets);
  const { host } = terminal;
  let context: RunContext | undefined;
  quoteForShellOf(host.platform);
  host.onCrash((error) => report(error, { terminal, context }));
  try {
    const { parse } = await import('./cli/parse/program.ts');
    const parsed = await parse(host.argv, host.stdout.columns);
    if (parsed.kind === 'shown') {
      await host.stdout.write(parsed.text.endsWith('\n') ? parsed.text : `${parsed.text}\n`);
      return 0;
    }
    // Node 22 and 24 have no calendar of their own.
    if (!globalThis.Temporal) Object.assign(globalThis, { Temporal: (await import('temporal-polyfill')).Temporal });
    const { createContext, execute, print } = await import('./cli/run/run.ts');
    context = createContext(world, parsed.invocation.globals, terminal);
    const result = await execute(parsed.invocation, context);
    const unwritten = await print(result, context).then(() => undefined, reasonUnlessClosed);
    if (unwritten && !(result.failure && context.written())) throw unwritten.reason;
    const { reason } = host.interrupted;
    if (result.kind === 'live' && reason instanceof CliError) return reason.exit;
    return result.failure ? await reportResult(result.failure, unwritten, { terminal, context }) : 0;
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    return await report(error, { terminal, context });
  } finally {
    // The outcome stands even if something cannot be closed.
    await context?.close().catch(() => {});
  }
}

type Unwritten = { reason: unknown };
/** `context`: undefined until the command line is parsed. */
type Where = { terminal: Terminal; context: RunContext | undefined };

/** A reader that closes the pipe early does not change the outcome of the command. */
function reasonUnlessClosed(reason: unknown): Unwritten | undefined {
  return reason instanceof ClosedPipe ? undefined : { reason };
}

/** The failure of a command that knows what became of its requests. */
async function reportResult(failure: CliError, unwritten: Unwritten | undefined, where: Where): Promise<number> {
  const { alsoUnwritten, asResultError } = await import('./cli/run/failures.ts');
  const known = asResultError(failure, where.context?.written());
  return told(unwritten ? alsoUnwritten(known, unwritten.reason) : known, where);
}

/** An error that ends a command, whatever it had done by then. */
async function report(error: unknown, where: Where): Promise<number> {
  const { asCliError } = await import('./cli/run/failures.ts');
  const failure = asCliError(error, where.context?.written());
  const isBug = error instanceof Error && failure.cause === error && !(error instanceof CliError);
  return told(failure, where, isBug ? error.stack : undefined);
}

/** `stack`: of a bug. */
async function told(failure: CliError, { terminal, context }: Where, stack?: string): Promise<number> {
  const { argv } = terminal.host;
  const isForProgram = context ? context.forProgram : wantsJson(terminal.host);
  await terminal.fail(failure, isForProgram, argv.includes('--debug') ? stack : undefined);
  return failure.exit;
}

/** Whether errors are printed as JSON: read from the raw arguments, because parsing them may be what failed. */
function wantsJson({ argv, env }: Host): boolean {
  const joined = argv.map((word, index) => (word === '-o' || word === '--output' ? `=${argv[index + 1]}` : word));
  const given = joined.map((word) => /^(?:--output)?=(.+)$|^-o=?(.+)$/.exec(word)).findLast((match) => match);
  const format = given?.[1] ?? given?.[2] ?? env.PROCTOR_OUTPUT;
  return format === 'json' || format === 'ndjson';
}
