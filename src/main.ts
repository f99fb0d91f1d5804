/** Runs the program: errors become a message and an exit status. */
import type { RunContext } from './cli/run/context.ts';
import { Terminal } from './cli/run/terminal.ts';
import { CliError } from './errors.ts';
import { ClosedPipe, type World } from './host/host.ts';
import { Secrets } from './model/secrets.ts';
import { writeForShellOf } from './model/shell-quote.ts';

const failures = () => import('./cli/run/failures.ts');

/** Resolves to the exit status, once all output was taken. */
export async function main(world: World): Promise<number> {
  const terminal = new Terminal(world, new Secrets());
  const { host } = terminal;
  let context: RunContext | undefined;
  writeForShellOf(host);

  async function report(error: unknown): Promise<number> {
    const failure = (await failures()).asCliError(error, context?.written());
    const isBug = error instanceof Error && failure.cause === error && !(error instanceof CliError);
    return terminal.fail(failure, isBug ? error.stack : '');
  }

  host.onCrash(report);
  try {
    const { parse } = await import('./cli/parse/program.ts');
    const parsed = await parse(host.argv, host.stdout.columns);
    if (typeof parsed === 'string') {
      await host.stdout.write(parsed.endsWith('\n') ? parsed : `${parsed}\n`);
      return 0;
    }
    const { createContext, execute, print } = await import('./cli/run/run.ts');
    context = await createContext(world, parsed.globals, terminal);
    const result = await execute(parsed, context);
    let unwritten: unknown;
    try {
      await print(result, context);
    } catch (error) {
      // A reader that closes the pipe early does not change the outcome.
      const isClosed = error instanceof ClosedPipe;
      if (!result.failure || !(isClosed || context.written())) throw error;
      if (!isClosed) unwritten = error;
    }
    const { reason } = host.interrupted;
    if (result.kind === 'live' && reason instanceof CliError) return reason.exit;
    if (!result.failure) return 0;
    const { asResultError } = await failures();
    return await terminal.fail(asResultError(result.failure, context.written(), unwritten));
  } catch (error) {
    return error instanceof ClosedPipe ? 0 : await report(error);
  } finally {
    await context?.close();
  }
}
