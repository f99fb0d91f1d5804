/** What a killed run has left half done is not forgotten: neither by `runs close`, nor by another file for the same exam. */
import { expect, test } from 'vitest';
import { exam, office } from '../features/times/exams.ts';
import { killed } from '../runs/small-office.ts';
import { ada, bob, serviceWithExam } from '../support/algebra.ts';
import type { World } from '../support/run.ts';
import { lostAfter, lostBefore } from '../support/service.ts';
import { latest, names, roster } from '../support/story.ts';

const [nine, eleven, later] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z', '2027-03-22T10:15:00Z'];
const [own, ownLater] = ['2027-03-22T10:30:00Z', '2027-03-22T10:45:00Z'];

test('story 15: A delay that stands half done is named by `runs close`, and no other one begins before it is undone.', async () => {
  const it = office([exam(5, nine, eleven)], [{ exam_id: 5, close_time: own }]);
  const times = () => [it.service.exams[0]?.end_time, it.service.sessions[0]?.close_time];
  const delay = 'exams delay 5 --by 15m --yes';
  it.service.next('PATCH /student_sessions/100', lostBefore);
  const home = await killed(it.service, delay, { writes: 2, now: '2026-12-20T12:00:00Z', env: { PROCTOR_TIMEZONE: 'Europe/Vienna' } });
  expect(times()).toEqual([later, own]);
  const run = (await it.rows('runs list', { home }))[0]?.run;

  const closed = await it.run(`runs close ${run}`, { home });
  expect(closed.code, closed.stderr).toBe(9);
  expect(closed.stderr).toContain(`proctor-cli runs undo ${run}`);
  for (const line of [delay, `${delay} --again`]) {
    const { code, stderr } = await it.run(line, { home });
    expect([code, times()], stderr).toEqual([11, [later, own]]);
  }
  expect((await it.run(`runs undo ${run} --yes`, { home })).code).toBe(0);
  expect(times()).toEqual([eleven, own]);
  expect((await it.run(`${delay} --again`, { home })).code).toBe(0);
  expect(times()).toEqual([later, ownLater]);
});

/** An import of three lines that is killed once the first student is in the exam. */
async function begun() {
  const service = serviceWithExam();
  const line = 'sessions import - --exam 1 --yes';
  const home = await killed(service, line, roster('ann', 'bob', 'cy'));
  return { imports: (who: string) => service.run(line, { home, ...roster(...who.split(' ')) }), who: () => names(service) };
}

test('story 17: Another file for the exam of an import that was killed: who was in the first one, and is not there, is named.', async () => {
  for (const names of ['ann bob cy', 'dan ann bob cy']) {
    const same = await begun();
    const { code, stderr } = await same.imports(names);
    expect([code, same.who().split(' ').toSorted()], stderr).toEqual([0, names.split(' ').toSorted()]);
  }
  for (const [names, status, who] of [
    ['dan', 9, 'ann dan'],
    ['ann', 11, 'ann'],
  ] as const) {
    const other = await begun();
    const { code, stderr } = await other.imports(names);
    expect([code, other.who()], stderr).toEqual([status, who]);
    expect(stderr).toMatch(/\b2\b/);
    expect(stderr).toMatch(/bob@example\.org|lines? 3/);
  }
});

test('story 17: Whom another file with --update leaves out is named, too; a question names them before it is answered.', async () => {
  const update = 'sessions import - --exam 1 --update --map name=name';
  const renamed = (...who: string[]) => ({ stdin: `email,name\n${who.map((name) => `${name}@example.org,New\n`).join('')}` });
  const declined: World = { tty: true, answers: [false] };
  for (const [world, status] of [
    [{}, 9],
    [declined, 130],
  ] as const) {
    const service = serviceWithExam({ sessions: [ada, bob] });
    const home = await killed(service, `${update} --yes`, renamed('ada', 'bob', 'cy'));
    const line = status === 9 ? `${update} --yes` : update;
    const { code, stderr } = await service.run(line, { home, ...renamed('ada', 'dan'), ...world });
    expect([code, stderr]).toEqual([status, expect.stringMatching(/bob@example\.org.*cy@example\.org/)]);
  }
});

test('story 17: Whom the service stored under another address is not left out of the plan of the next import, which is complete.', async () => {
  let ann = 'anne@';
  const kept = (address: string) => address.replace(/\+[^@]*/, '').replace('ann@', ann);
  const service = serviceWithExam({ habits: { kept } });
  const stdin = 'email\nann@example.org\nbob+exam@example.org\ncy@example.org\n';
  const imports = 'sessions import - --exam 1 --yes';
  // The process ended before an answer came: the first student may be anyone.
  service.next('POST', lostAfter);
  const home = await killed(service, imports, { stdin });
  expect((await service.run(imports, { home, stdin })).code).toBe(10);
  ann = 'ann@';
  service.change('session', 100, { email: 'ann@example.org' });
  const { code, stderr } = await service.run(imports, { home, stdin });
  expect([code, service.sessions.length], stderr).toEqual([0, 3]);
});

test('A run that is closed names who was stored otherwise than sent.', async () => {
  const service = serviceWithExam({ showing: { dated: false, unseen: new Set([102]) } });
  service.fault = ({ method, body }) => {
    if (method === 'POST' && body.name === 'Eve') body.name = 'Eva';
    return undefined;
  };
  const stdin = 'email,name\neve@example.org,Eve\nfay@example.org,Fay\n';
  expect((await service.run('sessions import - --exam 1 --yes', { stdin })).code).toBe(10);
  const { code, stdout, stderr } = await service.run(`runs close ${await latest(service)} -o json`);
  expect([code, JSON.parse(stdout)]).toMatchObject([9, [{ email: 'fay@example.org' }, { session: 101, result: 'different' }]]);
  expect(stderr).toContain('proctor-cli sessions get 101');
});

test('A clone with students waits for the end of an import that was killed: half of its students would be copied.', async () => {
  const service = serviceWithExam({ sessions: [ada] });
  const importing = 'sessions import - --exam 1 --yes';
  const students = roster('zoe', 'yan');
  const home = await killed(service, importing, students);
  const clone = 'exams clone 1 --start 2127-03-01T08:00:00Z --with-students --yes';
  const { code, stderr } = await service.run(clone, { home });
  expect([code, service.exams.length, stderr], stderr).toEqual([11, 1, expect.stringContaining('runs close')]);
  expect((await service.run(importing, { home, ...students })).code).toBe(0);
  expect((await service.run(clone, { home })).code).toBe(0);
  expect(service.truth.inExam(service.exams.at(-1)?.id ?? 0).length).toBe(3);
});
