/** A selection of exams that matches none: an empty list where a command only reads, a failure where it checks or writes. */
import { expect, test } from 'vitest';
import { embedded } from './embedded.ts';

const none = '--name nothing-like-it';

test.each(['exams list', 'exams report', 'sessions watch'])('%s prints an empty list, says why, and succeeds', async (command) => {
  const service = embedded();
  expect(await service.run(`${command} ${none} -o json`)).toMatchObject({ code: 0, stdout: '[]\n' });
  const shown = await service.run(`${command} ${none} --timezone UTC`);
  expect([shown.code, shown.stderr]).toEqual([
    0,
    command === 'exams list' ? '' : expect.stringContaining(`No exam matches ${none} (18 exams searched).`),
  ]);
});

test.each([
  'preflight',
  'exams shift --by 7d',
  'exams delay --by 15m',
  'exams send-emails',
  'proctors add 4',
  'proctors remove 4',
  'accommodations apply test/demo/accommodations.csv',
  'accommodations apply test/demo/accommodations.csv --check',
])('%s fails: a misspelt name must not look like success', async (command) => {
  const { code, stdout, stderr } = await embedded().run(`${command} ${none} --yes -o json --timezone UTC`);
  expect([code, stdout]).toEqual([6, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'nothing_selected', message: `No exam matches ${none} (18 exams searched).` },
  });
});
