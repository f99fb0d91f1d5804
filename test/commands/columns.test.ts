/** What every command lists: the columns that were asked for, in that order, in CSV too; and it fits a terminal of 20 columns. */
import { stripVTControlCharacters } from 'node:util';
import { parse } from 'csv-parse/sync';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/command.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { examplesOfFile, listExamples, statusesOf } from './example-runs.ts';

const runs = examplesOfFile();

/** The cells of a row as CSV has them; fields that the row lacks are empty. */
const cellsOf = (row: Row, keys: readonly string[]) =>
  keys.map((key) => (typeof row[key] === 'string' ? row[key] : row[key] == null ? '' : stringifyJson(row[key])));

describe.each(listExamples)('%s', (line, command) => {
  const ask = (...options: string[]) => runs.run(line, command, { options });
  const json = async <T>(...options: string[]) => JSON.parse((await ask(...options, '-o', 'json')).stdout) as T;
  const csv = async (...options: string[]): Promise<string[][]> => parse((await ask(...options, '-o', 'csv')).stdout);
  let listed: Promise<{ name: string }[]> | undefined;
  const fields = async () => {
    listed ??= json('--columns', 'help');
    return (await listed).map(({ name }) => name);
  };

  test('shows the columns that were asked for', async () => {
    const names = await fields();
    const asked = names.slice(0, 4).reverse();
    expect(asked).not.toEqual([]);
    const [header, ...records] = await csv('--columns', asked.join(','));
    expect(header).toEqual(asked);
    const rows = await json<Row[]>('--columns', asked.join(','));
    expect(rows).not.toEqual([]);
    for (const row of rows) expect(Object.keys(row)).toEqual(asked.filter((key) => key in row));
    // A value that a spreadsheet would read as a formula is guarded.
    const plain = records.map((record) => record.map((text) => text.replace(/^'(?=[=+@-])/, '')));
    if (command.request) expect(plain).toEqual(rows.map((row) => cellsOf(row, asked)));
    // Some of our own records describe the run itself.
    else expect(plain.map((record) => record.length)).toEqual(rows.map(() => asked.length));
  });

  test('has in CSV by itself what it lists with --columns help, in the same order', async () => {
    const names = await fields();
    const [header = []] = await csv();
    expect(header).not.toEqual([]);
    expect(header).toEqual(names.slice(0, header.length));
  });

  test('refuses a column that does not exist, and names a similar one', async () => {
    const [name] = await fields();
    const { code, stdout, stderr } = await ask('--columns', `${name}x`);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`Did you mean ${name}?`)]);
  });
});

const narrow = 20;

const widest = (text: string) =>
  Math.max(
    ...stripVTControlCharacters(text)
      .split('\n')
      .map((line) => stringWidth(line)),
  );

// A single session is shown as a record, whose fields are whole.
test.each(listExamples.filter(([, { name }]) => name !== 'sessions find'))('%s', async (line, command) => {
  const { code, stdout, stderr } = await runs.run(line, command, { tty: true, columns: narrow, options: ['--no-input', '-o', 'table'] });
  expect(statusesOf(command), stderr).toContain(code);
  expect(stdout).not.toBe('');
  expect(widest(stdout)).toBeLessThanOrEqual(narrow);
});

test('the address of a profile is whole on 80 columns', async () => {
  const [home, baseUrl] = [temporaryFolder(), 'https://proctoring.examinations.example.org/api/v1'];
  await run(['auth', 'login', '--base-url', baseUrl, '--with-token', '--no-verify'], { home, stdin: 'tok_Sup3rS3cretValue' });
  expect((await run(['auth', 'status'], { home, tty: true, columns: 80 })).stdout).toContain(baseUrl);
});
