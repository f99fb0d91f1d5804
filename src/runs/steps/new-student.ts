/** The steps that add a student, and what of a session goes into a new one. */
import type { Dialect } from '../../api/dialect.ts';
import { along, examTimes, setsTimes, valuesOf } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressIn, numberIn } from '../../model/listing.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { movedAlong } from '../../model/typed-time.ts';
import type { Engine } from '../engine.ts';
import { type NewSession, nothingRequired, type Ref, type StepList, type Student } from './step.ts';

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
