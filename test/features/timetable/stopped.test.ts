/** `exams apply` that is stopped, or loses answers: the same command ends right, and each exam and each student is there exactly once. */
import { describe, expect, test } from 'vitest';
import { interruption } from '../../runs/small-office.ts';
import { ignored, lostAfter, lostBefore, refused } from '../../support/service.ts';
import { at, header, type Office, office } from './office.ts';

const columns = `id,${header},proctors,roster`;

/** Two exams are new, one moves with its students and changes its pool. */
function term(): Office {
  const made = office({ exams: [at(6, 'Logic', '02-15T09:00')], pools: { 6: [1, 2] } });
  const window = { open_time: '2027-02-15T09:10:00Z', close_time: '2027-02-15T11:30:00Z' };
  for (const name of ['kim', 'lea', 'mo']) made.service.add({ email: `${name}@example.org`, name, ...window });
  const [algebra, analysis] = [',Algebra,2027-02-08,10:00,12:00,1;2,a.csv', ',Analysis,2027-02-09,14:00,16:00,3,'];
  made.timetable(columns, algebra, analysis, '6,Logic,2027-02-16,11:00,13:00,3,l.csv');
  made.file('a.csv', 'email,open_time\nada@example.org,2027-02-08 10:15\nbob@example.org,2027-02-08 10:15\n');
  made.roster('l.csv', 'kim', 'lea', 'mo', 'nell');
  return made;
}

function isAsItShouldBe({ service, exams, pool, students, idOf }: Office) {
  expect(exams()).toEqual(['Algebra 02-08T09:00 02-08T11:00', 'Analysis 02-09T13:00 02-09T15:00', 'Logic 02-16T10:00 02-16T12:00']);
  expect(['Algebra', 'Analysis', 'Logic'].map((name) => pool(idOf(name)))).toEqual([[1, 2], [3], [3]]);
  expect(students(idOf('Algebra'))).toEqual(['ada 02-08T09:15 none', 'bob 02-08T09:15 none']);
  const moved = ['kim', 'lea', 'mo'].map((name) => `${name} 02-16T10:10 02-16T12:30`);
  expect([students(6), service.sessions.length]).toEqual([[...moved, 'nell none none'], 6]);
}

/** Interrupted once the n-th request has been answered; or as the n-th write arrives, whose answer is lost on the way. */
async function stoppedAt({ service, apply }: Office, n: number, how: 'lost' | 'answered' | 'never done') {
  const stop = new AbortController();
  const end = () => stop.abort(interruption);
  const isIt = () => (how === 'answered' ? service.arrived : service.written()).length >= n;
  service.fault = ({ method }) => {
    if (how === 'answered' || method === 'GET' || !isIt()) return undefined;
    end();
    return how === 'lost' ? lostAfter : lostBefore;
  };
  service.onAnswer = () => void (how === 'answered' && isIt() && end());
  const ran = await apply('', { interrupt: stop.signal });
  service.fault = () => undefined;
  service.onAnswer = () => {};
  return ran;
}

describe.each(['answered', 'lost', 'never done'] as const)('Stopped at its n-th request or write, which is %s', (how) => {
  test('for every n, or every second one of many: the same command ends right, and applied once more it sends nothing', async () => {
    for (let n = 1; ; n += how === 'answered' ? 2 : 1) {
      const made = term();
      const first = await stoppedAt(made, n, how);
      if (first.code === 0) return expect(n).toBeGreaterThan(how === 'answered' ? 30 : 12);
      expect(first.code, `${n}: ${first.stderr}`).toBe(130);
      const again = await made.apply();
      expect(again.code, `${n}: ${again.stderr}`).toBe(0);
      isAsItShouldBe(made);
      const last = await made.apply();
      expect([last.code, last.sent], `${n}: ${last.stderr}`).toEqual([0, []]);
    }
  });
});

describe('exams apply', () => {
  test('finds the exam of a create whose answer was lost, and fills it', async () => {
    const made = term();
    made.service.next('POST /exams', lostAfter);
    const { code, stderr } = await made.apply();
    expect(code, stderr).toBe(0);
    isAsItShouldBe(made);
  });

  // The first one has students, who are not created either.
  test.each([
    ['Algebra', ['2 unknown', '3 create', '4 update'], ['2 unknown', '3 unchanged', '4 unchanged']],
    ['Analysis', ['2 create', '3 unknown', '4 update'], ['2 unchanged', '3 unknown', '4 unchanged']],
  ])('ends with 10 where no read shows %s, goes on with the others, and creates it once its run is closed', async (name, once, twice) => {
    const made = term();
    made.service.fault = ({ body }) => (body.name === name ? ignored : undefined);
    const first = await made.apply();
    expect([first.code, first.actions], first.stderr).toEqual([10, once]);
    const second = await made.apply();
    expect([second.code, second.sent, second.actions], second.stderr).toEqual([10, [], twice]);
    const [, run = ''] = /runs close (\S+)/.exec(second.error?.hint ?? '') ?? [];
    made.service.fault = () => undefined;
    await made.service.run(`runs close ${run}`);
    const last = await made.apply();
    expect(last.code, last.stderr).toBe(0);
    isAsItShouldBe(made);
  });

  test('keeps the other exams where the service rejects one, and tries only that again', async () => {
    const made = term();
    made.service.fault = ({ body }) => (body.name === 'Analysis' ? refused(400, { message: 'no room' }) : undefined);
    const first = await made.apply();
    expect([first.code, first.actions]).toEqual([9, ['2 create', '3 failed', '4 update']]);
    expect(first.rows[1]?.reason).toContain('no room');
    made.service.fault = () => undefined;
    const second = await made.apply();
    expect([second.code, second.sent], second.stderr).toEqual([0, ['POST /exams', `POST /exams/${made.idOf('Analysis')}/proctor_pool`]]);
    isAsItShouldBe(made);
  });

  test('that has changed the times of an exam in part is finished first: its students are not moved twice', async () => {
    const made = term();
    made.service.fault = ({ line }) => (line === 'PATCH /student_sessions/101' ? refused(422, { message: 'no' }) : undefined);
    const first = await made.apply();
    expect([first.code, first.actions[2]], first.stderr).toEqual([9, '4 failed']);
    made.service.fault = () => undefined;
    const second = await made.apply();
    const [, run = ''] = /runs resume (\S+?);/.exec(second.error?.hint ?? '') ?? [];
    expect([second.code, second.sent, second.error?.code], second.stderr).toEqual([11, [], 'unfinished']);
    const resumed = await made.service.run(`runs resume ${run} --yes`);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect((await made.apply()).code).toBe(0);
    isAsItShouldBe(made);
  });

  test('that was stopped is named by another timetable, and each ends right when it is applied', async () => {
    for (let n = 1; n < 20; n += 3) {
      const made = term();
      await stoppedAt(made, n, 'answered');
      const other = made.file('other.csv', `${header},proctors\nSets,2027-03-01,09:00,10:00,2\n`);
      const between = await made.run(`exams apply ${other}`);
      // Once something of the first one was written, what is left of it is named.
      expect([between.code, between.actions], `${n}: ${between.stderr}`).toEqual([n < 7 ? 0 : 9, ['2 create']]);
      if (n >= 7) expect(between.stderr).toContain('ada@example.org');
      const again = await made.apply();
      expect(again.code, `${n}: ${again.stderr}`).toBe(0);
      expect(made.pool(made.idOf('Sets'))).toEqual([2]);
      made.service.truth.exams.delete(made.idOf('Sets'));
      isAsItShouldBe(made);
    }
  });
});
