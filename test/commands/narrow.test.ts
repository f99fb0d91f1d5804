/** A terminal of 20 columns: what every command lists fits, whatever characters a name has. */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { embedded } from './embedded.ts';
import { type ExampleRuns, listExamples, startExamples, statusesOf } from './example-runs.ts';

let runs: ExampleRuns;
beforeAll(async () => {
  runs = await startExamples();
});
afterAll(() => runs.close());

const columns = 20;

const widest = (text: string) =>
  Math.max(
    ...stripVTControlCharacters(text)
      .split('\n')
      .map((line) => stringWidth(line)),
  );

// A single session is shown as a record, whose fields are whole; a statement of SQL is of use only as a whole.
test.each(listExamples.filter(([, { name }]) => !['sessions find', 'state init'].includes(name)))('%s', async (line, command) => {
  const { code, stdout, stderr } = await runs.run(line, command, { tty: true, columns, options: ['--no-input', '-o', 'table'] });
  expect(statusesOf(command), stderr).toContain(code);
  expect(stdout).not.toBe('');
  expect(widest(stdout)).toBeLessThanOrEqual(columns);
});

test('names that turn the direction, hide themselves or are twice as wide', async () => {
  const service = embedded();
  const names = ['\u202egnp.exe', 'a\u200bb\u200bc', 'שלום עולם', '王小明王小明王小明王小明', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'];
  for (const [index, name] of names.entries()) {
    await service.json(['sessions', 'create', '--exam', '6', '--email', `n${index}@example.org`, '--name', name]);
  }
  const list = ['sessions', 'list', '--exam', '6', '--columns', 'name,id'];
  const { code, stdout } = await service.run(list, { tty: true, columns });
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  expect(widest(stdout)).toBeLessThanOrEqual(columns);
  expect(stripVTControlCharacters(stdout)).not.toMatch(/[\u202e\u200b]/);
  const shown = await service.json<{ name: string }[]>(list);
  expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

test('the address of a profile is whole on 80 columns', async () => {
  const [home, baseUrl] = [temporaryFolder(), 'https://proctoring.examinations.example.org/api/v1'];
  await run(['auth', 'login', '--base-url', baseUrl, '--with-token', '--no-verify'], { home, stdin: 'tok_Sup3rS3cretValue' });
  expect((await run(['auth', 'status'], { home, tty: true, columns: 80 })).stdout).toContain(baseUrl);
});
