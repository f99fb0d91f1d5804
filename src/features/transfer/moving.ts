/** A student who is to move to another exam: what goes along, what keeps the student where they are, and the requests of the move. */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { addressIn } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { instantOf, sameInstant } from '../../model/time.ts';
import type { ListedSession, Step } from '../../runs-before/index.ts';

/** `exam`: the one that the session is in, as far as the service shows it. `there`: the session of the same student in the other exam. */
export type Moving = {
  session: string;
  source: JsonObject;
  email: string;
  exam: { id: string; shown: JsonObject | undefined } | undefined;
  to: { id: string; shown: JsonObject };
  there: (ListedSession & { id: string }) | undefined;
};

type Window = { open_time?: Json; close_time?: Json };

const timeFields = ['open_time', 'close_time'] as const;

/** Why a student cannot leave an exam, as a continuation of "Session 21 is not moved: "; undefined where they can. */
export function whyStays(session: JsonObject, to: string, client: Client): string | undefined {
  const phase = phaseOf(session.status);
  if (phase === 'finished') return 'its student has finished the exam';
  if (phase === 'writing') return 'its student has started the exam';
  if (phase === 'checking') return 'its student has started the check';
  if (phase === undefined)
    return `its status is ${JSON.stringify(session.status ?? null)}, which does not show whether its student has started`;
  if (addressIn(session, { plain: true }) === undefined) return 'it shows no address, so it could not be found in the other exam';
  return examOf(session, client) === to ? `it is in exam ${to} already` : undefined;
}

/** A window fits another exam if that starts and ends at the same time: a parallel group. */
export function goesAlong({ exam, to }: Moving): boolean {
  const { shown } = exam ?? {};
  return shown !== undefined && sameInstant(shown.start_time, to.shown.start_time) && sameInstant(shown.end_time, to.shown.end_time);
}

/** The times that a session has of its own and that can be read. */
export function ownWindow(session: JsonObject): Window {
  return Object.fromEntries(
    timeFields.flatMap((field) => (instantOf(session[field]) === undefined ? [] : [[field, session[field] as Json]])),
  );
}

/** The times that the session there gets: the earlier start and the later end, where the exam's hold for a session without its own. */
function widening({ source, to }: Moving, there: JsonObject): Window {
  const limits = { open_time: to.shown.start_time, close_time: to.shown.end_time };
  const isWider = { open_time: (a: number, b: number) => a <= b, close_time: (a: number, b: number) => a >= b };
  return Object.fromEntries(
    timeFields.flatMap((field) => {
      const wanted = instantOf(source[field]) === undefined ? limits[field] : source[field];
      const [has, wants] = [instantOf(there[field] ?? limits[field]), instantOf(wanted)];
      return wants === undefined || (has !== undefined && isWider[field](has, wants)) ? [] : [[field, wanted as Json]];
    }),
  );
}

/** What the session there would have to get and cannot, in words; undefined where nothing is lost. */
export function lostThere(moving: Moving): string | undefined {
  const { source, there } = moving;
  if (!there) return undefined;
  const lost: string[] = [];
  const lacking = goesAlong(moving) ? Object.entries(widening(moving, there.data)) : [];
  const started = phaseOf(there.data.status) !== 'waiting';
  if (started) lost.push(...lacking.map(([field, value]) => `${field} is not ${String(value)}`));
  if (skips(source) && !skips(there.data)) lost.push('skip_requirements is not true');
  if (lost.length === 0) return undefined;
  const why = started && lacking.length > 0 ? `; it cannot be set, because its status is ${JSON.stringify(there.data.status ?? null)}` : '';
  return `${lost.join(', ')}${why}`;
}

function skips(session: JsonObject): boolean {
  return booleanIn(session.skip_requirements) === true;
}

/** The body that creates the student (specification 4.5: POST sets close_time and skip_requirements, not open_time). */
export function bodyOf(session: JsonObject, closes: Json | undefined, { dialect }: Client): JsonObject {
  const name = session[dialect.sessionNameKey];
  return {
    email: addressIn(session, { plain: true }) ?? null,
    ...(typeof name === 'string' && name !== '' ? { [dialect.sessionNameKey]: name } : {}),
    ...(closes === undefined ? {} : { close_time: closes }),
    ...(skips(session) ? { skip_requirements: true } : {}),
  };
}

/** `first`: the index of its first step in the plan. */
export function moveSteps(moving: Moving, first: number, client: Client): Step[] {
  const { session, source, email, exam, to, there } = moving;
  const along = goesAlong(moving);
  const carried = along ? ownWindow(source) : {};
  const here: Step = {
    operation: operations.deleteSession,
    params: { id: session },
    exam: exam?.id,
    email,
    expects: expected(source),
    expectsExam: along && exam?.shown ? timesOf(exam.shown) : undefined,
  };
  const skip = skips(source) ? { skip_requirements: true } : {};
  if (there) {
    const body = along ? widening(moving, there.data) : {};
    const widen: Step[] =
      Object.keys(body).length === 0
        ? []
        : [
            {
              operation: operations.patchSession,
              params: { id: there.id },
              exam: to.id,
              email,
              body,
              expects: expected(there.data),
              expectsExam: timesOf(to.shown),
            },
          ];
    const { open_time = null, close_time = null } = there.data;
    const shows = { ...(along ? { open_time, close_time, ...body } : {}), ...skip };
    return [...widen, { ...here, after: widen.map((_, at) => first + at), provenId: there.id, provenAs: { exam: to.id, shows } }];
  }
  const create: Step = {
    operation: operations.createSession,
    params: { exam_id: to.id },
    exam: to.id,
    email,
    body: bodyOf(source, carried.close_time, client),
    expectsExam: Object.keys(carried).length > 0 ? timesOf(to.shown) : undefined,
  };
  const opening = carried.open_time === undefined ? [] : [openingOf({ by: first, exam: to.id, email, opens: carried.open_time })];
  const before = [first, ...opening.map((_, at) => first + 1 + at)];
  return [create, ...opening, { ...here, after: before, proven: first, provenAs: { exam: to.id, shows: { ...carried, ...skip } } }];
}

/** Sets the open_time of the session that a step creates, which a POST cannot. */
export function openingOf({ by, exam, email, opens }: { by: number; exam?: string; email: string; opens: Json }): Step {
  return {
    operation: operations.patchSession,
    params: {},
    made: { param: 'id', by },
    exam,
    email,
    body: { open_time: opens },
  };
}

/** What must not have changed when a session is widened or deleted: its student has not started, and was not given time. */
function expected({ status, open_time = null, close_time = null }: JsonObject): JsonObject {
  return { status: statusText(status), open_time, close_time };
}

function timesOf({ start_time = null, end_time = null }: JsonObject): JsonObject {
  return { start_time, end_time };
}
