/**
 * `sessions find`: one pass over all sessions, of which only those that match are kept. Where the
 * service's sessions do not name their exam, the exams' own lists are read, one after the other.
 */
import { type Client, examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import type { Column, Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { fieldAt, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { folded, hasWords, soughtWords } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** Lists are read while they arrive, however long they are, and by a person. */
const stream = { stream: true, unsure: 'warn' } as const;

/** With at most this many matches, the next steps are shown. */
const helpedAtMost = 3;

export async function findSessions(context: Context, text: string): Promise<Result> {
  const wanted = soughtWords(text);
  if (wanted.length === 0)
    throw new CliError('invalid_input', 'The search text is empty.', {
      hint: "Give part of the student's address or name, or the ID of the session.",
    });
  const client = await context.client();
  const { idKey, sessionExamKey, sessionNameKey } = client.dialect;
  const columns: readonly Column[] = [
    { key: idKey },
    { key: 'email' },
    { key: sessionNameKey },
    { key: 'status', as: 'status' },
    { key: 'closes', as: 'time' },
    { key: sessionExamKey, title: 'exam' },
    { key: 'exam_name' },
    { key: 'opens', as: 'time' },
  ];
  return { kind: 'list', rows: found(context, client, wanted, text), columns };
}

async function* found(context: Context, client: Client, wanted: readonly string[], text: string): AsyncGenerator<Row> {
  const examFor = examsOf(client);
  let matches = 0;
  let read = 0;
  for await (const session of allSessions(client)) {
    read += 1;
    if (!isMatch(session, wanted, text.trim(), client)) continue;
    matches += 1;
    const row = rowOf(session, await examFor(session));
    if (matches <= helpedAtMost && context.host.stderr.isTTY) for (const line of nextSteps(session, client)) context.say(line);
    yield row;
  }
  if (matches === 0) context.say(sentence`No session matches ${JSON.stringify(text)} (${read} searched).`);
}

/** All sessions, each with the exam that it belongs to. */
async function* allSessions(client: Client): AsyncGenerator<JsonObject> {
  const { sessionExamKey, idKey } = client.dialect;
  let named: boolean | undefined;
  for await (const session of client.list(operations.listSessions, {}, stream)) {
    const exam = fieldAt(session, sessionExamKey);
    named ??= exam !== undefined;
    if (!named) break;
    yield exam === undefined || Object.hasOwn(session, sessionExamKey) ? session : { ...session, [sessionExamKey]: exam };
  }
  if (named !== false) return;
  for await (const { [idKey]: exam = null } of client.list(operations.listExams, {}, { unsure: 'warn' })) {
    const params = { exam_id: textOfJson(exam) };
    for await (const session of client.list(operations.listExamSessions, { params }, stream)) yield { ...session, [sessionExamKey]: exam };
  }
}

type Exam = { name: unknown; starts: unknown; ends: unknown };

/** The exam of a session; all are read when the first is asked for. */
function examsOf(client: Client): (session: JsonObject) => Promise<Exam | undefined> {
  const { idKey, examNameKey, sessionExamKey } = client.dialect;
  let exams: Map<string, Exam> | undefined;
  return async (session) => {
    if (!exams) {
      exams = new Map();
      for await (const { [idKey]: id, [examNameKey]: name, start_time: starts, end_time: ends } of client.list(
        operations.listExams,
        {},
        { unsure: 'warn' },
      )) {
        exams.set(textOfJson(id), { name, starts, ends });
      }
    }
    return exams.get(textOfJson(session[sessionExamKey]));
  };
}

/** The session with its window, in which the exam's own times stand where the session has none. */
function rowOf(session: JsonObject, exam: Exam | undefined): Row {
  const opens = session.open_time ?? exam?.starts ?? null;
  const closes = session.close_time ?? exam?.ends ?? null;
  return { ...session, exam_name: exam?.name ?? null, opens, closes };
}

/** The commands to help one student, ready to paste. */
function nextSteps(session: JsonObject, client: Client): Sentence[] {
  const id = textOfJson(session[client.dialect.idKey]);
  const exam = examOf(session, client);
  const show =
    exam === undefined
      ? typedCommand('sessions get', [id])
      : `students show ${typedOption('--exam', exam)} ${typedOption('--session', id)}`;
  return [
    sentence`Show it:      proctor-cli ${show}`,
    sentence`More time:    proctor-cli ${typedCommand('sessions extend', [id], '--by 15m')}`,
  ];
}

function isMatch(session: JsonObject, wanted: readonly string[], id: string, { dialect }: Client): boolean {
  if (textOfJson(session[dialect.idKey]) === id) return true;
  const texts = [session.email, session[dialect.sessionNameKey]].filter((value) => typeof value === 'string');
  return hasWords(folded(texts.join(' ')), wanted);
}
