/** Rosters of every format: samples written by a small grammar, mutated as text, and packed after or before. */

import { CliError } from '../../src/errors.ts';
import { validate } from '../../src/features/import/validate.ts';
import { addressFault } from '../../src/roster/map/address.ts';
import { mapTable } from '../../src/roster/map/index.ts';
import { openRoster } from '../../src/roster/read/index.ts';
import { merging, textRow, workbookOf, zipOf } from '../roster/read/zip.ts';
import { mutated } from './mutate.ts';
import type { Random } from './random.ts';
import { type Input, listIn, oddWords, type Target, textIn } from './target.ts';

const headers = [
  'email',
  'E-Mail',
  'Email address',
  'name',
  'Name',
  'First name',
  'Last name',
  'Vorname',
  'Nachname',
  'Nom',
  'Prénom',
  'open_time',
  'close_time',
  'skip_requirements',
  'role',
  'status',
  'Matrikelnummer',
  'username',
  'SIS Login ID',
  'Student',
  'ID',
  'Section',
  'password',
  'level_of_suspicion',
  'Groups',
  'Anmeldestatus',
  '',
  'sourcedId',
  'enabledUser',
  'givenName',
  'familyName',
  'reject_line',
];
const cells = [
  'ada@example.org',
  'Ben@Example.org',
  'Müller, Zoë <zoe@example.org>',
  'a@b',
  'x',
  '',
  ' ',
  'Ada Example',
  'van der Berg, Jan',
  '2026-11-21T09:00Z',
  '+2h',
  '13/04/2026',
  '03/04/2026 9:00',
  'true',
  'nein',
  'student',
  'Trainer/in',
  'deleted',
  'active',
  '42',
  '0012',
  "'=x",
  '"quoted"',
  'a\nb',
  '#N/A',
];

/** Passes over the columns of which nothing is declared, as somebody may; one without a header cannot be named. */
const passedOver = (headers: string[]) => (headers.includes('') ? undefined : { only: {}, ignored: headers });

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

function table(random: Random): string[][] {
  const columns = random.several(1, 6, () => random.pick(headers));
  const address = random.below(columns.length + 1);
  return [
    columns,
    ...random.several(0, 6, () => columns.map((_, index) => (index === address ? `s${random.below(9)}@example.org` : random.pick(cells)))),
  ];
}

const writers: { [format: string]: (rows: string[][], random: Random) => string } = {
  csv(rows, random) {
    const [between, end] = [random.pick([',', ';', '\t', '|']), random.pick(['\n', '\r\n', '\r'])];
    const quoted = (cell: string) => (/["\n,;\t|]/.test(cell) || random.chance(0.1) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const head = random.pick(['', '', '', `sep=${between}${end}`, `A title${end}`, '\ufeff']);
    return utf8(head + rows.map((row) => row.map(quoted).join(between)).join(end));
  },
  json: (rows) => utf8(JSON.stringify(objects(rows))),
  ndjson: (rows) =>
    utf8(
      objects(rows)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    ),
  list: (rows, random) => utf8(rows.map(() => random.pick(cells.slice(0, 5))).join(random.pick(['\n', ',\n', ';\r\n']))),
};

function objects([header = [], ...rows]: string[][]): object[] {
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell])));
}

function draw(random: Random): Input {
  const kind = random.pick(['csv', 'csv', 'csv', 'json', 'ndjson', 'list', 'xlsx', 'xlsx', 'zip']);
  const encoding = random.chance(0.1) ? { encoding: random.pick(['windows-1252', 'utf-16le', 'utf-8', 'iso-8859-15', 'x']) } : {};
  if (kind === 'xlsx') {
    const rows = table(random)
      .map((row, index) => textRow(index + 1, row))
      .join('');
    const part = random.pick(['rows', 'rows', 'behind', 'strings', 'sheets', 'properties', 'styles']);
    const sample: { [part: string]: string } = {
      rows,
      strings: '<si><t>email</t></si><si><r><t>a</t></r></si>',
      sheets: '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="B" sheetId="2" state="hidden" r:id="rId2"/>',
      properties: '<workbookPr date1904="1"/>',
      behind: merging(...random.several(0, 3, () => random.pick(['A1:C1', 'A1:A2', 'B2:B4', 'C3:D9', 'A1:XFD1048576']))),
      styles:
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm;[Red]yy"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>',
    };
    const hidden = random.chance(0.3) ? ' hidden="1"' : '';
    const formula = random.chance(0.1) ? '<c><f>A1</f></c>' : '';
    const numbers = `<row r="9"${hidden}>${formula}<c r="A9" t="s"><v>1</v></c><c r="B9" s="2"><v>46347.5</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`;
    const fed = { ...sample, rows: rows + numbers, strings: sample.strings as string };
    const parts = { ...fed, [part]: mutated(fed[part as 'rows'] ?? '', random) };
    const bytes = workbookOf(parts as Parameters<typeof workbookOf>[0]).toString('latin1');
    return { bytes: random.chance(0.2) ? mutated(bytes, random) : bytes, ...encoding };
  }
  if (kind === 'zip') {
    const users = Buffer.from((writers.csv as (typeof writers)[string])(table(random), random), 'latin1');
    const names = random.pick([['a.csv'], ['a.csv', 'x/b.csv'], ['a.json'], ['../a.csv']]);
    const files = Object.fromEntries(names.map((name) => [name, users]));
    const bytes = zipOf(files).toString('latin1');
    return { bytes: random.chance(0.7) ? mutated(bytes, random) : bytes, ...encoding };
  }
  const writer = writers[kind] as (typeof writers)[string];
  const others = [writer(table(random), random)];
  const bytes = writer(table(random), random);
  return { bytes: random.chance(0.85) ? mutated(bytes, random, others) : bytes, ...encoding };
}

async function* arriving(bytes: Buffer) {
  yield bytes;
}

/** Each row ends once, as an entry with a good address or with a problem; each refusal is one of ours, in whole sentences. */
async function judge(input: Input): Promise<string | undefined> {
  const bytes = Buffer.from(textIn(input, 'bytes'), 'latin1');
  const [encoding] = listIn(input, 'encoding');
  try {
    const opened = await openRoster({ stdin: arriving(bytes) }, { encoding, chooseHiddenRows: async () => 'include' });
    try {
      const mapping = await mapTable(opened, { askColumns: async ({ columns }) => passedOver(columns.map(({ header }) => header)) });
      const found = await validate(mapping, { now: () => 0, zone: 'Europe/Vienna' });
      const left = [...found.leftOut.values()].reduce((sum, count) => sum + count, 0);
      if (found.entries.length + found.invalid + left !== found.total) return 'the rows do not add up';
      for (const { email } of found.entries) if (email === undefined || addressFault(email)) return `an entry has the address ${email}`;
      let again = 0;
      for await (const rows of found.checked()) again += rows.length;
      return again === found.total ? undefined : `read again it has ${again} rows, not ${found.total}`;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'internal') throw error;
    return oddWords(error.message, textIn(input, 'bytes'));
  }
}

export const rosters: Target = {
  name: 'rosters',
  weight: 30,
  draw,
  judge,
};
