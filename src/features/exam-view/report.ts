/** `exams report`: how exams stand, or what became of their students, a row for each exam; the students of a list; one page. */
import { lstatSync } from 'node:fs';
import type { Column, Context, Result, Row } from '../../command.ts';
import { checkOutputFile, writeOutputFile } from '../../files/output-file.ts';
import { canAsk } from '../../host/host.ts';
import { count, firstInLine } from '../../model/count.ts';
import { examNamed } from '../../model/describe.ts';
import { sentence } from '../../text/sentence.ts';
import { type ExamSelection, selectExams } from '../exam-selection.ts';
import {
  type ExamView,
  type Group,
  groups,
  numbersInWords,
  numbersOf,
  problemLines,
  studentsIn,
  viewExam,
  whyPreliminary,
} from './exam-view.ts';

const studentColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'name', identifies: true },
  { key: 'problem', identifies: true },
  { key: 'status' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'email' },
  { key: 'close_time', title: 'closes', as: 'time' },
];

/** `list`: shown in place of the numbers. `html`: the path of the page; `force`: it may replace a file. `late`: in milliseconds. */
type ReportRequest = { selection: ExamSelection; list: Group | undefined; html: string | undefined; force: boolean; late: number };

export async function reportExams(context: Context, { selection, list, html, force, late }: ReportRequest): Promise<Result> {
  const client = await context.client();
  const page = html === undefined ? undefined : { path: html, option: '--html', holds: 'The page' };
  const rule = context.outputRule({ force: force || (page !== undefined && (await mayReplace(context, page.path))) });
  if (page) await checkOutputFile(page, rule);
  const exams = await selectExams(context, selection, { reads: true, unsure: 'warn' });
  const views = await client.pacer.map(exams, (exam) => viewExam(client, exam, { now: context.host.now, late }));
  if (views.length > 1) context.say(sentence`${count(views.length, 'exam')}: ${numbersInWords(views)}.`);
  const open = views.filter((view) => whyPreliminary(view) !== undefined);
  if (open.length > 0)
    context.warn(sentence`Preliminary: ${firstInLine(open, (view) => `exam ${examNamed(view)}, ${whyPreliminary(view)}`, 2)}.`);
  if (page && views.length > 0) {
    const { pageOf } = await import('./report-page.ts');
    await writeOutputFile(page, rule, pageOf(views, { zone: context.zone(), origin: client.origin, profile: context.settings().profile }));
    context.say(sentence`Page written to ${page.path}.`);
  } else if (page) context.warn(sentence`No page was written to ${page.path}: there is no exam to report on.`);
  if (list === undefined) {
    const current = views.filter(({ standing }) => standing !== 'over');
    const advice = problemLines(current, 'more; --list problems lists all');
    return { kind: 'list', rows: views.map(rowOf), columns: context.columns, id: 'exam', advice };
  }
  const rows = studentsIn(views, groups[list]).map(({ view: { exam, name }, student: { shown: _, ...fields } }): Row => {
    return { exam, exam_name: name ?? null, ...fields };
  });
  return { kind: 'list', rows, columns: studentColumns, id: 'session' };
}

/** Off a terminal --force is needed. */
async function mayReplace({ host, globals, confirm }: Context, path: string): Promise<boolean> {
  if (!canAsk(host, globals.noInput) || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  await confirm(() => sentence`Replace ${path}?`);
  return true;
}

function rowOf(view: ExamView): Row {
  const { exam, name = null, shown, standing, students } = view;
  const { start_time = null, end_time = null } = shown;
  const [at, preliminary] = [new Date(view.at).toISOString(), whyPreliminary(view) !== undefined];
  return { exam, name, start_time, end_time, at, standing, preliminary, ...numbersOf(students) };
}
