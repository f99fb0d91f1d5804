/**
 * What a write takes from students: the table of EXAM and SESSION operations. Whatever is not in it gives something, or takes
 * nothing. For an update the value that it replaces decides, as the service shows it.
 */
import type { OperationId } from '../../api/operations.ts';
import { booleanIn } from '../../model/boolean.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { Step } from '../step.ts';

/** What the service shows of the target, read lately; undefined for what it does not have. */
export type LossReads = {
  exam(id: string): Promise<JsonObject | undefined>;
  session(id: string): Promise<JsonObject | undefined>;
  /** The exam that a session shows. */
  examOf(session: JsonObject): string | undefined;
};

/** `id`: what the write is about. `why`: as a continuation of "The request would". */
export type Loss = { resource: 'exam' | 'session'; id: string; why: Sentence };

type Judge = (id: string, body: JsonObject, reads: LossReads) => Promise<readonly Sentence[]>;

const takes: Partial<Record<OperationId, { resource: 'exam' | 'session'; judge: Judge }>> = {
  deleteExam: { resource: 'exam', judge: async () => [sentence`take it from its students`] },
  patchExam: { resource: 'exam', judge: examUpdate },
  deleteSession: { resource: 'session', judge: async () => [sentence`take the exam from a student`] },
  patchSession: { resource: 'session', judge: sessionUpdate },
};

/** Whether a write may take something at all: no read is needed for the others. */
export function mayTake({ operation }: Step): boolean {
  return Object.hasOwn(takes, operation.id);
}

export async function lossesOf({ operation, body = {} }: Step, { id = '' }: Step['params'], reads: LossReads): Promise<readonly Loss[]> {
  const entry = takes[operation.id as OperationId];
  if (!entry) return [];
  const { resource, judge } = entry;
  return (await judge(id, body, reads)).map((why) => ({ resource, id, why }));
}

async function examUpdate(id: string, body: JsonObject, { exam }: LossReads): Promise<Sentence[]> {
  const named = restrictionKeys.some((key) => Object.hasOwn(body, key));
  const restricts = named && !restrictionKeys.every((key) => booleanIn(body[key]) === true);
  if (!restricts && !Object.hasOwn(body, 'end_time') && !Object.hasOwn(body, 'start_time')) return [];
  const shown = await exam(id);
  if (!shown) return [];
  const lost: Sentence[] = [];
  if (movesExam(body, 'end_time', shown, earlier)) lost.push(sentence`end it earlier`);
  if (movesExam(body, 'start_time', shown, later)) lost.push(sentence`start it later`);
  const narrowed = named ? restrictionKeys.filter((key) => withdraws(body, key, shown)) : [];
  if (narrowed.length > 0) lost.push(sentence`withdraw ${narrowed.join(', ')}`);
  return lost;
}

/**
 * An update that names one restriction resets those that it leaves out (specification 2.1, rule 2). What it sets to another value than
 * yes is withdrawn unless the exam shows that it was not allowed.
 */
function withdraws(body: JsonObject, key: string, shown: JsonObject): boolean {
  if (booleanIn(shown[key]) === false || booleanIn(body[key]) === true) return false;
  return Object.hasOwn(body, key) || shown[key] !== undefined;
}

async function sessionUpdate(id: string, body: JsonObject, { session, exam, examOf }: LossReads): Promise<Sentence[]> {
  if (!Object.hasOwn(body, 'close_time') && !Object.hasOwn(body, 'open_time')) return [];
  const shown = await session(id);
  if (!shown) return [];
  // Without a time of its own, a session opens and closes with its exam.
  const its = examOf(shown);
  const of = (its === undefined ? undefined : await exam(its)) ?? {};
  const lost: Sentence[] = [];
  const takes = (name: 'close_time' | 'open_time', examsName: 'end_time' | 'start_time', isWorse: Compare) => {
    const [value, its, own] = [body[name], of[examsName] ?? null, shown[name] ?? null];
    return value !== undefined && value !== own && movesWorse(value ?? its, own ?? its, isWorse);
  };
  if (takes('close_time', 'end_time', earlier)) lost.push(sentence`close a student's window earlier`);
  if (takes('open_time', 'start_time', later)) lost.push(sentence`open a student's window later`);
  return lost;
}

type Compare = (next: number, old: number) => boolean;
const earlier: Compare = (next, old) => next < old;
const later: Compare = (next, old) => next > old;

function movesExam(body: JsonObject, name: 'end_time' | 'start_time', shown: JsonObject, isWorse: Compare): boolean {
  const [value, old] = [body[name], shown[name] ?? null];
  return value !== undefined && value !== old && movesWorse(value, old, isWorse);
}

/** A time that cannot be compared with the one before counts as lost. */
function movesWorse(next: Json, old: Json, isWorse: Compare): boolean {
  const [to, from] = [instantOf(next), instantOf(old)];
  return to === undefined || from === undefined || isWorse(to, from);
}
