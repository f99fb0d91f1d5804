/** A process that is killed: what the same command, another one and `runs resume` make of its run; and what makes a command the same. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import type { Service } from '../support/service.ts';
import { killed, newExam, openRun } from './small-office.ts';

const sessions = Array.from({ length: 6 }, (_, at) => ({ ...ada, id: 11 + at, email: `s${11 + at}@example.org` }));
const office = () => serviceWithExam({ exams: [1, 2, 3].map((id) => ({ ...algebra, id, name: `Exam ${id}` })), sessions });
const left = ({ sessions: all }: Service) => all.map(({ id }) => id).join(' ');
const stdin = (...ids: number[]) => ({ stdin: ids.map((id) => `${id}\n`).join('') });
const line = 'sessions delete - --yes';

/** The IDs of stdin that are given then, and whether they are the same command. */
const afterwards: [what: string, ids: number[], same: boolean][] = [
  ['the same IDs', [11, 12, 13], true],
  ['the same IDs in another order, one of them twice', [13, 11, 12, 11], true],
  ['other IDs', [14, 15], false],
  ['some of them', [12], false],
];

describe.each([1, 2, 3])('Deletions from stdin, killed at the answer to the %ith', (writes) => {
  test.each(afterwards)('and then %s: exactly these are deleted, and none of them twice.', async (_what, ids, same) => {
    const service = office();
    const home = await killed(service, line, { writes, ...stdin(11, 12, 13) });
    const { code, stderr } = await service.run(line, { home, ...stdin(...ids) });
    const gone = [11, 12, 13].slice(0, writes);
    const rest = [11, 12, 13, 14, 15, 16].filter((id) => !gone.includes(id) && !ids.includes(id));
    expect([left(service), new Set(service.writes()).size], stderr).toEqual([rest.join(' '), service.writes().length]);
    // What is gone by then is said of IDs that are deleted anew.
    expect(code, stderr).toBe(!same && ids.some((id) => gone.includes(id)) ? 6 : 0);
    const { stdout } = await service.run('runs list --open -o json', { home });
    expect(JSON.parse(stdout)).toHaveLength(same ? 0 : 1);
  });
});

/** Two lines, and whether the second means the same command as the first. */
const identities: [one: string, other: string, same: boolean][] = [
  ['sessions delete 11 12 --yes', 'sessions delete 12 11 --yes', true],
  ['sessions delete 11 12 --yes', 'sessions delete 12 11 12 --yes --timeout 50s -o json', true],
  ['sessions delete 11 12 --yes', 'sessions delete 11 --yes', false],
  ['exams delete 2 3 --yes', 'exams delete 3 2 --yes', true],
  ['exams delete 2 3 --yes', 'sessions delete 11 12 --yes', false],
  ['proctors add 2 3 --exam 1', 'proctors add 3 --exam 1 --exam 2 --yes', false],
  ['proctors add 2 3 --exam 1', 'proctors add 2 3 --exam 1 --no-input', true],
  ['proctors add 23 --exam 1', 'proctors add 2 3 --exam 1', false],
  ['sessions update 11 12 -F seat=A1', 'sessions update 12 11 -F seat=A1', true],
  ['exams update 1 --allow-headphones', 'exams update 1 --no-allow-headphones', false],
  ['sessions create --exam 1 --email a@example.org', 'sessions create --exam 1 --email a@example.org --allow-duplicate', true],
  ['sessions create --exam 1 --email a@example.org', 'sessions create --exam 2 --email a@example.org', false],
];

test.each(identities)('%s, killed, and %s', async (one, other, same) => {
  const service = office();
  const home = await killed(service, one);
  const run = await openRun(service, home);
  const { stderr } = await service.run(other, { home });
  expect(stderr.includes(run), stderr).toBe(same);
  // What another command has left open is nobody else's to give up.
  const { stdout } = await service.run(`runs show ${run} -o json`, { home });
  if (!same) expect(stdout).not.toContain('given_up');
});

test.each([
  ['there', 11, '101 Optics'],
  ['not there', 0, '102 Optics'],
])('Another command for an exam whose creation was killed looks it up first: %s', async (what, code, left) => {
  const service = office();
  const home = await killed(service, newExam);
  if (what === 'not there') service.truth.remove('exam', 101);
  const other = await service.run(newExam.replace('T10:00', 'T11:00'), { home });
  expect(other.code, other.stderr).toBe(code);
  expect(service.exams.slice(3).map(({ id, name }) => `${id} ${name}`)).toEqual([left]);
  expect((await service.run('runs list --open', { home })).stdout).toBe('');
});
