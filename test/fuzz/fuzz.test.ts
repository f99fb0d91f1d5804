/** Readers of files meet any bytes, most of them real exports with a few changes: each row ends once, good or with a problem, and each refusal is a sentence of ours. FUZZ_SEED draws others, FUZZ_TIMES more. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/api/dialect.ts';
import type { Context } from '../../src/command.ts';
import { CliError } from '../../src/errors.ts';
import { studentLines } from '../../src/features/students/student-lines.ts';
import { readTable } from '../../src/features/table-input/read-table.ts';
import { addressFault, rosterFields } from '../../src/roster/roster-fields.ts';
import { undeclared } from '../features/accommodations/lists.ts';
import { merging, textRow, workbookOf } from '../roster/workbook.ts';
import { oddWords } from '../sweep/promises.ts';
import { type Draw, holds } from './draw.ts';

/** Real exports, as bytes. */
const folder = join(import.meta.dirname, '../fixtures/rosters');
const files = globSync('**/*.*', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'latin1'));

/** A sheet with words, a date, a formula and an error; one of its parts is mutated before it is packed. */
function workbook(draw: Draw): string {
  const row =
    '<row r="9"><c><f>A1</f></c><c r="A9" t="s"><v>1</v></c><c s="2"><v>46347.5</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>';
  const students = [
    ['email', 'Name', 'Status'],
    ['ada@example.org', 'Ada', 'active'],
    ['s1@example.org', 'Müller, Zoë', '=x'],
  ];
  const parts = {
    rows: students.map((cells, at) => textRow(at + 1, cells)).join('') + row.replace('>', draw.pick(['>', ' hidden="1">'])),
    strings: '<si><t>email</t></si><si><r><t>a</t></r></si>',
    sheets: '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="B" sheetId="2" state="hidden" r:id="rId2"/>',
    properties: '<workbookPr date1904="1"/>',
    behind: merging(draw.pick(['A1:C1', 'A1:A2', 'B2:B4', 'C3:D9', 'A1:XFD1048576'])),
    styles:
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm;[Red]yy"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>',
  };
  const part = draw.pick(['rows', ...Object.keys(parts)] as (keyof typeof parts)[]);
  return workbookOf({ ...parts, [part]: draw.mutated(parts[part]) }).toString('latin1');
}

function roster(draw: Draw): string {
  if (draw.chance(0.7)) return draw.mutated(draw.pick(files), files);
  return draw.chance(0.2) ? draw.mutated(workbook(draw)) : workbook(draw);
}

async function* arriving(bytes: string) {
  yield Buffer.from(bytes, 'latin1');
}

/** A refusal is one of ours, in whole sentences; anything else is a bug. */
async function refusedWell(reading: Promise<void>, bytes: string): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'internal') throw error;
    expect(oddWords(error.message, bytes)).toBeUndefined();
  }
}

function contextOf(bytes: string): Context {
  const quiet = () => {};
  const interrupted = new AbortController().signal;
  const atOnce = async <T>(work: () => T) => work();
  const host = { interrupted, atOnce, stdin: { bytes: () => arriving(bytes), isTTY: false }, env: {} };
  const settings = () => ({ timeZone: 'Europe/Vienna' });
  return { host, settings, format: 'table', globals: { noInput: true }, say: quiet, warn: quiet, reads: quiet } as unknown as Context;
}

/** Passes over the columns of which nothing is declared, as somebody may. */
async function readRoster(bytes: string, encoding?: string, ignored: readonly string[] = []): Promise<void> {
  try {
    const read = await readTable(
      contextOf(bytes),
      '-',
      { ...undeclared, encoding, columns: ignored.map((header) => ({ header })) },
      rosterFields({ nameKey: 'name', numberKey: '', namesExams: false }),
    );
    const reading = { zone: 'Europe/Vienna', dates: undefined, exam: '6' };
    const { lines, invalid } = studentLines(read, { ...reading, dialect: { timeFormat: 'iso-utc', sessionNameKey: 'name' } as Dialect });
    expect(lines.length + invalid.size + read.leftOut, 'each row ends once').toBe(read.table.rows.length);
    for (const { email = '' } of lines) expect(addressFault(email), email).toBeUndefined();
  } catch (error) {
    const open = error instanceof CliError ? (error.items ?? []).flatMap((item) => ('header' in item ? [item.header] : [])) : [];
    if (open.length === 0 || open.includes('') || ignored.length > 0) throw error;
    await readRoster(bytes, encoding, open);
  }
}

test('no bytes of a roster break its reader', async () => {
  await holds(240, async (draw) => {
    const bytes = roster(draw);
    const encoding = draw.chance(0.1) ? draw.pick(['windows-1252', 'utf-16le', 'utf-8', 'iso-8859-15', 'x']) : undefined;
    await refusedWell(readRoster(bytes, encoding), bytes);
  });
});
