/**
 * The one screen about columns that nobody declared: all in a list, with their values and what is done about them. A column with a few
 * values has to be answered; every other is taken for one that does not matter, until it is chosen. Enter alone never ends the command.
 * The answers are kept for files with this header, for terminals only: names of columns, and the values that say who counts.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../../command.ts';
import { configFolder } from '../../config/folders.ts';
import { systemReason } from '../../errors.ts';
import { makePrivateFolder, writePrivateFile } from '../../files/private-files.ts';
import type { Choice, Host } from '../../host/host.ts';
import { count, firstInLine } from '../../model/count.ts';
import { isSecretHeader } from '../../model/secrets.ts';
import { columnInWords, type Declared, type Layout, noLayout } from '../../roster/columns.ts';
import { isChoice, leftOutBy, ruleOf, type Survey, surveyInWords, valueInWords } from '../../roster/deciding.ts';
import type { Question } from '../../roster/map-table.ts';
import type { Table } from '../../roster/table.ts';
import { quote } from '../../text/characters.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** A longer list of values is no screen. */
const offeredValues = 50;

export async function askColumns(
  { host, say }: Context,
  table: Table,
  { columns, kept, error }: Extract<Question, { about: 'columns' }>,
): Promise<Layout> {
  const prompts = await host.questions();
  // Without a name it cannot be declared.
  if (columns.some(({ header }) => header === '')) throw error;
  const answers = new Map<Survey, Declared>();
  for (const column of columns) if (!isChoice(column)) answers.set(column, { header: column.header, preset: true });
  for (;;) {
    const rows = columns.map(
      (column, at): Choice => ({ value: String(at + 1), label: sentence`${at + 1} ${inWords(table, column, answers.get(column))}` }),
    );
    const open = rows.filter((_, at) => !answers.has(columns[at] as Survey));
    const rules = [...answers.values()].map((answer) => ruleOf(table, answer));
    const used = kept.filter((row) => leftOutBy(rules, row) === undefined);
    const go: Choice = { value: 'go', label: sentence`Go on: ${table.name} with ${used.length} of ${count(table.rows.length, 'line')}` };
    const offered = open.length > 0 ? [...open, ...rows.filter((row) => !open.includes(row))] : [go, ...rows];
    const question = sentence`Which column of ${table.name} says which lines count? ${count(open.length, 'column')} left to answer:`;
    const chosen = await prompts.search(question, (term) => matching(offered, term));
    if (chosen === 'go') return { map: {}, columns: columns.flatMap((column) => answers.get(column) ?? []) };
    const column = columns[Number(chosen) - 1];
    if (!column) continue;
    const { header, index, values } = column;
    if (isSecretHeader(header) || values.length > offeredValues) {
      say(sentence`${columnInWords(table, index)} has too many values to choose from: in a script, --only and --except choose some.`);
      continue;
    }
    const ticked = await prompts.tick(sentence`Lines with which values of ${quote(header)} count?`, [
      { value: 'all', label: sentence`every line: the column does not matter` },
      ...values.map((value, at) => ({ value: String(at), label: sentence`${valueInWords(value)}` })),
    ]);
    const [only, except] = [true, false].map((is) => values.flatMap(({ value }, at) => (ticked.includes(String(at)) === is ? value : [])));
    if (ticked.includes('all')) answers.set(column, isChoice(column) ? { header } : { header, preset: true });
    else if (ticked.length > 0) answers.set(column, { header, only, except });
  }
}

function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const typed = term.trim().toLowerCase();
  const exact = choices.filter(({ value }) => value === typed);
  return exact.length > 0 ? exact : choices.filter(({ label }) => label.toLowerCase().includes(typed));
}

function inWords(table: Table, column: Survey, answer: Declared | undefined): Sentence {
  if (answer?.only) return sentence`${columnInWords(table, column.index)}: only ${firstInLine(answer.only, quote, 8)}`;
  return sentence`${surveyInWords(table, column, 4)}: ${answer ? 'does not matter' : 'to be answered'}`;
}

/** `what`: the kind of table. */
type Kept = { what: string; header: readonly string[]; layout: Layout };

/** The answers for files with this header. */
export function rememberedFor(host: Host, what: string, header: readonly string[]): Layout {
  return keptIn(host).find((one) => isFor(one, what, header))?.layout ?? noLayout;
}

/** Says so where it cannot be kept: the answers hold for this time all the same. */
export async function remember({ host, warn }: Context, what: string, header: readonly string[], layout: Layout): Promise<void> {
  const all = [{ what, header, layout }, ...keptIn(host).filter((one) => !isFor(one, what, header))];
  try {
    const path = answersFile(host);
    makePrivateFolder(dirname(path));
    await writePrivateFile(path, `${JSON.stringify(all, undefined, 1)}\n`, { replace: true });
  } catch (error) {
    warn(sentence`The answers are not kept for the next file: ${systemReason(error)}.`);
  }
}

function isFor(one: Kept, what: string, header: readonly string[]): boolean {
  return one.what === what && JSON.stringify(one.header) === JSON.stringify(header);
}

export function answersFile(host: Host): string {
  return join(configFolder(host), 'columns.json');
}

/** None where there is no file, or one that cannot be read: then the questions are asked again. */
function keptIn(host: Host): Kept[] {
  try {
    return JSON.parse(readFileSync(answersFile(host), 'utf8')) as Kept[];
  } catch {
    return [];
  }
}
