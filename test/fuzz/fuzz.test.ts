/** Readers of files meet any bytes: each row ends once, good or with a problem, and each refusal is a sentence of ours. FUZZ_SEED draws others, FUZZ_TIMES more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/api/dialect.ts';
import type { Context } from '../../src/command.ts';
import { CliError } from '../../src/errors.ts';
import { readGrants } from '../../src/features/extra-time/grant-list.ts';
import { studentLines } from '../../src/features/students/student-lines.ts';
import { readTable } from '../../src/features/tables/read-table.ts';
import { addressKey } from '../../src/model/address-key.ts';
import { addressFault } from '../../src/roster/names.ts';
import { rosterFields } from '../../src/roster/roster-fields.ts';
import { undeclared } from '../features/extra-time/lists.ts';
import { merging, textRow, workbookOf } from '../roster/workbook.ts';
import { oddWords } from '../sweep/promises.ts';
import { type Draw, holds } from './draw.ts';

const words = (text: string) => text.split('|');
const headers = [
  ...words('email|E-Mail|Email address|name|Name|First name|Last name|Vorname|Nachname|Nom|Prénom|open_time|close_time|skip_requirements'),
  ...words('role|status|Matrikelnummer|username|SIS Login ID|Student|ID|Section|password|Groups|Anmeldestatus||reject_line'),
];
const addresses = words('ada@example.org|Ben@Example.org|Müller, Zoë <zoe@example.org>|a@b|x');
const cells = [
  ...addresses,
  ...words('| |Ada Example|van der Berg, Jan|2026-11-21T09:00Z|+2h|13/04/2026|03/04/2026 9:00|true|nein|student|Trainer/in|deleted|active'),
  ...words('42|0012|\'=x|"quoted"|a\nb|#N/A'),
];

function table(draw: Draw): string[][] {
  const columns = draw.several(1, 6, () => draw.pick(headers));
  const address = draw.below(columns.length + 1);
  const cell = (at: number) => (at === address ? `s${draw.below(9)}@example.org` : draw.pick(cells));
  return [columns, ...draw.several(0, 6, () => columns.map((_, at) => cell(at)))];
}

function objects([header = [], ...rows]: string[][]): object[] {
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [header[at] ?? '', cell])));
}

function csv(draw: Draw): string {
  const [between, end] = [draw.pick([',', ';', '\t', '|']), draw.pick(['\n', '\r\n', '\r'])];
  const quoted = (cell: string) => (/["\n,;\t|]/.test(cell) || draw.chance(0.1) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const head = draw.pick(['', '', '', `sep=${between}${end}`, `A title${end}`, '\ufeff']);
  const rows = table(draw).map((row) => row.map(quoted).join(between));
  return head + rows.join(end);
}

const texts = {
  csv,
  json: (draw: Draw) => JSON.stringify(objects(table(draw))),
  ndjson: (draw: Draw) =>
    objects(table(draw))
      .map((row) => JSON.stringify(row))
      .join('\n'),
  list: (draw: Draw) => draw.several(1, 7, () => draw.pick(addresses)).join(draw.pick(['\n', ',\n', ';\r\n'])),
};

/** One part of it is mutated before it is packed. */
function workbook(draw: Draw): string {
  const hidden = draw.chance(0.3) ? ' hidden="1"' : '';
  const formula = draw.chance(0.1) ? '<c><f>A1</f></c>' : '';
  const numbers = `<row r="9"${hidden}>${formula}<c r="A9" t="s"><v>1</v></c><c r="B9" s="2"><v>46347.5</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`;
  const parts = {
    rows:
      table(draw)
        .map((row, at) => textRow(at + 1, row))
        .join('') + numbers,
    strings: '<si><t>email</t></si><si><r><t>a</t></r></si>',
    sheets: '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="B" sheetId="2" state="hidden" r:id="rId2"/>',
    properties: '<workbookPr date1904="1"/>',
    behind: merging(...draw.several(0, 3, () => draw.pick(['A1:C1', 'A1:A2', 'B2:B4', 'C3:D9', 'A1:XFD1048576']))),
    styles:
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm;[Red]yy"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>',
  };
  const part = draw.pick(['rows', ...Object.keys(parts)] as (keyof typeof parts)[]);
  return workbookOf({ ...parts, [part]: draw.mutated(parts[part]) }).toString('latin1');
}

function roster(draw: Draw): string {
  const kind = draw.pick(['csv', 'csv', 'csv', 'json', 'ndjson', 'list', 'xlsx', 'xlsx'] as const);
  if (kind === 'xlsx') return draw.chance(0.2) ? draw.mutated(workbook(draw)) : workbook(draw);
  const [bytes, other] = [0, 1].map(() => Buffer.from(texts[kind](draw)).toString('latin1')) as [string, string];
  return draw.chance(0.85) ? draw.mutated(bytes, [bytes, other]) : bytes;
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
  const host = { interrupted: new AbortController().signal, stdin: { bytes: () => arriving(bytes), isTTY: false }, env: {} };
  const settings = () => ({ timeZone: 'Europe/Vienna' });
  return { host, settings, globals: { noInput: true }, say: quiet, warn: quiet } as unknown as Context;
}

/** Passes over the columns of which nothing is declared, as somebody may. */
async function readRoster(bytes: string, encoding?: string, ignored: readonly string[] = []): Promise<void> {
  try {
    const read = await readTable(
      contextOf(bytes),
      '-',
      { ...undeclared, encoding, columns: ignored.map((header) => ({ header })) },
      rosterFields({ numberKey: '' }),
    );
    const reading = { zone: 'Europe/Vienna', dates: undefined, examOf: () => ({ id: '1' }) };
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

test('the words of the XML parser are not those of a refusal', async () => {
  const kept = join(import.meta.dirname, 'kept/words-of-the-xml-parser.json');
  const { bytes } = JSON.parse(readFileSync(kept, 'utf8'));
  expect.hasAssertions();
  await refusedWell(readRoster(bytes), bytes);
});

const lists = [
  'email,extra,exams,until,reference\nada@example.org,25% + 10m,Linear*;7,2027-03-31,DS-1\nbob@example.org,15 min,,31.03.2027,\n',
  'E-Mail;Zeitverlängerung;Prüfung\nada@example.org;12,5 %;\ncy@example.org;1.25x;"Algebra | Geometry"\nbob@example.org;;\n',
  '[{"email":"ada@example.org","extra":"25%","exams":"Linear*|7"},{"email":"bob@example.org","extra":"10m"}]',
].map((text) => Buffer.from(text).toString('latin1'));

async function readList(bytes: string): Promise<void> {
  const { students } = await readGrants(contextOf(bytes), '-', undeclared);
  for (const [key, rows] of students) {
    for (const { email, extra } of rows) {
      expect([addressFault(email), addressKey(email)]).toEqual([undefined, key]);
      const whole = [extra.share, extra.plus].every((each) => Number.isSafeInteger(each) && each >= 0);
      expect(whole && extra.plus <= 86_400_000, JSON.stringify(extra)).toBe(true);
    }
  }
}

test('no bytes of a list of accommodations break its reader', async () => {
  await holds(96, async (draw) => {
    const bytes = draw.mutated(draw.pick(lists), lists);
    await refusedWell(readList(bytes), bytes);
  });
});
