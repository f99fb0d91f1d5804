/**
 * The messages of an import: the file, its problems, the planned requests. The request is
 * only read here; programs get the same from the result.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, students } from '../../model/count.ts';
import { firstInLine, firstLines, toldAtMost } from '../../model/first-of.ts';
import type { DecidedColumn } from '../../roster/map/declared-columns.ts';
import type { Mapping } from '../../roster/map/index.ts';
import { valueCountInWords } from '../../roster/map/value-counts.ts';
import { quote } from '../../roster/read/quote.ts';
import type { ListedSession } from '../../runs-before/index.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import type { ImportRequest } from './import-request.ts';
import type { ActionCounts, LineAction } from './line-plan.ts';
import { changesInWords } from './plan-rows.ts';
import type { ExamPlan, RosterPlan } from './roster-plan.ts';
import { describeProblem, type InvalidField, type Validated } from './validate.ts';

/** What to do with lines that failed; `rejects`: the file that holds them. */
export function howToCorrect(rejects: string | undefined): Sentence {
  return rejects === undefined
    ? sentence`Correct each line and import it again; --rejects FILE collects these lines.`
    : sentence`Correct each line in ${rejects}, and import that file.`;
}

export function tellRead({ say, warn }: Context, mapping: Mapping, { entries, leftOut, total, lostLetters, nameless: unnamed }: Validated) {
  const left = [...leftOut].sort(([, a], [, b]) => b - a);
  const reasons = left.length > 0 ? [firstInLine(left, ([reason, number]) => `${number} left out (${reason})`, 12)] : [];
  say(
    sentence`Recognised ${mapping.recognised} (${mapping.table.format}). ${[count(total, 'line'), students(entries.length), ...reasons].join(', ')}.`,
  );
  if (mapping.wasAsked) say(sentence`This imports ${entries.length} of ${count(total, 'line')}.`);
  for (const note of mapping.absent) warn(note);
  for (const note of mapping.notes) say(sentence`${note}`);
  let nameless = 0;
  if (mapping.allowNoEmail) for (const { email } of entries) nameless += email === undefined ? 1 : 0;
  if (nameless > 0)
    warn(sentence`${count(nameless, 'line')} without an address: each import adds them again; an import that is resumed does not.`);
  if (unnamed.length > 0)
    warn(sentence`warning: no name in ${unnamed.length === 1 ? 'line' : 'lines'} ${firstInLine(unnamed, String, 12)}.`);
  const [lost] = lostLetters;
  if (lost)
    warn(
      sentence`warning: names with a question mark instead of a letter, such as ${quote(lost.name)}, in ${lostLetters.length === 1 ? 'line' : 'lines'} ${firstInLine(lostLetters, ({ line }) => String(line), 12)}. Letters were probably lost when a spreadsheet saved the file: save it as "CSV UTF-8" or as .xlsx.`,
    );
  const read = mapping.used.filter(({ field, header }) => field !== header);
  if (read.length > 0) say(sentence`Columns read: ${read.map(({ field, header }) => `${field} from ${quote(header)}`).join(', ')}.`);
  for (const { header, values } of mapping.decided) say(sentence`Column ${quote(header)}: ${firstInLine(values, valueInWords, 12)}.`);
  if (mapping.ignored.length > 0) say(sentence`Columns not used: ${mapping.ignored.join(', ')}.`);
}

function valueInWords(value: DecidedColumn['values'][number]): string {
  return valueCountInWords(value, value.imported ? [] : ['left out']);
}

/** `named`: an exam in words. */
export function tellPlan({ say }: Context, { acceptDifferent }: ImportRequest, named: (exam: string) => Sentence, { exams }: RosterPlan) {
  const inWords = ({ id, reading, counts, notInFile }: ExamPlan) =>
    sentence`${capitalised(named(id))} has ${students(reading.sessions.length)}. Plan: ${planInWords(counts, notInFile, acceptDifferent)}.`;
  for (const text of firstLines(exams, inWords, 'more exams')) say(text);
}

function planInWords(counts: ActionCounts, notInFile: readonly ListedSession[], acceptDifferent: boolean): string {
  const words: [LineAction, string][] = [
    ['create', 'to create'],
    ['update', 'to update'],
    ['unchanged', 'unchanged'],
    ['different', acceptDifferent ? 'different (kept as they are)' : 'different (--update changes them, --accept-different keeps them)'],
    ['duplicate', 'more than once in the exam'],
    ['left_out', 'not in the exam (--update-only creates no students)'],
  ];
  const parts = words.filter(([action]) => counts[action] > 0 || action === 'create').map(([action, text]) => `${counts[action]} ${text}`);
  // Without an address nothing says whether the file has a student.
  const nameless = notInFile.filter(({ email }) => email === undefined).length;
  if (notInFile.length > nameless) parts.push(`${notInFile.length - nameless} in the exam but not in the file`);
  if (nameless > 0) parts.push(`${nameless} in the exam without an address`);
  return parts.join(', ');
}

/** The first of the changes, old and new, before the question. */
export function tellUpdates({ say, zone }: Context, plan: RosterPlan) {
  if (plan.counts.update === 0) return;
  let shown = 0;
  for (const [{ line, email }, { action, changes = [] }] of plan.lines()) {
    if (action !== 'update') continue;
    if (++shown > toldAtMost) break;
    say(sentence`line ${line}, ${email ?? 'no address'}: ${changesInWords(changes, zone())}`);
  }
  if (shown > toldAtMost) say(sentence`… and ${plan.counts.update - toldAtMost} more to update; --dry-run shows all.`);
}

export function tellProblems(context: Context, mapping: Mapping, { problems, problemCount }: Validated) {
  const describe = (problem: InvalidField) => describeProblem(problem, mapping);
  for (const text of firstLines(problems, describe, 'more problems', problemCount)) context.warn(text);
  if (problemCount > problems.length)
    context.warn(sentence`Only the first ${problems.length} problems are listed; --rejects FILE has them all.`);
}

export function refusedFile(request: ImportRequest, mapping: Mapping, { problems, invalid: lines }: Validated): CliError {
  const items = problems
    .slice(0, 1000)
    .map((problem) => ({ id: `line ${problem.line}`, code: 'invalid_input' as const, message: describeProblem(problem, mapping) }));
  const where = request.rejects === undefined ? 'Add --rejects FILE to collect them, ' : `They are in ${request.rejects}. Correct them, `;
  return new CliError(
    'invalid_input',
    sentence`${count(lines, 'line')} of ${mapping.table.name} ${lines === 1 ? 'is' : 'are'} invalid. Nothing was sent.`,
    {
      hint: sentence`${where}or import the others with --skip-invalid.`,
      items,
    },
  );
}
