/** Reads a list of accommodations, YAML or a table: its bytes decide which, not its name. */
import { createHash } from 'node:crypto';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import { openRoster } from '../../roster/read/index.ts';
import { openSource, type RosterSource } from '../../roster/read/source-file.ts';
import { sentence } from '../../text/sentence.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { fieldTable } from '../rosters/field-table.ts';
import { FileProblems } from '../rosters/file-problems.ts';
import { readingOf } from '../rosters/table-reading.ts';
import type { AccommodationList, Combination } from './accommodation.ts';
import { listOf } from './accommodation-rows.ts';

export type ListRequest = {
  /** Path of the list; - for stdin. */
  file: string;
  /** How equally specific rows are combined, where the file does not say it. */
  combine?: Combination | undefined;
  /** What is declared of a table. */
  reading: TableReading;
};

/** Larger files are no list of accommodations. Bytes. */
const largest = 64 << 20;

/** Throws `invalid_input` for a list with any problem; all of them are reported on stderr. */
export async function readAccommodations(context: Context, { file, combine, reading }: ListRequest): Promise<AccommodationList> {
  const { host } = context;
  const source: RosterSource = file === '-' ? { stdin: host.stdin.bytes() } : { path: file, signal: host.interrupted };
  const { name, bytes } = await wholeFile(source);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const problems = new FileProblems(name);
  const text = yamlIn(bytes);
  if (text !== undefined) {
    const [option] = reading.options;
    if (option !== undefined)
      throw new CliError('usage', sentence`${name} is YAML, and ${option.split(' ')[0]} is for a table.`, {
        hint: sentence`Leave out ${option.split(' ')[0] ?? ''}.`,
      });
    const { yamlList } = await import('./yaml-file.ts');
    const written = yamlList(text, name, problems);
    if (written.combine !== undefined && combine !== undefined && written.combine !== combine) {
      throw new CliError('usage', sentence`${name} says "combine: ${written.combine}", but --combine says ${combine}.`, {
        hint: 'Leave out --combine.',
      });
    }
    const list = listOf(written.rows, { name, digest, combine: written.combine ?? combine }, problems);
    problems.refuse(context);
    return list;
  }
  const { accommodationHeaders, listNames, tableRows } = await import('./table-file.ts');
  const opening = readingOf(context, reading);
  const table = await openRoster({ stdin: once(bytes), name }, { ...opening, furtherHeaders: accommodationHeaders });
  try {
    const { askColumns } = columnQuestions(context, name);
    const columns = await fieldTable(table, listNames, { declaration: reading.declaration, askColumns });
    const list = listOf(await tableRows(table, columns, problems), { name, digest, combine }, problems);
    problems.refuse(context);
    for (const note of table.notes) context.say(sentence`${note}`);
    if (columns.ignored.length > 0) context.say(sentence`Columns of ${name} not used: ${columns.ignored.join(', ')}.`);
    await saveLayout(context, reading, columns);
    return list;
  } finally {
    await table.close();
  }
}

/** The list, whose calendar days need a time zone. Throws `invalid_input`. */
export async function listFor(context: Context, request: ListRequest): Promise<AccommodationList> {
  const list = await readAccommodations(context, request);
  const dated = [...list.students.values()].flat().find(({ until }) => until !== undefined);
  if (dated && context.settings().timeZone === undefined) {
    throw new CliError('invalid_input', sentence`${list.name}, ${dated.place}: "until" is a calendar day, and no time zone is set.`, {
      hint: 'Set the zone: --timezone Europe/Vienna',
    });
  }
  return list;
}

async function wholeFile(source: RosterSource): Promise<{ name: string; bytes: Buffer }> {
  const file = await openSource(source);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of file.bytes()) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > largest)
        throw new CliError('invalid_input', sentence`${file.name} is larger than 64 MB.`, { hint: 'Give the list of accommodations.' });
    }
    return { name: file.name, bytes: Buffer.concat(chunks) };
  } finally {
    await file.close();
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The text of a file that begins like the YAML (or JSON) of a list; undefined for another one. */
function yamlIn(bytes: Buffer): string | undefined {
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)] ?? 'utf-8';
  const beginning = new TextDecoder(encoding).decode(bytes.subarray(0, 64 << 10));
  const first = beginning.split(/\r\n?|\n/).find((line) => !/^\s*(#.*)?$|^---|^%YAML/.test(line));
  if (first === undefined || !/^\s*(?:["']?[A-Za-z_][\w -]*(?:["']\s*)?:(\s|$)|-\s+["']?[A-Za-z_]\w*["']?\s*:\s|\{)/.test(first))
    return undefined;
  // A table of JSON objects, one a line, begins with one as well.
  if (first.trimStart().startsWith('{') && !/^\s*\{\s*(?:["']?(?:version|students|combine)["']?\s*:|$)/.test(first)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new CliError('invalid_input', sentence`The list of accommodations is not ${encoding.toUpperCase()}.`, {
      hint: 'Save it as UTF-8.',
    });
  }
}
