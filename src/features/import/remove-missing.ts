/**
 * `--remove-missing`: deletes the students of an exam that are missing from the file. Planned with the import, so
 * that a file of another exam is refused before anything is sent; each deletion is in the run's journal
 * before it is sent. Invariant: a student who may have begun is deleted only with `--remove-started`.
 */
import type { Client } from '../../api/client.ts';
import { whoInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { count, students } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { removalsAtMost } from '../../model/removals.ts';
import { phaseOf } from '../../model/status.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ChosenStudent, type Deletion, deleteSessions, deletionFailure, isOpen } from './deletions.ts';
import type { Journal } from './journal/journal.ts';
import type { ExamStudent } from './presence.ts';
import type { ImportPlan } from './roster-plan.ts';

export type RemovalOptions = {
  /** Students deleted at the most; undefined: a tenth of the exam. */
  most: number | undefined;
  /** Also delete students that may have started. */
  started: boolean;
};

export type Removals = {
  exam: string;
  remove: ExamStudent[];
  keep: { student: ExamStudent; why: Sentence }[];
  refused: CliError | undefined;
};

/** The students to delete, and those to keep with the reason; `refused`: why none may be deleted. */
export function planRemovals({ presence, notInFile }: ImportPlan, exam: string, { most, started }: RemovalOptions): Removals {
  const planned: Removals = { exam, remove: [], keep: [], refused: undefined };
  for (const student of notInFile) {
    const why = whyKept(student, started);
    if (why === undefined) planned.remove.push(student);
    else planned.keep.push({ student, why });
  }
  const all = presence.students.length;
  const limit = most ?? removalsAtMost(all);
  if (planned.remove.length <= limit) return planned;
  const said = most === undefined ? sentence`the limit is 10 % of the exam, ${limit}` : sentence`--max-removals is ${most}`;
  const message = sentence`--remove-missing would delete ${planned.remove.length} of the ${students(all)} of exam ${exam}, and ${said}. Nothing was sent.`;
  const hint = sentence`Check that the file is the roster of exam ${exam}, and preview the deletions with --dry-run. If they are right, add --max-removals ${planned.remove.length}.`;
  return { ...planned, refused: new CliError('invalid_input', message, { hint }) };
}

function whyKept({ session, email, status }: ExamStudent, started: boolean): Sentence | undefined {
  if (email === undefined) return sentence`it shows no address to compare with the file`;
  if (session === undefined) return sentence`it shows no ID`;
  if (started || phaseOf(status) === 'waiting') return undefined;
  return sentence`its status is ${status ?? 'not shown'}; --remove-started deletes it as well`;
}

/** Before the first question: the students to delete, and those to keep with the reason. */
export function tellRemovals(context: Context, { remove, keep }: Removals) {
  for (const text of firstLines(remove, (student) => sentence`To delete: ${nameOf(student)}.`)) context.say(text);
  for (const text of firstLines(keep, ({ student, why }) => sentence`Kept: ${nameOf(student)}: ${why}.`)) context.warn(text);
}

/** How many were deleted, and the error to end with if that is not all. */
export type Removal = { removed: number; failure?: CliError };

type Removing = {
  client: Client;
  removals: Removals;
  /** The exam in words. */
  named: Sentence;
  /** Rows that this command has sent before. */
  imported: number;
  /** The journal of the run, or one that is begun for this. */
  journal(): Promise<Journal>;
};

/** The import is done: an error here is shown with its result, not thrown instead of it. */
export async function removeMissing(context: Context, { client, removals, named, imported, journal: open }: Removing): Promise<Removal> {
  const { host } = context;
  const { exam, remove } = removals;
  let removed = 0;
  try {
    const number = remove.length;
    const question = () =>
      sentence`Delete ${students(number)} (${whoInWords(remove)}) of ${named} that are missing from the file, ${context.place()}?`;
    await context.confirm(question, String(number));
    const journal = await open();
    const after = ({ student }: ChosenStudent, deletion: Deletion, sent: boolean) => {
      if (deletion.result === 'deleted') removed += 1;
      if (sent && student.session !== undefined) journal.removed(student.session, stateOf(deletion));
      tell(context, deletion);
    };
    const before = ({ student }: ChosenStudent) => journal.removal(student.session ?? '', student.email);
    const deletions = await deleteSessions(remove.map(chosen), { client, host, exam, before, after });
    await journal.note(deletions.all.some(isOpen) ? 'stopped' : 'finished', { reason: 'removed the students missing from the file' });
    const failure = deletionFailure(deletions, client.idType('session'), imported > 0);
    return { removed, ...(failure ? { failure } : {}) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = sentence`${count(removed, 'student')} deleted; imported students are kept.`;
    return { removed, failure: new CliError(error.code, error.message, { hint, cause: error }) };
  }
}

function chosen(student: ExamStudent): ChosenStudent {
  const key = addressKey(student.email ?? '');
  return { student, isStudent: (email) => email !== undefined && addressKey(email) === key };
}

function stateOf({ result, error }: Deletion) {
  if (result === 'deleted') return 'deleted';
  return error?.code === 'outcome_unknown' ? 'unknown' : 'failed';
}

function tell(context: Context, { student, result, error }: Deletion) {
  if (result === 'kept' && error) context.warn(error.message);
  else if (error) context.warn(sentence`Not deleted: ${nameOf(student)}: ${error.message}`);
  else context.say(sentence`${result === 'gone' ? 'Already gone' : 'Deleted'}: ${nameOf(student)}.`);
}

function nameOf({ session, email, status = 'no status' }: ExamStudent): string {
  return `${session === undefined ? '' : `student session ${session}, `}${email ?? 'no address'} (${status})`;
}
