/**
 * Findings 2, 5, 9 and 11 further: what settles a row whose address the service spells in another way, a single student at the border
 * of two pages, the way out of two importers' doubles, and a row that was sent again and refused because the first one had arrived late.
 */
import { expect, test } from 'vitest';
import { type Stage, stage } from '../story/stage.ts';
import { commandsIn } from '../story/way-on.ts';

const roster = (...names: string[]) => `email,name\n${names.map((name) => `${name}@example.org,${name}\n`).join('')}`;

async function latest({ run }: Stage): Promise<string> {
  const [first] = JSON.parse((await run('runs list -o json')).stdout || '[]') as { run: string }[];
  return first?.run ?? '';
}

test('2: settle accepts the session that a lost request created, though its address is spelled in another way, and no other', async () => {
  const made = await stage({ habits: { kept: (address) => address.replace(/\+[^@]*/, '') } });
  const { service, machine, run, students } = made;
  const [zoe] = students('zoe');
  const file = machine.file('roster.csv', 'email,name\nx+tag@example.org,Eva\n');
  service.fault = ({ method }) => (method === 'POST' ? { answer: 'lost' } : undefined);
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(10);
  service.fault = () => undefined;
  const eva = service.truth.inExam(6).find(({ id }) => id !== zoe?.id);
  const id = await latest(made);
  for (const session of [zoe?.id, 999]) expect((await run(`runs settle ${id} --line 2 --created ${session}`)).code).not.toBe(0);
  const open = await run(`runs settle ${id} -o json`);
  expect(JSON.parse(open.stdout)).toMatchObject([{ line: 2, candidates: expect.anything() }]);
  expect((await run(`runs settle ${id} --line 2 --created ${eva?.id}`)).code).toBe(0);
  const again = await run(`sessions import ${file} --exam 6`);
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).toContain('stored as x@example.org');
  expect(service.writes()).toHaveLength(1);
});

test('5: a single student at the border of two pages is not registered again either', async () => {
  const { service, run, students, named } = await stage({ showing: { pageSize: 2 } });
  students('ann', 'bob', 'cy', 'dan');
  service.onAnswer = ({ method, path, query }) => {
    if (method !== 'GET' || !path.endsWith('/student_sessions') || query.get('page') !== '2') return;
    const [ann] = named('ann@example.org');
    if (ann) service.truth.remove('session', ann.id);
  };
  expect((await run('sessions create --exam 6 --email cy@example.org')).code).toBe(11);
  expect(named('ann@example.org')).toEqual([]);
  expect(service.writes()).toEqual([]);
});

test('9: what two importers have done twice is named with the command that takes one part back, and then everybody is there once', async () => {
  const made = await stage();
  const { service, machine, another, students, named } = made;
  students('zoe');
  const names = Array.from({ length: 60 }, (_, at) => `student${at}`);
  const numberOf = (count: number) => names.filter((name) => named(`${name}@example.org`).length === count).length;
  service.fault = () => ({ takes: 40 });
  const both = [machine, another()];
  const imports = (one: (typeof both)[number]) =>
    one.run(['sessions', 'import', one.file('roster.csv', roster(...names)), '--exam', '6', '--yes', '--no-input', '--concurrency', '4']);
  const ends = await Promise.all(both.map(imports));
  expect(ends.map(({ code }) => code)).toEqual([9, 9]);
  for (const { stderr } of ends) expect(stderr).toMatch(/Another import is working on exam 6.*\nhint: .*run the same command again/);
  expect(numberOf(2)).toBeGreaterThan(0);
  service.fault = () => undefined;
  const again = await imports(machine);
  expect([again.code, numberOf(0)], again.stderr).toEqual([9, 0]);
  const [takesBack = []] = commandsIn(again.stderr);
  expect(takesBack.slice(0, 2)).toEqual(['sessions', 'delete']);
  expect((await machine.run([...takesBack, '--yes', '--no-input'])).code).toBe(0);
  expect(numberOf(1)).toBe(60);
  for (const one of both) expect((await imports(one)).code).toBe(0);
  expect(numberOf(1)).toBe(60);
});

test('11: a row that was sent again and refused, because the first request came late, is named by undo', async () => {
  const made = await stage();
  const { service, machine, clock, run, named } = made;
  service.taken = 409;
  const file = machine.file('roster.csv', 'email,name\nann@example.org,Ann\nbob@example.org,Bob\n');
  let first = true;
  service.fault = ({ method, body }) => {
    if (method !== 'POST' || body.email !== 'ann@example.org' || !first) return undefined;
    first = false;
    return { answer: 'lost', done: 600_000 };
  };
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(9);
  service.onArrival = async ({ method }) => {
    if (method === 'POST') await clock.pass(1_200_000);
  };
  expect((await run(`sessions import ${file} --exam 6 --resend-absent`)).code).toBe(0);
  const [latest] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  const undone = await run(`runs undo ${latest?.run}`);
  expect(named('ann@example.org')).toHaveLength(1);
  expect([undone.code, `${undone.stdout}${undone.stderr}`]).toEqual([9, expect.stringContaining('ann@example.org')]);
});
