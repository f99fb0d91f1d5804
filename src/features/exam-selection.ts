/** The exams that a command is about, by ID, start and name, which narrow each other. */
import type { Client, ListOptions } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { knownId, readRecord } from '../api/reading.ts';
import type { Context, RowFilter } from '../command.ts';
import { CliError, orElse, orGone } from '../errors.ts';
import { examInWords, namedAtMost } from '../model/describe.ts';
import { type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { typedOption } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import { folded, hasWords, matchesGlob, spaced, spellings } from '../text/fold.ts';
import { firstInLine, type Sentence, sentence } from '../text/sentence.ts';

/** `from`, `until`: milliseconds since 1970, inclusive. */
export type ExamSelection = {
  exam?: readonly string[] | undefined;
  from?: number | undefined;
  until?: number | undefined;
  name?: string | undefined;
  typedTimes?: Readonly<Record<string, string>> | undefined;
};

/** Finds the same command again: a time that counts from now would be another one each time. */
export function typedSelection({ exam = [], name, typedTimes }: ExamSelection): string {
  return stringifyJson({ exam: [...new Set(exam)].toSorted(), name: name ?? null, ...typedTimes });
}

/** `start`, `end`: milliseconds since 1970. */
export type SelectedExam = {
  id: string;
  name: string | undefined;
  start: number | undefined;
  end: number | undefined;
  shown: JsonObject;
};

/** Throws `list_in_doubt` for an exam without an ID. */
export function selectedExam(shown: JsonObject, client: Pick<Client, 'dialect'>): SelectedExam {
  const { dialect } = client;
  const id = knownId(shown, client);
  const { [dialect.examNameKey]: called = null, start_time, end_time } = shown;
  const name = called === null ? undefined : textOfJson(called);
  return { id, name, start: instantOf(start_time), end: instantOf(end_time), shown };
}

export async function listedExams(client: Client, options: ListOptions = {}): Promise<readonly SelectedExam[]> {
  const all = await client.list(operations.listExams, {}, options);
  return all.map((shown) => selectedExam(shown, client));
}

/** `reads`: no match is no error. `all`: an empty selection is all. `exams`: all, once read. */
type Selects = ListOptions & { reads?: true; all?: true; exams?: readonly SelectedExam[] };

/** The selected exams, by start. Throws `usage` for an empty selection, `nothing_selected`, `list_in_doubt`, `not_found` for an ID. */
export async function selectExams(context: Context, selection: ExamSelection, selects: Selects = {}): Promise<readonly SelectedExam[]> {
  const { reads, all, exams, ...options } = selects;
  const { exam = [], from, until, name } = selection;
  const isNone = exam.length === 0 && (from ?? until ?? name) === undefined;
  const hint = 'Select them with --exam ID, --from TIME, --until TIME or --name TEXT.';
  if (isNone && !all) throw new CliError('usage', 'No exams are selected.', { hint });
  const { keep, end } = examFilter(context, selection);
  const client = await context.client();
  const ids = [...new Set(exam)];
  const known = new Map(exams?.map((each) => [each.id, each]));
  const byId = async (id: string) => known.get(id) ?? selectedExam(await readRecord(client, 'exam', id), client);
  const read = ids.length > 0 ? client.pacer.map(ids, byId) : (exams ?? listedExams(client, options));
  const startOf = ({ start = Infinity }: SelectedExam) => start;
  const found = (await read).filter(keep).toSorted((a, b) => startOf(a) - startOf(b));
  end();
  if (found.length > 0) return found;
  const asked = selectionInWords(selection, context.zone());
  const what = asked === '' ? sentence`The service has no exams.` : sentence`No exam matches ${asked}.`;
  client.refuseDoubt(`an exam matches ${asked}`);
  if (!reads) throw new CliError('nothing_selected', what);
  context.say(what);
  return [];
}

/** Filters exams by start and name; at its end it names exams that show no start. Throws `invalid_input`. */
function examFilter({ warn, zone }: Context, { from, until, name }: ExamSelection) {
  const hint = 'Give a part of the name of an exam.';
  if (name !== undefined && inOneSpelling(name) === '') throw new CliError('invalid_input', '--name is empty.', { hint });
  if (from !== undefined && until !== undefined && until < from) {
    const [first, last] = [from, until].map((time) => showTime(time, zone()));
    throw new CliError('invalid_input', sentence`--until (${last}) is before --from (${first}).`);
  }
  const timeless: string[] = [];
  return {
    keep({ id, name: called, start }: SelectedExam) {
      if (name !== undefined && !matchesName(name, called)) return false;
      if (from === undefined && until === undefined) return true;
      if (start === undefined) timeless.push(id);
      return start !== undefined && start >= (from ?? start) && start <= (until ?? start);
    },
    end() {
      if (timeless.length === 0) return;
      const which = `${timeless.length === 1 ? 'exam' : 'exams'} ${firstInLine(timeless, (id) => id, 5)}`;
      warn(sentence`Left out, because the service shows no start: ${which}.`);
    },
  };
}

function matchesName(sought: string, called: string | undefined): boolean {
  if (called === undefined) return false;
  return /[*?]/.test(sought) ? matchesGlob(sought, called) : hasWords(spellings(called), [spellings(sought)]);
}

/** The filter of a list of exams, by start and name. Throws `invalid_input`. */
export function examRows(context: Context, selection: ExamSelection): RowFilter {
  const settings = context.settings();
  const { keep, end } = examFilter(context, selection);
  return { keep: (row) => keep(selectedExam(row as JsonObject, settings)), end };
}

export function inOneSpelling(text: string): string {
  return spaced(folded(text));
}

function selectionInWords({ exam = [], from, until, name }: ExamSelection, zone: string): string {
  const asked = exam.map((id) => typedOption('--exam', id));
  if (from !== undefined) asked.push(`--from ${showTime(from, zone)}`);
  if (until !== undefined) asked.push(`--until ${showTime(until, zone)}`);
  if (name !== undefined) asked.push(typedOption('--name', name));
  return asked.join(' ');
}

/** `given`: an ID or a name. Throws `not_found` for a name of several, or near to one, and what keeps it from being read. */
export async function examIdOf(client: Client, given: string, zone: string): Promise<string> {
  const byId = readRecord(client, 'exam', given).then(() => true);
  if (await orElse(byId, ({ code }) => code === 'token_refused', 'not_found', 'rejected', 'token_refused')) return given;
  const wanted = inOneSpelling(given);
  const all = (await orGone(listedExams(client))) ?? [];
  const found = all.filter(({ name }) => name !== undefined && inOneSpelling(name) === wanted);
  const names = found.length > 0 ? [] : all.flatMap(({ name }) => name ?? []);
  const near = nearest(given, names);
  if (near !== undefined) {
    const hint = sentence`Did you mean ${JSON.stringify(near)}? List the exams with: proctor-cli exams list`;
    throw new CliError('not_found', sentence`No exam has the ID or the name ${JSON.stringify(given)}.`, { hint });
  }
  if (found.length <= 1) return found[0]?.id ?? given;
  const which = found.map(({ id, shown }) => examInWords(id, shown, client, zone)).join(', ');
  const several = sentence`${found.length} exams are called ${JSON.stringify(given)}: ${which}.`;
  throw new CliError('not_found', several, { hint: 'Give the ID of the exam that you mean.' });
}

/** The exams of a selection, read once: a plan that is computed again has the same ones. */
export function chosenExams(context: Context, selection: ExamSelection, selects: Selects = {}) {
  const { exam = [], from, until, name } = selection;
  const isById = exam.length > 0 && (from ?? until ?? name) === undefined;
  let chosen = isById ? Promise.resolve([...new Set(exam)].toSorted()) : undefined;
  const ids = () => {
    chosen ??= selectExams(context, selection, selects).then((exams) => exams.map(({ id }) => id));
    return chosen;
  };
  return { ids, read: async () => selectExams(context, { exam: await ids() }) };
}

/** ` of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`, as far as it can be read. */
export async function ofExams(client: Client, given: readonly string[], zone: string): Promise<Sentence> {
  const exams = [...new Set(given)];
  if (exams.length === 0) return sentence``;
  const named = exams.slice(0, namedAtMost).map(async (id) => {
    const shown = await orElse(readRecord(client, 'exam', id, { once: true }), () => undefined);
    return examInWords(id, shown, client, zone);
  });
  const all = [...(await Promise.all(named)), ...exams.slice(namedAtMost)];
  return sentence` of ${firstInLine(all, (words) => words, namedAtMost)}`;
}
