/**
 * The file of rejected lines: each as it came, with the columns, the delimiter and the encoding of its roster, and with the reason. Once
 * corrected, it is imported as it is; the next run replaces it in one step. Secrets are masked, formulas are guarded.
 */
import type { Context } from '../../command.ts';
import { checkOutputFile, type OutputFile, writeOutputFile } from '../../files/output-file.ts';
import { count } from '../../model/count.ts';
import { csvRecord } from '../../model/csv-record.ts';
import { isSecretHeader, mask } from '../../model/secrets.ts';
import { isRejectHeader, rejectHeaders } from '../../roster/map-table.ts';
import type { Row, Table } from '../../roster/table.ts';
import { sentence } from '../../text/sentence.ts';

/** Where they are written to if nobody says it. */
export function rejectsBeside(file: string): string {
  return file === '-' ? 'rejects.csv' : `${file}.rejects.csv`;
}

/** `reads`: the roster. Throws where the path cannot be written to, before anything is read or sent. */
export async function checkRejects(context: Context, path: string, reads: string): Promise<void> {
  await checkOutputFile(fileAt(path), ruleOf(context, reads));
}

/** `reasons`: of the lines that are rejected; without any, the header alone is left. Throws `output_failed`. */
export async function writeRejects(context: Context, path: string, reads: string, table: Table, reasons: ReadonlyMap<number, string>) {
  const kept = [...table.header.keys()].filter((index) => !isRejectHeader(table.header[index] ?? ''));
  const header = kept.map((index) => table.header[index] ?? '');
  const lines = table.rows.flatMap((row) => {
    const reason = reasons.get(row.line);
    return reason === undefined ? [] : [rejected(row, reason, kept, table)];
  });
  const text = [[...header, ...rejectHeaders], ...lines].map((cells) => `${csvRecord(cells, table.delimiter)}\r\n`).join('');
  const file = { ...fileAt(path), encode: encoderFor(table.encoding) };
  await writeOutputFile(file, ruleOf(context, reads), text);
  if (lines.length > 0) context.say(sentence`Wrote ${count(lines.length, 'line')} to ${path}, with the reason.`);
}

function fileAt(path: string): OutputFile {
  const isOwn = (beginning: string) => rejectHeaders.every((name) => beginning.split(/[\r\n]/)[0]?.includes(name));
  return { path, option: '--rejects', holds: 'The rejected lines', isOwn };
}

function ruleOf(context: Context, reads: string) {
  return context.outputRule({ force: false, reads: reads === '-' ? [] : [reads] });
}

/** A line with too many or too few cells was not judged, and any of them may be a secret: it has no number, and is invalid until it is corrected. */
function rejected({ line, cells, problem }: Row, reason: string, kept: readonly number[], { header }: Table): string[] {
  const hidden = (index: number) => isSecretHeader(header[index] ?? '') || (problem !== undefined && header.some(isSecretHeader));
  const cellAt = (index: number) => (cells[index] && hidden(index) ? mask : (cells[index] ?? ''));
  const own = kept.map(cellAt);
  if (problem === undefined) return [...own, String(line), reason];
  const beyond = [...cells.keys()].slice(header.length).map(cellAt);
  const fewer = 'cells of this line were missing: put each under its header, then delete this one';
  return [...own, '', `line ${line}: ${reason}`, ...(beyond.length > 0 ? beyond : [fewer])];
}

/** UTF-8 and UTF-16 with their marks. Of any other encoding the platform has only the decoder; one whose characters need several bytes is UTF-8. */
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
