/**
 * A reading: a whole listing of an exam's students, and who of them has which address. A list of one page is read once; one of
 * several pages twice, because a student may slip from a page to the one before while somebody else is deleted; who is in either is there.
 */
import { badAnswer } from '../api/answer-errors.ts';
import type { Client } from '../api/client.ts';
import { ageOfMoment, type Moment, momentOf } from '../api/known.ts';
import { operations } from '../api/operations.ts';
import type { Host } from '../host/host.ts';
import { addressIn, addressKey, maskIn, mayBeAddress, mayHide, showsPlain } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import { type JsonObject, textOfJson } from '../model/json.ts';

/** A session as a listing shows it. `email`: undefined where it shows none; `mask`: what it shows in its place. */
export type ListedSession = { id: string | undefined; email: string | undefined; mask: string | undefined; data: JsonObject };

export class Reading {
  readonly exam: string;
  readonly sessions: readonly ListedSession[];
  /** When its first request left: no value in it is older. */
  readonly at: Moment;
  readonly #byId: ReadonlyMap<string | undefined, ListedSession>;
  readonly #byKey = new Map<string, ListedSession[]>();

  constructor(exam: string, sessions: readonly ListedSession[], at: Moment) {
    this.exam = exam;
    this.sessions = sessions;
    this.at = at;
    this.#byId = new Map(sessions.map((session) => [session.id, session]));
    for (const session of sessions) {
      if (session.email === undefined) continue;
      const key = addressKey(session.email);
      const alike = this.#byKey.get(key);
      if (alike) alike.push(session);
      else this.#byKey.set(key, [session]);
    }
  }

  /** The sessions with an address, in any of its spellings. */
  withAddress(email: string): readonly ListedSession[] {
    return this.#byKey.get(addressKey(email)) ?? [];
  }

  withId(id: string): ListedSession | undefined {
    return this.#byId.get(id);
  }

  /** Those of these sessions that may be one of these students, because it hides their address; a student without one may be any. */
  hiding(emails: Iterable<string | undefined>, among: readonly ListedSession[] = this.sessions): readonly ListedSession[] {
    const showsAny = this.sessions.some(({ email, mask }) => email !== undefined || (mask !== undefined && mayBeAddress(mask)));
    const hidden = among.filter(({ email, mask }) => email === undefined && (mask !== undefined || !showsAny));
    // A million addresses are listed only where one of them may be hidden.
    const wanted = hidden.length === 0 ? [] : [...emails];
    if (wanted.length === 0) return [];
    return hidden.filter(({ mask }) => mask === undefined || wanted.some((email) => email === undefined || mayHide(mask, email)));
  }

  /** Whether it shows addresses at all, or has no session. */
  get showsAddresses(): boolean {
    return this.sessions.length === 0 || this.sessions.some(({ email }) => email !== undefined);
  }

  age(host: Pick<Host, 'now' | 'elapsed'>): number {
    return ageOfMoment(this.at, host);
  }
}

/** Throws `bad_answer` for a list that is not whole. `keep`: the fields to keep of each session; all where it is absent. */
export async function readExam(
  client: Client,
  host: Pick<Host, 'now' | 'elapsed'>,
  exam: string,
  keep?: ReadonlySet<string>,
): Promise<Reading> {
  const at = momentOf(host);
  const first = await listed(client, exam);
  const second = first.pages > 1 ? (await listed(client, exam)).sessions : [];
  const all = once([...second, ...first.sessions]);
  const beside = { plain: showsPlain(all) };
  return new Reading(
    exam,
    all.map((session) => ({
      id: idOf(session),
      email: addressIn(session, beside),
      mask: maskIn(session, beside),
      data: keep ? Object.fromEntries(Object.entries(session).filter(([key]) => keep.has(key))) : session,
    })),
    at,
  );
}

async function listed(client: Client, exam: string): Promise<{ sessions: JsonObject[]; pages: number }> {
  const sessions: JsonObject[] = [];
  let pages = 0;
  for await (const page of client.pages(operations.listExamSessions, { params: { exam_id: exam } }, { whole: true })) {
    if (page.length > 0) pages += 1;
    for (const session of page) sessions.push(session);
  }
  // Where students are compared by their addresses, one of another type is not a missing student.
  const [odd] = sessions.flatMap(({ email = null }) => (email === null || typeof email === 'string' ? [] : [email]));
  if (odd !== undefined) {
    const shown = typeof odd === 'object' ? 'neither text nor null' : textOfJson(odd);
    throw badAnswer(`list the students of exam ${exam}`, 200, `an item of an unexpected shape: email is ${shown}`);
  }
  return { sessions, pages };
}

/** Each session once: a list may show one twice, and two lists show most of them twice. Of several the first. */
function once(sessions: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<string>();
  return sessions.filter((session) => {
    const id = idOf(session);
    const isNew = id === undefined || !seen.has(id);
    if (id !== undefined) seen.add(id);
    return isNew;
  });
}
