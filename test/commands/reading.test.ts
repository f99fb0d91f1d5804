/** Reads: lists, one resource, filters, the students and proctors of an exam, users. */
import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { Service } from '../support/service.ts';
import { type Data, embedded, requestsIn, seededExams } from './embedded.ts';

const ids = (rows: Data[]) => rows.map(({ id }) => id);

test('Lists are arrays in JSON, and [] where there is nothing', async () => {
  const service = embedded();
  expect(ids(await service.json<Data[]>('exams list'))).toEqual(seededExams);
  expect(await service.json('proctors list --exam 6')).toEqual([]);
  expect(await service.run('proctors list --exam 6')).toMatchObject({ code: 0, stdout: '' });
  await service.run('exams send-emails 5 --resend --yes');
  expect(await service.json('sandbox outbox --exam 5')).not.toEqual([]);
  expect(await service.json('sandbox outbox --exam 6')).toEqual([]);
});

test('Exams on a terminal are by start, and in data as the service has them', async () => {
  const service = embedded();
  const shown = async (options: string) => (await service.run(`exams list ${options}`, { tty: true, columns: 200 })).stdout;
  const starts = (await shown('')).match(/\d{4}-\d\d-\d\d \d\d:\d\d(?= {2}\d)/g) ?? [];
  expect([starts.length, starts]).toEqual([seededExams.length, starts.toSorted()]);
  expect((await shown('--sort name')).indexOf('Analysis I')).toBeLessThan((await shown('--sort name')).indexOf('Statistik II'));
  expect((await shown('-o csv')).match(/^\d+/gm)?.map(Number)).toEqual(seededExams);
});

test('Proctors of several exams are rows with their exam in front', async () => {
  const service = embedded();
  const rows = await service.json<(Data & { exam: number })[]>('proctors list --exam 1 --exam 2');
  expect(new Set(rows.map(({ exam }) => exam))).toEqual(new Set([1, 2]));
  expect(Object.keys(rows[0] ?? {}).slice(0, 2)).toEqual(['exam', 'id']);
  expect(await service.json('proctors list --name nothing-like-it')).toEqual([]);
});

test('Proctors have the exam of their row, whatever a field of that name in the record says', async () => {
  const service = new Service({ exams: [{ id: 1 }], pools: { 1: [3] }, showing: { as: (each) => ({ ...each, exam: 'Algebra' }) } });
  expect(JSON.parse((await service.run('proctors list --exam 1 -o json')).stdout)).toMatchObject([{ exam: 1, id: 3 }]);
});

test('How suspicious a student is, of how much, is shown to a person; the number to a script', async () => {
  const service = embedded();
  expect((await service.run('sessions get 8')).stdout).toMatch(/^Suspicion +3 of 3$/m);
  expect(await service.json('sessions get 8')).toHaveProperty('level_of_suspicion', 3);
});

test('proctors are added to the exams of a selection, with one question', async () => {
  const service = embedded();
  const pools = () => Promise.all([7, 8].map(async (exam) => ids(await service.json<Data[]>(`proctors list --exam ${exam}`))));
  const before = await pools();
  const line = "proctors add 4 --name '*physics (main term)' --exam 7 --exam 8";
  expect((await service.run('proctors add 4 --name physics')).code).toBe(0);
  expect((await service.run('proctors add 4 --exam 7 --exam 8')).code).toBe(2);
  const { code, questions } = await service.run('proctors add 4 --exam 7 --exam 8', { tty: true, answers: [true] });
  expect([code, questions]).toEqual([0, [expect.stringMatching(/^Add 4 to the proctors of 2 exams \(7, 8\) at /)]]);
  expect(await pools()).toEqual(before.map((pool) => [...new Set([...pool, 4])]));
  expect((await service.run(line)).code).toBe(0);
});

describe('users list', () => {
  const env = { PROCTOR_BASE_URL: 'https://proctor.example', PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_PROFILE: 'default' };

  test('knows the institute of the embedded service', async () => {
    expect(await embedded().json('users list')).toEqual(await embedded().json('users list --institute 1'));
  });

  test('without an institute says where it comes from, and sends nothing', async () => {
    const { code, stdout, stderr } = await run(['users', 'list', '--debug'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--institute ID');
    expect(stderr).toContain('config set institute ID');
    expect(requestsIn(stderr)).toEqual([]);
  });
});
