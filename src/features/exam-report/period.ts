/** `exams report` of several exams: a row for each, the students behind the numbers, or one page with a section for each. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { clockDifference } from '../../model/exam-clock.ts';
import type { Json } from '../../model/json.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { checkOutputFiles, type OutputFile, writeOutputFile } from '../../state/output-file.ts';
import { sentence } from '../../text/sentence.ts';
import { eachExam, unread } from '../each-exam.ts';
import { examNow, sessionsNow } from '../exam-now.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import { lists, type ReportRequest, studentColumns } from './read-report.ts';
import { reportOf } from './report-figures.ts';
import { periodHeadline } from './report-words.ts';
import { totalsOf } from './totals.ts';

const columns: readonly Column[] = [
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'students' },
  { key: 'present' },
  { key: 'finished' },
  { key: 'stuck' },
  { key: 'no_shows', title: 'no-shows' },
  { key: 'suspicious' },
  { key: 'preliminary', as: 'boolean' },
  { key: 'start_time', title: 'start', as: 'time' },
];

export type PeriodRequest = Omit<ReportRequest, 'exam'> & { selection: ExamSelection };

export async function reportPeriod(context: Context, request: PeriodRequest): Promise<Result> {
  return lookingAt(context, request.selection, (client, exams) => reportAll(context, client, exams, request));
}

async function reportAll(context: Context, client: Client, exams: readonly SelectedExam[], request: PeriodRequest): Promise<Result> {
  const { html, force, list } = request;
  const page: OutputFile | undefined = html === undefined ? undefined : { path: html, option: '--html', holds: 'The page' };
  const rule = context.outputRule({ force });
  if (page) await checkOutputFiles([page], rule);

  const { host } = context;
  const [first] = exams;
  if (!first) return { kind: 'list', rows: [], columns };
  const { clockOffset } = await examNow(client, first.id);
  const circumstances = { now: host.now() + clockOffset, origin: client.origin, dialect: client.dialect };
  const read = await eachExam(client, exams, ({ id, shown }) => reportOf(shown, sessionsNow(client, id, { stream: true }), circumstances));
  const reports = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const failure = unread(context, read);

  const zone = context.zone();
  context.say(periodHeadline(reports, zone));
  if (clockOffset !== 0) context.say(clockDifference(clockOffset));
  const { preliminary } = totalsOf(reports);
  if (preliminary > 0) context.warn(sentence`Preliminary: ${preliminary} of the ${reports.length} exams may still change.`);
  if (page && reports.length > 0) {
    const { periodPageOf } = await import('./period-page.ts');
    const shown = reports.map((report) => context.secrets.maskedIn(report as unknown as Json) as unknown as ExamReport);
    const missing = read.flatMap((each) => ('error' in each ? [each.exam.id] : []));
    const { profile } = context.settings();
    await writeOutputFile(page, rule, (to) => to(periodPageOf(shown, { zone, profile, missing })));
    context.say(sentence`Page written to ${page.path}.`);
  }
  const ended = failure ? { failure } : {};
  if (list !== undefined) {
    const rows = reports.flatMap((report) => report[lists[list as keyof typeof lists]].map((student) => inExam(report, student)));
    const examColumns: readonly Column[] = [{ key: 'exam' }, { key: 'exam_name', title: 'exam name', identifies: true }];
    return { kind: 'list', rows, columns: [...examColumns, ...studentColumns], id: 'id', ...ended };
  }
  return { kind: 'list', rows: reports, columns, sheet: { rows: reports.map(sheetRow), columns, csv: true }, id: 'exam', ...ended };
}

function inExam({ exam, name }: ExamReport, student: ExamReport['no_show_students'][number]): Row {
  return { exam, exam_name: name, ...student };
}

function sheetRow({ exam, name, start_time, counts, suspicious_students: suspicious, preliminary }: ExamReport): Row {
  const { students, present, finished, stuck, no_shows } = counts;
  return { exam, name, start_time, students, present, finished, stuck, no_shows, suspicious: suspicious.length, preliminary };
}
