/** `exams status` of several exams: a row for each, and the problems of all. Each list of students is read once. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import { clockDifference } from '../../model/exam-clock.ts';
import { firstLines } from '../../model/first-of.ts';
import { type Phase, phaseOf } from '../../model/status.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam, unread } from '../each-exam.ts';
import { type ExamNow, examNow } from '../exam-now.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import { standingRow } from './one-exam-status.ts';
import { pollStudents } from './poll.ts';
import { problemInWords, problemsOf, type WatchProblem } from './problems.ts';
import type { WatchedStudent } from './watched-students.ts';

const columns: readonly Column[] = [
  { key: 'exam' },
  { key: 'name' },
  { key: 'start_time', title: 'start', as: 'time' },
  // Headings are short, so that 80 columns are enough; the phases are called as on the screen of the watch.
  { key: 'students', title: 'all' },
  { key: 'problems' },
  { key: 'not_started_yet' },
  { key: 'checking', title: 'check' },
  { key: 'writing', title: 'write' },
  { key: 'finished', title: 'done' },
  { key: 'other' },
];

/** What is kept of an exam once its students have been counted. */
type ExamStanding = { row: ReturnType<typeof standingRow>; phases: Record<Phase, number>; other: number; problems: WatchProblem[] };

/** `late` as for the watch, in milliseconds. */
export async function examsStatus(context: Context, { selection, late }: { selection: ExamSelection; late: number }): Promise<Result> {
  return lookingAt(context, selection, (client, exams) => statusOfAll(context, client, exams, late));
}

async function statusOfAll(context: Context, client: Client, exams: readonly SelectedExam[], late: number): Promise<Result> {
  const [first] = exams;
  if (!first) return { kind: 'list', rows: [], columns };
  const { clockOffset } = await examNow(client, first.id);
  if (clockOffset !== 0) context.say(clockDifference(clockOffset));
  const read = await eachExam(client, exams, (exam) => standingOf(context, client, exam, { clockOffset, late }));
  const standings = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const failure = unread(context, read);
  const problems = standings.flatMap(({ row, problems }) => problems.map((problem) => ({ exam: idAndName(row.exam, row.name), problem })));
  const all = standings.reduce((sum, { row }) => sum + row.students, 0);
  context.say(sentence`${count(standings.length, 'exam')}, ${studentsInWords(all)}, ${count(problems.length, 'problem')}.`);
  return {
    kind: 'list',
    rows: standings.map(({ row }) => row),
    columns,
    sheet: { rows: standings.map(sheetRow), columns, csv: true },
    id: 'exam',
    advice: firstLines(problems, ({ exam, problem }): Sentence => sentence`Exam ${exam}: ${problemInWords(problem)}`, 'more problems'),
    ...(failure ? { failure } : {}),
  };
}

async function standingOf(
  { host }: Context,
  client: Client,
  { id, shown }: SelectedExam,
  { clockOffset, late }: { clockOffset: number; late: number },
): Promise<ExamStanding> {
  const poll = await pollStudents(client, id, { shown: shown as ExamNow['shown'], clockOffset }, host);
  const problems = problemsOf(poll.students, poll.exam, { now: poll.at + clockOffset, late });
  return { row: standingRow(client, poll, problems), problems, ...inPhases(poll.students) };
}

export function inPhases(students: readonly WatchedStudent[]): { phases: Record<Phase, number>; other: number } {
  const phases: Record<Phase, number> = { waiting: 0, checking: 0, writing: 0, finished: 0 };
  let other = 0;
  for (const { status } of students) {
    const phase = phaseOf(status);
    if (phase === undefined) other += 1;
    else phases[phase] += 1;
  }
  return { phases, other };
}

/** The column of other statuses is there only where one occurs. */
function sheetRow({ row, phases: { waiting, ...phases }, other, problems }: ExamStanding): Row {
  const { exam, name, start_time, students } = row;
  return {
    exam,
    name,
    start_time,
    students,
    not_started_yet: waiting,
    ...phases,
    ...(other > 0 ? { other } : {}),
    problems: problems.length,
  };
}
