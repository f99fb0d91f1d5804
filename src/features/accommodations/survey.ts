/** Reads the selected exams, each listing once and a few at the same time, and compares them with a list of accommodations. */
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey, maskIn, showsPlain } from '../../model/address-key.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { type Reading, readStudents } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam } from '../each-exam.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { type AccommodationList, ExamScope } from './accommodation.ts';
import { comparedFields, type Judgement, judgeExam, type ShownSession } from './judge-sessions.ts';
import { type Unmatched, unmatchedIn } from './unmatched.ts';

export type Survey = { judgements: Judgement[]; unmatched: Unmatched[]; elsewhere: number };

/** `readings`: gets the whole readings of the exams, for what is computed to be written. Throws the client's errors, `bad_answer` for a listing without addresses, `invalid_input` where the list contradicts itself. */
export async function surveyExams(
  context: Context,
  list: AccommodationList,
  exams: readonly SelectedExam[],
  readings?: Map<string, Reading>,
): Promise<Survey> {
  const client = await context.client();
  const zone = context.zone();
  // Judged while the next listings are on their way.
  const read = await eachExam(client, exams, async (exam) => {
    const { sessions, addresses, keys } = await readSessions(client, exam, list, () => sessionsIn(context, client, exam.id, readings));
    return { exam, addresses, keys, judgements: judgeExam(list, exam, sessions, zone) };
  });
  const surveyed = read.map((each) => {
    if ('error' in each) throw each.error;
    return each.value;
  });
  for (const name of await unknownExams(client, list, exams, zone)) context.warn(name);
  return {
    judgements: surveyed.flatMap(({ judgements }) => judgements),
    ...unmatchedIn(list, surveyed, zone),
  };
}

async function sessionsIn(
  context: Context,
  client: Client,
  exam: string,
  readings: Map<string, Reading> | undefined,
): Promise<readonly JsonObject[]> {
  if (!readings) return client.all(operations.listExamSessions, { params: { exam_id: exam } });
  const reading = await readStudents(context, exam);
  readings.set(exam, reading);
  return reading.sessions.map(({ data }) => data);
}

/** The sessions of the students of the list, with their keys, and the addresses of all. */
async function readSessions(
  client: Client,
  { id: exam }: SelectedExam,
  list: AccommodationList,
  read: () => Promise<readonly JsonObject[]>,
) {
  const sessions: ShownSession[] = [];
  const addresses: string[] = [];
  const keys = new Set<string>();
  let withoutAddress = 0;
  const all = await read();
  const beside = { plain: showsPlain(all) };
  for (const listed of all) {
    const email = addressIn(listed, beside);
    if (email === undefined) {
      withoutAddress += Object.hasOwn(listed, 'email') && maskIn(listed, beside) === undefined ? 0 : 1;
      continue;
    }
    addresses.push(email);
    const key = addressKey(email);
    if (!list.students.has(key)) continue;
    keys.add(key);
    const id = idOf(listed, client);
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    sessions.push({ id, email, fields: comparedFields(isComplete(listed) ? listed : await completed(client, id, listed)) });
  }
  if (addresses.length === 0 && withoutAddress > 0) {
    throw new CliError(
      'bad_answer',
      sentence`The listing of exam ${exam} shows no addresses, so it is unknown which students have extra time.`,
    );
  }
  return { sessions, addresses, keys };
}

/** A list may show less of a session than the session itself does. */
function isComplete(listed: JsonObject): boolean {
  return 'open_time' in listed && 'close_time' in listed;
}

async function completed(client: Client, id: string, listed: JsonObject): Promise<JsonObject> {
  return { ...listed, ...(await client.get(operations.getSession, { params: { id } })) };
}

/** A sentence for each word for exams that means no exam of the service, with the nearest name. */
async function unknownExams(client: Client, list: AccommodationList, exams: readonly SelectedExam[], zone: string): Promise<Sentence[]> {
  const places = new Map<string, string>();
  for (const rows of list.students.values()) {
    for (const { exams: words, place } of rows) for (const word of words) if (!places.has(word)) places.set(word, place);
  }
  const scopesOf = (all: readonly { id: string; name: string | undefined }[]) =>
    all.map(({ id, name }) => new ExamScope(list, { id, name, start: undefined, end: undefined }, zone));
  const without = (words: readonly string[], scopes: readonly ExamScope[]) =>
    words.filter((word) => !scopes.some((scope) => scope.means(word)));
  const unmatched = without([...places.keys()], scopesOf(exams));
  if (unmatched.length === 0) return [];
  const all: { id: string; name: string | undefined }[] = [];
  for await (const exam of client.list(operations.listExams, {})) {
    const id = idOf(exam, client);
    const name = exam[client.dialect.examNameKey] ?? undefined;
    if (id !== undefined) all.push({ id, name: name === undefined ? undefined : textOfJson(name) });
  }
  const names = all.flatMap(({ id, name }) => [id, ...(name === undefined ? [] : [name])]);
  return without(unmatched, scopesOf(all)).map((word) => {
    const meant = nearestExam(word, names);
    const nearestIs = meant === undefined ? '' : ` The nearest is ${JSON.stringify(meant)}.`;
    return sentence`warning: ${list.name}, ${places.get(word)}: the service has no exam ${JSON.stringify(word)}.${nearestIs}`;
  });
}

/** A pattern is compared with the beginnings of names as long as itself. */
function nearestExam(word: string, names: readonly string[]): string | undefined {
  const letters = word.replaceAll(/[*?]/g, '');
  const whole = nearest(letters, names);
  if (whole !== undefined || letters === word) return whole;
  const beginning = nearest(
    letters,
    names.map((name) => name.slice(0, letters.length)),
  );
  return names.find((name) => beginning !== undefined && name.startsWith(beginning));
}
