/** What the service has of an exam or a session, and whole lists. */
import { CliError, orGone } from '../errors.ts';
import { nameOf } from '../model/describe.ts';
import { idOf, type JsonObject } from '../model/json.ts';
import { addressIn, type Listed, Listing, type Reading } from '../model/listing.ts';
import { sentence } from '../text/sentence.ts';
import { type Client, examOf, type ReadOptions as How, type ListOptions } from './client.ts';
import { idField } from './list.ts';
import { operations } from './operations.ts';

const gets = { exam: operations.getExam, session: operations.getSession } as const;

/** Throws `not_found`, and `bad_answer` for a record of another ID. */
export async function readRecord(client: Client, resource: keyof typeof gets, id: string, how?: How): Promise<JsonObject> {
  const data = await client.get(gets[resource], { params: { id } }, how);
  const shown = idOf(data) ?? id;
  if (shown === id) return data;
  client.known.forget(resource, id);
  throw new CliError('bad_answer', sentence`The service showed ${nameOf(resource, shown)} in place of ${nameOf(resource, id)}.`);
}

/** Several pages are read twice: a deletion moves students to an earlier page. Throws `bad_answer`. */
export async function readExam(client: Client, exam: string, options: ListOptions = {}): Promise<Reading> {
  const input = { params: { exam_id: exam } };
  const pages = () => Array.fromAsync(client.pages(operations.listExamSessions, input, options, true));
  const first = (await pages()).filter((page) => page.length > 0);
  const second = first.length > 1 ? await pages() : [];
  const byId = new Map([...second, ...first].flat().map((session) => [knownId(session, client), session]));
  return new Listing(exam, Array.from(byId, listedRecord), client.dialect);
}

/** The students of an exam; without one, all exams. */
export async function readList<Exam extends string | undefined>(client: Client, exam: Exam, how?: ListOptions): Promise<Listing<Exam>> {
  if (exam !== undefined) return (await readExam(client, exam, how)) as Listing<Exam>;
  // They are recognised by name and start: a start that only the list leaves out is read by the ID.
  const exams = await client.pacer.map(await client.list(operations.listExams, {}), async (shown): Promise<Listed> => {
    const id = knownId(shown, client);
    return listedRecord([id, (await orGone(wholeRecord(client, 'exam', id, shown, ['start_time']))) ?? shown]);
  });
  return new Listing(exam, exams, client.dialect);
}

/** A student's own times, and whether they still count. */
export const ownTimes: readonly string[] = ['open_time', 'close_time', 'status'];

/** A record that a list shows, read by its ID where the list leaves out one of these fields. */
export async function wholeRecord(
  client: Client,
  kind: keyof typeof gets,
  id: string,
  listed: JsonObject,
  fields = ownTimes,
): Promise<JsonObject> {
  const isWhole = fields.every((field) => Object.hasOwn(listed, field));
  return isWhole ? listed : readRecord(client, kind, id);
}

/** A list with all of these fields of each student. */
export async function wholeList(client: Client, { exam, all: sessions }: Reading, fields = ownTimes): Promise<Reading> {
  const whole = await client.pacer.map(sessions, async (session) => {
    const data = await orGone(wholeRecord(client, 'session', session.id, session.data, fields));
    return { ...session, data: data ?? session.data };
  });
  return new Listing(exam, whole, client.dialect);
}

/** Throws `list_in_doubt` for a record without an ID. */
export function knownId(record: JsonObject, { dialect }: Pick<Client, 'dialect'>): string {
  const id = idOf(record);
  if (id !== undefined) return id;
  throw new CliError('list_in_doubt', sentence`A record in a list of the service has no "${dialect.idKey}".`, { hint: idField });
}

export function listedRecord([id, data]: [id: string, data: JsonObject]): Listed {
  return { id, email: addressIn(data), data };
}

/** Why a session is not in this exam; undefined if it is, or shows no exam. */
export function otherExam(exam: string | undefined, shown: JsonObject, client: Client): string | undefined {
  const now = examOf(shown, client);
  const isOther = exam !== undefined && now !== undefined && now !== exam;
  return isOther ? `it now belongs to exam ${now}` : undefined;
}
