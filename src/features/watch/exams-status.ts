/** `exams status`: how exams stand now, a row for each, and the problems of all. Each list of students is read once. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row, TablePart } from '../../command.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import type { Exam } from '../../model/exam.ts';
import { examClock } from '../../model/exam-clock.ts';
import { firstLines } from '../../model/first-of.ts';
import { shownId } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { shareOf } from '../../model/share.ts';
import { type Phase, phaseOf } from '../../model/status.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam, unread } from '../each-exam.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import { countStatuses } from './counts.ts';
import { type Poll, pollStudents } from './poll.ts';
import { problemInWords, problemsOf, problemWords, type WatchProblem } from './problems.ts';
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

const countColumns: readonly Column[] = [{ key: 'status', identifies: true }, { key: 'count' }, { key: 'share', as: 'share' }];
const problemColumns: readonly Column[] = [
  { key: 'problem' },
  { key: 'session' },
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'status', identifies: true },
];

/** What is kept of an exam once its students have been counted. */
type ExamStanding = {
  poll: Poll;
  row: ReturnType<typeof standingRow>;
  phases: Record<Phase, number>;
  other: number;
  problems: WatchProblem[];
};

/** `late` as for the watch, in milliseconds. `alone`: the command names one exam, of which a table shows each status. */
type StatusRequest = { selection: ExamSelection; alone: boolean; late: number };

export async function examsStatus(context: Context, request: StatusRequest): Promise<Result> {
  return lookingAt(context, request.selection, (client, exams) => statusOfAll(context, client, exams, request));
}

async function statusOfAll(
  context: Context,
  client: Client,
  exams: readonly SelectedExam[],
  { alone, late }: StatusRequest,
): Promise<Result> {
  const read = await eachExam(client, exams, (exam) => standingOf(context, client, exam, late));
  const standings = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const failure = unread(context, read);
  const problems = standings.flatMap(({ row, problems }) => problems.map((problem) => ({ exam: idAndName(row.exam, row.name), problem })));
  const all = standings.reduce((sum, { row }) => sum + row.students, 0);
  const [only] = alone ? standings : [];
  if (only) context.say(sentence`Exam ${idAndName(only.poll.exam.id, only.poll.exam.name)}, ${examClock(only.poll.exam, only.poll.at)}.`);
  else context.say(sentence`${count(standings.length, 'exam')}, ${studentsInWords(all)}, ${count(problems.length, 'problem')}.`);
  const advice = firstLines(problems, ({ exam, problem }): Sentence => sentence`Exam ${exam}: ${problemInWords(problem)}`, 'more problems');
  return {
    kind: 'list',
    rows: standings.map(({ row }) => row),
    columns,
    sheet: { rows: standings.map(sheetRow), columns, csv: true },
    id: 'exam',
    ...(only ? { parts: partsOf(only) } : { advice }),
    ...(failure ? { failure } : {}),
  };
}

function partsOf({ row, problems }: ExamStanding): TablePart[] {
  return [
    { heading: sentence`Students: ${row.students}`, rows: row.statuses, columns: countColumns },
    {
      heading: problems.length === 0 ? sentence`No problems` : sentence`Problems: ${problems.length}`,
      rows: problems.map(({ problem, session, email, name, status }) => ({ problem: problemWords[problem], session, email, name, status })),
      columns: problemColumns,
    },
  ];
}

async function standingOf({ host }: Context, client: Client, { id, shown }: SelectedExam, late: number): Promise<ExamStanding> {
  const poll = await pollStudents(client, id, shown as Exam & JsonObject, host);
  const problems = problemsOf(poll.students, poll.exam, { now: poll.at, late });
  return { poll, row: standingRow(poll, problems), problems, ...inPhases(poll.students) };
}

/** How an exam stands, as one object. */
function standingRow({ at, exam, students }: Poll, problems: readonly WatchProblem[]) {
  const { start_time = null, end_time = null } = exam.shown;
  return {
    exam: shownId(exam.shown.id) ?? exam.id,
    name: exam.name ?? null,
    start_time,
    end_time,
    at: new Date(at).toISOString(),
    students: students.length,
    statuses: countStatuses(students).map((each) => ({ ...each, share: shareOf(each.count, students.length) })),
    problems: problems.map(({ since, ...problem }) => ({ ...problem, since: since === undefined ? null : new Date(since).toISOString() })),
  };
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
