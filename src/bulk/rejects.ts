/**
 * The rejects file: each rejected row as it came, with where it stood and why, as CSV. Corrected, it
 * is imported as it is: its header maps as the original's does, and the three columns are passed over.
 * Secrets are masked, and what a spreadsheet would take for a formula is guarded.
 */
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { guarded } from '../model/formula.ts';
import { mask } from '../model/secrets.ts';
import { sentence } from '../text/sentence.ts';
import { type Asked, checkPlace, writeAsked } from './asked-file.ts';
import { isRejectHeader, rejectHeaders } from './map/index.ts';
import { isSecretHeader } from './map/vocabulary.ts';
import { quote } from './read/quote.ts';
import type { Row, Table } from './read/table.ts';
import type { Problem, Validated } from './validate.ts';

export type Reject = { code: string; reason: string };

const number = /^[+-]?\d+([.,]\d+)?$/;
const bufferSize = 1 << 16;

/** Several problems of a row in one. */
function rejectOf(problems: readonly Problem[]): Reject | undefined {
  if (problems.length === 0) return undefined;
  return { code: problems.map(({ code }) => code).join(' '), reason: problems.map(({ reason }) => reason).join('; ') };
}

/**
 * Refuses a place where something else stands than an earlier rejects file, the roster itself, without
 * which a stopped run cannot be gone on with, and a folder that takes no file. To be asked before anything
 * is sent: afterwards the rejected rows are worth more than what they replace.
 */
export async function checkRejectsPlace(path: string, roster: string): Promise<void> {
  const [place, file] = await Promise.all([path, roster].map((one) => realpath(one).catch(() => undefined)));
  if (place !== undefined && place === file) {
    throw new CliError('usage', sentence`${quote(path)} is the roster that is imported: it cannot take the rejected rows too.`, {
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
  throw new CliError('usage', sentence`${quote(path)} is there already and is no rejects file.`, {
    hint: 'Name another place: --rejects FILE',
  });
}

/**
 * Writes the rows that are invalid, and those that the service rejected, by their number, to a private
 * file that is there whole or not at all. Checks the table once more, so that no row has to be kept
 * in memory until then. Throws `output_failed`.
 */
export async function writeRejects(
  path: string,
  table: Table,
  { checked }: Pick<Validated, 'checked'>,
  rejected: ReadonlyMap<number, Reject> = new Map(),
): Promise<void> {
  await writeAsked(asked(path), (file) => writeAll(file, table, checked, rejected));
}

function asked(path: string): Asked {
  return { path, option: '--rejects', holds: 'The rejected rows' };
}

async function writeAll(
  handle: FileHandle,
  table: Table,
  checked: Validated['checked'],
  rejected: ReadonlyMap<number, Reject>,
): Promise<void> {
  const kept = table.header.flatMap((header, index) => (isRejectHeader(header) ? [] : [{ index, secret: isSecretHeader(header) }]));
  // The mark lets spreadsheets see that it is UTF-8.
  let text = `\ufeff${record([...kept.map(({ index }) => table.header[index] ?? ''), ...rejectHeaders])}`;
  for await (const rows of checked()) {
    for (const { row, problems } of rows) {
      const reject = rejectOf(problems) ?? rejected.get(row.row);
      if (!reject) continue;
      text += record([...cellsOf(row, kept), String(row.line), reject.code, reject.reason]);
      if (text.length < bufferSize) continue;
      await handle.appendFile(text);
      text = '';
    }
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
