/** `exams report` of several exams: a row for each, the students behind the numbers, or one page with a section for each. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { idAndName } from '../../model/describe.ts';
import { clockDifference } from '../../model/exam-clock.ts';
import { firstInLine } from '../../model/first-of.ts';
import type { Json } from '../../model/json.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { checkOutputFiles, type OutputFile, writeOutputFile } from '../../state/output-file.ts';
import { sentence } from '../../text/sentence.ts';
import { eachExam, unread } from '../each-exam.ts';
import { examNow, sessionsNow } from '../exam-now.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import { inExam, lists, type ReportRequest, studentColumns } from './read-report.ts';
import { reportOf } from './report-figures.ts';
import { notFinal, periodHeadline } from './report-words.ts';

const columns: readonly Column[] = [
  { key: 'exam' },
  { key: 'name' },
  // 80 columns are enough: a day, short headings, and stderr names the exams that are not final.
  { key: 'start_time', title: 'day', as: 'day' },
  { key: 'students', title: 'all' },
  { key: 'present' },
  { key: 'finished', title: 'done' },
  { key: 'stuck' },
  { key: 'no_shows', title: 'no-shows' },
  { key: 'suspicious', title: 'suspicion 2–3' },
  { key: 'not_rated' },
  { key: 'preliminary', as: 'boolean', detail: true },
];

/** Exams that are not final, by name. */
const namedAtMost = 5;

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
  const open = reports.filter(({ preliminary }) => preliminary);
  if (open.length > 0) {
    const named = firstInLine(open, ({ exam, name }) => `${exam}${name === null ? '' : ` (${name})`}`, namedAtMost);
    const all = open.length > namedAtMost ? '; --columns exam,name,preliminary shows them all' : '';
    context.warn(sentence`${notFinal(reports)}: ${named}${all}.`);
  }
  if (page && reports.length > 0) {
    const { periodPageOf } = await import('./period-page.ts');
    const shown = reports.map((report) => context.secrets.maskedIn(report as unknown as Json) as unknown as ExamReport);
    const missing = read.flatMap((each) => ('error' in each ? [idAndName(each.exam.id, each.exam.name)] : []));
    const { profile } = context.settings();
    await writeOutputFile(page, rule, (to) => to(periodPageOf(shown, { zone, profile, missing })));
    context.say(sentence`Page written to ${page.path}.`);
  }
  const ended = failure ? { failure } : {};
  if (list !== undefined) {
    const rows = reports.flatMap((report) => report[lists[list as keyof typeof lists]].map((student) => inExam(report, student)));
    const examColumns: readonly Column[] = [{ key: 'exam' }, { key: 'exam_name', title: 'exam name' }];
    return { kind: 'list', rows, columns: [...examColumns, ...studentColumns], id: 'id', ...ended };
  }
  return { kind: 'list', rows: reports, columns, sheet: { rows: reports.map(sheetRow), columns, csv: true }, id: 'exam', ...ended };
}

function sheetRow({ exam, name, start_time, counts, preliminary }: ExamReport): Row {
  const { students, present, finished, stuck, no_shows, suspicious, not_rated } = counts;
  return { exam, name, start_time, students, present, finished, stuck, no_shows, suspicious, not_rated, preliminary };
}
