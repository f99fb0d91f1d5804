/** What the service has of an exam or a session, and whole lists. */
import { CliError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { type Listed, Listing, type Reading } from '../model/listing.ts';
import { sentence } from '../text/sentence.ts';
import { type Client, examOf, type ReadOptions as How } from './client.ts';
import { operations } from './operations.ts';

const gets = { exam: operations.getExam, session: operations.getSession } as const;

/** Throws `not_found`. */
export function readRecord(client: Client, resource: keyof typeof gets, id: string, how?: How): Promise<JsonObject> {
  return client.get(gets[resource], { params: { id } }, how);
}

/** Several pages are read twice: a deletion moves students to an earlier page. Throws `bad_answer`. */
export async function readExam(client: Client, exam: string): Promise<Reading> {
  const input = { params: { exam_id: exam } };
  const pages = () => Array.fromAsync(client.pages(operations.listExamSessions, input, { whole: true }));
  const first = (await pages()).filter((page) => page.length > 0);
  const second = first.length > 1 ? await pages() : [];
  const byId = new Map([...second, ...first].flat().map((session, at) => [idOf(session) ?? at, session]));
  return new Listing(exam, [...byId.values()].map(listedRecord), client.dialect);
}

/** The students of an exam; without one, all exams. */
export async function readList<Exam extends string | undefined>(client: Client, exam: Exam): Promise<Listing<Exam>> {
  if (exam !== undefined) return (await readExam(client, exam)) as Listing<Exam>;
  return new Listing(exam, (await client.list(operations.listExams, {})).map(listedRecord), client.dialect);
}

export function listedRecord(data: JsonObject): Listed {
  return { id: idOf(data), email: addressIn(data), data };
}

/** Why a session is not in this exam; undefined if it is, or shows no exam. */
export function otherExam(exam: string | undefined, shown: JsonObject, client: Client): string | undefined {
  const now = examOf(shown, client);
  const isOther = exam !== undefined && now !== undefined && now !== exam;
  return isOther ? `it now belongs to exam ${now}` : undefined;
}

/** Refuses students of another exam: a service may ignore which is asked for, or a next page lead out of it. Throws `bad_answer`. */
export function refuseOfOthers({ exam, all }: Listing, client: Client): void {
  const stranger = all.find(({ data }) => otherExam(exam, data, client) !== undefined);
  if (!stranger) return;
  const what = sentence`The service's list of exam ${exam} has session ${stranger.id} of exam ${examOf(stranger.data, client)}.`;
  const { sessionExamKey } = client.dialect;
  const hint = sentence`If ${sessionExamKey} is not the field of the exam, name that: proctor-cli config set dialect.sessionExamKey FIELD`;
  throw new CliError('bad_answer', what, { hint });
}
