/** The line with which `exams clone` brings the students over, run as it is printed. */
import { expect, test } from 'vitest';
import { type Data, embedded } from './embedded.ts';

test('It copies the students without their windows, which belong to the old exam.', async () => {
  const service = embedded();
  await service.json('sessions update 37 --close-time 2027-03-01T10:00:00Z --open-time 2027-03-01T09:00:00Z');
  const { stderr, stdout } = await service.run('exams clone 6 --start 2028-03-01T09:00Z -o json');
  const [, exporting = '', importing = ''] = /To import them: proctor-cli (.*) \| proctor-cli (.*)\n/.exec(stderr) ?? [];
  const { stdout: stdin } = await service.run(exporting.replace('--profile sandbox ', ''));
  const imported = await service.run(`${importing.replace('--profile sandbox ', '')} --yes`, { stdin });
  expect(imported.code).toBe(0);
  const students = await service.json<Data[]>('sessions list --exam 6');
  const copied = await service.json<Data[]>(`sessions list --exam ${JSON.parse(stdout).id}`);
  const person = ({ email, name }: Data) => ({ email, name });
  // Several requests are in flight: which student is created first is open.
  const people = (rows: Data[]) => rows.map(person).sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  expect(people(copied)).toEqual(people(students));
  expect(copied.flatMap(({ open_time, close_time }) => [open_time, close_time]).filter((time) => time !== null)).toEqual([]);
});
