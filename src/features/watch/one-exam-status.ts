/** `exams status` of one exam: its counts and its problems, for a program a list of one. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { idAndName } from '../../model/describe.ts';
import { clockDifference, examClock } from '../../model/exam-clock.ts';
import { shownId } from '../../model/id.ts';
import { shareOf } from '../../model/share.ts';
import { countedStatus } from '../../model/status.ts';
import { sentence } from '../../text/sentence.ts';
import { looking } from '../exam-now.ts';
import { countStatuses } from './counts.ts';
import { type Poll, pollExam } from './poll.ts';
import { problemsOf, problemWords, type WatchProblem } from './problems.ts';
import type { WatchedStudent } from './watched-students.ts';

const countColumns: readonly Column[] = [{ key: 'status' }, { key: 'count' }, { key: 'share', as: 'share' }];
const problemColumns: readonly Column[] = [{ key: 'problem' }, { key: 'session' }, { key: 'email' }, { key: 'name' }];

/** `late` as for the watch, in milliseconds. */
export async function examStatus(context: Context, id: string, late: number): Promise<Result> {
  return looking(context, id, (client) => statusNow(context, client, id, late));
}

async function statusNow(context: Context, client: Client, id: string, late: number): Promise<Result> {
  const poll = await pollExam(client, id, context.host);
  const { at, clockOffset, exam, students } = poll;
  const now = at + clockOffset;
  const problems = problemsOf(students, exam, { now, late });
  const statuses = sharesOf(students);

  context.say(sentence`Exam ${idAndName(id, exam.name)}, ${examClock(exam, now)}.`);
  if (clockOffset !== 0) context.say(clockDifference(clockOffset));
  return {
    kind: 'list',
    rows: [standingRow(client, poll, problems)],
    columns: [...countColumns, ...problemColumns],
    parts: [
      { heading: sentence`Students: ${students.length}`, rows: statuses, columns: countColumns },
      {
        heading: problems.length === 0 ? sentence`No problems` : sentence`Problems: ${problems.length}`,
        rows: problems.map((problem) => problemRow(problem.status, problem)),
        columns: [...problemColumns, { key: 'status' }],
      },
    ],
    sheet: {
      rows: statuses.flatMap((count) => [
        count,
        ...problems.filter(({ status }) => countedStatus(status) === count.status).map((problem) => problemRow(count.status, problem)),
      ]),
      columns: [...countColumns, ...problemColumns],
      csv: true,
    },
    id: 'exam',
  };
}

/** How an exam stands, as one object. */
export function standingRow(client: Client, { at, clockOffset, exam, students }: Poll, problems: readonly WatchProblem[]) {
  const { start_time = null, end_time = null } = exam.shown;
  return {
    exam: shownId(exam.shown[client.dialect.idKey]) ?? exam.id,
    name: exam.name ?? null,
    start_time,
    end_time,
    at: new Date(at).toISOString(),
    clock_ahead: clockOffset / 1000,
    students: students.length,
    statuses: sharesOf(students),
    problems: problems.map(shown),
  };
}

function sharesOf(students: readonly WatchedStudent[]) {
  return countStatuses(students).map((count) => ({ ...count, share: shareOf(count.count, students.length) }));
}

function shown({ since, ...problem }: WatchProblem) {
  return { ...problem, since: since === undefined ? null : new Date(since).toISOString() };
}

/** A problem below the count of its status. */
function problemRow(status: string | null, { problem, session, email, name }: WatchProblem): Row {
  return { status, problem: problemWords[problem], session, email, name };
}
