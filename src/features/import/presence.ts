/**
 * The students that an exam has, as a complete listing shows them, and which of them a row means: the
 * one of its session first, then the one with its address, then the one whose address differs only in
 * case, surrounding space or Unicode form, as services store it.
 */
import { createHash } from 'node:crypto';
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { addressKey } from '../../model/address-key.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';

export type ExamStudent = { session: string | undefined; email: string | undefined; status: string | undefined; fields: JsonObject };

export class Presence {
  readonly students: readonly ExamStudent[];
  /** Whether the listing has a field for addresses at all, or no students who could have one. */
  readonly showsAddresses: boolean;
  readonly #byKey = new Map<string, ExamStudent[]>();
  #bySession: Map<string | undefined, ExamStudent> | undefined;

  constructor(students: readonly ExamStudent[], showsAddresses = true) {
    this.students = students;
    this.showsAddresses = showsAddresses;
    for (const student of students) {
      if (student.email === undefined) continue;
      const key = addressKey(student.email);
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

  /** The students that a row may mean; more than one is a conflict. `session`: its session, if it is known. */
  match(email: string | undefined, session?: string): readonly ExamStudent[] {
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

  /** SHA-256 of the present students, in any order, to compare with a later listing. `emails`: of those alone. */
  digest(emails?: Iterable<string>): string {
    const those = emails === undefined ? this.students : [...emails].flatMap((email) => this.match(email));
    const lines = those.map(({ session, email }) => stringifyJson([session ?? null, email ?? null])).sort();
    return createHash('sha256').update(lines.join('\n')).digest('hex');
  }
}

/** The address under which a student is stored, where it is another spelling than the row's. */
export function storedAs(email: string | undefined, student: ExamStudent): string | undefined {
  return email === undefined || student.email === email ? undefined : student.email;
}

/** Lists all the exam's students. `compared`: the fields that will be compared; others are dropped. */
export async function listStudents(client: Client, exam: string, compared: ReadonlySet<string>): Promise<Presence> {
  const students: ExamStudent[] = [];
  let shown = 0;
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } }, { relyOn: ['email'] })) {
    const kept = Object.entries(session).filter(([key]) => compared.has(key));
    if (Object.hasOwn(session, 'email')) shown += 1;
    students.push({
      session: idOf(session, client),
      email: typeof session.email === 'string' ? session.email : undefined,
      status: typeof session.status === 'string' ? session.status : undefined,
      fields: Object.fromEntries(kept),
    });
  }
  return new Presence(students, students.length === 0 || shown > 0);
}
