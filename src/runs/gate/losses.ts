/**
 * What a write takes from students: the table of EXAM and SESSION operations. Whatever is not in it gives something, or takes
 * nothing. For an update the value that it replaces decides, as the service shows it; a PUT sets what it leaves out, too.
 */
import type { OperationId } from '../../api/operations.ts';
import { choosesMethod } from '../../api/raw-fields.ts';
import { decoded, operationAt } from '../../api/raw-path.ts';
import type { JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { Fields, instantIn, isNo, isYes } from './written-fields.ts';

export type Write = { method: string; path: string; body?: JsonObject | undefined };

/** What the service shows of the target, read lately; undefined for what it does not have. */
export type LossReads = {
  exam(id: string): Promise<JsonObject | undefined>;
  session(id: string): Promise<JsonObject | undefined>;
  /** The exam that a session shows. */
  examOf(session: JsonObject): string | undefined;
};

/** `resource`, `id`: what the write is about; undefined: it may be about any exam. */
export type Loss = { resource: 'exam' | 'session' | undefined; id: string; why: Sentence };

type Judge = (id: string, fields: Fields, put: boolean, reads: LossReads) => Promise<readonly Sentence[]>;

const takes: Partial<Record<OperationId, { resource: 'exam' | 'session'; judge: Judge }>> = {
  deleteExam: { resource: 'exam', judge: async () => [sentence`which takes it from its students`] },
  sendEmails: { resource: 'exam', judge: async () => [sentence`which disturbs its students`] },
  patchExam: { resource: 'exam', judge: examUpdate },
  putExam: { resource: 'exam', judge: examUpdate },
  deleteSession: { resource: 'session', judge: async () => [sentence`which takes the exam from a student`] },
  patchSession: { resource: 'session', judge: sessionUpdate },
  putSession: { resource: 'session', judge: sessionUpdate },
};

/** Whether a write may take something at all: no read is needed for the others. */
export function mayTake({ method, path }: Pick<Write, 'method' | 'path'>): boolean {
  const { operation } = operationAt(method as 'PUT', path.split('?')[0] ?? '');
  return operation === undefined || Object.hasOwn(takes, operation.id);
}

export async function lossesOf({ method, path, body }: Write, reads: LossReads): Promise<readonly Loss[]> {
  const [address = '', ...search] = path.split('?');
  const fields = new Fields(body, search.join('?'));
  const { operation, params } = operationAt(method as 'PUT', address);
  // Some services let a field choose another method.
  if (!operation || fields.besides([]).some(choosesMethod)) return unknownLosses(address, reads);
  const entry = takes[operation.id as OperationId];
  if (!entry) return [];
  const found: Loss[] = [];
  for (const id of spellings(params.id ?? '')) {
    for (const why of await entry.judge(id, fields, operation.method === 'PUT', reads)) found.push({ resource: entry.resource, id, why });
  }
  return found;
}

/** An ID as it stands, and those that a service may read in it, which may drop a suffix (`3.json`, `3;v=1`) or take a list. */
function spellings(id: string): string[] {
  return [...new Set([id, ...id.split(/[.;,]/)])].filter((each) => each.trim() !== '');
}

async function examUpdate(id: string, fields: Fields, put: boolean, { exam }: LossReads): Promise<Sentence[]> {
  const restricts = restrictionKeys.some((key) => fields.has(key)) && !restrictionKeys.every((key) => fields.of(key).some(isYes));
  if (!put && !restricts && !fields.has('end_time') && !fields.has('start_time')) return [];
  const shown = await exam(id);
  if (!shown) return [];
  const lost: Sentence[] = [];
  if (isEarlier(fields, 'end_time', shown, put)) lost.push(sentence`which ends it earlier`);
  if (isLater(fields, 'start_time', shown, put)) lost.push(sentence`which starts it later`);
  const narrowed =
    put || restrictionKeys.some((key) => fields.has(key)) ? restrictionKeys.filter((key) => withdraws(fields, key, shown)) : [];
  if (narrowed.length > 0) lost.push(sentence`which withdraws ${narrowed.join(', ')}`);
  return lost;
}

/** An update that names one restriction resets those that it leaves out (specification 2.1, rule 2). */
function withdraws(fields: Fields, key: string, shown: JsonObject): boolean {
  return !isNo(shown[key]) && shown[key] !== undefined && !(fields.has(key) && fields.of(key).every(isYes));
}

async function sessionUpdate(id: string, fields: Fields, put: boolean, { session, exam, examOf }: LossReads): Promise<Sentence[]> {
  if (!put && !fields.has('close_time') && !fields.has('open_time')) return [];
  const shown = await session(id);
  if (!shown) return [];
  // Without a time of its own, a session opens and closes with its exam.
  const its = examOf(shown);
  const of = its === undefined ? undefined : await exam(its);
  const own = { ...shown, close_time: shown.close_time ?? of?.end_time ?? null, open_time: shown.open_time ?? of?.start_time ?? null };
  const lost: Sentence[] = [];
  const left = (name: 'close_time' | 'open_time') => put && !fields.has(name) && (shown[name] ?? null) !== null;
  if (left('close_time') || isEarlier(fields, 'close_time', own, false)) lost.push(sentence`which closes a student's window earlier`);
  if (left('open_time') || isLater(fields, 'open_time', own, false)) lost.push(sentence`which opens a student's window later`);
  return lost;
}

/** A time that cannot be compared with the one before counts as lost. */
function isEarlier(fields: Fields, name: string, shown: JsonObject, put: boolean): boolean {
  return moved(fields, name, shown, put, (next, old) => next < old);
}

function isLater(fields: Fields, name: string, shown: JsonObject, put: boolean): boolean {
  return moved(fields, name, shown, put, (next, old) => next > old);
}

function moved(fields: Fields, name: string, shown: JsonObject, put: boolean, worse: (next: number, old: number) => boolean): boolean {
  const before = shown[name] ?? null;
  const old = instantIn(before);
  if (!fields.has(name)) return put && before !== null;
  return fields.of(name).some((value) => {
    if (value === before) return false;
    const next = instantIn(value);
    if (next === undefined || old === undefined) return before !== null;
    return worse(next, old);
  });
}

const unjudged = sentence`which is not an operation of the specification, so its effect on students is unknown`;

async function unknownLosses(path: string, { exam, session }: LossReads): Promise<Loss[]> {
  const found: Loss[] = [];
  const segments = decoded(path)
    .split('/')
    .filter((segment) => segment !== '');
  for (const [at, segment] of segments.entries()) {
    const collection = segment
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[.;].*$/s, '');
    for (const id of spellings(segments[at + 1] ?? '')) {
      if (collection === 'exams' && (await exam(id))) found.push({ resource: 'exam', id, why: unjudged });
      if (collection === 'student_sessions' && (await session(id))) found.push({ resource: 'session', id, why: unjudged });
    }
  }
  return found.length > 0 ? found : [{ resource: undefined, id: '', why: unjudged }];
}
