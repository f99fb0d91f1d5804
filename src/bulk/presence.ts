/**
 * The students that an exam has, as a complete listing shows them: found by exact e-mail address, and
 * by one that differs in case or surrounding space only, which is reported and never guessed.
 */
import { createHash } from 'node:crypto';
import { type Client, idOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { addressKey } from '../model/address-key.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';

export type Student = { session: string | undefined; email: string | undefined; status: string | undefined; fields: JsonObject };

export class Presence {
  readonly students: readonly Student[];
  readonly #byEmail = new Map<string, Student[]>();
  readonly #byKey = new Map<string, Student[]>();
  #bySession: Map<string | undefined, Student> | undefined;

  constructor(students: readonly Student[]) {
    this.students = students;
    for (const student of students) {
      if (student.email === undefined) continue;
      add(this.#byEmail, student.email, student);
      add(this.#byKey, addressKey(student.email), student);
    }
  }

  /** The students with exactly this address. */
  withEmail(email: string): readonly Student[] {
    return this.#byEmail.get(email) ?? [];
  }

  /** The student of this session. */
  withSession(session: string): Student | undefined {
    this.#bySession ??= new Map(this.students.map((student) => [student.session, student]));
    return this.#bySession.get(session);
  }

  /** Those whose address is another text that most services take for the same. */
  almost(email: string): readonly Student[] {
    return (this.#byKey.get(addressKey(email)) ?? []).filter((student) => student.email !== email);
  }

  /** SHA-256 of who is there, in any order: what a later listing is compared with. `emails`: of those alone. */
  digest(emails?: Iterable<string>): string {
    const those = emails === undefined ? this.students : [...emails].flatMap((email) => this.withEmail(email));
    const lines = those.map(({ session, email }) => stringifyJson([session ?? null, email ?? null])).sort();
    return createHash('sha256').update(lines.join('\n')).digest('hex');
  }
}

function add(map: Map<string, Student[]>, key: string, student: Student) {
  const found = map.get(key);
  if (found) found.push(student);
  else map.set(key, [student]);
}

/** Lists the exam's students to the last one. `compared`: the fields that will be looked at; others are let go. */
export async function listStudents(client: Client, exam: string, compared: ReadonlySet<string>): Promise<Presence> {
  const students: Student[] = [];
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
    const kept = Object.entries(session).filter(([key]) => compared.has(key));
    students.push({
      session: idOf(session, client),
      email: typeof session.email === 'string' ? session.email : undefined,
      status: typeof session.status === 'string' ? session.status : undefined,
      fields: Object.fromEntries(kept),
    });
  }
  return new Presence(students);
}
