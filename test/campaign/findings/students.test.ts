/**
 * Findings 1 to 5, 9 of an attack on the program: an ID that another person has got, another spelling of an address, an edited
 * roster, a student between two pages, two importers. Each is judged by what the service holds and by the exit status.
 */
import { expect, test } from 'vitest';
import type { Reply } from '../../support/service.ts';
import { begins, minute, stage } from '../story/stage.ts';

const roster = (...names: string[]) => `email,name\n${names.map((name) => `${name}@example.org,${name}\n`).join('')}`;
const opening = `email,name,open_time\nann@example.org,Ann,${begins}\n`;
const lost: Reply = { answer: 'lost' };
const failed: Reply = { answer: { status: 500 } };

test('1: a session given to another person between two runs keeps what is theirs', async () => {
  const { service, machine, clock, run, named } = await stage();
  const file = machine.file('roster.csv', opening);
  service.fault = ({ method }) => (method === 'PATCH' ? failed : undefined);
  const first = await run(`sessions import ${file} --exam 6`);
  expect(first.code).not.toBe(0);
  const [ann] = named('ann@example.org');
  service.truth.change('session', ann?.id ?? 0, { email: 'stranger@example.org', name: 'Stranger' });
  const theirs = structuredClone(named('stranger@example.org'));
  service.fault = () => undefined;
  await clock.pass(10 * minute);
  const second = await run(`sessions import ${file} --exam 6`);
  expect(named('stranger@example.org')).toEqual(theirs);
  expect(second.code).not.toBe(1);
  expect(named('ann@example.org').length).toBeLessThan(2);
  if (second.code === 0) expect(named('ann@example.org')).toMatchObject([{ open_time: begins }]);
});

test('1: an ID that is used again for another student proves nobody', async () => {
  const { service, machine, clock, run, named } = await stage({ habits: { reuses: true } });
  const file = machine.file('roster.csv', opening);
  service.fault = ({ method }) => (method === 'PATCH' ? failed : undefined);
  await run(`sessions import ${file} --exam 6`);
  service.truth.remove('session', named('ann@example.org')[0]?.id ?? 0);
  service.truth.createSession(6, { email: 'bob@example.org', name: 'Bob' });
  service.fault = () => undefined;
  await clock.pass(10 * minute);
  for (let times = 0; times < 2; times += 1) {
    const again = await run(`sessions import ${file} --exam 6`);
    expect(again.code).not.toBe(1);
    expect(named('bob@example.org')).toMatchObject([{ name: 'Bob', open_time: null }]);
    if (again.code === 0) expect(named('ann@example.org')).toMatchObject([{ open_time: begins }]);
  }
});

test.each([
  ['x+tag@example.org', (address: string) => address.replace(/\+[^@]*/, '')],
  ['eva@exämple.org', (address: string) => address.replace('exämple', 'xn--exmple-cua')],
])('2: %s, which the service spells in another way, is registered once, however often it is resent', async (address, kept) => {
  const { service, machine, clock, run } = await stage({ habits: { kept } });
  const file = machine.file('roster.csv', `email,name\n${address},Eva\n`);
  const codes: (number | null)[] = [];
  for (const args of ['', '', ' --resend-absent', ' --resend-absent']) {
    codes.push((await run(`sessions import ${file} --exam 6${args}`)).code);
    await clock.pass(10 * minute);
  }
  expect(service.truth.inExam(6)).toHaveLength(1);
  expect(codes).toEqual([0, 0, 0, 0]);
});

test('3: an edited roster does not send again what may have been done, even if the list is cut', async () => {
  const { service, machine, clock, run, named } = await stage({ showing: { cut: 2 } });
  const file = machine.file('roster.csv', roster('ann', 'bob', 'cy', 'dan'));
  service.fault = ({ method, body }) => (method === 'POST' && body.email === 'dan@example.org' ? lost : undefined);
  expect((await run(`sessions import ${file} --exam 6`)).code).not.toBe(0);
  machine.file('roster.csv', roster('ann', 'bob', 'cy', 'dan', 'eve'));
  service.fault = () => undefined;
  for (let times = 0; times < 2; times += 1) {
    await clock.pass(10 * minute);
    await run(`sessions import ${file} --exam 6`);
    for (const name of ['ann', 'bob', 'cy', 'dan', 'eve']) expect(named(`${name}@example.org`).length).toBeLessThan(2);
  }
  const writes = service.writes().length;
  expect((await run(`sessions import ${file} --exam 6 --start-over`)).code).toBe(2);
  expect(service.writes()).toHaveLength(writes);
});

test('5: a student at the border of two pages, between which another client deletes, is not registered again', async () => {
  const { service, machine, run, students, named } = await stage({ showing: { pageSize: 2 } });
  students('ann', 'bob', 'cy', 'dan');
  const file = machine.file('roster.csv', roster('cy', 'eve'));
  service.onAnswer = ({ method, path, query }) => {
    if (method !== 'GET' || !path.endsWith('/student_sessions') || query.get('page') !== '2') return;
    const [ann] = named('ann@example.org');
    if (ann) service.truth.remove('session', ann.id);
  };
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(0);
  expect(named('cy@example.org')).toHaveLength(1);
  expect(named('eve@example.org')).toHaveLength(1);
});

test('9: of two importers that share nothing one notices the other before most of the roster is there twice', async () => {
  const { service, machine, another, students, named } = await stage();
  students('zoe');
  const names = Array.from({ length: 60 }, (_, at) => `student${at}`);
  service.fault = () => ({ takes: 40 });
  const runs = [machine, another()].map((one) => {
    const file = one.file('roster.csv', roster(...names));
    return one.run(['sessions', 'import', file, '--exam', '6', '--yes', '--no-input', '--concurrency', '4']);
  });
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  const doubled = names.filter((name) => named(`${name}@example.org`).length > 1);
  expect(doubled.length).toBeLessThan(25);
  if (doubled.length > 0) expect(Math.max(...codes.map(Number))).toBeGreaterThan(0);
});
