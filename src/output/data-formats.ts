/**
 * The formats for programs: every field and digit as the service sent it. JSON has escapes for what could command
 * a terminal; CSV is as in RFC 4180, but formulas are guarded, and on a terminal hidden characters become signs.
 */
import { CliError } from '../errors.ts';
import { csvRecord } from '../model/csv-record.ts';
import { shownId, stringifyJson, textOfJson } from '../model/json.ts';
import { escapeHidden, hasHidden, visibleLines } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';
import { allColumns, hasOwnColumns, writeLines } from './layout.ts';
import type { Renderer } from './result.ts';

const jsonLine = (value: unknown, indent?: number) => `${escapeHidden(stringifyJson(value, indent))}\n`;

const renderJson: Renderer = async (answer, { stdout }) => {
  const rows = await Array.fromAsync(answer.rows);
  return stdout.write(jsonLine(answer.kind === 'one' ? rows[0] : rows, stdout.isTTY ? 2 : 0));
};

const ndjson: Renderer = ({ rows, live }, { stdout }) => writeLines(rows, stdout, (row) => jsonLine(row), live);

const csv: Renderer = async (answer, { stdout }) => {
  const rows = hasOwnColumns(answer) ? answer.rows : await Array.fromAsync(answer.rows);
  const keys = allColumns(answer, Array.isArray(rows) ? rows : []).map(({ key }) => key);
  const shown = (text: string) => (stdout.isTTY ? visibleLines(text) : text);
  const record = (cells: readonly string[]) => `${shown(csvRecord(cells))}\r\n`;
  async function* records() {
    // The header is written with the first row: a list that fails before has written nothing.
    let header = keys.length > 0 ? record(keys) : '';
    for await (const row of rows) {
      yield header + record(keys.map((key) => textOfJson(row[key] ?? '')));
      header = '';
    }
    yield header;
  }
  await writeLines(records(), stdout, (text) => text, answer.live);
};

/** One ID a line. All or nothing: a partial list must not start a partial action behind the pipe. */
const id: Renderer = async (answer, { stdout }) => {
  const own = answer.id;
  if (own === null) return;
  const key = own ?? 'id';
  const values = await Array.fromAsync(answer.rows, (row) => row[key]);
  // Only a record of our own may have no ID.
  const given = own === undefined ? values : values.filter((value) => value !== undefined && value !== null);
  const where = (index: number) => (answer.kind === 'one' ? 'The answer' : `Row ${index + 1}`);
  // Records of our own may be about two times of a resource.
  const ids = new Set(given.map((value, index) => printedId(value, key, where(index))));
  await stdout.write([...ids].map((each) => `${each}\n`).join(''));
};

function printedId(value: unknown, key: string, where: string): string {
  const text = String(shownId(value) ?? '');
  if (text !== '' && !hasHidden(text)) return text;
  throw new CliError('bad_answer', sentence`${where} has no ID of one line in the field ${key}.`, {
    hint: 'If the service uses another field, set it with: proctor-cli config set dialect.idKey NAME',
  });
}

export const dataFormats = { json: renderJson, ndjson, csv, id };
