/**
 * A reading: a whole listing of an exam's students. A list of several pages is read twice, because a student may slip from a page to the
 * one before while somebody else is deleted; who is in either is there.
 */
import { type Client, examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { addressKey } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import { fieldAt, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { statusOf } from '../model/status.ts';

/** `email`: undefined where the list shows none, or hides it (`a***@example.org`). */
export type ListedSession = { id: string | undefined; email: string | undefined; data: JsonObject };

type Wanted = { email?: string | undefined; number?: string | undefined };

export class Reading {
  readonly exam: string;
  readonly sessions: readonly ListedSession[];
  readonly #byId: ReadonlyMap<string | undefined, ListedSession>;
  readonly #byKey: ReadonlyMap<string, ListedSession[]>;
  readonly #byNumber: ReadonlyMap<string, ListedSession[]>;
  readonly #numberKey: string;

  /** `numberKey`: the field with the number by which students are told apart; empty where the service has none. */
  constructor(exam: string, sessions: readonly ListedSession[], numberKey = '') {
    this.exam = exam;
    this.sessions = sessions;
    this.#numberKey = numberKey;
    this.#byId = new Map(sessions.map((session) => [session.id, session]));
    this.#byKey = Map.groupBy(sessions, ({ email }) => (email === undefined ? '' : addressKey(email)));
    this.#byNumber = Map.groupBy(sessions, ({ data }) => numberIn(data, numberKey) ?? '');
  }

  /** The sessions of a student: by address, in any of its spellings, or else by number. */
  of({ email, number }: Wanted): readonly ListedSession[] {
    if (email !== undefined) return this.#byKey.get(addressKey(email)) ?? [];
    return number === undefined ? [] : (this.#byNumber.get(number) ?? []);
  }

  withId(id: string): ListedSession | undefined {
    return this.#byId.get(id);
  }

  /**
   * Sessions that may be those of a student, because the list hides by what they are looked for: a masked address, or no field with
   * addresses at all. Who is shown to have none is somebody else, and so is who shows an address to a look by number.
   */
  hiding({ email, number }: Wanted): readonly ListedSession[] {
    if (email === undefined && number === undefined) return [];
    const key = email === undefined ? this.#numberKey : 'email';
    const showsAny = this.sessions.some(({ data }) => fieldAt(data, key) !== undefined);
    const unshown = (this.#byKey.get('') ?? []).filter(({ data }) => email !== undefined || numberIn(data, key) === undefined);
    return unshown.filter(({ data }) => !showsAny || !isEmpty(fieldAt(data, key)));
  }
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Throws `bad_answer` for a list that is not whole. */
export async function readExam(client: Client, exam: string): Promise<Reading> {
  const pages = () => Array.fromAsync(client.pages(operations.listExamSessions, { params: { exam_id: exam } }, { whole: true }));
  const first = (await pages()).filter((page) => page.length > 0);
  const second = first.length > 1 ? await pages() : [];
  const byId = new Map([...second, ...first].flat().map((session, at) => [idOf(session) ?? at, session]));
  const sessions = [...byId.values()].map((data) => ({ id: idOf(data), email: addressOf(data), data }));
  // Whoever a list shows in a session, an older read of it does not outdo.
  for (const { id = '', data } of sessions)
    if (otherStudent(addressOf(client.known.shown('session', id)?.data ?? {}), data)) client.known.forget('session', id);
  return new Reading(exam, sessions, client.dialect.sessionNumberKey);
}

/** What is no address, or may hide one, proves nothing about a student. */
export function addressOf({ email }: JsonObject): string | undefined {
  if (typeof email !== 'string') return undefined;
  const address = email.trim();
  return /^[^\s@]+@[^\s@]+$/.test(address) && !/[*\u2022\u2026]/.test(address) ? email : undefined;
}

/** How many of them are shown to have been mailed. */
export function mailedOf(sessions: readonly ListedSession[]): number {
  return sessions.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
}

export function numberIn(data: JsonObject, numberKey: string): string | undefined {
  const number = numberKey === '' ? null : (fieldAt(data, numberKey) ?? null);
  return isEmpty(number) ? undefined : textOfJson(number);
}

/** Why a session is not that of the address, in words; undefined where nothing shows otherwise. */
export function otherStudent(email: string | undefined, shown: JsonObject): string | undefined {
  const now = addressOf(shown);
  return email === undefined || now === undefined || addressKey(now) === addressKey(email) ? undefined : `it now belongs to ${now}`;
}

/** Why a session is not in the exam; undefined where nothing shows otherwise. */
export function otherExam(exam: string | undefined, shown: JsonObject, client: Client): string | undefined {
  const now = examOf(shown, client);
  return exam === undefined || now === undefined || now === exam ? undefined : `it now belongs to exam ${now}`;
}
