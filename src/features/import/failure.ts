/** The error of an import that did not complete every row, and its remedy. */
import { CliError, type ErrorCode, isInterruption } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { failedStates, openStates, sumOf } from '../../model/row-states.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { howToCorrect, settlingByHand } from './messages.ts';
import type { ImportResult, RowProblem } from './proof.ts';

/** Rows that keep the run from complete success; `unknown` comes before all of them. */
function failedRows({ counts }: ImportResult, acceptDifferent: boolean): number {
  const names = [...failedStates, ...openStates].filter(
    (name) => name !== 'unknown' && name !== 'invalid' && !(acceptDifferent && name === 'different'),
  );
  return sumOf(counts, names);
}

type FailureOptions = { acceptDifferent: boolean; update: boolean; rejects: string | undefined };

/** The error of a run; undefined if every row is complete. `rejects`: the file with the failed rows. */
export function failureOf(result: ImportResult, { acceptDifferent, update, rejects }: FailureOptions): CliError | undefined {
  const { counts, stopped, run, finished } = result;
  const bad = failedRows(result, acceptDifferent);
  const done = sumOf(counts, ['created', 'updated']);
  const resend = counts.absent + counts.missing > 0 ? '; with --resend-absent it also sends rows that the exam does not show' : '';
  const again = run !== undefined && !finished ? sentence`Run the same command again to resume${resend}.` : undefined;
  const hint = again === undefined ? {} : { hint: again };
  if (stopped && isInterruption(stopped)) {
    return new CliError(
      stopped.code,
      sentence`${stopped.message} ${count(done, 'row')} done, ${bad} not done, ${counts.unknown} unknown.`,
      hint,
    );
  }
  if (counts.unknown > 0) {
    return new CliError(
      'outcome_unknown',
      sentence`The outcome of ${count(counts.unknown, 'row')} is unknown.${stopped ? ` ${stopped.message}` : ''}`,
      { hint: run === undefined ? 'Check the exam before you run the command again.' : howToSettle(result, run, again) },
    );
  }
  if (stopped) {
    const { code, message, status } = stopped;
    const told = sentence`${message} ${count(done, 'row')} done, ${bad} not done.`;
    // After an error of the disk or the listing, running the command again does not help by itself.
    return new CliError(done + counts.partial === 0 ? code : codeAfterWrites(code), told, {
      ...(code === 'journal_failed' || code === 'bad_answer' ? { hint: stopped.hint } : hint),
      // With the same token it would end in the same way.
      ...(code === 'token_refused' && again !== undefined ? { hint: sentence`${stopped.hint} ${again}` } : {}),
      ...(status === undefined ? {} : { status }),
    });
  }
  if (bad === 0) return undefined;
  if (bad === counts.different) {
    return new CliError('partly_done', sentence`${count(bad, 'student')} of the exam ${bad === 1 ? 'differs' : 'differ'} from the file.`, {
      hint: update
        ? 'The service did not change what the rows above name. Correct it there, or keep the exam as it is with --accept-different.'
        : 'Update the students with --update, or keep the exam as it is with --accept-different.',
    });
  }
  return new CliError('partly_done', sentence`${count(bad, 'row')} failed.`, { hint: again ?? howToCorrect(rejects) });
}

/** Rows are sent, so no status may say that nothing was. */
function codeAfterWrites(code: ErrorCode): ErrorCode {
  if (code === 'token_refused' || code === 'exam_running') return code;
  return code === 'journal_failed' ? 'outcome_unknown' : 'partly_done';
}

/** What no listing shows, a person settles, row by row; a later listing may show the others. */
function howToSettle({ problems }: ImportResult, run: string, again: Sentence | undefined): Sentence {
  const unknown = problems.filter(({ state }) => state === 'unknown');
  const nameless = unknown.find(({ email }) => email === null);
  const [first] = unknown;
  const settle = ({ row }: RowProblem) => settlingByHand(run, row);
  if (nameless)
    return sentence`No listing can identify a row without an address. Check the exam, then settle each by hand: ${settle(nameless)}`;
  if (!again || !first) return sentence`Check the exam before you run the command again.`;
  return sentence`${again} If a row stays unknown, check the exam, and settle it by hand: ${settle(first)}`;
}
