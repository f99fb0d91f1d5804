/** `accommodations check`: a row for each accommodated student and exam; nothing is written. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, students } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { formatTime, showTime, typedTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import type { AccommodationList } from './accommodation.ts';
import { type ListRequest, readAccommodations } from './accommodation-list.ts';
import { type AccommodationState, accommodationStates, type Judgement } from './judge-sessions.ts';
import { type Survey, surveyExams } from './survey.ts';

/** `strict`: entries that match nothing are differences. */
export type AccommodationsRequest = ListRequest & { selection: ExamSelection; columns: readonly Column[]; strict?: boolean };

export async function checkAccommodations(context: Context, request: AccommodationsRequest): Promise<Result> {
  const list = await readAccommodations(context, request);
  const look = async (_client: Client, exams: readonly SelectedExam[]): Promise<Result> => {
    if (exams.length === 0) return { kind: 'list', rows: [], columns: request.columns, id: 'session' };
    const survey = await surveyExams(context, list, exams);
    tellSurvey(context, list, survey);
    const failure = differences(context, request, list, survey);
    const rows = await surveyRows(context, survey);
    return { kind: 'list', rows, columns: request.columns, id: 'session', ...(failure ? { failure } : {}) };
  };
  return lookingAt(context, request.selection, look, { unsure: 'refuse' });
}

/** `result`: what an application says of those that it does not change. */
export async function surveyRows(context: Context, { judgements, unmatched, unknown }: Survey, result?: string): Promise<Row[]> {
  const client = await context.client();
  const types = { exam: client.idType('exam'), session: client.idType('session') };
  const { timeFormat } = client.dialect;
  const skipped = result === undefined ? {} : { result: 'skipped' };
  return [
    ...judgements.map((judgement) => ({
      ...accommodationRow(judgement, types, timeFormat),
      ...(judgement.state === 'conflict' ? skipped : result === undefined ? {} : { result }),
    })),
    ...unmatched.map(({ row, nearest }) => ({ email: row.email, state: 'unmatched', nearest: nearest ?? null, ...skipped })),
    ...unknown.map(({ word, nearest }) => ({ email: null, state: 'unknown_exam', exam_name: word, nearest: nearest ?? null, ...skipped })),
  ];
}

function accommodationRow(
  { exam, session, state, target, granted }: Judgement,
  types: { exam: IdType | undefined; session: IdType | undefined },
  format: Parameters<typeof formatTime>[1],
): Row {
  return {
    exam: idAs(exam.id, types.exam),
    session: idAs(session.id, types.session),
    email: session.email,
    state,
    close_time: session.fields.close_time ?? null,
    target: target === undefined ? null : formatTime(target, format),
    reference: granted.reference ?? null,
  };
}

/** What the rows do not say: sums, reasons, and whose address was probably misspelt. `started`: and what a later close time gives to students who have started. */
export function tellSurvey(context: Context, list: AccommodationList, survey: Survey): void {
  const { say, warn } = context;
  const { judgements, elsewhere } = survey;
  const counted = countsOf(judgements);
  const words = accommodationStates.flatMap((state) => (counted[state] > 0 ? [`${counted[state]} ${state}`] : []));
  const exams = new Set(judgements.map(({ exam }) => exam.id)).size;
  say(
    judgements.length === 0
      ? sentence`No session of the selected exams has an accommodation in ${list.name}.`
      : sentence`${count(judgements.length, 'session')} with accommodations in ${count(exams, 'exam')}: ${words.join(', ')}.`,
  );
  if (elsewhere > 0)
    say(sentence`${students(elsewhere)} of ${list.name} ${elsewhere === 1 ? 'has' : 'have'} lines for other exams or earlier days only.`);
  const problems = judgements.flatMap((judgement) => problemsOf(judgement, context.zone()).map((problem) => ({ judgement, problem })));
  for (const text of firstLines(problems, ({ judgement, problem }) => sentence`warning: ${inWords(judgement)}: ${problem}.`)) warn(text);
  for (const text of firstLines(lostEntries(survey), ({ place, detail }) => sentence`warning: ${list.name}, ${place}: ${detail}.`))
    warn(text);
}

/** An entry that grants nothing to anybody: its place in the list, and why. */
type LostEntry = { place: string; detail: Sentence };

/** Students without a session in the selected exams, and exams that do not exist: probably misspelt. */
function lostEntries({ unmatched, unknown }: Pick<Survey, 'unmatched' | 'unknown'>): LostEntry[] {
  const nearestIs = (what: string, nearest: string | undefined) => (nearest === undefined ? '' : `; the nearest ${what} is ${nearest}`);
  return [
    ...unmatched.map(({ row, nearest }) => ({
      place: row.place,
      detail: sentence`${row.email} has no session in the selected exams${nearestIs('address', nearest)}`,
    })),
    ...unknown.map(({ word, place, nearest }) => ({
      place,
      detail: sentence`the service has no exam ${JSON.stringify(word)}${nearestIs('name', nearest && JSON.stringify(nearest))}`,
    })),
  ];
}

export function inWords({ exam, session }: Judgement): string {
  return `exam ${exam.id}, session ${session.id} ${session.email}`;
}

function problemsOf({ why, pastMidnight, target = 0 }: Judgement, zone: string): Sentence[] {
  return [
    ...(why === undefined ? [] : [why]),
    ...(pastMidnight ? [sentence`the target ${showTime(target / 1000, zone)} is on the day after the exam`] : []),
  ];
}

function countsOf(judgements: readonly Judgement[]): Record<AccommodationState, number> {
  const counts = Object.fromEntries(accommodationStates.map((state) => [state, 0])) as Record<AccommodationState, number>;
  for (const { state } of judgements) counts[state] += 1;
  return counts;
}

/** A later close time is kept, and so is no difference. Entries that match no session or no exam are a warning; with --strict they are differences. */
export function differences(
  context: Context,
  request: AccommodationsRequest,
  list: AccommodationList,
  survey: Survey,
): CliError | undefined {
  const { judgements } = survey;
  const { name } = list;
  const lost = request.strict ? lostEntries(survey) : [];
  const { missing, less, conflict } = countsOf(judgements);
  const number = missing + less + conflict;
  if (number === 0 && lost.length === 0) return undefined;
  if (number === 0)
    return new CliError(
      'differences',
      sentence`${count(lost.length, 'entry', 'entries')} of ${name} ${lost.length === 1 ? 'matches' : 'match'} nothing: ${lost[0]?.detail ?? ''}.`,
      {
        hint: sentence`Correct ${name}, or check more exams; without --strict this is a warning. Nothing was changed.`,
      },
    );
  const items = judgements.flatMap((judgement) => {
    const { session, why } = judgement;
    return why === undefined ? [] : [{ id: session.id, code: 'differences' as const, message: sentence`${inWords(judgement)}: ${why}.` }];
  });
  const what = sentence`${number} of ${count(judgements.length, 'session')} ${number === 1 ? 'differs' : 'differ'} from ${name}.`;
  const hint = missing + less > 0 ? applyLine(context, request) : conflictHint;
  return new CliError('differences', what, { hint, ...(items.length > 0 ? { items } : {}) });
}

export const conflictHint = sentence`Decide on each conflict, and change the session with: proctor-cli sessions update`;

/** The line that sets what is missing, in the same exams. */
function applyLine({ zone, globals }: Context, { file, reading, selection }: AccommodationsRequest): Sentence {
  const { exam = [], from, until, name } = selection;
  const options: [flag: string, value: string | undefined][] = [
    ...exam.map((id): [string, string] => ['--exam', id]),
    ['--from', from === undefined ? undefined : typedTime(from, zone())],
    ['--until', until === undefined ? undefined : typedTime(until, zone())],
    ['--name', name],
    ['--timezone', globals.timezone],
  ];
  const words = options.flatMap(([flag, value]) => (value === undefined ? [] : [typedOption(flag, value)]));
  return sentence`Set the missing time with: proctor-cli ${typedCommand('accommodations apply', [file], ...words, ...reading.options)}`;
}
