/**
 * The exams that a command is about: by ID, by when they start, by name; what is given narrows each other. IDs
 * alone are read one by one, everything else is chosen from one listing. The selection is reported on stderr.
 */
import type { Client } from '../api/client.ts';
import type { ListOptions } from '../api/list.ts';
import { operations } from '../api/operations.ts';
import type { RequestStep } from '../api/request.ts';
import { planned } from '../api/request.ts';
import type { Context, Result, RowFilter } from '../command.ts';
import { CliError } from '../errors.ts';
import { count } from '../model/count.ts';
import { describeExam } from '../model/describe.ts';
import { firstInLine, firstLines } from '../model/first-of.ts';
import { idOf } from '../model/id.ts';
import { type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { shellQuoted, typedOption } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import { folded } from '../text/fold.ts';
import { fits, isGlob } from '../text/glob.ts';
import { inLines, sentence } from '../text/sentence.ts';

/** As given on the command line; `from` and `until` in milliseconds since 1970, both inclusive. `typedTimes`: as they were typed. */
export type ExamSelection = {
  exam?: readonly string[] | undefined;
  from?: number | undefined;
  until?: number | undefined;
  name?: string | undefined;
  typedTimes?: Readonly<Record<string, string>> | undefined;
};

/** A selection by which the same command is found again: what counts from now is another time when it is run once more. */
export function typedSelection({ exam = [], name, typedTimes }: ExamSelection): string {
  return stringifyJson({ exam: [...new Set(exam)].toSorted(), name: name ?? null, ...typedTimes });
}

/** `start` and `end`: milliseconds since 1970; undefined where the service shows none. `shown`: the exam as the service shows it. */
export type SelectedExam = {
  id: string;
  name: string | undefined;
  start: number | undefined;
  end: number | undefined;
  shown: JsonObject;
};

/** The rows of a list of exams that are selected by start and name; undefined where all are. Throws `invalid_input`. */
export function examRows(
  context: Pick<Context, 'settings' | 'warn' | 'zone'>,
  selection: Omit<ExamSelection, 'exam'>,
): RowFilter | undefined {
  const { from, until, name } = selection;
  if (from === undefined && until === undefined && name === undefined) return undefined;
  refuseImpossible(selection, context.zone());
  const { dialect } = context.settings();
  const isSelected = examFilter(selection);
  const others = examFilter({ name });
  const timeless: string[] = [];
  return {
    keep(row) {
      const exam = { name: textOrNone(row[dialect.examNameKey]), start: instantOf(row.start_time) };
      if (exam.start === undefined && others(exam)) timeless.push(textOfJson(row.id));
      return isSelected(exam);
    },
    end: () => tellTimeless(context, timeless, selection),
  };
}

/** What becomes of a list of exams that may not be whole: it is refused, unless a person only reads. */
type Unsure = Pick<ListOptions, 'unsure'>;

/**
 * `reads`: the command only reads, and no match is an empty result; for a command that writes it is a failure. `current`: what is selected, as
 * it is by what was written from here; for those who write. `exams`: all exams, where the caller reads them as well.
 */
type SelectOptions = Unsure & {
  reads?: true;
  current?(id: string, shown: JsonObject): Promise<JsonObject>;
  exams?(): Promise<readonly SelectedExam[]>;
};

export type Selecting = Pick<Context, 'client' | 'say' | 'warn' | 'zone'>;

/** By start, those without one last. Throws `usage` without any selection, `nothing_selected` where nothing matches. */
export async function selectExams(
  context: Selecting,
  selection: ExamSelection,
  { current, reads, exams: given, ...options }: SelectOptions = {},
): Promise<readonly SelectedExam[]> {
  const { exam = [], from, until, name } = selection;
  if (exam.length === 0 && from === undefined && until === undefined && name === undefined) {
    throw new CliError('usage', 'No exams are selected.', {
      hint: 'Select them with --exam ID, --from TIME, --until TIME or --name TEXT.',
    });
  }
  refuseImpossible(selection, context.zone());
  const client = await context.client();
  const ids = [...new Set(selection.exam ?? [])];
  const listed = async () => among(await (given?.() ?? listedExams(client, options)), ids);
  const all = isByIdOnly(selection) ? await readEach(client, ids) : await listed();
  const matching = narrowed(context, all, selection);
  if (matching.length === 0) {
    const none = noneMatches(selection, all.length, context.zone());
    if (!reads) throw none;
    context.say(none.message);
    return [];
  }
  const asNow = async (exam: SelectedExam) => (current ? selectedExam(await current(exam.id, exam.shown), client) : exam);
  const exams = byStart(await Promise.all(matching.map(asNow)));
  // A single exam that was named by its ID needs no confirmation of what was found.
  if (!(isByIdOnly(selection) && exams.length === 1)) tellSelection(context, exams, client);
  return exams;
}

/** The exams of one listing, narrowed by start and name, for a file that names some of them. Throws `nothing_selected` where none is left. */
export async function examsAmong(context: Selecting, selection: Omit<ExamSelection, 'exam'>): Promise<readonly SelectedExam[]> {
  refuseImpossible(selection, context.zone());
  const all = await listedExams(await context.client(), {});
  const matching = narrowed(context, all, selection);
  if (matching.length === 0) throw noneMatches(selection, all.length, context.zone());
  return matching;
}

function narrowed(context: Selecting, all: readonly SelectedExam[], selection: ExamSelection): SelectedExam[] {
  const matching = all.filter(examFilter(selection));
  const others = examFilter({ name: selection.name });
  const timeless = all.filter((exam) => exam.start === undefined && others(exam)).map(({ id }) => id);
  tellTimeless(context, timeless, selection);
  return matching;
}

/** The requests that read the selected exams, for `--dry-run`. */
export function selectionSteps(selection: ExamSelection): readonly RequestStep[] {
  if (!isByIdOnly(selection)) return [{ operation: operations.listExams }];
  return [...new Set(selection.exam ?? [])].map((id) => ({ operation: operations.getExam, params: { id } }));
}

/**
 * Reads the selected exams, none if nothing matches, and then their students, or shows the requests with `--dry-run`, as far as they are
 * known.
 */
export async function lookingAt(
  context: Context,
  selection: ExamSelection,
  look: (client: Client, exams: readonly SelectedExam[]) => Promise<Result>,
  options: Unsure = { unsure: 'warn' },
): Promise<Result> {
  const client = await context.client();
  return context.act({
    steps: listingSteps(selection),
    show: (steps) => planned(client, steps),
    perform: async () => look(client, await selectExams(context, selection, { ...options, reads: true })),
  });
}

function listingSteps(selection: ExamSelection): readonly RequestStep[] {
  const steps = selectionSteps(selection);
  const listings = steps.flatMap(({ params }) =>
    params?.id === undefined ? [] : [{ operation: operations.listExamSessions, params: { exam_id: params.id } }],
  );
  return [...steps, ...listings];
}

/** Whether an exam is in the selection, whose IDs aside. Throws `invalid_input` for an empty name. */
export function examFilter({ from, until, name }: ExamSelection): (exam: Pick<SelectedExam, 'name' | 'start'>) => boolean {
  const sought = name === undefined ? undefined : inOneSpelling(name);
  if (sought === '') throw new CliError('invalid_input', '--name is empty.', { hint: 'Give a part of the name of an exam.' });
  const isNamed = (name: string) => (sought === undefined ? true : isGlob(sought) ? fits(sought, name) : name.includes(sought));
  return (exam) =>
    (from === undefined || (exam.start !== undefined && exam.start >= from)) &&
    (until === undefined || (exam.start !== undefined && exam.start <= until)) &&
    (sought === undefined || (exam.name !== undefined && isNamed(inOneSpelling(exam.name))));
}

/** An exam of the service. Throws `bad_answer` for one without an ID. */
export function selectedExam(shown: JsonObject, client: Client): SelectedExam {
  const { idKey, examNameKey } = client.dialect;
  const id = idOf(shown);
  if (id === undefined) throw new CliError('bad_answer', sentence`An exam of the service has no "${idKey}".`);
  return {
    id,
    name: textOrNone(shown[examNameKey]),
    start: instantOf(shown.start_time),
    end: instantOf(shown.end_time),
    shown,
  };
}

function textOrNone(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : textOfJson(value);
}

/** Refuses what no exam can match. Throws `invalid_input`. */
function refuseImpossible(selection: ExamSelection, zone: string) {
  const { from, until } = selection;
  examFilter(selection);
  if (from === undefined || until === undefined || from <= until) return;
  throw new CliError('invalid_input', sentence`--until (${showTime(until, zone)}) is before --from (${showTime(from, zone)}).`, {
    hint: 'Correct one of them; nothing was sent.',
  });
}

export function isByIdOnly({ exam = [], from, until, name }: ExamSelection): boolean {
  return exam.length > 0 && from === undefined && until === undefined && name === undefined;
}

/** Each by its ID. Throws the first error, `not_found` among them, and `bad_answer` where another exam is shown. */
async function readEach(client: Client, ids: readonly string[]): Promise<SelectedExam[]> {
  return client.pacer.map(ids, async (id) => {
    const exam = selectedExam(await client.get(operations.getExam, { params: { id } }), client);
    if (exam.id === id) return exam;
    throw new CliError('bad_answer', sentence`The service was asked for exam ${id} and showed exam ${exam.id}.`, {
      hint: sentence`Nothing was sent. If you mean that exam, give its ID: ${shellQuoted(exam.id)}`,
    });
  });
}

/** All exams of the service. */
export async function listedExams(client: Client, options: Unsure): Promise<readonly SelectedExam[]> {
  const all = await client.list(operations.listExams, {}, options);
  return once(all.map((shown) => selectedExam(shown, client)));
}

/** Those with the IDs, or all. Throws `not_found` for an ID that is not among them. */
function among(exams: readonly SelectedExam[], ids: readonly string[]): readonly SelectedExam[] {
  if (ids.length === 0) return exams;
  const byId = new Map(exams.map((exam) => [exam.id, exam]));
  return ids.map((id) => {
    const exam = byId.get(id);
    if (exam) return exam;
    const meant = nearest(id, byId.keys());
    throw new CliError('not_found', sentence`Exam ${id} is not in the list of exams.`, {
      hint: meant === undefined ? 'List the exams with: proctor-cli exams list' : sentence`Did you mean ${shellQuoted(meant)}?`,
    });
  });
}

/** A list with several pages may show an exam twice. */
function once(exams: readonly SelectedExam[]): SelectedExam[] {
  return [...new Map(exams.map((exam) => [exam.id, exam])).values()];
}

function byStart(exams: readonly SelectedExam[]): SelectedExam[] {
  return exams.toSorted((a, b) => (a.start ?? Number.POSITIVE_INFINITY) - (b.start ?? Number.POSITIVE_INFINITY) || 0);
}

/** Without case, accents and runs of blanks. */
export function inOneSpelling(text: string): string {
  return folded(text).replace(/\s+/g, ' ').trim();
}

/** An exam in a few words: "3 (Linear Algebra, 2027-02-01 09:00 +01:00)". */
export function examInWords(exam: SelectedExam, { dialect, zone }: { dialect: Client['dialect']; zone: string }): string {
  const about = describeExam(exam.shown, { nameKey: dialect.examNameKey, zone });
  return about === '' ? exam.id : `${exam.id} (${about})`;
}

function tellSelection({ say, zone }: Selecting, exams: readonly SelectedExam[], { dialect }: Client) {
  const words = (exam: SelectedExam) => examInWords(exam, { dialect, zone: zone() });
  const [only] = exams;
  if (only && exams.length === 1) return say(sentence`Selected: exam ${words(only)}.`);
  say(inLines([sentence`Selected: ${count(exams.length, 'exam')}.`, ...firstLines(exams, (exam) => sentence`  ${words(exam)}`)]));
}

/** Exams that a filter by time cannot judge are named: their students must not be forgotten without a word. */
function tellTimeless({ warn }: Pick<Context, 'warn'>, timeless: readonly string[], { from, until }: ExamSelection) {
  if (timeless.length === 0 || (from === undefined && until === undefined)) return;
  const which = firstInLine(timeless, (id) => id, 5);
  warn(sentence`Left out, because the service shows no start: ${timeless.length === 1 ? 'exam' : 'exams'} ${which}.`);
}

function noneMatches({ exam = [], from, until, name }: ExamSelection, all: number, zone: string): CliError {
  const asked = [
    ...exam.map((id) => typedOption('--exam', id)),
    ...(from === undefined ? [] : [`--from ${showTime(from, zone)}`]),
    ...(until === undefined ? [] : [`--until ${showTime(until, zone)}`]),
    ...(name === undefined ? [] : [typedOption('--name', name)]),
  ];
  const searched = exam.length > 0 ? '' : ` (${count(all, 'exam')} searched)`;
  const what = asked.length === 0 ? sentence`The service has no exams.` : sentence`No exam matches ${asked.join(' ')}${searched}.`;
  return new CliError('nothing_selected', what, {
    hint: 'List the exams with: proctor-cli exams list',
  });
}
