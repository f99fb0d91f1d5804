/** A student is added to an exam; and what of a session goes into a new one. */
import { examOf } from '../../api/client.ts';
import type { Dialect } from '../../api/dialect.ts';
import { otherExam } from '../../api/reading.ts';
import { unexpected } from '../../model/compare.ts';
import { along, examTimes, setsTimes, valuesOf } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressIn, numberIn, otherStudent } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { movedAlong } from '../../model/typed-time.ts';
import type { Engine } from '../engine.ts';
import type { Execution } from '../execution.ts';
import { type Inverse, isOwn, outcomeUnknown, type Stays, stays, type Undoing } from '../undoing.ts';
import { creation } from './creation.ts';
import type { StepRules } from './rules.ts';
import {
  type CreateSession,
  type Delete,
  deletionOf,
  type NewSession,
  nothingRequired,
  type OtherSessions,
  type Ref,
  type StepList,
  type Student,
  stepsOf,
} from './step.ts';

export const createSession: StepRules<CreateSession> = {
  ...creation,
  locks: ({ exam }) => (typeof exam === 'string' ? [`students ${exam}`] : []),
  inverse,
};

/** Why a session is not there, with the command that deletes the one in which a run from here has put its student back. */
async function missing(undoing: Undoing, execution: Execution<CreateSession>): Promise<Stays> {
  const { again, ...why } = await undoing.missing('session', execution);
  const { made } = (await undoing.existing(execution.exam ?? '')) ?? {};
  // Who was moved into this exam may be in no other one.
  const isDeleted = again !== undefined && made?.has(again) && !sourceOf(undoing, execution);
  return !isDeleted ? why : stays`${why.why}; to delete it: proctor-cli ${typedCommand('sessions delete', [again])}`;
}

/** Deletes the student, while the session shows all that the run saw of it. */
async function inverse(undoing: Undoing, execution: Execution<CreateSession>): Promise<Inverse> {
  const { client, zone } = undoing.engine;
  const { step, id = '', storedAs, reason, exam, seen } = execution;
  const { email } = step.student;
  const source = sourceOf(undoing, execution);
  if (source && undoing.isKept(source)) return stays`the other session stays as it is`;
  const isMoved = source !== undefined && isOwn(source);
  const old = isMoved ? {} : source && (await undoing.engine.reads.record('session', source.step.id))?.data;
  const isHere = old !== undefined && otherStudent(email, old) === undefined;
  const reading = exam === undefined ? undefined : (await undoing.existing(exam))?.reading;
  const wanted = undoing.lastSeen(execution);
  const shown = await undoing.sessionShown(reading, id, wanted);
  // A create that was acknowledged may show later.
  if (!shown) return seen || reason === 'gone' ? missing(undoing, execution) : outcomeUnknown;
  if (!seen && !reading?.withId(id) && examOf(shown, client) === undefined) return outcomeUnknown;
  const isStored = storedAs !== undefined && otherStudent(storedAs, shown) === undefined;
  const other = otherExam(exam, shown, client) ?? (isStored ? undefined : otherStudent(email, shown));
  if (other !== undefined) return stays`${other}`;
  const status = statusText(shown.status);
  if (phaseOf(status) !== 'waiting') return stays`its status is ${status ?? 'not shown'}`;
  const changed = unexpected('session', wanted, shown, zone);
  if (changed !== undefined) return undoing.changed(execution, changed, wanted, shown);
  const deleted = undoing.found.deletedFor.get(id);
  const elsewhere = deleted && (await undoing.existing(deleted.exam))?.reading.of(step.student);
  if (deleted && reason !== 'duplicate' && !elsewhere?.length)
    return stays`run ${deleted.run} took the student from exam ${deleted.exam}, and this session is the only one left`;
  const address = addressIn(shown);
  const alike = (reading?.of({ email: address }) ?? []).flatMap((each) => each.id ?? []);
  if (reason === 'duplicate' && alike.length < 2 && !isHere) return stays`the other session of this address is no longer shown`;
  const others = alike.filter((each) => !undoing.isOurs(each));
  if (source && !isHere && others.length === 0) return stays`session ${source.step.id}, which it replaced, is no longer there`;
  const stayed: OtherSessions | undefined =
    source && isHere ? { sessions: [source.step.id], exam: source.exam, shows: undefined } : undefined;
  const beside = stayed ?? (others.length > 0 ? { sessions: others, exam, shows: undefined } : undefined);
  const deletion = {
    ...deletionOf('session', id),
    exam,
    student: { email: address, number: step.student.number ?? numberIn(shown, client.dialect.sessionNumberKey) },
    requires: { target: { ...wanted, status }, exam: {}, notIn: [] },
  };
  if (!isMoved || exam === undefined) return stepsOf([{ ...deletion, survivor: beside && { ...beside, origin: undefined } }]);
  // The inverse of a move is a move.
  const copy = copyOf(shown, client.dialect);
  const examShows = timesFor(copy.fields, (await undoing.engine.reads.record('exam', exam))?.data ?? {});
  const origin = { ...copy, examShows };
  const there = undoing.survivors.get(step.number);
  const survivor = there ? { ...there, origin } : { copy: undoing.planned(source), origin };
  return stepsOf([{ ...deletion, survivor }]);
}

/** The deletion of the session in place of which it was created. */
function sourceOf(undoing: Undoing, execution: Execution): Execution<Delete> | undefined {
  const isSource = (other: Execution): other is Execution<Delete> =>
    other.step.kind === 'delete' && other.step.survivor?.origin !== undefined;
  return undoing.followers(execution).find(isSource);
}

type Where = { exam: Ref; examShows?: JsonObject; isAnother?: boolean };

/** The POST, and a PATCH of what it cannot set (specification 4.5): their numbers. */
export function addStudent(
  steps: StepList,
  { student, fields, line }: { student: Student; fields: JsonObject; line?: number | undefined },
  { exam, examShows = {}, isAnother = false }: Where,
): number[] {
  const { open_time, ...others } = fields;
  const { email } = student;
  const body = email === undefined ? others : { email, ...others };
  const requires = { ...nothingRequired, exam: examShows };
  const create = steps.add({ kind: 'create session', via: 'createSession', exam, student, body, line, isAnother, requires });
  if (open_time === undefined) return [create];
  const opening = steps.add({
    kind: 'update',
    resource: 'session',
    id: { createdBy: create },
    method: 'PATCH',
    exam,
    student,
    body: { open_time },
    requires,
    previous: { open_time: null },
    line,
  });
  return [create, opening];
}

/** What a POST and a PATCH can set of a session, as it is shown. */
export function copyOf(shown: JsonObject, dialect: Dialect): Omit<NewSession, 'examShows'> {
  const { email: _, ...fields } = valuesOf('session', shown, dialect);
  return { student: { email: addressIn(shown), number: numberIn(shown, dialect.sessionNumberKey) }, fields };
}

/** The times of its exam, where times of its own rest on them. */
export function timesFor(fields: JsonObject, exam: JsonObject): JsonObject {
  return setsTimes(fields) ? Object.fromEntries(examTimes.map((time) => [time, exam[time] ?? null])) : {};
}

/** Times of its own, by as much as its exam has moved since they were recorded. */
export function movedWithExam({ fields, examShows: then, student }: NewSession, now: JsonObject, { client, zone }: Engine): NewSession {
  const times = examTimes.flatMap((time) => {
    const [at = null, from, to] = [fields[along[time]], instantOf(then[time]), instantOf(now[time])];
    if (at === null || from === undefined || to === undefined || from === to) return [];
    return [[along[time], formatTime(movedAlong(at, from, to, zone), client.dialect.timeFormat)]];
  });
  const moved = { ...fields, ...Object.fromEntries(times) };
  return { student, fields: moved, examShows: timesFor(moved, now) };
}
