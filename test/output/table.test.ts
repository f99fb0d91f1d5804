import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { Column, Row } from '../../src/command.ts';
import { Secrets } from '../../src/model/secrets.ts';
import { anyText, dangerous, list, nasty, one, paper, sessionColumns, show, terminal } from './paper.ts';

const ann = {
  id: 1,
  name: 'Ann Lee',
  email: 'ann@example.org',
  status: 'exam_started',
  close_time: '2026-11-21T09:00:00Z',
  level_of_suspicion: 0,
  skip_requirements: false,
  locale: 'de',
  address: { city: 'Wien' },
};
const zhang = {
  id: 9223372036854775808n,
  name: nasty.Chinese,
  email: null,
  status: 'grading',
  close_time: 'soon',
  level_of_suspicion: 3,
  skip_requirements: true,
};
const sessions: Row[] = [ann, zhang];
/** Columns for the fields of rows; those of `identifies` tell rows apart. */
const columnsOf = (row: Row = {}, ...identifies: string[]): Column[] =>
  Object.keys(row).map((key) => (identifies.includes(key) ? { key, identifies: true } : { key }));
const lines = (text: string) => text.replace(/\n$/, '').split('\n');

describe('a table in a pipe', () => {
  test('is aligned and plain, with nothing cut', async () => {
    const { text, notes } = await show(list(sessions, sessionColumns), 'table', paper(), { color: true });
    expect(text).toBe(
      [
        'ID                   NAME           EMAIL            STATUS        CLOSES                   SUSPICION',
        '1                    Ann Lee        ann@example.org  exam_started  2026-11-21 10:00 +01:00  not rated',
        '9223372036854775808  張偉 – 监考员  -                grading       soon                     3 of 3',
        '',
      ].join('\n'),
    );
    expect(notes).toEqual([]);
  });

  test('starts every column at the same place, whatever the cells hold, and each row is one line', async () => {
    const rows = fc.array(fc.record({ a: anyText, b: anyText, c: fc.constant('|') }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const { text } = await show(list(rows, [{ key: 'a' }, { key: 'b' }, { key: 'c' }]), 'table');
        const [, ...body] = lines(text);
        expect(body.length).toBe(rows.length);
        expect(text).not.toMatch(dangerous);
        expect(new Set(body.map((line) => line.length - line.lastIndexOf('|'))).size).toBe(1);
        for (const line of body) expect(line.endsWith('  |')).toBe(true);
      }),
    );
  });

  test.each([paper({ columns: 40 }), paper({ isTTY: true, columns: 0 })])('cuts nothing without a width, however long', async (stdout) => {
    expect((await show(list([{ id: 1, note: 'x'.repeat(5000) }]), 'table', stdout)).text).toContain('x'.repeat(5000));
  });
});

describe('the columns of a list', () => {
  test('are those the command declares, but for details and for fields that no row has', async () => {
    const rows = [
      { id: 1, status: 'registered', skip_requirements: true, more: 1 },
      { id: 2, email: null },
    ];
    expect(lines((await show(list(rows, sessionColumns), 'table')).text)[0]).toBe('ID  EMAIL  STATUS');
  });

  test('are all the fields where the command declares none that a row has', async () => {
    expect(lines((await show(list([{ first_name: 'Ann' }, { uuid: 'u' }], sessionColumns), 'table')).text)[0]).toBe('FIRST NAME  UUID');
  });
});

describe('one resource', () => {
  test("is listed field by field: the command's columns first, then every other field", async () => {
    expect((await show(one({ ...ann, note: undefined }, sessionColumns), 'table')).text).toBe(
      [
        'ID                 1',
        'Name               Ann Lee',
        'Email              ann@example.org',
        'Status             exam_started',
        'Closes             2026-11-21 10:00 +01:00',
        'Suspicion          not rated',
        'Skip requirements  no',
        'Locale             de',
        'Address            {"city":"Wien"}',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['in a pipe', paper(), 'a b\tc\u0007', 'a b\tc\u0007'],
    ['on a terminal', terminal(), 'a\u001b[2Jb', 'a␛[2Jb'],
    ['a number', paper(), 2n ** 63n, '9223372036854775808'],
  ])('is one value where that stands for itself: %s', async (_where, stdout, token, text) => {
    expect((await show(one({ profile: 'x', token }, [], 'token'), 'table', stdout, { showSecrets: true })).text).toBe(`${text}\n`);
  });

  test('masks a secret in the name of a field as it is written there', async () => {
    const secrets = new Secrets();
    secrets.use('sk_live_0123');
    const masked = (text: string) => secrets.masked(text);
    const row = { id: 1, sk_live_0123: 'x', is_sk_live_0123: 'y' };
    expect((await show(one(row), 'table', paper(), { masked })).text).toBe('ID           1\n********     x\nIs ********  y\n');
    expect((await show(list([row]), 'table', paper(), { masked })).text).toBe('ID  ********  IS ********\n1   x         y\n');
  });

  test.each(Object.entries(nasty))('is one line a field, with nothing dangerous: %s', async (_name, value) => {
    for (const stdout of [paper(), terminal()]) {
      const { text } = await show(one({ id: 1, [value]: value }), 'table', stdout);
      expect(text).not.toMatch(dangerous);
      expect(lines(text).length).toBe(2);
    }
  });
});

describe('a table for people', () => {
  test.each<[NonNullable<Column['as']>, Row[string], string]>([
    ...Object.entries(['not rated', '1 of 3', '2 of 3', '3 of 3', '4']).map(
      ([level, words]) => ['suspicion', Number(level), words] as never,
    ),
    ['suspicion', null, '-'],
    ['suspicion', 'high', 'high'],
    ...[true, 'true', 1].map((value) => ['boolean', value, 'yes'] as never),
    ...[false, '0'].map((value) => ['boolean', value, 'no'] as never),
    ...[null, undefined, ''].map((value) => ['boolean', value, '-'] as never),
    ['boolean', 2, '2'],
    ['boolean', 'maybe', 'maybe'],
    ['time', '2026-07-01T09:00:05+00:00', '2026-07-01 11:00:05 +02:00'],
    ['time', 1_795_251_600, '2026-11-21 10:00 +01:00'],
    ['time', 'tomorrow\u0007', 'tomorrow␇'],
    ['time', { at: 1 }, '{"at":1}'],
  ])('of the %s %j is "%s"', async (as, value, words) => {
    expect((await show(one({ a: value }, [{ key: 'a', as }]), 'table')).text).toBe(`A  ${words}\n`);
  });

  test('shows a sign for what cannot be seen', async () => {
    const { text } = await show(one({ a: 'x\u001b[1m\n\u202ey\u007f\u200bz\ud800' }), 'table');
    expect(text).toBe('A  x␛[1m␊�y␡�z�\n');
  });
});

describe('a table on a terminal', () => {
  test('looks like this at 100 columns', async () => {
    const { text, notes } = await show(list(sessions, sessionColumns), 'table', terminal(100));
    expect(lines(text)).toEqual([
      'ID                   NAME           EMAIL            STATUS        CLOSES +01:00     SUSPICION',
      '1                    Ann Lee        ann@example.org  exam_started  2026-11-21 10:00  not rated',
      '9223372036854775808  張偉 – 监考员  -                grading       soon              3 of 3',
    ]);
    expect(notes).toEqual([]);
  });

  test('has the offset in each cell where it changes', async () => {
    const rows = ['2026-10-24T10:00:00Z', '2026-10-25T10:00:00Z'].map((close_time, id) => ({ id, close_time }));
    const { text } = await show(list(rows, [{ key: 'id' }, { key: 'close_time', as: 'time' }]), 'table', terminal(80));
    expect(lines(text)).toEqual(['ID  CLOSE TIME', '0   2026-10-24 12:00 +02:00', '1   2026-10-25 11:00 +01:00']);
  });

  test('cuts the widest columns, then leaves columns out from the right, and says in the header how many', async () => {
    const rows = [{ id: 41, email: 'e'.repeat(30), name: 'Nguyễn Thị Minh Khai 王小明 Al-Hariri', may_go: 'no', status: 'exam_started' }];
    const columns = columnsOf(rows[0], 'name', 'status');
    const at = async (width: number) => lines((await show(list(rows, columns), 'table', terminal(width))).text);
    const name = 'Nguyễn Thị Minh Khai 王小明 Al-Hariri';
    expect((await at(120))[0]).toMatch(/^ID {2}EMAIL +NAME +MAY GO {2}STATUS$/);
    expect(await at(80)).toEqual([
      'ID  EMAIL            NAME                                   MAY GO  STATUS',
      `41  eeeeeeeeeeeeee…  ${name}  no      exam_started`,
    ]);
    expect(await at(75)).toEqual([
      'ID  EMAIL            NAME                              MAY GO  STATUS',
      '41  eeeeeeeeeeeeee…  Nguyễn Thị Minh Khai 王小明 Al-…  no      exam_started',
    ]);
    expect((await at(70))[0]).toBe('ID  EMAIL           NAME                              STATUS        +1');
    expect(await at(60)).toEqual(['ID  NAME                                   STATUS        +2', `41  ${name}  exam_started`]);
    expect((await at(40)).at(-1)).toBe('41  Nguyễn Thị Minh K…  exam_started');
  });

  test('never cuts a time, the first column, a heading, or what identifies the row below 32', async () => {
    const row = { id: 'i'.repeat(20), url: 'u'.repeat(30), close_time: ann.close_time, a_long_heading: 1, note: 'n'.repeat(50) };
    const columns = Object.keys(row).map(
      (key): Column => ({ key, ...(key === 'url' ? { identifies: true } : key === 'close_time' ? { as: 'time' } : {}) }),
    );
    const { text } = await show(list([row], columns), 'table', terminal(105));
    expect(lines(text)[1]).toMatch(/^i{20} {2}u{30} {2}2026-11-21 10:00 {2,}1 {13} {2}n{15}…$/);
  });

  test.each([20, 40, 80, 200])('never goes beyond %d columns, and keeps a line a row', async (width) => {
    const cells = fc.record({
      id: fc.nat(),
      name: anyText,
      email: anyText,
      status: anyText,
      close_time: fc.constant('2026-11-21T09:00:00Z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (rows) => {
        const { text } = await show(list(rows, sessionColumns), 'table', terminal(width));
        expect(text).not.toMatch(dangerous);
        expect(lines(text).length).toBe(rows.length + 1);
        for (const line of lines(text)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 50 },
    );
  });

  test.each([paper(), terminal(1000)])('keeps columns in line with texts of wide, combining and right-to-left letters', async (stdout) => {
    const letters = fc.constantFrom(...'aé語ｶ한ग🫠', 'e\u0301', 'שָׁ', 'سَ', 'ไท', '👩‍👩‍👧', '\u202e', '\u200b');
    const names = fc.sample(fc.oneof(anyText, fc.string({ unit: letters })), 200);
    const { text } = await show(list(names.map((name, id) => ({ id, name, end: '|' }))), 'table', stdout);
    const [, ...body] = lines(text);
    expect(body.length).toBe(200);
    expect(new Set(body.map((line) => stringWidth(line))).size).toBe(1);
  });

  test('has colours for what matters, and none with --no-color', async () => {
    const rows = [2, 3].map((level) => ({ status: 'exam_finished', level_of_suspicion: level }));
    const colored = (await show(list(rows, sessionColumns), 'table', terminal(), { color: true })).text;
    expect(colored).toContain('\u001b[32mexam_finished\u001b[39m');
    expect(colored).toContain('\u001b[33m2 of 3\u001b[39m');
    expect(colored).toContain('\u001b[31m3 of 3\u001b[39m');
    expect((await show(list(rows, sessionColumns), 'table', terminal())).text).not.toContain('\u001b');
    expect((await show(one(rows[1] as Row, sessionColumns), 'table', terminal(), { color: true })).text).toContain('\u001b[31m3 of 3');
  });

  test.each(['__proto__', 'constructor', 'toString'])('shows the unknown status %s as it is', async (status) => {
    expect((await show(list([{ status }], sessionColumns), 'table', terminal(), { color: true })).text).toContain(`\n${status}\n`);
  });

  test.each([
    [terminal(), ['Nothing found.']],
    [paper(), []],
  ])('says that nothing was found, and not on stdout; in a pipe, it says nothing', async (stdout, notes) => {
    expect(await show(list([], sessionColumns), 'table', stdout)).toEqual({ text: '', notes, writes: [] });
  });
});
