/** The end of a run, for the command's result: its outcomes, its error, and the one command that goes on. */
import { CliError, type ErrorCode, isInterruption, stateErrors } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { inARow, sentence } from '../text/sentence.ts';
import { Book } from './book.ts';
import type { Driven } from './drive.ts';
import { runFailure } from './run-failure.ts';
import type { Ended, RunRequest } from './run-request.ts';

/** `withBody`: false where the command needs its file to be resumed. */
export function endedOf(
  run: string,
  { book, stopped, readings, milliseconds }: Driven,
  { withBody = true }: Pick<RunRequest, 'withBody'>,
): Ended {
  return {
    run,
    book,
    outcomes: () => book.outcomes(),
    stopped,
    milliseconds,
    readings,
    there: undefined,
    failure: (words) => {
      const failure = runFailure(book, stopped, words);
      return withBody ? withWayOn(failure, { run, book, stopped }) : failure;
    },
  };
}

/** What has to be mended before the run can go on. */
const toBeMendedFirst: readonly ErrorCode[] = ['token_refused', 'not_logged_in', ...stateErrors, 'bad_answer'];

/** The one command that goes on, where the run is open. */
function withWayOn(
  failure: CliError | undefined,
  { run, book, stopped }: { run: string; book: Book; stopped: CliError | undefined },
): CliError | undefined {
  if (!failure || !(book.isOpen || (stopped && isInterruption(stopped)))) return failure;
  const absent = book.count('absent') > 0 && book.count('unknown', 'confirmed') === 0;
  const line = typedCommand('runs resume', [run]);
  const isSettled = book.count('unknown', 'confirmed') > 0 && !stopped;
  const hint = absent
    ? inARow([failure.hint, sentence`To send the missing ones again: proctor-cli ${line}`])
    : isSettled
      ? sentence`Run the same command again to resume, or: proctor-cli ${line}. To end it as it is: proctor-cli ${typedCommand('runs close', [run])}`
      : sentence`Run the same command again to resume, or: proctor-cli ${line}`;
  const { code, message, items, status } = failure;
  const first = [stopped, failure].find((error) => error && toBeMendedFirst.includes(error.code));
  return new CliError(code, message, {
    hint: first ? inARow([first.hint, hint]) : hint,
    ...(items ? { items } : {}),
    ...(status === undefined ? {} : { status }),
  });
}

export function nothingToDo(there: Ended['there']): Ended {
  const book = new Book([]);
  return {
    run: undefined,
    book,
    outcomes: () => [],
    stopped: undefined,
    milliseconds: 0,
    readings: new Map(),
    there,
    failure: (words) => runFailure(book, undefined, words),
  };
}
