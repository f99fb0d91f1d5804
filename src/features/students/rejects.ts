/** The file of rejected lines, with the reason. Corrected, it is imported as it is. */
import type { Context } from '../../command.ts';
import { checkOutputFile, type OutputFile, writeOutputFile } from '../../files/output-file.ts';
import { csvRecord } from '../../model/csv-record.ts';
import { isSecretHeader, mask } from '../../model/secrets.ts';
import { isRejectHeader, rejectHeaders } from '../../roster/map-table.ts';
import type { Table, TableRow } from '../../roster/table.ts';
import { count, sentence } from '../../text/sentence.ts';

export function rejectsBeside(file: string): string {
  return file === '-' ? 'rejects.csv' : `${file}.rejects.csv`;
}

/** `reads`: the roster. Throws where the path cannot be written to. */
export async function checkRejects(context: Context, path: string, reads: string): Promise<void> {
  await checkOutputFile(fileAt(path), rejectsRule(context, reads));
}

/** `reasons`: by line; without any, the header alone is left. Throws `output_failed`. */
export async function writeRejects(context: Context, path: string, reads: string, table: Table, reasons: ReadonlyMap<number, string>) {
  const kept = [...table.header.entries()].filter(([, name]) => !isRejectHeader(name));
  const rows = table.rows.filter(({ line }) => reasons.has(line));
  const lines = rows.map((row) => rejected(row, reasons.get(row.line) ?? '', kept, table));
  const records = [[...kept.map(([, name]) => name), ...rejectHeaders], ...lines];
  const text = records.map((cells) => `${csvRecord(cells, table.delimiter)}\r\n`).join('');
  const file = { ...fileAt(path), encode: encoderFor(table.encoding) };
  await writeOutputFile(file, rejectsRule(context, reads), text);
  if (lines.length > 0) context.say(sentence`Wrote ${count(lines.length, 'line')} to ${path}, with the reason.`);
}

function fileAt(path: string): OutputFile {
  const isOwn = (beginning: string) => {
    const [header] = beginning.split(/[\r\n]/);
    return rejectHeaders.every((name) => header?.includes(name));
  };
  return { path, option: '--rejects', holds: 'The rejected lines', isOwn };
}

function rejectsRule(context: Context, reads: string) {
  return context.outputRule({ force: false, reads: reads === '-' ? [] : [reads] });
}

type KeptColumn = readonly [index: number, name: string][];

/** A line of the rejects. If it has too many or too few cells, any of them may be a secret. */
function rejected({ line, cells, problem }: TableRow, reason: string, kept: KeptColumn, { header }: Table): string[] {
  const isAnySecret = problem !== undefined && header.some(isSecretHeader);
  const shown = (cell = '', name = '') => (cell !== '' && (isAnySecret || isSecretHeader(name)) ? mask : cell);
  const own = kept.map(([index, name]) => shown(cells[index], name));
  if (problem === undefined) return [...own, String(line), reason];
  const beyond = cells.slice(header.length).map((cell) => shown(cell));
  const fewer = 'cells of this line were missing: put each under its header, then delete this one';
  return [...own, '', `line ${line}: ${reason}`, ...(beyond.length > 0 ? beyond : [fewer])];
}

/** The platform cannot encode: where a character may have several bytes, UTF-8 is written. */
function encoderFor(encoding: string): (text: string) => Uint8Array {
  if (encoding.startsWith('utf-16'))
    return (text) => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return encoding === 'utf-16be' ? bytes.swap16() : bytes;
    };
  const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const bytes = new Map(Array.from(all, (character, byte) => [character, byte]));
  if (bytes.size !== 256) return (text) => Buffer.from(`\ufeff${text}`);
  return (text) => Uint8Array.from(text, (character) => bytes.get(character) ?? 0x3f);
}
