/**
 * The times of an exam of a timetable, and the windows of its students with them, as steps of the older engine: what gives more goes first,
 * what takes away goes last. The timetable leaves that engine next, and this file goes.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { restrictionKeys, restrictionsOf } from '../../model/restrictions.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Phase, phaseOf, statusOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import type { Outcome, Reading, Step } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { knownId, wholeSession } from '../listed-sessions.ts';

/** As the service shows or takes it; null if there is none. */
export type TimeValue = string | number | null;
/** Times that are replaced. */
export type Replaced = { readonly [field: string]: { old: TimeValue; new: TimeValue } };
/** A time as the service shows it, and the instant that it is. */
export type ShownTime = { shown: TimeValue; at: number };
/** A session that has not finished, with the times of its own. */
export type OpenSession = { id: string; email: string | undefined; opens?: ShownTime; closes?: ShownTime };
/** The new value of a time of a session's own; `what`: its name, for messages. */
export type MovedWindow = (field: 'open_time' | 'close_time', time: ShownTime, what: string) => { old: TimeValue; new: TimeValue };

/** A step that waits for all moves of its exam with a lower phase. */
export type TimeMove = { step: Step; phase: 1 | 2 | 3 };

export function isTimeValue(value: unknown): value is TimeValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** `mailed`: students who know the times and have not started. Throws `invalid_input` for a time that cannot be read. */
export async function sessionsOf(client: Client, { exam, sessions }: Reading): Promise<{ open: OpenSession[]; mailed: number }> {
  const open: OpenSession[] = [];
  let mailed = 0;
  for (const listed of sessions) {
    const id = knownId(listed, exam, client);
    const session = await wholeSession(client, id, listed.data);
    if (statusOf(session.status) === 'mail_sent') mailed += 1;
    if (phaseOf(session.status) === 'finished') continue;
    const [opens, closes] = [shownTime(session, 'open_time', id), shownTime(session, 'close_time', id)];
    open.push({ id, email: listed.email, ...(opens ? { opens } : {}), ...(closes ? { closes } : {}) });
  }
  return { open, mailed };
}

function shownTime(session: JsonObject, field: string, id: string): ShownTime | undefined {
  const shown = session[field] ?? null;
  if (shown === null) return undefined;
  const at = instantOf(shown);
  if (at !== undefined && isTimeValue(shown)) return { shown, at };
  const what = sentence`The ${field} of session ${id} is ${JSON.stringify(shown)}, which is not a time that can be read.`;
  throw new CliError('invalid_input', what, { hint: 'Nothing was sent. Set that time, then run the command again.' });
}

export function hasWindow({ opens, closes }: OpenSession): boolean {
  return opens !== undefined || closes !== undefined;
}

type Moving = { times: Replaced; own: readonly OpenSession[]; moved: MovedWindow; kept: JsonObject };

/** `own`: sessions that have a window; `kept`: times of the exam that stay, and are relied on. */
export function examMoves(exam: string, { times, own, moved, kept }: Moving): TimeMove[] {
  const [wider, narrower] = [true, false].map((way) =>
    Object.fromEntries(Object.entries(times).filter(([field, time]) => gives(field, time) === way)),
  ) as [Replaced, Replaced];
  const widened = { ...kept, ...valuesOf(times, 'old'), ...valuesOf(wider, 'new') };
  const ofExam = (fields: Replaced, phase: 1 | 3, relies: JsonObject): TimeMove[] => {
    if (Object.keys(fields).length === 0) return [];
    const body = valuesOf(fields, 'new');
    return [{ step: { operation: operations.patchExam, params: { id: exam }, exam, body, expects: { ...relies } }, phase }];
  };
  const unless: Phase[] = Object.hasOwn(times, 'start_time') ? ['writing', 'finished'] : ['finished'];
  const windows = own.map(({ id, email, opens, closes }): TimeMove => {
    const fields: Replaced = {
      ...(opens ? { open_time: moved('open_time', opens, `The open_time of session ${id}`) } : {}),
      ...(closes ? { close_time: moved('close_time', closes, `The close_time of session ${id}`) } : {}),
    };
    const of = { operation: operations.patchSession, params: { id }, exam, email, expectsExam: widened, unless };
    return { step: { ...of, body: valuesOf(fields, 'new'), expects: valuesOf(fields, 'old') }, phase: 2 };
  });
  return [...ofExam(wider, 1, { ...kept, ...valuesOf(times, 'old') }), ...windows, ...ofExam(narrower, 3, widened)];
}

/** Whether a time leaves students with more: a start that is earlier, an end that is later. */
function gives(field: string, { old, new: next }: Replaced[string]): boolean {
  const [from = 0, to = 0] = [instantOf(old), instantOf(next)];
  return field === 'start_time' ? to < from : to > from;
}

function valuesOf(times: Replaced, which: 'old' | 'new'): { [field: string]: TimeValue } {
  return Object.fromEntries(Object.entries(times).map(([field, values]) => [field, values[which]]));
}

/** The moves as steps, in their order, from the beginning of a plan. */
export function stepsOfMoves(moves: readonly TimeMove[]): Step[] {
  return moves.map(({ step, phase }) => ({
    ...step,
    after: moves.flatMap((other, at) => (other.step.exam === step.exam && other.phase < phase ? [at] : [])),
  }));
}

/** Exams whose restrictions a service has reset with their times (specification 2.1, rule 2). `before`: as they were planned. */
export function resetRestrictions(outcomes: Iterable<Outcome>, before: ReadonlyMap<string, JsonObject>): { id: string; error: CliError }[] {
  const found = new Map<string, CliError>();
  for (const { step, id = '', state, shown } of outcomes) {
    const old = before.get(id);
    if (step.operation.id !== operations.patchExam.id || state !== 'done' || !old || !isJsonObject(shown)) continue;
    const [was, is] = [restrictionsOf(old), restrictionsOf(shown)];
    const reset = restrictionKeys.filter((key) => was[key] !== undefined && is[key] !== undefined && was[key] !== is[key]);
    if (reset.length === 0) continue;
    const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
    const hint = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`;
    found.set(
      id,
      new CliError('partly_done', sentence`Exam ${id} has its new times, but ${reset.join(', ')} changed with them.`, { hint }),
    );
  }
  return [...found].map(([id, error]) => ({ id, error }));
}
