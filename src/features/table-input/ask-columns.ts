/**
 * The one screen about undeclared columns: one with a few values has to be answered, any other does not
 * matter until it is chosen. The answers are kept for files with this header, for terminals only.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Context } from '../../command.ts';
import { folderOf } from '../../config/folders.ts';
import { closeConfig } from '../../config/profiles.ts';
import { type CliError, systemReason } from '../../errors.ts';
import { contentOf, makePrivateFolder, writePrivateFile } from '../../files/private-files.ts';
import type { Choice, Host, Prompts } from '../../host/host.ts';
import { isJsonObject } from '../../model/json.ts';
import { isSecretHeader } from '../../model/secrets.ts';
import { columnInWords, columnsNotIn, type Declared, type Layout, type TableFields } from '../../roster/columns.ts';
import type { TableQuestion } from '../../roster/map-table.ts';
import { type ColumnSurvey, isChoice, leftOutBy, rowRuleOf, surveyInWords, valueInWords, waysToMap } from '../../roster/row-filters.ts';
import type { Table } from '../../roster/table.ts';
import { foldedText } from '../../text/fold.ts';
import { count, quote, quoteAll, type Sentence, sentence } from '../../text/sentence.ts';

/** A longer list of values is no screen. */
const offeredValues = 50;

type ColumnsQuestion = Extract<TableQuestion, { about: 'columns' }>;

export async function askColumns(
  { host, say }: Context,
  table: Table,
  { columns, kept, unmapped, error }: ColumnsQuestion,
  { what }: Pick<TableFields<string>, 'what'>,
): Promise<Layout> {
  const prompts = await host.questions();
  const counts = what === 'a roster' ? 'a student takes the exam' : 'a line counts';
  const question = ({ header }: ColumnSurvey) => {
    return sentence`${quote(header)} in ${table.name}: which of its values mean that ${counts}?`;
  };
  // A column without a name cannot be declared.
  if (columns.some(({ header }) => header === '')) throw error;
  for (const [option] of columns.map((column) => waysToMap(column, unmapped)))
    if (option) say(sentence`An answer only says which lines count. To read the column, stop and run the command with ${option}`);
  const preset = columns.filter((column) => !isChoice(column));
  const answers = new Map<ColumnSurvey, Declared>(preset.map((column) => [column, unimportant(column)]));
  const [only, ...others] = columns;
  if (only && others.length === 0) {
    if (only.rule) say(sentence`${surveyInWords(table, only)}.`);
    const all = sentence`Use all ${count(kept.length, table.place)} of ${table.name}, whatever ${quote(only.header)} says?`;
    if (isChoice(only) || !(await prompts.confirm(all, true)))
      answers.set(only, await answerAbout(prompts, table, only, question(only), error));
    return { map: {}, columns: [...answers.values()] };
  }
  for (;;) {
    const rowOf = (column: ColumnSurvey): Choice => {
      const value = String(columns.indexOf(column) + 1);
      return { value, label: sentence`${value} ${answerInWords(table, column, answers.get(column))}` };
    };
    const open = columns.filter((column) => !answers.has(column));
    const rules = [...answers.values()].map((answer) => rowRuleOf(table, answer));
    const used = kept.filter((row) => leftOutBy(rules, row) === undefined);
    const label = sentence`Go on: ${table.name} with ${used.length} of ${count(table.rows.length, table.place)}`;
    const first = open.length > 0 ? open.map(rowOf) : [{ value: 'go', label }];
    const offered = [...first, ...columns.filter((column) => answers.has(column)).map(rowOf)];
    const next = open.length > 0 ? `${count(open.length, 'column')} to answer:` : 'Go on, or change an answer:';
    const chosen = await prompts.search(sentence`Which ${table.place}s of ${table.name} count? ${next}`, (term) => matching(offered, term));
    if (chosen === 'go') return { map: {}, columns: columns.flatMap((column) => answers.get(column) ?? []) };
    const column = columns[Number(chosen) - 1];
    if (!column) continue;
    if (hasFewValues(column)) answers.set(column, await answerAbout(prompts, table, column, question(column), error));
    else
      say(
        sentence`${columnInWords(table, column.index)} has too many values to choose from: in a script, --only and --except choose some.`,
      );
  }
}

function hasFewValues({ header, values }: ColumnSurvey): boolean {
  return !isSecretHeader(header) && values.length <= offeredValues;
}

/** Throws the refusal, which has the options, where there are too many values to choose from. */
async function answerAbout(prompts: Prompts, table: Table, column: ColumnSurvey, question: Sentence, refusal: CliError): Promise<Declared> {
  const { header, values } = column;
  if (!hasFewValues(column)) throw refusal;
  const ticked = await prompts.tick(question, [
    ...values.map((value, at) => ({ value: String(at), label: sentence`${valueInWords(table, value)}` })),
    { value: 'all', label: sentence`all ${table.place}s, whatever ${quote(header)} says` },
  ]);
  if (ticked.includes('all') && ticked.length > 1)
    return answerAbout(prompts, table, column, sentence`Choose values, or all ${table.place}s, not both. ${question}`, refusal);
  if (ticked.includes('all')) return unimportant(column);
  const isTicked = (_: unknown, at: number) => ticked.includes(String(at));
  const texts = values.map(({ value }) => value);
  return { header, only: texts.filter(isTicked), except: texts.filter((text, at) => !isTicked(text, at)) };
}

/** A column that becomes a choice in another file is asked about there. */
function unimportant(column: ColumnSurvey): Declared {
  const { header } = column;
  return isChoice(column) ? { header } : { header, preset: true };
}

function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const typed = term.trim().toLowerCase();
  const exact = choices.filter(({ value }) => value === typed);
  return exact.length > 0 ? exact : choices.filter(({ label }) => label.toLowerCase().includes(typed));
}

function answerInWords(table: Table, column: ColumnSurvey, answer: Declared | undefined): Sentence {
  if (answer?.only) return sentence`${columnInWords(table, column.index)}: only ${quoteAll(answer.only)}`;
  // Its end may be cut off.
  return sentence`${answer ? 'does not matter' : 'to be answered'}: ${surveyInWords(table, column, 4)}`;
}

/**
 * Answers for a kind of file (`what`) with this header. The values that were left out may say anything about a person:
 * hashes of them are stored, by which they can only be recognised.
 */
type KeptColumns = { what: string; header: readonly string[]; salt: string; columns: readonly Declared[] };

const mostKept = 50;

const hashed = (salt: string, value: string) => createHmac('sha256', salt).update(foldedText(value)).digest('base64url');

export function rememberedAnswers(host: Host, what: string, table: Table): Layout {
  const { columns = [], salt = '' } = keptIn(host).find((one) => isFor(one, what, table)) ?? {};
  const here = ({ header, except }: Declared) => {
    const at = table.header.indexOf(header);
    const values = new Set(table.rows.map(({ cells }) => cells[at] ?? ''));
    return [...values].filter((value) => except?.includes(hashed(salt, value)));
  };
  return { map: {}, columns: columns.map((one) => (one.except ? { ...one, except: here(one) } : one)) };
}

export async function rememberAnswers({ host, warn }: Context, what: string, table: Table, answered: readonly Declared[]): Promise<void> {
  const kept = keptIn(host);
  const before = kept.find((one) => isFor(one, what, table));
  const salt = before?.salt ?? randomUUID();
  const headers = answered.map(({ header }) => header);
  const known = columnsNotIn(headers, before?.columns ?? []);
  const fresh = answered.map((one) => (one.except ? { ...one, except: one.except.map((value) => hashed(salt, value)) } : one));
  const entry = { what, header: table.header, salt, columns: [...known, ...fresh] };
  const all = [entry, ...kept.filter((one) => one !== before)].slice(0, mostKept);
  try {
    const path = answersFile(host);
    makePrivateFolder(dirname(path));
    await writePrivateFile(path, `${JSON.stringify(all, undefined, 1)}\n`, { replace: true });
  } catch (error) {
    warn(sentence`The answers are not kept for the next file: ${systemReason(error)}.`);
  }
}

function isFor(one: KeptColumns, what: string, { header }: Table): boolean {
  return one.what === what && JSON.stringify(one.header) === JSON.stringify(header);
}

export function answersFile(host: Host): string {
  return join(folderOf(host, 'configuration'), 'columns.json');
}

/** Where the file cannot be read, or others may have written it, the questions are asked again. */
function keptIn(host: Host): KeptColumns[] {
  try {
    closeConfig(host, answersFile(host));
    return (JSON.parse(contentOf(answersFile(host), { isPrivate: true }).toString()) as unknown[]).filter(isKeptColumns);
  } catch {
    return [];
  }
}

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

function isKeptColumns(one: unknown): one is KeptColumns {
  if (!isJsonObject(one)) return false;
  const { salt, header, columns } = one;
  if (typeof salt !== 'string' || !areTexts(header) || !Array.isArray(columns)) return false;
  const isDeclared = (column: unknown) => {
    if (!isJsonObject(column) || !header.some((name) => name !== '' && name === column.header)) return false;
    return column.by === undefined && [column.only ?? [], column.except ?? []].every(areTexts);
  };
  return columns.every(isDeclared);
}
