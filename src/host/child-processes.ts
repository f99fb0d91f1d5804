/** Runs a program of the user's without a shell: with a deadline, and a limit on its output. */
import { execFile } from 'node:child_process';
import { type Sentence, sentence } from '../text/sentence.ts';
import { ProgramFailure } from './host.ts';

/** Bytes that a program may print. */
const mostOutput = 64 << 10;

type Limits = {
  milliseconds: number;
  /** Ends the program; its reason is thrown. */
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
};

/** What a program printed; what it says on stderr is shown. Throws `ProgramFailure`, or the reason of the signal. */
export function printedBy(file: string, args: readonly string[], { milliseconds, signal, env }: Limits): Promise<string> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const options = { timeout: milliseconds, killSignal: 'SIGKILL', maxBuffer: mostOutput, signal, env } as const;
    const child = execFile(file, args, options, (error, printed) => {
      if (signal.aborted) reject(signal.reason);
      else if (error) reject(new ProgramFailure(whyOf(error, milliseconds)));
      else resolve(printed);
    });
    child.stdin?.end();
    child.stderr?.pipe(process.stderr);
  });
}

/** The reason of a failure, without what was printed. */
function whyOf({ code, killed, signal }: { code?: unknown; killed?: boolean; signal?: string }, milliseconds: number): Sentence {
  if (code === 'ENOENT') return sentence`was not found`;
  if (code === 'EACCES') return sentence`may not be run`;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return sentence`printed more than ${mostOutput >> 10} KiB`;
  if (killed) return sentence`took longer than ${milliseconds / 1000} s`;
  if (signal) return sentence`was ended by ${signal}`;
  return typeof code === 'number' ? sentence`exited with ${code}` : sentence`could not be run`;
}
