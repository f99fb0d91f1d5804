/** A service that masks addresses: what is done by an address is not done by its mask, and two masks that are equal are not one student. */
import { expect, test } from 'vitest';
import type { Showing } from '../support/service.ts';
import type { Fields } from '../support/truth.ts';
import { exam, type Office, office } from './times/exams.ts';

const [nine, eleven] = ['2027-03-01T08:00:00Z', '2027-03-01T10:00:00Z'];
const mask = (email: string) => `${email.slice(0, 1)}***@example.org`;

/** How each answer shows an address. */
const showing = (as: (email: string) => string): Showing => ({
  as: (record: Fields) => (typeof record.email === 'string' ? { ...record, email: as(record.email) } : record),
});

const two = () =>
  office([exam(5, nine, eleven), exam(7, nine, eleven)], [{ exam_id: 5 }, { exam_id: 7 }], 'Europe/Vienna', { showing: showing(mask) });

const writes = ({ service }: Office) => service.writes();

test('A created session whose address is masked is as it was sent.', async () => {
  const it = two();
  // Whether she is there already, the list does not tell.
  const refused = await it.run('sessions create --exam 5 --email ada@example.org -o json');
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('The list of exam 5 shows no address of 1 student')]);
  expect(writes(it)).toEqual([]);
  const { code, stdout } = await it.run('sessions create --exam 5 --email ada@example.org --allow-duplicate -o json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ email: 'a***@example.org' });
});

test('A list that hides addresses does not prove that a refused student is missing.', async () => {
  const it = two();
  it.service.fault = ({ method }) => (method === 'POST' ? { answer: { status: 200, body: { success: false } }, done: 'now' } : undefined);
  const { code } = await it.run('sessions create --exam 5 --email ada@example.org --allow-duplicate');
  expect(code).toBe(10);
});

test('Equal masks in two exams are no clash, and in one exam no student who is there twice.', async () => {
  const it = two();
  it.service.add({ exam_id: 5, email: 'sue@example.org' });
  it.service.fault = ({ path }) => (path.endsWith('/proctor_pool') ? { answer: { status: 200, body: [] } } : undefined);
  const checks = await it.rows('preflight --exam 5 --exam 7');
  const judged = checks.filter(({ check }) => check === 'students' || check === 'overlaps');
  expect(judged.map(({ state, detail }) => [state, detail])).toEqual(Array(4).fill(['skipped', 'the service shows no addresses']));
});

test('A student whose address only resembles a mask is moved and copied where the list of the exam shows the address of another.', async () => {
  const shown = (email: string) => (email === 's1@example.org' ? 'maxxx@example.org' : email);
  const options = { showing: showing(shown) };
  const sessions = [{ exam_id: 5 }, { exam_id: 5 }, { exam_id: 7 }];
  const it = office([exam(5, nine, eleven), exam(7, nine, eleven)], sessions, 'Europe/Vienna', options);
  expect((await it.run('sessions move 100 --exam 7 --yes')).code).toBe(0);
  expect(writes(it)).toEqual(['POST /exams/7/student_sessions', 'DELETE /student_sessions/100']);
  expect(it.service.sessions.map(({ email }) => email)).toContain('maxxx@example.org');
  expect((await it.run('sessions move 101 --exam 7 --yes')).code).toBe(0);
  it.service.fault = ({ path }) => (path.endsWith('/proctor_pool') ? { answer: { status: 200, body: [] } } : undefined);
  const copies = await it.run('exams clone 7 --start 2027-03-29T09:00 --with-students --dry-run -o json');
  expect(copies.stdout).toContain('"email":"maxxx@example.org"');
});

test('A masked address is told as what the service shows, in rows and in sentences.', async () => {
  const it = two();
  const updated = await it.run('sessions update 100 --email ada@example.org -o json');
  expect(JSON.parse(updated.stdout)).toMatchObject([{ session: 100, email: 'a***@example.org' }]);
  expect(updated.stderr).toContain('does not show email of student session 100 (it shows a***@example.org)');
  for (const line of ['sessions create --exam 5 --email ada@example.org', 'sessions move 100 --exam 7 --yes', 'exams get 5'])
    expect((await it.run(line)).stderr.includes('(it shows a***@example.org)')).toBe(line !== 'exams get 5');
});
