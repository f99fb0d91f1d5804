/**
 * The last look of a run: what somebody else may have done at the same moment to the exams and
 * students that it has changed. And the look right before a session is deleted beside another one.
 */
import type { Shown } from '../api/client.ts';
import { otherExam, readExam } from '../api/reading.ts';
import { CliError, orError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { differences, unexpected } from '../model/compare.ts';
import { firstInLine } from '../model/count.ts';
import { along, type ExamTime } from '../model/fields.ts';
import { type JsonObject, textOfJson } from '../model/json.ts';
import { type Listed, otherStudent } from '../model/listing.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { phaseOf } from '../model/status.ts';
import { showTime } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { type Execution, isWritten, loadExecutions } from './execution.ts';
import { type Running, readOne } from './running.ts';
import { creates, examOfStep, lookAt, resourceOf, type Step } from './step.ts';
import { movedBy } from './times.ts';

export async function finalChecks(running: Running): Promise<CliError | undefined> {
  const { items, record, client } = running;
  const examOf = ({ step }: Execution) => examOfStep(step) ?? '';
  const written = items.filter((item) => isWritten(item) && movedBy(item.step).length > 0);
  const moved = Map.groupBy(written, examOf);
  const relied = items.filter((item) => item.sentByThisProcess && item.step.expectsExam && !moved.has(examOf(item)));
  const { undoOf } = running.run.run;
  // What an undo leaves as it is, its plan has named.
  const undone = undoOf === null || moved.size === 0 ? [] : await loadExecutions(record, undoOf);
  const known = { ...running, items: [...items, ...undone] };
  const looks = [
    ...[...moved].map(([exam, of]) => ({ exam, look: () => unmovedWindows(known, exam, of) })),
    ...[...Map.groupBy(relied, examOf)].map(([exam, of]) => ({ exam, look: () => movedExam(running, exam, of) })),
    ...[...replacedIn(running)].map(([exam, of]) => ({ exam, look: () => findLost(running, exam, of) })),
  ];
  const found = await client.pacer.map(looks, async ({ exam, look }) => {
    const result = await orError(look());
    if (!(result instanceof CliError) || result.code === 'partly_done') return result;
    const what = sentence`Exam ${exam} could not be read afterwards, and somebody may have changed it: ${result.message}`;
    const hint = sentence`Look whether all is as planned: proctor-cli sessions list ${typedOption('--exam', exam)}`;
    return new CliError('partly_done', what, { hint });
  });
  return found.find((each) => each !== undefined);
}

async function unmovedWindows({ client, items }: Running, exam: string, moved: readonly Execution[]): Promise<CliError | undefined> {
  const { sessions } = await readExam(client, exam);
  const times = moved.flatMap(({ step }) => movedBy(step));
  const left = sessions.filter((session) => times.some((time) => isUnmoved(session, time, items)));
  const [first] = left;
  if (!first) return undefined;
  const which = firstInLine(left, ({ id, email }) => [id, email].filter(Boolean).join(' '), 5);
  const what = sentence`The times of exam ${exam} were changed, but not the window of ${which}, which was added meanwhile.`;
  return new CliError('partly_done', what, { hint: lookAt('session', first.id ?? '') });
}

/** Times of sessions were computed from those of their exam. */
async function movedExam(running: Running, exam: string, of: readonly Execution[]): Promise<CliError | undefined> {
  const shown = await readOne(running, 'exam', exam);
  for (const { id = '', step } of of) {
    const why = unexpected('exam', step.expectsExam, shown?.data ?? {}, running.zone);
    if (why === undefined) continue;
    const what = sentence`Exam ${exam} was changed at the same moment: ${why}. The time of session ${id} was computed before that.`;
    return new CliError('partly_done', what, { hint: lookAt('session', id) });
  }
  return undefined;
}

/** Who is taking the exam keeps the start, and a finished session is never changed. */
function isUnmoved({ id, data }: Listed, time: ExamTime, items: readonly Execution[]): boolean {
  const phase = phaseOf(data.status);
  const isKept = phase === 'finished' || (time === 'start_time' && phase !== 'waiting' && phase !== undefined);
  const own = along[time];
  if (isKept || (data[own] ?? null) === null) return false;
  return !items.some(({ id: its, step }) => {
    const isOfIt = resourceOf(step) === 'session' && (step.params.id ?? its) === id;
    return isOfIt && Object.hasOwn(step.body ?? {}, own);
  });
}

/** The session by which a student stays. A copy has to show all that was carried over. */
export async function findSurvivor(running: Running, step: Step): Promise<Shown | CliError> {
  const { client, zone } = running;
  const { ids, exam, email, shows } = stayingBy(running, step);
  const why = (data: JsonObject) => {
    const other = otherExam(exam, data, client) ?? otherStudent(email, data);
    if (other !== undefined || !shows) return other;
    const { different, notShown } = differences('session', shows, data, zone);
    if (addressIn(data) === undefined && email !== undefined) notShown.push('email');
    return [...different, ...notShown.map((field) => `${field} is not shown`)].join('; ') || undefined;
  };
  const all = await client.pacer.map(ids, (id) => readOne(running, 'session', id));
  const found = all.find((each) => each && why(each.data) === undefined);
  if (found) return found;
  const [[id = ''], [first]] = [ids, all];
  const what = sentence`Session ${id} is not as planned: ${first ? why(first.data) : 'it is no longer there'}.`;
  return new CliError('changed_meanwhile', what, { hint: lookAt('session', id) });
}

/** Other sessions of the student, or else the copy that is made in the place of this one. */
function stayingBy({ items }: Running, { beside, exam, email, after = [] }: Step) {
  if (beside) return { exam, email, shows: undefined, ...beside };
  const copying = after.map((by) => items[by] as Execution);
  const maker = copying.find(({ step }) => creates(step));
  const { email: _, ...shows } = Object.assign({}, ...copying.map(({ step }) => step.body)) as JsonObject;
  return { ids: [maker?.id ?? ''], exam: maker?.step.exam, email: maker?.storedAs ?? maker?.step.email, shows };
}

/** Deletions of sessions whose student stays by another one. */
function replacedIn(running: Running): ReadonlyMap<string, Execution[]> {
  const deleted = running.items.filter(({ step }) => step.restore || step.beside);
  const done = deleted.filter(({ state, sentByThisProcess }) => state === 'done' && sentByThisProcess);
  return Map.groupBy(done, ({ step }) => stayingBy(running, step).exam ?? '');
}

/** Somebody else may have deleted the other session, or added one. */
async function findLost(running: Running, exam: string, of: readonly Execution[]): Promise<CliError | undefined> {
  const { client, run } = running;
  const reading = await readExam(client, exam);
  const isThere = async (id: string) => !!(reading.withId(id) ?? (await readOne(running, 'session', id)));
  const isTwice = ({ step }: Execution) => step.restore && reading.of({ ...step, ...stayingBy(running, step) }).length > 1;
  const isLost = async (item: Execution) => {
    const { ids } = stayingBy(running, item.step);
    return isTwice(item) || !(await Promise.all(ids.map(isThere))).includes(true);
  };
  const seen = await client.pacer.map(of, isLost);
  const lost = of.filter((_, at) => seen[at]);
  const [first] = lost;
  if (!first) return undefined;
  const { email, shows = {} } = stayingBy(running, first.step);
  const { open_time, ...values } = shows;
  const who = firstInLine(lost, ({ step }) => step.email ?? step.number ?? '', 5);
  const fields = Object.entries(values).map(([field, value]) =>
    typedOption(typeof value === 'string' ? '-f' : '-F', `${field}=${textOfJson(value)}`),
  );
  const address = email === undefined ? '' : typedOption('--email', email);
  const create = typedCommand('sessions create', [], typedOption('--exam', exam), address, ...fields);
  const opens = open_time === undefined ? '' : sentence`It opened for the first at ${showTime(open_time, running.zone)}. `;
  const hint = isTwice(first)
    ? sentence`To put the students of this run back: proctor-cli runs undo ${run.run.id}`
    : sentence`${opens}Register each student again: proctor-cli ${create}`;
  const what = sentence`Exam ${exam} no longer shows ${who} exactly once: somebody else has changed it.`;
  return new CliError('partly_done', what, { hint });
}
