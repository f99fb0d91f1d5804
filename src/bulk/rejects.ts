/**
 * The rejects file: each rejected row as it came, with where it stood and why, as CSV. Corrected, it
 * is imported as it is: its header maps as the original's does, and the three columns are passed over.
 * Secrets are masked, and what a spreadsheet would take for a formula is guarded.
 */
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { guarded } from '../model/formula.ts';
import { mask } from '../model/secrets.ts';
import { type Asked, checkPlace, writeAsked } from './asked-file.ts';
import { isRejectHeader, rejectHeaders } from './map/index.ts';
import { isSecretHeader } from './map/vocabulary.ts';
import { quote } from './read/quote.ts';
import type { Row, Table } from './read/table.ts';
import type { Problem } from './validate.ts';

export type Reject = { code: string; reason: string };

const number = /^[+-]?\d+([.,]\d+)?$/;
const bufferSize = 1 << 16;

/** The rejects of a validation, by row; several problems of a row in one. */
export function rejectsOf(problems: Iterable<Problem>): Map<number, Reject> {
  const rejects = new Map<number, Reject>();
  // Rows are mostly rejected for one of a few reasons, and share it.
  const alike = new Map<string, Reject>();
  for (const { row, code, reason } of problems) {
    const before = rejects.get(row);
    const both = before ? { code: `${before.code} ${code}`, reason: `${before.reason}; ${reason}` } : { code, reason };
    const known = alike.get(both.reason);
    if (!known) alike.set(both.reason, both);
    rejects.set(row, known?.code === both.code ? known : both);
  }
  return rejects;
}

/**
 * Refuses a place where something else stands than an earlier rejects file, the roster itself, without
 * which a stopped run cannot be gone on with, and a folder that takes no file. To be asked before anything
 * is sent: afterwards the rejected rows are worth more than what they replace.
 */
export async function checkRejectsPlace(path: string, roster: string): Promise<void> {
  const [place, file] = await Promise.all([path, roster].map((one) => realpath(one).catch(() => undefined)));
  if (place !== undefined && place === file) {
    throw new CliError('usage', `${quote(path)} is the roster that is imported: it cannot take the rejected rows too.`, {
      hint: 'Name another place: --rejects FILE',
    });
  }
  await checkPlace(asked(path));
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bufferSize), 0, bufferSize, 0);
    const beginning = buffer.toString('utf8', 0, bytesRead);
    if (bytesRead === 0 || rejectHeaders.every((header) => beginning.includes(header))) return;
  } finally {
    await handle.close();
  }
  throw new CliError('usage', `${quote(path)} is there already and is no rejects file.`, { hint: 'Name another place: --rejects FILE' });
}

/**
 * Writes the rejected rows, by their number, to a private file that is there whole or not at all.
 * Reads the table once more. Throws `output_failed`.
 */
export async function writeRejects(path: string, table: Table, rejects: ReadonlyMap<number, Reject>): Promise<void> {
  await writeAsked(asked(path), (file) => writeAll(file, table, rejects));
}

function asked(path: string): Asked {
  return { path, option: '--rejects', holds: 'The rejected rows' };
}

async function writeAll(handle: FileHandle, table: Table, rejects: ReadonlyMap<number, Reject>): Promise<void> {
  const kept = table.header.flatMap((header, index) => (isRejectHeader(header) ? [] : [{ index, secret: isSecretHeader(header) }]));
  // The mark lets spreadsheets see that it is UTF-8.
  let text = `\ufeff${record([...kept.map(({ index }) => table.header[index] ?? ''), ...rejectHeaders])}`;
  for await (const rows of table.rows()) {
    for (const row of rows) {
      const reject = rejects.get(row.row);
      if (reject) text += record([...cellsOf(row, kept), String(row.line), reject.code, reject.reason]);
    }
    if (text.length < bufferSize) continue;
    await handle.appendFile(text);
    text = '';
  }
  await handle.appendFile(text);
}

function cellsOf(row: Row, kept: readonly { index: number; secret: boolean }[]): string[] {
  return kept.map(({ index, secret }) => {
    const cell = row.cells[index] ?? '';
    return secret && cell !== '' ? mask : cell;
  });
}

function record(cells: readonly string[]): string {
  return `${cells.map(field).join(',')}\r\n`;
}

function field(cell: string): string {
  const safe = number.test(cell) ? cell : guarded(cell);
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
