/** Updates of times: which times of an exam a step moves, and afterwards the windows that did not move along. */
import { wholeList } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { differences, unexpected } from '../../model/compare.ts';
import { along, type ExamTime } from '../../model/fields.ts';
import type { Listed, Reading } from '../../model/listing.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { movedTimes } from '../../model/typed-time.ts';
import { firstInLine, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { serviceNow } from '../engine.ts';
import { type Execution, isWritten, loadExecutions } from '../execution.ts';
import { judgeTwice } from './creation.ts';
import { bodyOf, isUpdate, lookAt, resourceOf, type Step, type Update } from './step.ts';

/** The times of an exam that a step gives another value. */
export function examTimesMovedBy(step: Step): ExamTime[] {
  return isUpdate(step) && !step.typed && step.resource === 'exam' ? movedTimes(step.body, step.previous) : [];
}

/** Whether it changes an exam, or a window that moves along with it. */
export function changesExam(step: Step): boolean {
  return isUpdate(step) && (step.resource === 'exam' || Object.keys(step.requires.exam).length > 0);
}

/** Whether it moves the start of an exam, whose old times say whether that runs. */
export function movesStart(step: Step): boolean {
  return isUpdate(step) && step.resource === 'exam' && Object.hasOwn(step.body, 'start_time');
}

/** After a run: windows that did not move with their exam, and exams that moved while windows were set by them. */
export function finalChecks(run: ActiveRun, executions: readonly Execution<Update>[]) {
  const examOfEach = ({ exam = '' }: Execution) => exam;
  const written = executions.filter((execution) => isWritten(execution) && examTimesMovedBy(execution.step).length > 0);
  const moved = Map.groupBy(written, examOfEach);
  const relied = executions.filter(({ sentByThisProcess, step, exam = '' }) => {
    return sentByThisProcess && Object.keys(step.requires.exam).length > 0 && !moved.has(exam);
  });
  return [
    ...[...moved].map(([exam, of]) => ({ exam, check: () => unmovedWindows(run, exam, of) })),
    ...[...Map.groupBy(relied, examOfEach)].map(([exam, of]) => ({ exam, check: () => movedExam(run, exam, of) })),
  ];
}

async function unmovedWindows(run: ActiveRun, exam: string, moved: readonly Execution<Update>[]): Promise<void> {
  const { engine, executions } = run;
  // Windows that an undo leaves as they are were named by its plan, or by the run that it undoes.
  const undone: Execution[] = [];
  for (let { undoOf } = run.writer.run; undoOf !== null; { undoOf } = await engine.record.run(undoOf))
    undone.push(...(await loadExecutions(engine.record, undoOf)));
  // A request of `api` moves no windows along, and no undo of it does.
  if (undone.some(({ step, exam: its }) => its === exam && step.typed)) return;
  const reading = await wholeList(engine.client, await engine.reads.list(exam));
  judgeTwice(run, reading);
  refuseMovedTwice(run, exam, reading);
  const times = moved.flatMap(({ step }) => examTimesMovedBy(step));
  const known = [...executions, ...undone];
  // A window that is over all the same is left as it is.
  const ends = moved.find(({ step }) => examTimesMovedBy(step).includes('end_time'))?.step;
  const later = (instantOf(ends?.body.end_time) ?? 0) - (instantOf(ends?.previous.end_time) ?? 0);
  const isOver = ({ data }: Listed) => (instantOf(data.close_time) ?? Number.NaN) + later <= serviceNow(engine);
  const left = reading.all.filter((session) => {
    return times.some((time) => isUnmoved(session, time, known) && !(time === 'end_time' && isOver(session)));
  });
  const [first] = left;
  if (!first) return;
  const which = firstInLine(left, ({ id, email }) => [id, email].filter(Boolean).join(' '), 5);
  const what = sentence`The times of exam ${exam} were changed, but not the window of ${which}, which was added meanwhile.`;
  throw new CliError('partly_done', what, { hint: lookAt('session', first.id ?? '') });
}

/** A service may move windows along with their exam by itself. Throws for those that were set before the exam moved on. */
function refuseMovedTwice({ engine, executions }: ActiveRun, exam: string, reading: Reading): void {
  const others = executions.flatMap((each) => {
    const { step, id = '' } = each;
    const isOfWindow = each.exam === exam && isWritten(each) && isUpdate(step) && step.resource === 'session';
    const listed = isOfWindow ? reading.withId(id) : undefined;
    const different = listed ? differences('session', bodyOf(step), listed.data, engine.zone).different : [];
    return different.length === 0 ? [] : [{ id, why: different.join('; ') }];
  });
  const [first] = others;
  if (!first) return;
  const which = firstInLine(others, ({ id, why }) => `session ${id} (${why})`, 5);
  const what = sentence`The times of exam ${exam} were changed. Then somebody, or the service itself, changed the window of ${which}.`;
  throw new CliError('partly_done', what, { hint: lookAt('session', first.id) });
}

/** Whether a window should have moved with its exam and has not. A student who is in the exam keeps the start; a finished session stays. */
export function isUnmoved({ id, data }: Listed, time: ExamTime, executions: readonly Execution[]): boolean {
  const phase = phaseOf(data.status);
  const isKept = phase === 'finished' || (time === 'start_time' && phase !== 'waiting' && phase !== undefined);
  const own = along[time];
  if (isKept || (data[own] ?? null) === null) return false;
  return !executions.some(({ id: its, step }) => {
    return resourceOf(step) === 'session' && its === id && Object.hasOwn(bodyOf(step), own);
  });
}

/** Times of sessions were computed from those of their exam. */
async function movedExam({ engine }: ActiveRun, exam: string, of: readonly Execution[]): Promise<void> {
  const shown = await engine.reads.record('exam', exam);
  for (const { id = '', step } of of) {
    const why = unexpected('exam', step.requires.exam, shown?.data ?? {}, engine.zone);
    if (why === undefined) continue;
    const what = sentence`Somebody changed exam ${exam} at the same moment: ${why}. The time of session ${id} rests on its old times.`;
    throw new CliError('partly_done', what, { hint: lookAt('session', id) });
  }
}
