/**
 * The exams that a command is about: by ID, by when they start, by name; what is given narrows each other. IDs alone are read one by
 * one, everything else is chosen from one listing.
 */
import type { Client, ListOptions } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { readRecord } from '../api/reading.ts';
import type { Context, RowFilter } from '../command.ts';
import { CliError, orError, orGone } from '../errors.ts';
import { count, firstInLine } from '../model/count.ts';
import { examInWords, namedAtMost } from '../model/describe.ts';
import { idOf } from '../model/id.ts';
import { type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { typedOption } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import { folded } from '../text/fold.ts';
import { fits, isGlob } from '../text/search.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

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

/** An exam of the service. Throws `bad_answer` for one without an ID. */
export function selectedExam(shown: JsonObject, { dialect }: Pick<Client, 'dialect'>): SelectedExam {
  const id = idOf(shown);
  if (id === undefined) throw new CliError('bad_answer', sentence`An exam of the service has no "${dialect.idKey}".`);
  const name = shown[dialect.examNameKey] ?? undefined;
  const [start, end] = [instantOf(shown.start_time), instantOf(shown.end_time)];
  return { id, name: name === undefined ? undefined : textOfJson(name), start, end, shown };
}

/** All exams of the service, each once: a list with several pages may show one twice. */
export async function listedExams(client: Client, options: ListOptions = {}): Promise<readonly SelectedExam[]> {
  const all = await client.list(operations.listExams, {}, options);
  return [...new Map(all.map((shown) => selectedExam(shown, client)).map((exam) => [exam.id, exam])).values()];
}

/** `reads`: no match is an empty result. `all`: without a selection all exams are meant. `exams`: all exams, where they have been read. */
type Selects = ListOptions & { reads?: true; all?: true; exams?: readonly SelectedExam[] };

/**
 * By start, those without one last. Throws `usage` without any selection, `nothing_selected` where nothing matches, `not_found` for an ID
 * that is not there.
 */
export async function selectExams(
  context: Context,
  selection: ExamSelection,
  { reads, all, exams, ...options }: Selects = {},
): Promise<readonly SelectedExam[]> {
  const { exam = [], from, until, name } = selection;
  const isNone = exam.length === 0 && (from ?? until ?? name) === undefined;
  const hint = 'Select them with --exam ID, --from TIME, --until TIME or --name TEXT.';
  if (isNone && !all) throw new CliError('usage', 'No exams are selected.', { hint });
  const isSelected = examFilter(context, selection);
  const client = await context.client();
  const ids = [...new Set(exam)];
  const byId = async (id: string) =>
    exams?.find((listed) => listed.id === id) ?? selectedExam(await readRecord(client, 'exam', id), client);
  const read = ids.length > 0 ? await client.pacer.map(ids, byId) : (exams ?? (await listedExams(client, options)));
  const found = read.filter(isSelected.keep).toSorted((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity));
  isSelected.end();
  if (found.length > 0) return found;
  const none = noneMatches(selection, read.length, context.zone());
  if (!reads) throw none;
  context.say(none.message);
  return [];
}

/**
 * Whether an exam is in the selection, its ID aside. At the end the exams are named that a filter by time cannot judge: their students
 * must not be forgotten without a word. Throws `invalid_input` for what no exam can match.
 */
function examFilter({ warn, zone }: Pick<Context, 'warn' | 'zone'>, { from, until, name }: ExamSelection) {
  const sought = name === undefined ? undefined : inOneSpelling(name);
  if (sought === '') throw new CliError('invalid_input', '--name is empty.', { hint: 'Give a part of the name of an exam.' });
  if (from !== undefined && until !== undefined && until < from)
    throw new CliError('invalid_input', sentence`--until (${showTime(until, zone())}) is before --from (${showTime(from, zone())}).`);
  const matches = (shown: string) => (isGlob(sought ?? '') ? fits(sought ?? '', shown) : shown.includes(sought ?? ''));
  const timeless: string[] = [];
  return {
    keep({ id, name: called, start }: SelectedExam): boolean {
      if (sought !== undefined && (called === undefined || !matches(inOneSpelling(called)))) return false;
      if (from === undefined && until === undefined) return true;
      if (start === undefined) timeless.push(id);
      return start !== undefined && start >= (from ?? start) && start <= (until ?? start);
    },
    end(): void {
      if (timeless.length === 0) return;
      const which = firstInLine(timeless, (id) => id, 5);
      warn(sentence`Left out, because the service shows no start: ${timeless.length === 1 ? 'exam' : 'exams'} ${which}.`);
    },
  };
}

/** The rows of a list of exams that are selected by start and name. Throws `invalid_input`. */
export function examRows(context: Pick<Context, 'settings' | 'warn' | 'zone'>, selection: ExamSelection): RowFilter {
  const { dialect } = context.settings();
  const { keep, end } = examFilter(context, selection);
  return { keep: (row) => keep(selectedExam(row as JsonObject, { dialect })), end };
}

/** Without case, accents and runs of blanks. */
export function inOneSpelling(text: string): string {
  return folded(text).replace(/\s+/g, ' ').trim();
}

function noneMatches({ exam = [], from, until, name }: ExamSelection, all: number, zone: string): CliError {
  const times = Object.entries({ from, until }).flatMap(([key, time]) => (time === undefined ? [] : `--${key} ${showTime(time, zone)}`));
  const names = name === undefined ? [] : [typedOption('--name', name)];
  const asked = [...exam.map((id) => typedOption('--exam', id)), ...times, ...names].join(' ');
  const searched = exam.length > 0 ? '' : ` (${count(all, 'exam')} searched)`;
  const none = sentence`No exam matches ${asked}${searched}.`;
  return new CliError('nothing_selected', asked === '' ? 'The service has no exams.' : none);
}

/** The ID of an exam that was given by ID or, where none has that ID, by the name that only one exam has. Throws `not_found` for a name of several. */
export async function examIdOf(client: Client, given: string, zone: string): Promise<string> {
  const problem = await readRecord(client, 'exam', given, { once: true }).catch((error: unknown) => error);
  if (!(problem instanceof CliError) || !['not_found', 'rejected'].includes(problem.code)) return given;
  const isNamed = ({ name }: SelectedExam) => name !== undefined && inOneSpelling(name) === inOneSpelling(given);
  const found = ((await orGone(listedExams(client))) ?? []).filter(isNamed);
  if (found.length <= 1) return found[0]?.id ?? given;
  const which = found.map(({ id, shown }) => examInWords(id, shown, client, zone)).join(', ');
  throw new CliError('not_found', sentence`${found.length} exams are called ${JSON.stringify(given)}: ${which}.`, {
    hint: 'Give the ID of the exam that you mean.',
  });
}

/** `read`: each of them as it is. */
type ChosenExams = { ids(): Promise<readonly string[]>; read(): Promise<readonly SelectedExam[]> };

/** The exams of a command that writes: chosen once, so that it means the same ones each time that its plan is computed. */
export function chosenExams(context: Context, selection: ExamSelection): ChosenExams {
  const { exam = [], from, until, name } = selection;
  const isById = exam.length > 0 && (from ?? until ?? name) === undefined;
  let chosen = isById ? Promise.resolve([...new Set(exam)].toSorted()) : undefined;
  const ids = () => {
    chosen ??= selectExams(context, selection).then((exams) => exams.map(({ id }) => id));
    return chosen;
  };
  return { ids, read: async () => selectExams(context, { exam: await ids() }) };
}

/**
 * ` of exam 3 (Algebra, 2027-02-01 09:00 +01:00)` for a question, empty without an exam. What cannot be read is named by its ID: the request
 * after the question reports it.
 */
export async function ofExams(client: Client, given: readonly string[], zone: string): Promise<Sentence> {
  const exams = [...new Set(given)];
  if (exams.length === 0) return sentence``;
  const named = exams.slice(0, namedAtMost).map(async (id) => {
    const shown = await orError(readRecord(client, 'exam', id, { once: true }));
    return examInWords(id, shown instanceof CliError ? undefined : shown, client, zone);
  });
  const more = exams.length > namedAtMost ? ` and ${exams.length - namedAtMost} more` : '';
  return sentence` of ${(await Promise.all(named)).join(', ')}${more}`;
}
