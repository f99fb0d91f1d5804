/** `exams report`: a row for each exam, the students behind the numbers, and on request one page about them. */
import { itemsOf } from '../../api/list.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { checkOutputFile, type OutputFile, writeOutputFile } from '../../files/output-file.ts';
import { count } from '../../model/count.ts';
import { idAndName, namedStudent } from '../../model/describe.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import type { Json } from '../../model/json.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam, unread } from '../each-exam.ts';
import { type ExamSelection, lookingAt } from '../exam-selection.ts';
import { type ExamReport, levelName, measuresOf, type ReportedStudent, reportOf } from './report-figures.ts';
import { headline, headlineOfAll, whyPreliminary } from './report-words.ts';

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

/** The lists of a report by the names that the command line gives them. */
const lists = { 'no-shows': 'no_show_students', stuck: 'stuck_students', suspicious: 'suspicious_students' } as const;

const studentColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'status', identifies: true },
  { key: 'close_time', title: 'closes', as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
];
const ofExam: readonly Column[] = [{ key: 'exam' }, { key: 'exam_name', title: 'exam name' }];

const measureColumns: readonly Column[] = [{ key: 'group' }, { key: 'measure' }, { key: 'count' }, { key: 'share', as: 'share' }];

/** Exams that are not final, by name. */
const namedAtMost = 5;

type ReportRequest = {
  selection: ExamSelection;
  /** The command names one exam, of which a table shows each number. */
  alone: boolean;
  /** The list to show in place of the numbers: a key of `lists`. */
  list: string | undefined;
  /** Where to write the page. */
  html: string | undefined;
  /** Whether it may replace a file. */
  force: boolean;
};

export async function reportExams(context: Context, { html, force, selection, alone, list }: ReportRequest): Promise<Result> {
  const page: OutputFile | undefined = html === undefined ? undefined : { path: html, option: '--html', holds: 'The page' };
  const rule = context.outputRule({ force });
  if (page && !context.globals.dryRun) await checkOutputFile(page, rule);
  return lookingAt(context, selection, async (client, exams): Promise<Result> => {
    const circumstances = { now: context.host.now(), origin: client.origin, dialect: client.dialect };
    const read = await eachExam(client, exams, ({ id, shown }) => {
      const sessions = itemsOf(client.pages(operations.listExamSessions, { params: { exam_id: id } }, { unsure: 'warn' }));
      return reportOf(shown, sessions, circumstances);
    });
    const reports = read.flatMap((each) => ('value' in each ? [each.value] : []));
    const [only] = alone ? reports : [];
    const failure = unread(context, read);
    tellReports(context, reports, only);
    if (page && reports.length > 0) {
      const missing = read.flatMap((each) => ('error' in each ? [idAndName(each.exam.id, each.exam.name)] : []));
      const masked = context.secrets.maskedIn(reports as unknown as Json) as unknown as ExamReport[];
      const { pageOf } = await import('./report-page.ts');
      const text = pageOf(masked, { zone: context.zone(), profile: context.settings().profile, missing });
      await writeOutputFile(page, rule, text);
      context.say(sentence`Page written to ${page.path}.`);
    }
    const ended = failure ? { failure } : {};
    if (list !== undefined) {
      const rows = reports.flatMap((report) => report[lists[list as keyof typeof lists]].map((student) => inExam(report, student)));
      return { kind: 'list', rows, columns: only ? studentColumns : [...ofExam, ...studentColumns], id: 'id', ...ended };
    }
    return {
      kind: 'list',
      rows: reports,
      columns,
      sheet: { rows: reports.map(sheetRow), columns, csv: true },
      ...(only ? { parts: [{ rows: measuresOf(only), columns: measureColumns }], advice: attention(only) } : {}),
      id: 'exam',
      ...ended,
    };
  });
}

function tellReports(context: Context, reports: readonly ExamReport[], only: ExamReport | undefined) {
  const zone = context.zone();
  context.say(only ? headline(only, zone) : headlineOfAll(reports, zone));
  const why = only && whyPreliminary(only);
  if (why !== undefined) context.warn(sentence`Preliminary: ${why}`);
  const open = only ? [] : reports.filter(({ preliminary }) => preliminary);
  if (open.length > 0) {
    const named = firstInLine(open, ({ exam, name }) => `${exam}${name === null ? '' : ` (${name})`}`, namedAtMost);
    const all = open.length > namedAtMost ? '; --columns exam,name,preliminary shows them all' : '';
    context.warn(sentence`The figures of ${count(open.length, 'exam')} are not final: ${named}${all}.`);
  }
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

/** A student of a list, with the exam. */
function inExam({ exam, name }: ExamReport, student: ReportedStudent): Row {
  return { exam, exam_name: name, ...student };
}

function sheetRow({ exam, name, start_time, counts, preliminary }: ExamReport): Row {
  const { students, present, finished, stuck, no_shows, suspicious, not_rated } = counts;
  return { exam, name, start_time, students, present, finished, stuck, no_shows, suspicious, not_rated, preliminary };
}
