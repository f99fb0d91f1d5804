/**
 * Rosters, as texts and as workbooks of any structure, each with one thing in it that spreadsheets and people do to files. What ends with 0
 * has given each student what the file says; what cannot be read in one way only is refused, and nothing is sent.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf } from '../../../src/model/time.ts';
import { draws } from '../../fuzz/draw.ts';
import { anyWorkbook, type Book, type Cell, workbookFile } from '../../roster/any-workbook.ts';
import { Service } from '../../support/service.ts';

const exam = { id: 6, name: 'Algebra', start_time: '2031-02-03T08:00:00Z', end_time: '2031-02-03T18:00:00Z' };
const world = { env: { PROCTOR_TIMEZONE: 'Europe/Vienna', PROCTOR_DIALECT_SESSION_NUMBER_KEY: 'matriculation_number' } };

/** `time`: by the clocks of Vienna, where it is winter. */
type Student = { email: string; number: string; time: string; name: string };
const names = ['Jürgen Groß', 'Zoë "Z" O’Neil', 'Åsa, Ek', '田中 太郎', 'Ann'];

const students = fc
  .array(
    fc.record({ hour: fc.integer({ min: 10, max: 18 }), minute: fc.constantFrom('00', '15', '45'), name: fc.constantFrom(...names) }),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) =>
    all.map(({ hour, minute, name }, at): Student => {
      return { email: `s${at}@example.org`, number: `000120${40 + at}`, time: `2031-02-03 ${hour}:${minute}`, name };
    }),
  );

type Outcome = 'right' | 'refused' | 'named';
type Column = keyof Student;

/** What becomes of a text in a cell. */
const ofCells: Readonly<Record<string, [column: Column, change: (text: string) => string, outcome: Outcome]>> = {
  'a number in powers of ten': ['number', () => '1.20457E+11', 'refused'],
  'a number in powers of ten, with a comma': ['number', () => '1,20457E+11', 'refused'],
  'a number with a fraction': ['number', (text) => `${text}.0`, 'refused'],
  'a number with a fraction, with a comma': ['number', (text) => `${text},0`, 'refused'],
  'an apostrophe before a number': ['number', (text) => `'${text}`, 'refused'],
  'a formula of a number': ['number', (text) => `="${text}"`, 'right'],
  'a number that is a date': ['number', () => '2031-02-03', 'refused'],
  'a number in a column that is too narrow': ['number', () => '######', 'refused'],
  'a hidden character in a number': ['number', (text) => `${text}\u200b`, 'refused'],
  'an apostrophe before an address': ['email', (text) => `'${text}`, 'refused'],
  'an address without @': ['email', (text) => text.replace('@', ' at '), 'refused'],
  'an address of two': ['email', (text) => `${text} x@example.org`, 'refused'],
  'an address of which a part is hidden': ['email', (text) => text.replace(/^s/, 's***'), 'refused'],
  'blanks around an address': ['email', (text) => `\u00a0${text} `, 'right'],
  'two halves of a day': ['time', () => '2031-02-03 13:30 AM', 'refused'],
  'a day that may be a month': ['time', () => '03/04/2031 10:30', 'refused'],
  'a day that does not exist': ['time', () => '2031-02-30 10:30', 'refused'],
  'an hour that the clocks show twice': ['time', () => '2031-10-26 02:30', 'refused'],
  'an hour that the clocks leave out': ['time', () => '2031-03-30 02:30', 'refused'],
  'a time without a day': ['time', (text) => text.slice(11), 'refused'],
  'a day with dots': ['time', (text) => `3.2.2031 ${text.slice(11)}`, 'right'],
  'a narrow space in a time': ['time', (text) => text.replace(' ', '\u202f'), 'right'],
  'a word behind a time': ['time', (text) => `${text} Uhr`, 'right'],
  'an error of a spreadsheet': ['time', () => '#REF!', 'refused'],
  'a name that was read in another encoding': ['name', () => 'JÃ¼rgen', 'named'],
  'a name with a character that is lost': ['name', () => 'J\ufffdrgen', 'refused'],
  'a name that is an error': ['name', () => '#N/A', 'refused'],
  'a name of two lines': ['name', () => 'Ann\nLee', 'refused'],
};

/** What becomes of the lines. `at`: of the student. */
const ofLines: Readonly<Record<string, [change: (lines: string[][], at: number) => string[][], outcome: Outcome]>> = {
  nothing: [(lines) => lines, 'right'],
  'a sum below': [(lines) => [...lines, ['Total', String(lines.length), '', '']], 'refused'],
  'a heading in between': [(lines, at) => lines.toSpliced(at, 0, ['Waiting list']), 'refused'],
  'a line twice': [(lines, at) => lines.toSpliced(at, 0, lines[at] ?? []), 'refused'],
  'an address in other letters': [(lines, at) => [...lines, (lines[at] ?? []).with(0, (lines[at]?.[0] ?? '').toUpperCase())], 'refused'],
  'a number without its zeros': [
    (lines, at) => [...lines, ['more@example.org', (lines[at]?.[1] ?? '').replace(/^0+/, ''), '', '']],
    'refused',
  ],
  'blank lines': [(lines, at) => lines.toSpliced(at, 0, ['', '', '', '']), 'right'],
};

/** What becomes of the bytes of a text. */
const ofBytes: Readonly<Record<string, [change: (text: string) => Buffer, outcome: Outcome]>> = {
  'a mark of UTF-8': [(text) => Buffer.from(`\ufeff${text}`), 'right'],
  'UTF-16': [(text) => Buffer.from(`\ufeff${text}`, 'utf16le'), 'right'],
  'old ends of lines': [(text) => Buffer.from(text.replaceAll('\n', '\r')), 'right'],
  'another encoding': [(text) => Buffer.concat([Buffer.from(text), Buffer.from('x@example.org,,,Jürgen\n', 'latin1')]), 'refused'],
  'a NUL': [(text) => Buffer.from(text.replace('@', '@\0')), 'refused'],
  'a quote that is not closed': [(text) => Buffer.from(`${text}"x@example.org`), 'refused'],
  'the half of a character': [(text) => Buffer.concat([Buffer.from(text), Buffer.from('é').subarray(0, 1)]), 'refused'],
  'a page in place of a file': [(text) => Buffer.from(`<!doctype html><html><body>${text}</body></html>`), 'refused'],
};

const header = ['Email', 'Student number', 'close time', 'Name'];
const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

type Made = { bytes: Buffer; truth: readonly Student[]; outcome: Outcome };

const asText = fc
  .record({
    all: students,
    at: fc.nat(),
    delimiter: fc.constantFrom(',', ';', '\t'),
    defect: fc.constantFrom(...Object.keys(ofCells), ...Object.keys(ofLines), ...Object.keys(ofBytes)),
  })
  .map(({ all, at: drawn, delimiter, defect }): Made & { defect: string } => {
    const at = drawn % all.length;
    const [column, change, ofCell] = ofCells[defect] ?? [];
    const given = all.map((each, place) => (column && change && place === at ? { ...each, [column]: change(each[column]) } : each));
    const lines = given.map(({ email, number, time, name }) => [email, number, time, name]);
    const [changeLines, ofLine] = ofLines[defect] ?? [];
    const whole = [header, ...(changeLines?.(lines, at) ?? lines)];
    const text = whole.map((cells) => `${cells.map(quoted).join(delimiter)}\n`).join('');
    const [changeBytes, ofFile] = ofBytes[defect] ?? [];
    const truth = ofCell === 'named' ? given : all;
    return { defect, bytes: changeBytes?.(text) ?? Buffer.from(text), truth, outcome: ofCell ?? ofLine ?? ofFile ?? 'right' };
  });

const texts = ['inline', 'shared', 'rich', 'str'] as const;
const times = ['time 22', 'time 27', 'time 31', 'time 50', 'time 200', 'time 201', 'iso'] as const;
const inWorkbooks = Object.keys(ofCells).filter((name) => !ofCells[name]?.[0].match(/name/));
/** A number that Excel has rounded. */
const rounded = 'a number of 16 digits';

const asWorkbook = fc
  .record({
    all: students,
    at: fc.nat(),
    structure: anyWorkbook,
    kinds: fc.tuple(fc.constantFrom(...texts), fc.constantFrom(...texts, 'digits' as const), fc.constantFrom(...times)),
    defect: fc.constantFrom('nothing', rounded, ...inWorkbooks),
  })
  .map(({ all, at: drawn, structure, kinds: [ofEmail, ofNumber, ofTime], defect }): Made & { defect: string } => {
    const at = drawn % all.length;
    const [column, change, outcome = 'right'] = structure.defect === null ? (ofCells[defect] ?? []) : [];
    const rows = all.map((each, place): [Cell, Cell, Cell] => {
      const isChanged = column !== undefined && place === at;
      const changed = (name: Column) => (isChanged && name === column ? (change?.(each[name]) ?? '') : undefined);
      const cell = (name: Column, kind: Cell['kind'], shown = each[name]): Cell => {
        const text = changed(name);
        return text === undefined ? { kind, shown } : { kind: 'inline', shown: text };
      };
      const number: Cell =
        defect === rounded && place === at && structure.defect === null
          ? { kind: 'number', shown: '1204571204571204' }
          : cell('number', ofNumber);
      return [cell('email', ofEmail), number, cell('time', ofTime, `${each.time.replace(' ', 'T')}:00`)];
    });
    const book: Book = { ...structure, rows };
    const ofBook = structure.defect !== null || (defect === rounded && structure.defect === null) ? 'refused' : outcome;
    const named = structure.defect ?? defect;
    return {
      defect: named,
      bytes: workbookFile(book, header.slice(0, 3)),
      truth: all.map((each) => ({ ...each, name: '' })),
      outcome: ofBook,
    };
  });

async function judged({ bytes, truth, outcome }: Made): Promise<void> {
  const service = new Service({ exams: [exam] });
  const file = join(service.home, 'roster');
  writeFileSync(file, bytes);
  const { code, stderr } = await service.run(['sessions', 'import', file, '--exam', '6', '--yes'], world);
  const there = service.truth.inExam(6).map(({ email, name, matriculation_number, close_time }) => {
    return { email, name: name ?? '', number: matriculation_number, at: instantOf(close_time) };
  });
  const meant = truth.map(({ email, name, number, time }) => ({
    email,
    name,
    number,
    at: Date.parse(`${time.replace(' ', 'T')}:00+01:00`),
  }));
  if (outcome === 'refused') expect([code, there], stderr).toEqual([3, []]);
  else expect([code, there], stderr).toEqual([0, meant]);
  if (outcome === 'named') expect(stderr).toContain('--encoding');
}

test.each(Object.keys({ ...ofCells, ...ofLines, ...ofBytes }))('a text with one defect: %s', async (defect) => {
  await fc.assert(
    fc.asyncProperty(
      asText.filter((made) => made.defect === defect),
      judged,
    ),
    draws(2),
  );
});

test('a text with one defect gives nobody a wrong value', async () => {
  await fc.assert(fc.asyncProperty(asText, judged), draws(60));
});

test('a workbook with one defect gives nobody a wrong value', async () => {
  await fc.assert(fc.asyncProperty(asWorkbook, judged), draws(60));
});
