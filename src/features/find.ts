/**
 * `sessions find`: one pass over all sessions, of which only those that match are kept. Where the
 * service's sessions do not name their exam, the exams' own lists are read, one after the other.
 * A person sees the running exams first, and of a single session what can be done for its student now.
 */
import { type Client, examOf } from '../api/client.ts';
import { itemsOf } from '../api/list.ts';
import { operations } from '../api/operations.ts';
import type { Column, Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Exam } from '../model/exam.ts';
import { fieldAt, type JsonObject, textOfJson } from '../model/json.ts';
import { outcomeOf, type Standing, standingOf } from '../model/outcome.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { phaseOf, statusOf } from '../model/status.ts';
import { instantOf } from '../model/time.ts';
import { phaseIn } from '../runs/index.ts';
import { folded, hasWords, soughtWords } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

export async function findSessions(context: Context, text: string): Promise<Result> {
  const wanted = soughtWords(text);
  if (wanted.length === 0)
    throw new CliError('invalid_input', 'The search text is empty.', {
      hint: "Give part of the student's address or name, or the ID of the session.",
    });
  const client = await context.client();
  const { sessionExamKey, sessionNameKey } = client.dialect;
  const columns: readonly Column[] = [
    { key: 'id' },
    { key: 'email' },
    { key: sessionNameKey, identifies: true },
    { key: 'status', as: 'status', identifies: true },
    { key: 'closes', as: 'time' },
    { key: sessionExamKey, title: 'exam' },
    { key: 'exam_name', identifies: true },
    { key: 'opens', as: 'time' },
  ];
  const record: readonly Column[] = [
    { key: 'id', title: 'session' },
    { key: sessionNameKey },
    { key: 'email' },
    { key: 'exam_name', title: 'exam' },
    { key: sessionExamKey, title: 'exam ID' },
    { key: 'status', as: 'status' },
    { key: 'now' },
    { key: 'opens', as: 'time' },
    { key: 'closes', as: 'time' },
  ];
  const find = () => found(context, client, wanted, text);
  const advice: Sentence[] = [];
  return {
    kind: 'list',
    rows: rowsOf(find()),
    columns,
    sheet: { rows: forPeople(context, client, find(), advice), columns, record },
    advice,
  };
}

/** `exam`: undefined where the service does not show it. */
type Found = { session: JsonObject; exam: (Pick<Exam, 'start_time' | 'end_time'> & JsonObject) | undefined; row: Row };

async function* found(context: Context, client: Client, wanted: readonly string[], text: string): AsyncGenerator<Found> {
  const examFor = examsOf(client);
  let matches = 0;
  let read = 0;
  for await (const session of allSessions(client)) {
    read += 1;
    if (!isMatch(session, wanted, text.trim(), client)) continue;
    matches += 1;
    const exam = await examFor(session);
    yield { session, exam, row: rowOf(session, exam) };
  }
  if (matches === 0) context.say(sentence`No session matches ${JSON.stringify(text)} (${read} searched).`);
}

async function* rowsOf(all: AsyncIterable<Found>): AsyncGenerator<Row> {
  for await (const { row } of all) yield row;
}

/** The running exams first, then those ahead, the next first. `advice`: gets what can be done, if there is one session. */
async function* forPeople(context: Context, client: Client, all: AsyncIterable<Found>, advice: Sentence[]): AsyncGenerator<Row> {
  const now = context.host.now();
  const order: readonly Standing[] = ['running', 'ahead', 'open', 'over'];
  const place = ({ exam }: Found) => order.indexOf(exam ? standingOf(exam, now) : 'open');
  const startOf = ({ exam }: Found) => instantOf(exam?.start_time) ?? 0;
  const everyone: Found[] = [];
  for await (const each of all) everyone.push(each);
  const sorted = everyone.toSorted((one, other) => place(one) - place(other) || startOf(one) - startOf(other));
  for (const each of sorted) yield { ...each.row, now: stateInWords(each, now) };
  const [only] = everyone;
  if (only && everyone.length === 1 && context.host.stderr.isTTY) advice.push(...nextSteps(only, client, context));
}

/** All sessions, each with the exam that it belongs to. */
async function* allSessions(client: Client): AsyncGenerator<JsonObject> {
  const { sessionExamKey } = client.dialect;
  let named: boolean | undefined;
  for await (const session of itemsOf(client.pages(operations.listSessions, {}, { unsure: 'warn' }))) {
    const exam = fieldAt(session, sessionExamKey);
    named ??= exam !== undefined;
    if (!named) break;
    yield exam === undefined || Object.hasOwn(session, sessionExamKey) ? session : { ...session, [sessionExamKey]: exam };
  }
  if (named !== false) return;
  for (const { id: exam = null } of await client.list(operations.listExams, {}, { unsure: 'warn' })) {
    const params = { exam_id: textOfJson(exam) };
    const sessions = itemsOf(client.pages(operations.listExamSessions, { params }, { unsure: 'warn' }));
    for await (const session of sessions) yield { ...session, [sessionExamKey]: exam };
  }
}

/** The exam of a session; all are read when the first is asked for. */
function examsOf(client: Client): (session: JsonObject) => Promise<Found['exam']> {
  const { examNameKey, sessionExamKey } = client.dialect;
  let exams: Map<string, Found['exam']> | undefined;
  return async (session) => {
    if (!exams) {
      exams = new Map();
      for (const exam of await client.list(operations.listExams, {}, { unsure: 'warn' })) {
        const { [examNameKey]: name = null, start_time = null, end_time = null } = exam;
        exams.set(textOfJson(exam.id ?? null), { name, start_time, end_time } as Found['exam']);
      }
    }
    return exams.get(textOfJson(session[sessionExamKey]));
  };
}

/** The session with its window, in which the exam's own times stand where the session has none. */
function rowOf(session: JsonObject, exam: Found['exam']): Row {
  const opens = session.open_time ?? exam?.start_time ?? null;
  const closes = session.close_time ?? exam?.end_time ?? null;
  return { ...session, exam_name: exam?.name ?? null, opens, closes };
}

/** Where a student stands in the exam. */
function stateInWords({ session, exam }: Found, now: number): string {
  switch (outcomeOf(session, exam ?? {}, now)) {
    case 'finished':
      return 'has finished the exam';
    case 'in_progress':
      return phaseOf(session.status) === 'writing' ? 'is taking the exam' : 'is in the check';
    case 'stuck':
      return phaseOf(session.status) === 'writing'
        ? 'started the exam and did not finish in time'
        : 'started the check and not the exam in time';
    case 'not_started_yet':
      return 'has not started yet';
    case 'no_show':
      return 'did not start in time';
    case 'unknown':
      return 'has an unknown status';
  }
}

/** What is possible for one student now, ready to paste: while the exam runs, nothing that would take something away. */
function nextSteps({ session, exam }: Found, client: Client, context: Context): Sentence[] {
  const now = context.host.now();
  const id = textOfJson(session.id);
  const of = examOf(session, client);
  const outcome = outcomeOf(session, exam ?? {}, now);
  const steps: [string, string][] = [
    [
      'Show it',
      of === undefined ? typedCommand('sessions get', [id]) : `students show ${typedOption('--exam', of)} ${typedOption('--session', id)}`,
    ],
  ];
  const extend = typedCommand('sessions extend', [id], '--by 15m');
  if (outcome === 'no_show') steps.push(['Start late', extend]);
  else if (outcome !== 'finished' && outcome !== 'unknown') steps.push(['More time', extend]);
  if (outcome === 'not_started_yet' && of !== undefined && exam && phaseIn(exam, [session], now, context.zone()) === undefined) {
    if (statusOf(session.status) === 'registered') steps.push(['Mail all', `${typedCommand('exams send-emails', [of])}`]);
    if (typeof session.email === 'string') steps.push(['Other exam', typedCommand('sessions move', [id], '--exam ID')]);
  }
  return steps.map(([what, command]) => sentence`${`${what}:`.padEnd(12)}proctor-cli ${command}`);
}

function isMatch(session: JsonObject, wanted: readonly string[], id: string, { dialect }: Client): boolean {
  if (textOfJson(session.id) === id) return true;
  const texts = [session.email, session[dialect.sessionNameKey]].filter((value) => typeof value === 'string');
  return hasWords(folded(texts.join(' ')), wanted);
}
