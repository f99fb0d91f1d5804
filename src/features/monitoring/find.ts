/** `sessions find`: shows students of today's exams at once; then it searches all sessions. */
import { type Client, examOf } from '../../api/client.ts';
import { itemsOf } from '../../api/list.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { examNamed, studentNamed } from '../../model/describe.ts';
import { windowTitles } from '../../model/fields.ts';
import { fieldAt } from '../../model/json.ts';
import { nearness, showTime } from '../../model/time.ts';
import { cell } from '../../output/cell.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { listedExams, type SelectedExam } from '../exam-selection.ts';
import { withExamTimes } from '../exam-times.ts';
import { commandsFor, isFound, studentsIn, type ViewedStudent, viewExam, viewStudent } from './exam-view.ts';

type FoundStudent = { student: ViewedStudent; exam: SelectedExam | undefined };

export async function findSessions(context: Context, text: string): Promise<Result> {
  const hint = "Give part of the student's address or name, or the ID of the session.";
  if (text.trim() === '') throw new CliError('invalid_input', 'The search text is empty.', { hint });
  const client = await context.client();
  const { sessionExamKey, sessionNameKey, sessionNumberKey } = client.dialect;
  const columns: readonly Column[] = [
    { key: 'id' },
    { key: sessionNameKey, title: 'name', identifies: true },
    { key: 'open_time', title: windowTitles.open_time, as: 'time', identifies: true },
    { key: 'close_time', title: windowTitles.close_time, as: 'time', identifies: true },
    { key: 'exam_name', title: 'exam' },
    ...(sessionNumberKey === '' ? [] : [{ key: sessionNumberKey, title: 'number' }]),
    { key: 'status', as: 'status' },
    { key: 'exam_start', title: 'exam starts', as: 'time' },
    { key: 'email' },
    { key: sessionExamKey, title: 'exam ID', detail: true },
  ];
  const advice: Sentence[] = [];
  const batches = batchesOf(context, client, text, advice);
  return { kind: 'list', rows: itemsOf(batches), batches, columns, advice };
}

/** `advice`: gets what can be done about a single session. */
async function* batchesOf(context: Context, client: Client, text: string, advice: Sentence[]): AsyncGenerator<Row[]> {
  const all: FoundStudent[] = [];
  try {
    for await (const found of search(context, client, text)) {
      for (const one of found) all.push(one);
      if (found.length > 0) yield found.map((each) => foundRow(context, each, client));
    }
  } catch (error) {
    // What is printed by then looks like all.
    if (all.length > 0) context.warn('Only the exams that run and those of today were searched.');
    throw error;
  }
  const [only, ...others] = all;
  if (!only) client.refuseDoubt(`a session matches ${JSON.stringify(text)}`);
  if (!only) return context.say(sentence`No session matches ${JSON.stringify(text)}.`);
  if (others.length > 0) return;
  const { student, exam } = only;
  const zone = context.zone();
  const starts = exam?.start === undefined ? '' : `, starts ${showTime(exam.shown.start_time, zone)}`;
  const { open_time, close_time } = withExamTimes(student.shown, exam?.shown, zone);
  const [from, by] = [open_time, close_time].map((time) => cell(time, 'time', zone, 'any time'));
  const who = `${studentNamed(student)}${exam ? `, exam ${examNamed(exam)}${starts}` : ''}`;
  advice.push(sentence`${who}: ${student.status ?? 'no status'}, start from ${from}, start by ${by}`);
  advice.push(...commandsFor(student, context.settings().profile));
}

async function* search({ host, zone }: Context, client: Client, text: string): AsyncGenerator<FoundStudent[]> {
  const exams = await listedExams(client, { unsure: 'warn' });
  const now = host.now();
  const inLists = async (chosen: readonly SelectedExam[]) => {
    const views = await client.pacer.map(chosen, (exam) => viewExam(client, exam, host));
    const found = studentsIn(views, (student) => isFound(student, text, client));
    return found.map(({ student, view: exam }) => ({ student, exam }));
  };
  const today = exams.filter(({ start, end }) => nearness([start, end], now, zone()) < 2);
  yield inLists(today);
  const byId = new Map(exams.map((exam) => [exam.id, exam]));
  const others: FoundStudent[] = [];
  for await (const session of itemsOf(client.pages(operations.listSessions, {}, { unsure: 'warn' }))) {
    const named = examOf(session, client);
    // Where sessions do not name their exam, the lists of the exams do.
    if (named === undefined) return yield inLists(exams.filter((exam) => !today.includes(exam)));
    const exam = byId.get(named);
    if (exam && today.includes(exam)) continue;
    const student = viewStudent(client, exam, session, now);
    if (isFound(student, text, client)) others.push({ student, exam });
  }
  const away = ({ exam }: FoundStudent) => Math.abs((exam?.start ?? 0) - now);
  yield others.sort((one, other) => away(one) - away(other));
}

function foundRow(
  { format, globals, zone }: Context,
  { student: { shown }, exam }: FoundStudent,
  { dialect: { sessionExamKey } }: Client,
): Row {
  const { start_time = null, end_time = null } = exam?.shown ?? {};
  const isForPeople = format === 'table' && globals.columns === undefined;
  return {
    ...(isForPeople ? withExamTimes(shown, exam?.shown, zone()) : shown),
    [sessionExamKey]: fieldAt(shown, sessionExamKey) ?? exam?.shown.id ?? null,
    exam_name: exam?.name ?? null,
    exam_start: start_time,
    exam_end: end_time,
  };
}
