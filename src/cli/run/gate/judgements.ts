/**
 * What each write of the service takes from students, by operation. A write that takes nothing needs no
 * request to tell; for the others the value that they replace decides, as the service shows it.
 */
import { examOf } from '../../../api/client.ts';
import type { Dialect } from '../../../api/dialect.ts';
import type { OperationId } from '../../../api/operations.ts';
import { addressKey } from '../../../model/address-key.ts';
import { fieldAt, isJsonObject, type JsonObject } from '../../../model/json.ts';
import { restrictionKeys } from '../../../model/restrictions.ts';
import { phaseOf } from '../../../model/status.ts';
import { type Fields, instantIn, isNo, isSame, isYes } from '../../../runs/gate/written-fields.ts';
import { type Sentence, sentence } from '../../../text/sentence.ts';

/** `exam`: undefined where any may be concerned. `why`: as a continuation of "Refused to …,". */
export type Taking = {
  exam: string | undefined;
  why: Sentence;
  /** The request is to the exam itself: where the service has none, it takes nothing. */
  itself?: true;
  /** It takes nothing before the exam has started; `checked`: before that or the first student's check. */
  once?: 'started' | 'checked';
  /** It takes nothing once this instant has passed: milliseconds since 1970. */
  until?: number;
};

export type Written = {
  params: Readonly<Record<string, string>>;
  fields: Fields;
  /** The exam of the session, where the command knows it. */
  exam?: string | undefined;
};

/** What the service shows at this moment; undefined for what it does not have. */
export type Look = {
  readonly dialect: Dialect;
  exam(id: string): Promise<JsonObject | undefined>;
  /** The exam of a session, as it was some minutes ago. */
  examOfSession(id: string): Promise<JsonObject | undefined>;
  session(id: string): Promise<JsonObject | undefined>;
  isIdle(exam: string): Promise<boolean>;
  /** Whether this command has created the session. */
  isOwn(session: string): boolean;
  /** Whether students of the exam are deleted together, also those who have not started. */
  isRemoval(exam: string): boolean;
};

/** `reads` and `gives` take nothing from anyone. */
export type Judgement = 'reads' | 'gives' | ((written: Written, look: Look) => Promise<readonly Taking[]>);

export const judgements: Readonly<Record<OperationId, Judgement>> = {
  listExams: 'reads',
  getExam: 'reads',
  createExam: 'gives',
  patchExam: examUpdate,
  putExam: examUpdate,
  deleteExam: async ({ params: { id = '' } }) => [{ exam: id, itself: true, why: sentence`which takes it from its students` }],
  showStudent: 'reads',
  addStudent: 'gives',
  sendEmails: async ({ params: { id = '' } }) => [
    { exam: id, itself: true, why: sentence`which disturbs students who have started`, once: 'started' },
  ],
  addProctors: 'gives',
  listProctors: 'reads',
  // A proctor is nothing that a student has.
  removeProctors: 'gives',
  listExamSessions: 'reads',
  listSessions: 'reads',
  getSession: 'reads',
  createSession: 'gives',
  patchSession: sessionUpdate,
  putSession: sessionUpdate,
  deleteSession,
  listUsers: 'reads',
};

/** Fields that identify a resource or describe it; they take nothing. */
const harmless = ['id', 'type', 'name'];

async function examUpdate({ params: { id = '' }, fields }: Written, { exam: shown, dialect }: Look): Promise<Taking[]> {
  const free = [...harmless, dialect.examNameKey, dialect.idKey, 'save_recording'];
  if (fields.besides(free).length === 0) return [];
  const widens = restrictionKeys.every((key) => fields.has(key) && fields.of(key).every(isYes));
  if (widens && fields.besides([...free, ...restrictionKeys]).length === 0) return [];
  const exam = await shown(id);
  if (!exam) return [];
  const takes = (why: Sentence): Taking => ({ exam: id, why });
  const unknown = unknownFields(fields, [...free, ...restrictionKeys, 'start_time', 'end_time'], exam);
  return [...endsOf(fields, exam).map(takes), ...startsOf(id, fields, exam), ...narrowed(fields, exam).map(takes), ...unknown.map(takes)];
}

function endsOf(fields: Fields, exam: JsonObject): Sentence[] {
  const old = instantIn(exam.end_time);
  return fields.of('end_time').flatMap((value) => {
    const end = instantIn(value);
    if (end === undefined) return (exam.end_time ?? null) === value ? [] : [sentence`which leaves it without an end that can be read`];
    if (old === undefined) return [sentence`which sets an end where the exam shows none`];
    return end < old ? [sentence`which ends it earlier`] : [];
  });
}

/**
 * Before the exam has started, a later start takes nothing that a student could use yet. Students in the check were
 * let in by the old start.
 */
function startsOf(id: string, fields: Fields, exam: JsonObject): Taking[] {
  const start = instantIn(exam.start_time);
  return fields.of('start_time').flatMap((value): Taking[] => {
    const moved = instantIn(value);
    if (moved === undefined || start === undefined)
      return (exam.start_time ?? null) === value ? [] : [{ exam: id, why: sentence`which leaves unknown when it starts` }];
    if (moved < start) return [{ exam: id, why: sentence`which starts it earlier` }];
    return moved === start ? [] : [{ exam: id, why: sentence`which starts it later`, once: 'checked' }];
  });
}

/** Restrictions that the update withdraws: set to false, or reset because another one is sent (specification 2.1, rule 2). */
function narrowed(fields: Fields, exam: JsonObject): Sentence[] {
  if (!restrictionKeys.some((key) => fields.has(key))) return [];
  const withdrawn = restrictionKeys.filter((key) => !isNo(exam[key]) && !(fields.has(key) && fields.of(key).every(isYes)));
  return withdrawn.length === 0 ? [] : [sentence`which withdraws ${withdrawn.join(', ')}`];
}

/** What a field means that the specification does not name cannot be judged, unless it keeps its value. */
function unknownFields(fields: Fields, known: readonly string[], shown: JsonObject): Sentence[] {
  const unknown = fields.besides(known).filter((name) => !fields.of(name).every((value) => isSame(shown[name], value)));
  return unknown.length === 0 ? [] : [sentence`which changes ${unknown.join(', ')}, and what that takes away cannot be judged`];
}

async function sessionUpdate({ params: { id = '' }, fields, exam: known }: Written, look: Look): Promise<Taking[]> {
  const { dialect } = look;
  const free = [...harmless, dialect.sessionNameKey, dialect.idKey];
  if (fields.besides(free).length === 0 || look.isOwn(id)) return [];
  if (known !== undefined && (await look.isIdle(known))) return [];
  const session = await look.session(id);
  if (!session) return [];
  const exam = known ?? examIdOf(session, dialect);
  const follows = (name: string) => fields.has(name) && [session[name] ?? null, ...fields.of(name)].includes(null);
  const shown = exam !== undefined && (follows('close_time') || follows('open_time')) ? await look.examOfSession(exam) : undefined;
  const unknown = unknownFields(fields, [...free, 'email', 'open_time', 'close_time'], session);
  return [
    ...closesOf(fields, session, shown).map((why) => ({ exam, why })),
    ...opensOf(fields, session, shown).map((taking) => ({ ...taking, exam })),
    ...addressesOf(fields, session).map((why) => ({ exam, why })),
    ...unknown.map((why) => ({ exam, why })),
  ];
}

/** A corrected address is harmless before the student has started; afterwards, it takes the session from the student. */
function addressesOf(fields: Fields, { email, status }: JsonObject): Sentence[] {
  const shown = typeof email === 'string' ? addressKey(email) : undefined;
  return fields.of('email').flatMap((value) => {
    if (typeof value !== 'string' || value.trim() === '')
      return (email ?? null) === value ? [] : [sentence`which removes the address of a student`];
    return addressKey(value) === shown || phaseOf(status) === 'waiting'
      ? []
      : [sentence`which gives the session of a student to another address`];
  });
}

/** Without a time of its own, a session opens and closes with its exam. */
function closesOf(fields: Fields, session: JsonObject, exam: JsonObject | undefined): Sentence[] {
  const closes = (value: JsonObject[string] | undefined) => instantIn((value ?? null) === null ? exam?.end_time : value);
  const old = closes(session.close_time);
  return fields.of('close_time').flatMap((value) => {
    if (value === (session.close_time ?? null)) return [];
    const close = closes(value);
    if (close !== undefined && old !== undefined && close >= old) return [];
    return [sentence`which closes a student's window earlier`];
  });
}

/** Before the exam has started, a window that moves as a whole is as long as it was; a student in the check was let in by the old one. */
function opensOf(fields: Fields, session: JsonObject, exam: JsonObject | undefined): Omit<Taking, 'exam'>[] {
  const opens = (value: JsonObject[string] | undefined) => instantIn((value ?? null) === null ? exam?.start_time : value);
  const old = opens(session.open_time);
  const close = instantIn(session.close_time);
  const closes = Math.min(
    ...(fields.has('close_time') ? fields.of('close_time') : [session.close_time]).map((value) => instantIn(value) ?? Infinity),
  );
  return fields.of('open_time').flatMap((value) => {
    if (value === (session.open_time ?? null)) return [];
    const open = opens(value);
    if (open !== undefined && old !== undefined && open <= old) return [];
    const why = sentence`which opens a student's window later`;
    if (open === undefined || old === undefined) return [{ why }];
    const asLong = close === undefined || closes - open >= close - old;
    return [{ why, until: open, ...(asLong && phaseOf(session.status) === 'waiting' ? { once: 'started' as const } : {}) }];
  });
}

async function deleteSession({ params: { id = '' }, exam: known }: Written, look: Look): Promise<Taking[]> {
  const session = await look.session(id);
  if (!session) return [];
  const exam = known ?? examIdOf(session, look.dialect);
  if (phaseOf(session.status) !== 'waiting') return [{ exam, why: sentence`which deletes a student who has started` }];
  return exam !== undefined && look.isRemoval(exam) ? [{ exam, why: sentence`which takes the exam from a student` }] : [];
}

/** The exam of a session; undefined also where it shows what cannot be an ID. */
export function examIdOf(session: JsonObject, dialect: Dialect): string | undefined {
  const shown = fieldAt(session, dialect.sessionExamKey);
  if (typeof shown === 'boolean' || Array.isArray(shown) || isJsonObject(shown)) return undefined;
  const id = examOf(session, { dialect });
  return id?.trim() === '' ? undefined : id;
}
