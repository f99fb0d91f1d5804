/**
 * The students that an exam has, as a complete listing shows them, and which of them a row means: the
 * one of its session first, then the one with its address, then the one whose address differs only in
 * case, surrounding space or Unicode form, as services store it. If the list hides addresses, the session
 * that an earlier run of this machine created for the row counts.
 */
import { createHash } from 'node:crypto';
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { addressIn, addressKey, maskIn, mayBeAddress } from '../../model/address-key.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { statusText } from '../../model/status.ts';

/** `mask`: what the service shows in place of an address that it hides, as in `a***@example.org`. */
export type ExamStudent = {
  session: string | undefined;
  email: string | undefined;
  mask?: string;
  status: string | undefined;
  fields: JsonObject;
};

/** The sessions that earlier runs created for rows whose address the list does not show, by row. */
export type EarlierSessions = ReadonlyMap<number, string>;

export class Presence {
  readonly students: readonly ExamStudent[];
  /** Whether the list shows any address, or no student who could have one. */
  readonly showsAddresses: boolean;
  readonly earlier: EarlierSessions;
  readonly #byKey = new Map<string, ExamStudent[]>();
  #bySession: Map<string | undefined, ExamStudent> | undefined;

  constructor(students: readonly ExamStudent[], earlier: EarlierSessions = new Map()) {
    this.students = students;
    this.showsAddresses =
      students.length === 0 || students.some(({ email, mask }) => email !== undefined || (mask !== undefined && mayBeAddress(mask)));
    this.earlier = earlier;
    for (const student of students) {
      // What looks like a mask may be an address: then it is that of the row word for word.
      const shown = student.email ?? student.mask;
      if (shown === undefined) continue;
      const key = addressKey(shown);
      const found = this.#byKey.get(key);
      if (found) found.push(student);
      else this.#byKey.set(key, [student]);
    }
  }

  /** The student of this session. */
  withSession(session: string): ExamStudent | undefined {
    this.#bySession ??= new Map(this.students.map((student) => [student.session, student]));
    return this.#bySession.get(session);
  }

  /** The students that a row may mean; more than one is a conflict. `session`: its session, if this run knows it. */
  match({ row, email }: MatchedRow, session = this.earlier.get(row)): readonly ExamStudent[] {
    return this.#among(email, session);
  }

  /** The students with this address. */
  addressed(email: string | undefined): readonly ExamStudent[] {
    return this.#among(email, undefined);
  }

  #among(email: string | undefined, session: string | undefined): readonly ExamStudent[] {
    const own = session === undefined ? undefined : this.withSession(session);
    if (email === undefined) return own ? [own] : [];
    const folded = this.#byKey.get(addressKey(email)) ?? [];
    if (own && (own.email === undefined || folded.includes(own))) {
      // Two spellings may be two people; the same spelling twice is one.
      const stored = own.email ?? email;
      return [own, ...folded.filter((other) => other !== own && other.email === stored)];
    }
    const exact = folded.filter((student) => student.email === email);
    if (exact.length > 0) return exact;
    return folded.length > 0 || !own ? folded : [own];
  }

  /** All whose address may be that of a row. */
  alike(email: string | undefined): readonly ExamStudent[] {
    return email === undefined ? [] : (this.#byKey.get(addressKey(email)) ?? []);
  }

  /** SHA-256 of the present students, in any order, to compare with a later listing. `emails`: of those that may have them. */
  digest(emails?: Iterable<string>): string {
    const those = emails === undefined ? this.students : this.#mayHave(emails);
    const lines = those.map(({ session, email, mask }) => stringifyJson([session ?? null, email ?? mask ?? null])).sort();
    return createHash('sha256').update(lines.join('\n')).digest('hex');
  }

  #mayHave(emails: Iterable<string>): ExamStudent[] {
    const hidden = this.students.filter(({ email }) => email === undefined);
    return [...new Set([...hidden, ...[...emails].flatMap((email) => this.addressed(email))])];
  }
}

/** A row as far as its student is looked up by it. */
type MatchedRow = { row: number; email?: string };

/** The address under which a student is stored, where it is another spelling than the row's. */
export function storedAs(email: string | undefined, student: ExamStudent): string | undefined {
  return email === undefined || student.email === email ? undefined : student.email;
}

/** Lists all the exam's students. `compared`: the fields that will be compared; others are dropped. */
export async function listStudents(client: Client, exam: string, compared: ReadonlySet<string>): Promise<Presence> {
  const students: ExamStudent[] = [];
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } }, { relyOn: ['email'] }))
    students.push(studentOf(session, client, compared));
  return new Presence(unmasked(students));
}

/** Where the list shows addresses, what only resembles a mask is one as well. */
function unmasked(students: readonly ExamStudent[]): readonly ExamStudent[] {
  if (!students.some(({ email }) => email !== undefined)) return students;
  return students.map((student) => {
    const { mask, ...shown } = student;
    return mask !== undefined && mayBeAddress(mask) ? { ...shown, email: mask } : student;
  });
}

/** A session as far as it is compared with a row. */
export function studentOf(session: JsonObject, client: Client, compared: ReadonlySet<string>): ExamStudent {
  const mask = maskIn(session);
  return {
    session: idOf(session, client),
    email: addressIn(session),
    ...(mask === undefined ? {} : { mask }),
    status: statusText(session.status) ?? undefined,
    fields: Object.fromEntries(Object.entries(session).filter(([key]) => compared.has(key))),
  };
}
