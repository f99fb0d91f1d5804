/** `exams report`: a row for each exam with its numbers, or the students of a list; and a page. */
import type { Column, Context, Result, Row } from '../../command.ts';
import { checkOutputFile, writeOutputFile } from '../../files/output-file.ts';
import { examNamed } from '../../model/describe.ts';
import { windowTitles } from '../../model/fields.ts';
import { formatRules } from '../../output/formats.ts';
import { firstInLine, sentence } from '../../text/sentence.ts';
import { type ExamSelection, selectExams } from '../exam-selection.ts';
import {
  type ExamView,
  examsNamed,
  type Group,
  groups,
  numbersInWords,
  numbersOf,
  problemLines,
  studentsIn,
  viewExam,
  whyPreliminary,
} from './exam-view.ts';
import { pageOf } from './report-page.ts';

const studentColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'name', identifies: true },
  { key: 'problem', identifies: true },
  { key: 'outcome' },
  { key: 'status' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'email' },
  { key: 'close_time', title: windowTitles.close_time, as: 'time' },
];

/** `late`: milliseconds. */
type ReportRequest = {
  selection: ExamSelection;
  list: Group | undefined;
  html: string | undefined;
  late: number;
};

export async function reportExams(context: Context, { selection, list, html, late }: ReportRequest): Promise<Result> {
  const client = await context.client();
  const page = html === undefined ? undefined : { path: html, option: '--html', holds: 'The page' };
  const force = page !== undefined && (await context.mayReplace(page.path));
  const rule = context.outputRule({ force, reads: [] });
  if (page) await checkOutputFile(page, rule);
  const exams = await selectExams(context, selection, { reads: true, unsure: 'warn' });
  const views = await client.pacer.map(exams, (exam) => viewExam(client, exam, context.host, late));
  if (views.length > 1) context.say(sentence`${examsNamed(views)}: ${numbersInWords(views)}.`);
  const open = views.filter((view) => whyPreliminary(view) !== undefined);
  if (open.length > 0) {
    const which = firstInLine(open, (view) => `exam ${examNamed(view)}${view.name === undefined ? '' : ','} ${whyPreliminary(view)}`, 2);
    context.warn(sentence`Preliminary: ${which}.`);
  }
  if (page && views.length > 0) {
    const number = client.dialect.sessionNumberKey;
    await writeOutputFile(page, rule, pageOf(views, { zone: context.zone(), place: context.place(), number }));
    context.say(sentence`Page written to ${page.path}.`);
  } else if (page) context.warn(sentence`No page was written to ${page.path}: there is no exam to report on.`);
  if (list === undefined) {
    const lines = problemLines(views, 'more; --list problems lists all');
    const advice = lines.length > 0 ? [sentence`Problems of ${examsNamed(views)}:`, ...lines] : [];
    return { kind: 'list', rows: views.map(overviewRow), columns: context.columns, id: 'exam', advice };
  }
  const rows = studentsIn(views, groups[list]).map(({ view, student }) => {
    const { shown, ...fields } = student;
    // A spreadsheet would count the zeros of students whom nobody has rated.
    const rated = formatRules[context.format].reader === 'spreadsheet' ? { level_of_suspicion: fields.level_of_suspicion || null } : {};
    return { ...shown, exam: view.exam, exam_name: view.name ?? null, ...fields, ...rated };
  });
  if (rows.length === 0) client.refuseDoubt(`there is a student for --list ${list}`);
  const number = { key: client.dialect.sessionNumberKey, title: 'number' };
  const numbered = number.key === '' ? studentColumns : studentColumns.toSpliced(3, 0, number);
  const columns = views.length > 1 ? numbered.toSpliced(1, 0, { key: 'exam_name', title: 'exam name' }) : numbered;
  return { kind: 'list', rows, columns, id: 'session' };
}

function overviewRow(view: ExamView): Row {
  const { exam, name = null, shown, standing, students } = view;
  const { start_time = null, end_time = null } = shown;
  return {
    exam,
    name,
    start_time,
    end_time,
    at: new Date(view.at).toISOString(),
    standing,
    preliminary: whyPreliminary(view) !== undefined,
    ...numbersOf(students),
  };
}
