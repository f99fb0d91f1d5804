/** `exams report`: reads an exam and its students once, and yields the report; on request also as a page. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { namedStudent } from '../../model/describe.ts';
import { clockDifference } from '../../model/exam-clock.ts';
import { firstLines } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ExamReport, ReportedStudent } from '../../model/report-content.ts';
import { checkOutputFiles, type OutputFile, writeOutputFile } from '../../state/output-file.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { examNow, looking, sessionsNow } from '../exam-now.ts';
import { levelName, measureColumns, measuresOf } from './measures.ts';
import { reportOf } from './report-figures.ts';
import { headline, whyPreliminary } from './report-words.ts';

/** The lists of a report by the names that the command line gives them. */
export const lists = { 'no-shows': 'no_show_students', stuck: 'stuck_students', suspicious: 'suspicious_students' } as const;

export const studentColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name' },
  { key: 'status' },
  { key: 'close_time', title: 'closes', as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
];

export type ReportRequest = {
  exam: string;
  /** The list to show in place of the numbers: a key of `lists`. */
  list: string | undefined;
  /** Where to write the page. */
  html: string | undefined;
  /** Whether it may replace a file. */
  force: boolean;
};

/** A student of a list, with the exam. */
export function inExam({ exam, name }: ExamReport, student: ReportedStudent): Row {
  return { ...student, exam, exam_name: name };
}

export async function reportExam(context: Context, request: ReportRequest): Promise<Result> {
  return looking(context, request.exam, (client) => reportNow(context, client, request));
}

async function reportNow(context: Context, client: Client, { exam: id, list, html, force }: ReportRequest): Promise<Result> {
  const page: OutputFile | undefined = html === undefined ? undefined : { path: html, option: '--html', holds: 'The page' };
  const rule = context.outputRule({ force });
  if (page) await checkOutputFiles([page], rule);

  const { host } = context;
  const { shown: exam, clockOffset: ahead } = await examNow(client, id);
  const sessions = sessionsNow(client, id, { stream: true });
  const report = await reportOf(exam, sessions, { now: host.now() + ahead, origin: client.origin, dialect: client.dialect });

  const { profile } = context.settings();
  const zone = context.zone();
  context.say(headline(report, zone));
  if (ahead !== 0) context.say(clockDifference(ahead));
  const why = whyPreliminary(report);
  if (why !== undefined) context.warn(sentence`Preliminary: ${why}`);
  if (page) {
    const { pageOf } = await import('./report-page.ts');
    const shown = context.secrets.maskedIn(report as unknown as JsonObject) as unknown as ExamReport;
    await writeOutputFile(page, rule, (to) => to(pageOf(shown, { zone, profile })));
    context.say(sentence`Page written to ${page.path}.`);
  }
  if (list !== undefined) {
    const rows = report[lists[list as keyof typeof lists]].map((student) => inExam(report, student));
    return { kind: 'list', rows, columns: studentColumns, id: 'id' };
  }
  const sheet = { rows: measuresOf(report), columns: measureColumns, csv: true } as const;
  return { kind: 'list', rows: [report], columns: [], sheet, id: 'exam', advice: attention(report) };
}

/** The first students behind the numbers, by name. */
function attention({ suspicious_students: suspicious, stuck_students: stuck, no_show_students: noShows }: ExamReport): Sentence[] {
  const students = [
    ...suspicious.map((student) => ({ why: `Suspicion ${levelName(student.level_of_suspicion)}`, student })),
    ...stuck.map((student) => ({ why: 'Stuck', student })),
    ...noShows.map((student) => ({ why: 'No-show', student })),
  ];
  const others = 'more; --list suspicious, --list stuck and --list no-shows list all';
  return firstLines(students, ({ why, student }) => sentence`${why}: ${namedStudent(student)}`, others);
}
