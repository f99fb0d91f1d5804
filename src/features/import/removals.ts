/**
 * `--remove-missing`: the students of an exam that are missing from the file, whom the run deletes once all of its lines are in.
 * Invariant: a student who may have begun is deleted only with `--remove-started`.
 */
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import type { Ended, ListedSession, Outcome, Step } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

export type RemovalOptions = {
  /** Students deleted at the most in each exam; undefined: a tenth of it. */
  most: number | undefined;
  /** Also delete students that may have started. */
  started: boolean;
};

/** A student missing from the file. */
export type Missing = { exam: string; student: ListedSession };

export type Removals = {
  remove: Missing[];
  keep: (Missing & { why: Sentence })[];
  refused: CliError | undefined;
};

/** Sent once all lines are in; undefined where the student shows no ID. */
export function deletionOf({ exam, student: { id, email, data } }: Missing): Step | undefined {
  if (id === undefined) return undefined;
  return { operation: operations.deleteSession, params: { id }, exam, email, expects: { status: statusText(data.status) }, last: true };
}

/** `all`: how many students the exam has. */
type Removing = { exam: string; all: number; notInFile: readonly ListedSession[] };

/** The students to delete, and those to keep with the reason; `refused`: why none may be deleted. */
export function planRemovals(exams: readonly Removing[], { most, started }: RemovalOptions): Removals {
  const planned: Removals = { remove: [], keep: [], refused: undefined };
  const refused: Refused[] = [];
  for (const { exam, all, notInFile } of exams) {
    const before = planned.remove.length;
    for (const student of notInFile) {
      const why = whyKept(student, started);
      if (why === undefined) planned.remove.push({ exam, student });
      else planned.keep.push({ exam, student, why });
    }
    const [number, limit] = [planned.remove.length - before, most ?? Math.floor(all / 10)];
    if (number > limit) refused.push({ exam, all, number, limit });
  }
  return { ...planned, refused: refusalOf(refused, most) };
}

type Refused = Pick<Removing, 'exam' | 'all'> & { number: number; limit: number };

function refusalOf(refused: readonly Refused[], most: number | undefined): CliError | undefined {
  const [first, ...others] = refused;
  if (!first) return undefined;
  const { exam, all, number, limit } = first;
  const said = most === undefined ? sentence`the limit is 10 % of the exam, ${limit}` : sentence`--max-removals is ${most}`;
  const also =
    others.length === 0 ? '' : ` The same holds for ${firstInLine(others, (one) => `exam ${one.exam} (${one.number} of ${one.all})`, 10)}.`;
  const message = sentence`--remove-missing would delete ${number} of the ${students(all)} of exam ${exam}, and ${said}.${also} Nothing was sent.`;
  const largest = Math.max(...refused.map((one) => one.number));
  const hint = sentence`Check that the file is the roster of ${others.length === 0 ? `exam ${exam}` : 'these exams'}, and preview the deletions with --dry-run. If they are right, add --max-removals ${largest}.`;
  return new CliError('invalid_input', message, { hint });
}

function whyKept({ id, email, data }: ListedSession, started: boolean): Sentence | undefined {
  if (email === undefined) return sentence`it shows no address to compare with the file`;
  if (id === undefined) return sentence`it shows no ID`;
  if (started || phaseOf(data.status) === 'waiting') return undefined;
  return sentence`its status is ${statusText(data.status) ?? 'not shown'}; --remove-started deletes it as well`;
}

/** Before the question: the students to delete, and those to keep with the reason. */
export function tellRemovals(context: Context, { remove, keep }: Pick<Removals, 'remove' | 'keep'>) {
  const isOne = new Set([...remove, ...keep].map(({ exam }) => exam)).size === 1;
  const who = ({ exam, student }: Missing) => `${removalInWords(student)}${isOne ? '' : ` of exam ${exam}`}`;
  for (const text of firstLines(remove, (one) => sentence`To delete: ${who(one)}.`)) context.say(text);
  for (const text of firstLines(keep, (one) => sentence`Kept: ${who(one)}: ${one.why}.`)) context.warn(text);
}

export function removalInWords({ id, email, data }: ListedSession): string {
  return `${id === undefined ? '' : `student session ${id}, `}${email ?? 'no address'} (${statusText(data.status) ?? 'no status'})`;
}

/** How many were deleted, in all and by exam, and the error to end with if that is not all. */
export type Removal = { removed: number; ofExam: ReadonlyMap<string, number>; failure: CliError | undefined };

/** Names each on stderr. `wrote`: the import did something before. */
export function removalOf(context: Pick<Context, 'say' | 'warn'>, ended: Ended, wrote: boolean): Removal {
  const { steps } = ended.book;
  const outcomes = (steps.last ?? []).flatMap((index) => ended.book.outcome(index) ?? []);
  const isUntouched = ({ state }: Outcome) => state === 'planned' || state === 'skipped' || state === 'given_up';
  if (outcomes.every(isUntouched)) {
    const ofExam = new Map<string, number>();
    if (outcomes.length === 0) return { removed: 0, ofExam, failure: undefined };
    const why = 'No student was deleted, because the import is not complete.';
    context.warn(why);
    return {
      removed: 0,
      ofExam,
      failure: new CliError('partly_done', why, {
        hint: 'Run the same command again: it deletes the students that are missing from the file.',
      }),
    };
  }
  for (const { state, step, id = '', error } of outcomes) {
    const who = `student session ${id}${step.email === undefined ? '' : `, ${step.email}`}`;
    if (state === 'done' || state === 'gone') context.say(sentence`${state === 'done' ? 'Deleted' : 'Already gone'}: ${who}.`);
    else if (error) context.warn(state === 'changed' ? error.message : sentence`Not deleted: ${who}: ${error.message}`);
  }
  const failure = ended.failure({
    ...{ did: 'missing students deleted', idType: undefined, of: outcomes.filter(({ state }) => state !== 'gone'), follows: wrote },
    hint: sentence`Check those that were kept, then run the same command again: it deletes the rest. Imported students are kept.`,
  });
  const done = outcomes.filter(({ state }) => state === 'done');
  const ofExam = new Map([...Map.groupBy(done, ({ step }) => step.exam ?? '')].map(([exam, all]) => [exam, all.length]));
  return { removed: done.length, ofExam, failure };
}
