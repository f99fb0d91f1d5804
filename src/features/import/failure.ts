/** The error of an import that did not complete every line, and its remedy. */
import { CliError, type ErrorCode, isInterruption, stateErrors } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { failedStates, openStates, sumOf } from '../../model/line-states.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { TooManyUnclear } from '../../runs-before/index.ts';
import { inARow, type Sentence, sentence } from '../../text/sentence.ts';
import type { ImportResult } from './line-results.ts';
import { howToCorrect } from './messages.ts';

/** Lines that keep the run from complete success; `unknown` comes before all of them. */
function failedLines({ counts, accepted, openTimeOpen }: ImportResult): number {
  const names = [...failedStates, ...openStates].filter((name) => name !== 'unknown' && name !== 'invalid');
  return sumOf(counts, names) - accepted + openTimeOpen;
}

/** With the same token, or the same state, the same command would end in the same way. */
const toBeMendedFirst: readonly ErrorCode[] = ['token_refused', ...stateErrors, 'bad_answer', 'already_running'];

type FailureOptions = { update: boolean; rejects: string | undefined; removed: number };

/** The error of a run; undefined if every line is complete. `rejects`: the file with the failed lines. */
export function failureOf(result: ImportResult, { update, rejects, removed }: FailureOptions): CliError | undefined {
  const { counts, stopped, run, finished } = result;
  const bad = failedLines(result);
  const done = sumOf(counts, ['created', 'updated']) - result.openTimeOpen;
  const resend = counts.absent > 0 ? '; with --resend-absent it also sends lines that the exam does not show' : '';
  const fewer = stopped instanceof TooManyUnclear ? stopped.fewer : undefined;
  const slower = fewer === undefined ? '' : `, with --concurrency ${fewer} so that fewer requests are in flight`;
  const again = run !== undefined && !finished ? sentence`Run the same command again to resume${slower}${resend}.` : undefined;
  const hint = again === undefined ? {} : { hint: again };
  if (stopped && isInterruption(stopped)) {
    return new CliError(
      stopped.code,
      sentence`${stopped.message} ${count(done, 'line')} done, ${bad} not done, ${counts.unknown} unknown.`,
      hint,
    );
  }
  const unknown = counts.unknown + result.openTimeUnknown;
  if (unknown > 0) {
    return new CliError(
      'outcome_unknown',
      sentence`The outcome of ${count(unknown, 'line')} is unknown.${stopped ? ` ${stopped.message}` : ''}`,
      { hint: run === undefined ? 'Check the exam before you run the command again.' : howToSettle(run, again) },
    );
  }
  if (stopped) {
    const { code, message, status } = stopped;
    // What was unclear has been looked up since.
    const ends = code === 'outcome_unknown' ? 'partly_done' : code;
    const wrote = done + result.openTimeOpen + removed > 0;
    const hints = [toBeMendedFirst.includes(code) ? stopped.hint : undefined, howToDelete(result), again].filter(
      (each) => each !== undefined,
    );
    const since = code === 'outcome_unknown' ? ' All were looked up since:' : '';
    return new CliError(wrote ? codeAfterWrites(ends) : ends, sentence`${message}${since} ${count(done, 'line')} done, ${bad} not done.`, {
      ...(hints.length > 0 ? { hint: inARow(hints) } : {}),
      ...(status === undefined ? {} : { status }),
    });
  }
  if (bad === 0) return undefined;
  if (bad === counts.different) {
    return new CliError('partly_done', sentence`${count(bad, 'student')} of the exam ${bad === 1 ? 'differs' : 'differ'} from the file.`, {
      hint:
        result.otherAddress > 0
          ? otherAddresses
          : update
            ? 'The service did not change what the lines above name. Correct it there, or keep the exam as it is with --accept-different.'
            : 'Update the students with --update, or keep the exam as it is with --accept-different.',
    });
  }
  const twice = bad === counts.duplicate;
  const what = twice ? sentence`${count(bad, 'student')} of the file ${bad === 1 ? 'is' : 'are'} in the exam more than once` : '';
  return new CliError('partly_done', twice ? sentence`${what}.` : sentence`${count(bad, 'line')} failed.`, {
    hint: (twice ? undefined : again) ?? howToDelete(result) ?? (twice ? othersDoubles : howToCorrect(rejects)),
  });
}

const otherAddresses = 'Correct the addresses above in the file, and remove lines that mean a student of another line.';
const othersDoubles = sentence`This run created none of the surplus sessions. Look at each, then delete the surplus ones with: proctor-cli sessions delete ID`;

/** Sessions named in a command at the most; of more, the undo of the run says what it keeps. */
const namedAtMost = 50;

/** The command that deletes what this run created twice, and nothing else. */
function howToDelete({ ownDoubles, run }: ImportResult): Sentence | undefined {
  if (ownDoubles.length === 0 || run === undefined) return undefined;
  if (ownDoubles.length <= namedAtMost)
    return sentence`To delete just the sessions of these students that this run created: proctor-cli ${typedCommand('sessions delete', ownDoubles)}`;
  return sentence`This run created ${ownDoubles.length} of these sessions; the result lists them under own_doubles. To take back all that this run created: proctor-cli ${typedCommand('runs undo', [run])}`;
}

/** Lines are sent, so no status may say that nothing was. */
function codeAfterWrites(code: ErrorCode): ErrorCode {
  return stateErrors.includes(code) ? 'outcome_unknown' : 'partly_done';
}

/** What no reading shows, a person settles; a later reading may show the others. */
function howToSettle(run: string, again: Sentence | undefined): Sentence {
  return sentence`${again ?? 'Check the exam before you run the command again.'} To end the run with what stays unknown: proctor-cli ${typedCommand('runs close', [run])}`;
}
