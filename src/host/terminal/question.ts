/** Runs one question on the terminal, with any prompt. */
import { CliError } from '../../errors.ts';

export type Asking = { output: NodeJS.WritableStream; signal: AbortSignal };

/** A question that ends with Ctrl-C, and at the end of the input. */
export async function untilStopped<T>(interrupted: AbortSignal, ask: (context: Asking) => Promise<T>): Promise<T> {
  // At the end of the input (Ctrl-D) the prompt stops reading, and would wait forever.
  const over = new AbortController();
  const stop = () => over.abort();
  // After Ctrl-Z and fg, stdin stays paused until it is resumed.
  const goOn = () => {
    process.stdin.off('pause', stop);
    setImmediate(() => process.stdin.resume().once('pause', stop));
  };
  process.stdin.once('pause', stop);
  process.on('SIGCONT', goOn);
  try {
    return await ask({ output: process.stderr, signal: AbortSignal.any([interrupted, over.signal]) });
  } catch (error) {
    if (interrupted.aborted) throw interrupted.reason;
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError', 'AbortError'].includes(error.name)) {
      throw new CliError('interrupted', 'Cancelled at the question.', { hint: 'Nothing was sent.' });
    }
    throw error;
  } finally {
    process.stdin.off('pause', stop);
    process.off('SIGCONT', goOn);
    // Otherwise stdin may continue to read after the question, and the program would never end.
    process.stdin.pause();
  }
}
