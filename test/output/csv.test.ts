import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guarded as spreadsheetGuard, unguarded } from '../../src/model/csv-record.ts';
import { anyText, list, nasty, one, sessionColumns, show, terminal } from './paper.ts';

/** As a reader has it that knows no line break but CRLF. */
const readCsv = (text: string): string[][] => parse(text, { record_delimiter: '\r\n', relax_column_count: true });

const guarded = (text: string) =>
  /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(text) ? text : text.replace(/(?<=^|[;\t\r\n])(?=[ \u00a0"']*[=+\-@＝＋－＠])/g, "'");
const columns = [{ key: 'a' }, { key: 'b' }];

describe('csv', () => {
  test('has a header of field names and ends its lines with CRLF', async () => {
    const { text } = await show(list([{ id: 1, name: 'Ann', status: 'registered', extra: 1 }], sessionColumns), 'csv');
    expect(text).toBe('id,name,email,status,close_time,level_of_suspicion,skip_requirements\r\n1,Ann,,registered,,,\r\n');
  });

  test('has only its header for an empty list', async () => {
    expect((await show(list([], columns), 'csv')).text).toBe('a,b\r\n');
    expect((await show(list([]), 'csv')).text).toBe('');
  });

  test('has all fields of the rows where the command declares none, and of one resource', async () => {
    expect((await show(list([{ a: 1 }, { b: 'x' }]), 'csv')).text).toBe('a,b\r\n1,\r\n,x\r\n');
    expect((await show(one({ z: 1, a: true }, columns), 'csv')).text).toBe('a,b,z\r\ntrue,,1\r\n');
  });

  test('keeps values as the service sent them, nested ones as JSON, digits whole, and no apostrophe before a number', async () => {
    const rows = [
      { a: 2n ** 63n, b: { x: [1, null] } },
      { a: -1.5, b: -(2n ** 70n) },
    ];
    const { text } = await show(list(rows, columns), 'csv');
    expect(text).toBe('a,b\r\n9223372036854775808,"{""x"":[1,null]}"\r\n-1.5,-1180591620717411303424\r\n');
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+43 1 23', "'+43 1 23"],
    ['-x', "'-x"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    [' =1', "' =1"],
    ['\t=1', "\t'=1"],
    ['\r=1', "\r'=1"],
    ["x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
    ['x; "=1', `x;' "=1`],
    ['a\r\n=1\n-2;y;;@z', "a\r\n'=1\n'-2;y;;'@z"],
    ["it's;'=1", "it's;''=1"],
    ['a=1, b=2; c', 'a=1, b=2; c'],
  ])('no spreadsheet takes a text, or a part of it, for a formula: %j', async (text, safe) => {
    const shown = await show(list([{ a: text, [text]: 1 }]), 'csv');
    expect(readCsv(shown.text)).toEqual([
      ['a', safe],
      [safe, '1'],
    ]);
    expect(unguarded(safe)).toBe(text);
  });

  test('leaves no cell of a spreadsheet that separates by ";" with the sign of a formula', () => {
    const nasty = fc.string({ unit: fc.constantFrom('"', ';', '\t', '\n', '\r', "'", '=', '+', '-', '@', ' ', 'x'), maxLength: 9 });
    fc.assert(
      fc.property(nasty, (text) => {
        for (const cell of spreadsheetGuard(text).split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^[\s"]*[=+@-]/);
        expect(unguarded(spreadsheetGuard(text))).toBe(text);
      }),
    );
  });

  test('is read back as what was written, whatever the texts hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: anyText, b: anyText }), { minLength: 1, maxLength: 5 }), async (rows) => {
        const { text } = await show(list(rows, columns), 'csv');
        expect(readCsv(text)).toEqual([['a', 'b'], ...rows.map(({ a, b }) => [guarded(a).toWellFormed(), guarded(b).toWellFormed()])]);
      }),
    );
  });

  test('has a line for every row, also where a single column is empty', async () => {
    const { text } = await show(list([{ a: '' }, { a: 'x' }, {}], [{ key: 'a' }]), 'csv');
    expect(text).toBe('a\r\n""\r\nx\r\n""\r\n');
  });

  test.each(Object.entries(nasty))('is exact in a pipe and harmless on a terminal: %s', async (_name, value) => {
    expect(readCsv((await show(list([{ a: value, b: 1 }], columns), 'csv')).text)[1]?.[0]).toBe(guarded(value).toWellFormed());
    expect((await show(list([{ a: value, b: 1 }], columns), 'csv', terminal())).text).not.toMatch(
      /(?!\r\n|\n|\t)[\p{Cc}\p{Bidi_Control}\u2028\u200b]/u,
    );
  });
});
