/** Reads the selected exams, each listing once and a few at the same time, and compares them with a list of accommodations. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { idOf } from '../../model/id.ts';
import { textOfJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { type ListedSession, type Reading, readStudents } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { knownId, listedSessions, wholeSession } from '../listed-sessions.ts';
import { type AccommodationList, ExamScope } from './accommodation.ts';
import { type Judgement, judgeExam, type ShownSession } from './judge-sessions.ts';
import { type Unmatched, unmatchedIn } from './unmatched.ts';

/** A word of the list for exams that means no exam of the service. `place`: where it stands first. */
export type UnknownExam = { word: string; place: string; nearest: string | undefined };

export type Survey = { judgements: Judgement[]; unmatched: Unmatched[]; unknown: UnknownExam[]; elsewhere: number };

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
  const surveyed = await client.pacer.map(exams, async (exam) => {
    const reading = readings && (await readStudents(context, exam.id));
    if (reading) readings.set(exam.id, reading);
    const listed = reading?.sessions ?? (await listedSessions(client, exam.id));
    const sessions = await accommodatedIn(client, exam, list, listed);
    return { exam, addresses: listed.flatMap(({ email }) => email ?? []), judgements: judgeExam(list, exam, sessions, zone) };
  });
  return {
    judgements: surveyed.flatMap(({ judgements }) => judgements),
    unknown: await unknownExams(client, list, exams, zone),
    ...unmatchedIn(list, surveyed, zone),
  };
}

/** The sessions of the students of the list. */
async function accommodatedIn(
  client: Client,
  { id: exam }: SelectedExam,
  list: AccommodationList,
  listed: readonly ListedSession[],
): Promise<ShownSession[]> {
  const hidden = listed.some(({ mask, data }) => mask !== undefined || !Object.hasOwn(data, 'email'));
  if (hidden && listed.every(({ email }) => email === undefined))
    throw new CliError(
      'bad_answer',
      sentence`The list of exam ${exam} shows no addresses, so it is unknown which students have extra time.`,
    );
  const sessions: ShownSession[] = [];
  for (const session of listed) {
    const { email, data } = session;
    if (email === undefined || !list.students.has(addressKey(email))) continue;
    const id = knownId(session, exam, client);
    sessions.push({ id, email, fields: await wholeSession(client, id, data) });
  }
  return sessions;
}

/** The words for exams that mean no exam of the service, with the nearest name. `exams`: those that are known already. */
async function unknownExams(
  client: Client,
  list: AccommodationList,
  exams: readonly { id: string; name: string | undefined }[],
  zone: string,
): Promise<UnknownExam[]> {
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
  for (const exam of await client.list(operations.listExams, {})) {
    const id = idOf(exam);
    const name = exam[client.dialect.examNameKey] ?? undefined;
    if (id !== undefined) all.push({ id, name: name === undefined ? undefined : textOfJson(name) });
  }
  const names = all.flatMap(({ id, name }) => [id, ...(name === undefined ? [] : [name])]);
  return without(unmatched, scopesOf(all)).map((word) => ({ word, place: places.get(word) ?? '', nearest: nearestExam(word, names) }));
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
