/**
 * Changes of an exam's times and the windows of its students. One that was done in part stands in the way of the next, which would move
 * windows twice. The last look of one: where those of an exam were changed, its students are read again: somebody may have added one
 * meanwhile, or given one a window, which the run did not move. Where sessions got times that were computed from their exam, that is read.
 */
import { CliError } from '../errors.ts';
import { firstInLine } from '../model/first-of.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { phaseOf } from '../model/status.ts';
import { instantOf, sameInstant } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { blockedBy } from './ended.ts';
import { isLeft } from './history.ts';
import { examsIn } from './places.ts';
import { type ListedSession, readExam } from './reading.ts';
import { lostIn, replacedIn } from './replaced.ts';
import type { RunRequest } from './request.ts';
import { itemsOf } from './rows.ts';
import { orReadError, type Running, readOne, type World } from './running.ts';
import { unexpected } from './send.ts';
import { isWritten } from './states.ts';
import { examOfStep, type Item, kindOf, oldValues, type Plan, resourceOf, type Step } from './step.ts';

/** Each time of an exam, and the time of a session that moves along with it. */
export const along = { start_time: 'open_time', end_time: 'close_time' } as const;
export type ExamTime = keyof typeof along;
export const examTimes = Object.keys(along) as ExamTime[];

export async function lastLook(running: Running): Promise<CliError | undefined> {
  const { items } = running;
  const moved = items.filter((item) => isWritten(item) && movedBy(item.step).length > 0);
  const byExam = Map.groupBy(moved, ({ step }) => examOfStep(step) ?? '');
  const relied = items.filter(({ sentNow, step: { exam = '', expectsExam } }) => sentNow && expectsExam && !byExam.has(exam));
  const { undoOf } = running.run.run;
  // What an undo leaves as it is, its plan has named.
  const known = [...items, ...(undoOf === null || byExam.size === 0 ? [] : await itemsOf(running.record, undoOf))];
  const timesOf = (of: readonly Item[]) => new Set(of.flatMap(({ step }) => movedBy(step)));
  const looks = [
    ...[...byExam].map(([exam, of]) => ({ exam, look: () => unmovedWindows({ ...running, items: known }, exam, timesOf(of)) })),
    ...[...Map.groupBy(relied, ({ step }) => step.exam ?? '')].map(([exam, of]) => ({ exam, look: () => movedExam(running, exam, of) })),
    ...[...replacedIn(running)].map(([exam, of]) => ({ exam, look: () => lostIn(running, exam, of) })),
  ];
  const found = await running.client.pacer.map(looks, async ({ exam, look }) => {
    let result = await orReadError(look());
    for (let tries = 1; tries < 3 && result instanceof CliError && result.code !== 'partly_done'; tries += 1) {
      await running.host.sleep(1000).catch(() => {});
      result = await orReadError(look());
    }
    if (!(result instanceof CliError) || result.code === 'partly_done') return result;
    const what = sentence`Exam ${exam} could not be read afterwards, and somebody may have changed it meanwhile: ${result.message}`;
    const list = typedCommand('sessions list', [], typedOption('--exam', exam));
    return new CliError('partly_done', what, { hint: sentence`Look whether all is as it was to be: proctor-cli ${list}` });
  });
  return found.find((each) => each !== undefined);
}

/** Windows that the run did not move along with the times of their exam. */
async function unmovedWindows({ client, items }: Running, exam: string, times: ReadonlySet<ExamTime>): Promise<CliError | undefined> {
  const { sessions } = await readExam(client, exam);
  const left = sessions.filter((session) => [...times].some((time) => isUnmoved(session, time, items)));
  if (left.length === 0) return undefined;
  const which = firstInLine(left, ({ id, email }) => [id, email].filter(Boolean).join(' '), 5);
  const what = sentence`The times of exam ${exam} were changed, and not the window of ${which}: it came meanwhile.`;
  return new CliError('partly_done', what, {
    hint: sentence`Look at it: proctor-cli ${typedCommand('sessions get', [left[0]?.id ?? ''])}`,
  });
}

/** Times of sessions were computed from those of their exam, which were changed in the instant of the write. */
async function movedExam(running: Running, exam: string, of: readonly Item[]): Promise<CliError | undefined> {
  const shown = await readOne(running, 'exam', exam);
  for (const { id = '', step } of of) {
    const why = unexpected('exam', step.expectsExam, shown?.data ?? {}, running.zone);
    if (why === undefined) continue;
    const what = sentence`Exam ${exam} was changed in the same instant: ${why}. Session ${id} got its time by the one before.`;
    return new CliError('partly_done', what, { hint: sentence`Look at it: proctor-cli ${typedCommand('sessions get', [id])}` });
  }
  return undefined;
}

/** The times of an exam that a step gives another value. */
function movedBy(step: Step): ExamTime[] {
  const { operation, body = {}, raw } = step;
  if (raw || kindOf({ operation }) !== 'update' || resourceOf({ operation }) !== 'exam') return [];
  const old = oldValues(step);
  return examTimes.filter((time) => {
    const [from, to] = [instantOf(old[time]), instantOf(body[time])];
    return from !== undefined && to !== undefined && from !== to;
  });
}

/** Who is taking the exam keeps the start, and a finished session is never changed. */
function isUnmoved({ id, data }: ListedSession, time: ExamTime, items: readonly Item[]): boolean {
  const phase = phaseOf(data.status);
  const isKept = phase === 'finished' || (time === 'start_time' && phase !== 'waiting' && phase !== undefined);
  if (isKept || (data[along[time]] ?? null) === null) return false;
  const isOf = ({ id: its, step }: Item) => resourceOf(step) === 'session' && (step.params.id ?? its) === id;
  return !items.some((item) => isOf(item) && Object.hasOwn(item.step.body ?? {}, along[time]));
}

/** Whether it is part of a change of its exam: of the exam itself, or of a window that moves along. */
export function changesExam(step: Step): boolean {
  return kindOf(step) === 'update' && (resourceOf(step) === 'exam' || step.expectsExam !== undefined);
}

/** Exams whose times a run changes, and of whose changes something was sent. */
export function examsHalfMoved(items: readonly Item[]): ReadonlySet<string> {
  const exams = items.flatMap(({ step }) => (movedBy(step).length > 0 ? (examOfStep(step) ?? []) : []));
  const begun = items.filter(({ step, state }) => changesExam(step) && state !== 'planned' && state !== 'skipped');
  const isBegun = new Set(begun.map(({ step }) => examOfStep(step)));
  return new Set(exams.filter((exam) => isBegun.has(exam)));
}

const moving: ReadonlySet<string> = new Set(['exams times', 'exams shift', 'exams delay', 'exams apply']);

/** A change of an exam's times that was done in part: computed anew from what it has left, windows would move twice. Throws `unfinished`. */
export async function refuseHalfMoved(world: World, { kind, places }: RunRequest, { readings }: Plan): Promise<void> {
  const { record, origin, client } = world;
  for (const exam of moving.has(kind) ? examsIn(await places(world)) : []) {
    const isShown = ({ step, ...item }: Item) => {
      const id = step.params.id ?? item.id ?? '';
      const shown = readings?.get(exam)?.withId(id)?.data ?? client.known.shown(resourceOf(step), id)?.data ?? {};
      return Object.entries(step.body ?? {}).some(([field, value]) => sameInstant(value, shown[field]));
    };
    for (const run of await record.runs({ exam, states: ['partial'] })) {
      if (run.origin !== origin) continue;
      const of = (await itemsOf(record, run.id)).filter(({ step }) => examOfStep(step) === exam && changesExam(step));
      const isHalf = of.some(({ step }) => movedBy(step).length > 0) && of.some(isLeft);
      if (!isHalf || !of.some((item) => isWritten(item) && isShown(item))) continue;
      throw blockedBy(run.id, 'unfinished', sentence`Run ${run.id} (${run.command}) has changed the times of exam ${exam} in part.`);
    }
  }
}
