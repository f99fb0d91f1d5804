/** `--columns` and CSV agree, for every command that lists: the columns that were asked for, in that order, and no others. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../src/command.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { type ExampleRuns, listExamples, startExamples } from './example-runs.ts';

let runs: ExampleRuns;
beforeAll(async () => {
  runs = await startExamples();
});
afterAll(() => runs.close());

/** The cells of a row as CSV has them; fields that the row lacks are empty. */
const cellsOf = (row: Row, keys: readonly string[]) =>
  keys.map((key) => (typeof row[key] === 'string' ? row[key] : row[key] == null ? '' : stringifyJson(row[key])));

describe.each(listExamples)('%s', (line, command) => {
  const ask = (...options: string[]) => runs.run(line, command, { options });
  const json = async <T>(...options: string[]) => JSON.parse((await ask(...options, '-o', 'json')).stdout) as T;
  const csv = async (...options: string[]): Promise<string[][]> => parse((await ask(...options, '-o', 'csv')).stdout);

  test('shows the columns that were asked for', async () => {
    const names = (await json<{ name: string }[]>('--columns', 'help')).map(({ name }) => name);
    if (names.length === 0) return;
    const asked = names.slice(0, 4).reverse();
    const [header, ...records] = await csv('--columns', asked.join(','));
    expect(header).toEqual(asked);
    const rows = await json<Row[]>('--columns', asked.join(','));
    for (const row of rows) expect(Object.keys(row)).toEqual(asked.filter((key) => key in row));
    expect(records).toHaveLength(rows.length);
    // Of our own records, some tell of the run itself.
    if (command.requests === undefined) return;
    // What a spreadsheet would take for a formula is guarded.
    expect(records.map((record) => record.map((text) => text.replace(/^'(?=[=+@-])/, '')))).toEqual(rows.map((row) => cellsOf(row, asked)));
  });

  test('has in CSV by itself what it lists with --columns help, in the same order', async () => {
    const names = (await json<{ name: string }[]>('--columns', 'help')).map(({ name }) => name);
    const [header = []] = await csv();
    expect(header).toEqual(names.slice(0, header.length));
  });

  test('refuses a column that there is not, and names the one that was meant', async () => {
    const [name] = await json<{ name: string }[]>('--columns', 'help');
    if (!name || (await json<Row[]>()).length === 0) return;
    for (const format of ['csv', 'json', 'table']) {
      const { code, stdout, stderr } = await ask('--columns', `${name.name}x`, '-o', format);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`Did you mean ${name.name}?`);
    }
  });
});
