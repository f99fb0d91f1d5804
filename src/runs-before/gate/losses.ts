/**
 * What a write takes from students: the table of EXAM and SESSION operations. Whatever is not in it gives something, or takes
 * nothing. For an update the value that it replaces decides, as the service shows it; a PUT sets what it leaves out, too.
 */
import { filled, type Method, type Operation, type OperationId } from '../../api/operations.ts';
import { rawPath } from '../../api/raw-request.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { Fields, instantIn, isNo, isYes } from './written-fields.ts';

/** `address`: the path below the base URL; `operation`: undefined where it is none of the table. */
export type Write = { operation: Operation | undefined; params: Readonly<Record<string, string>>; address: string; fields: Fields };

/** A request of the table. */
export function writeOf(operation: Operation, params: Write['params'], body: JsonObject | undefined): Write {
  return { operation, params, address: filled(operation.path, params), fields: new Fields(body, '') };
}

/** A request as it was typed. */
export function writeAt({ method, path, body }: { method: Method; path: string; body?: Json | undefined }): Write {
  const [address = '', ...search] = path.split('?');
  const { operation, params } = rawPath(method, path);
  return { operation, params, address, fields: new Fields(body, search.join('?')) };
}

/** What the service shows of the target, read lately; undefined for what it does not have. */
export type LossReads = {
  exam(id: string): Promise<JsonObject | undefined>;
  session(id: string): Promise<JsonObject | undefined>;
  /** The exam that a session shows. */
  examOf(session: JsonObject): string | undefined;
};

/** `resource`, `id`: what the write is about; undefined: it may be about any exam. `why`: as a continuation of "The request would". */
export type Loss = { resource: 'exam' | 'session' | undefined; id: string; why: Sentence };

type Judge = (id: string, fields: Fields, put: boolean, reads: LossReads) => Promise<readonly Sentence[]>;

const takes: Partial<Record<OperationId, { resource: 'exam' | 'session'; judge: Judge }>> = {
  deleteExam: { resource: 'exam', judge: async () => [sentence`take it from its students`] },
  sendEmails: { resource: 'exam', judge: async () => [sentence`disturb its students`] },
  patchExam: { resource: 'exam', judge: examUpdate },
  putExam: { resource: 'exam', judge: examUpdate },
  deleteSession: { resource: 'session', judge: async () => [sentence`take the exam from a student`] },
  patchSession: { resource: 'session', judge: sessionUpdate },
  putSession: { resource: 'session', judge: sessionUpdate },
};

/** Whether a write may take something at all: no read is needed for the others. */
export function mayTake({ operation }: Pick<Write, 'operation'>): boolean {
  return operation === undefined || Object.hasOwn(takes, operation.id);
}

export async function lossesOf({ operation, params, address, fields }: Write, reads: LossReads): Promise<readonly Loss[]> {
  if (!operation) return unknownLosses(address, reads);
  const entry = takes[operation.id as OperationId];
  if (!entry) return [];
  const { id = '' } = params;
  const lost = await entry.judge(id, fields, operation.method === 'PUT', reads);
  return lost.map((why) => ({ resource: entry.resource, id, why }));
}

async function examUpdate(id: string, fields: Fields, put: boolean, { exam }: LossReads): Promise<Sentence[]> {
  const restricts = restrictionKeys.some((key) => fields.has(key)) && !restrictionKeys.every((key) => fields.of(key).some(isYes));
  if (!put && !restricts && !fields.has('end_time') && !fields.has('start_time')) return [];
  const shown = await exam(id);
  if (!shown) return [];
  const lost: Sentence[] = [];
  if (movesExam(fields, 'end_time', shown, put, earlier)) lost.push(sentence`end it earlier`);
  if (movesExam(fields, 'start_time', shown, put, later)) lost.push(sentence`start it later`);
  const narrowed =
    put || restrictionKeys.some((key) => fields.has(key)) ? restrictionKeys.filter((key) => withdraws(fields, key, shown)) : [];
  if (narrowed.length > 0) lost.push(sentence`withdraw ${narrowed.join(', ')}`);
  return lost;
}

/**
 * An update that names one restriction resets those that it leaves out (specification 2.1, rule 2). What it sets to another value than
 * yes is withdrawn unless the exam shows that it was not allowed.
 */
function withdraws(fields: Fields, key: string, shown: JsonObject): boolean {
  if (isNo(shown[key]) || (fields.has(key) && fields.of(key).every(isYes))) return false;
  return fields.has(key) || shown[key] !== undefined;
}

async function sessionUpdate(id: string, fields: Fields, put: boolean, { session, exam, examOf }: LossReads): Promise<Sentence[]> {
  if (!put && !fields.has('close_time') && !fields.has('open_time')) return [];
  const shown = await session(id);
  if (!shown) return [];
  // Without a time of its own, a session opens and closes with its exam.
  const its = examOf(shown);
  const of = (its === undefined ? undefined : await exam(its)) ?? {};
  const lost: Sentence[] = [];
  const takes = (name: 'close_time' | 'open_time', examsName: 'end_time' | 'start_time', isWorse: Compare) => {
    if (!fields.has(name)) return put && (shown[name] ?? null) !== null;
    const [its, own] = [of[examsName] ?? null, shown[name] ?? null];
    return fields.of(name).some((value) => value !== own && movesWorse(value ?? its, own ?? its, isWorse));
  };
  if (takes('close_time', 'end_time', earlier)) lost.push(sentence`close a student's window earlier`);
  if (takes('open_time', 'start_time', later)) lost.push(sentence`open a student's window later`);
  return lost;
}

type Compare = (next: number, old: number) => boolean;
const earlier: Compare = (next, old) => next < old;
const later: Compare = (next, old) => next > old;

/** A time of an exam; a PUT that leaves it out sets none. */
function movesExam(fields: Fields, name: 'end_time' | 'start_time', shown: JsonObject, put: boolean, isWorse: Compare): boolean {
  const old = shown[name] ?? null;
  if (!fields.has(name)) return put && old !== null;
  return fields.of(name).some((value) => value !== old && movesWorse(value, old, isWorse));
}

/** A time that cannot be compared with the one before counts as lost. */
function movesWorse(next: Json, old: Json, isWorse: Compare): boolean {
  const [to, from] = [instantIn(next), instantIn(old)];
  return to === undefined || from === undefined || isWorse(to, from);
}

const unjudged = sentence`do what the specification does not describe`;

async function unknownLosses(path: string, { exam, session }: LossReads): Promise<Loss[]> {
  const found: Loss[] = [];
  const segments = path.slice(1).split('/').map(decodeURIComponent);
  for (const [at, collection] of segments.entries()) {
    const id = segments[at + 1];
    if (id === undefined) break;
    if (collection === 'exams' && (await exam(id))) found.push({ resource: 'exam', id, why: unjudged });
    if (collection === 'student_sessions' && (await session(id))) found.push({ resource: 'session', id, why: unjudged });
  }
  return found.length > 0 ? found : [{ resource: undefined, id: '', why: unjudged }];
}
