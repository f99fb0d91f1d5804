/** What the service confirmed is never sent again, whatever a listing shows; and every place tells the same of each row. */
import { describe, expect, test } from 'vitest';
import { lineStateNames } from '../../../../src/model/line-states.ts';
import type { Said } from '../../../support/service.ts';
import { type Exam, exam, type Imported, lastRun, one, showing, states, three } from './importing.ts';

const numbered = (rows: number) =>
  `email,name\n${Array.from({ length: rows }, (_, at) => `s${at + 1}@example.org,S${at + 1}`).join('\n')}\n`;

/** The states of a report add up to the lines of the file, and the run has a step that is done for each line that it created. */
async function expectOneTruth(made: Exam, { report }: Imported) {
  const sum = lineStateNames.reduce((total, name) => total + Number(report[name]), 0);
  expect(sum).toBe(report.lines);
  const last = await lastRun(made);
  if (report.run !== null) expect(last).toMatchObject({ run: report.run });
}

describe('A listing that lags', () => {
  test('is taken again until it shows what the service has confirmed.', async () => {
    const made = exam({ showing: { lag: 4000 } });
    const ended = await made.imports(three);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(ended.stderr).toMatch(/Verified/);
    await expectOneTruth(made, ended);
    expect(states(await made.imports(three))).toEqual({ unchanged: 3 });
    expect(made.service.posts()).toBe(3);
  });

  test('for longer than the wait fails the import; no line is sent again.', async () => {
    const made = exam({ showing: { lag: 600_000 } });
    const ended = await made.imports(three, '--resend-absent');
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 3 });
    expect(ended.report.verified).toBe(false);
    const { message } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error;
    expect(message).toMatch(/^The list of exam 6 is incomplete: it lacks session 100, which the service shows by its ID\./);
    // This run sends nothing.
    expect((await made.imports(three, '--resend-absent')).code).toBe(8);
    await made.service.clock.pass(600_000);
    expect(states(await made.imports(three))).toEqual({ unchanged: 3 });
    expect(made.service.posts()).toBe(3);
  });
});

test.each(['', '--resend-absent'])('A listing that is cut stops the run; the same command sends no row again. %s', async (args) => {
  const made = exam({ showing: { cut: 3 } });
  for (let time = 1; time <= 3; time += 1) {
    const ended = await made.imports(numbered(5), args);
    expect(ended.code).toBe(time === 1 ? 9 : 8);
    expect(ended.stderr).toContain('The list of exam 6 is incomplete');
    expect(made.service.sessions).toHaveLength(5);
  }
});

test('A listing that shows another address than was sent leaves the student different, each time and whatever is accepted, and no row is sent again.', async () => {
  const made = exam({ showing: showing({ listed: (email) => `student.${email}` }) });
  for (let time = 1; time <= 3; time += 1) {
    const ended = await made.imports(three);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ different: 3 });
  }
  expect((await made.imports(three, '--accept-different')).code).toBe(9);
  expect(made.service.posts()).toBe(3);
});

test('Lines without an address are added again by another import, and by no import that is resumed.', async () => {
  const roster = 'email,name\n,Ann\nbob@example.org,Bob\n,Cy\n';
  const made = exam();
  made.posts({ 3: { answer: { status: 401 } } });
  expect(states(await made.imports(roster, '--allow-no-email --concurrency 1'))).toEqual({ created: 2, not_sent: 1 });
  made.posts({});
  expect(states(await made.imports(roster, '--allow-no-email'))).toEqual({ created: 3 });
  expect(made.service.sessions).toHaveLength(3);
  expect(states(await made.imports(roster, '--allow-no-email'))).toEqual({ created: 2, unchanged: 1 });
  expect(made.service.sessions).toHaveLength(5);
});

describe('A listing without addresses', () => {
  test('of an exam whose students no run of this machine has registered stops the import.', async () => {
    const made = exam({ showing: showing({ listed: () => null }) });
    await made.imports(three);
    const elsewhere = await made.imports(three, '', { env: { PROCTOR_STATE_DIR: `${made.home}/another` } });
    expect(elsewhere.code).toBe(3);
    expect(elsewhere.stderr).toContain('shows no address of 3 students');
    expect(made.service.posts()).toBe(3);
  });
});

describe.each([
  ['lower case', (email: string) => email.toLowerCase(), 'Ada@Example.org', 'ada@example.org'],
  ['another Unicode form', (email: string) => email.normalize('NFD'), 'ren\u00e9@example.org', 'rene\u0301@example.org'],
])('A service that keeps addresses in %s', (_, stored, email, kept) => {
  const roster = `email,name\n${email},A\nbob@example.org,B\n`;

  test('has the students of the file: it is told how they are stored, and that counts as done.', async () => {
    const made = exam({ habits: { kept: stored } });
    const ended = await made.imports(roster);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2 });
    expect(ended.report.stored_as).toEqual([{ line: 2, email, stored: kept }]);
    const again = await made.imports(roster, '-o table');
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`line 2, ${email}: stored as ${kept}.`);
    expect(made.service.posts()).toBe(2);
  });

  test('has the student that a request without an answer created.', async () => {
    const made = exam({ habits: { kept: stored } });
    made.posts({ 1: { answer: 'lost', done: 'now' } });
    const ended = await made.imports(roster, '--concurrency 1 --resend-absent');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2 });
    expect(made.service.posts()).toBe(2);
  });
});

test('A student whom the service confirmed but no longer has is changed; the next import, which sees that the session is gone, creates the student again.', async () => {
  const made = exam();
  let removed = false;
  made.service.fault = ({ method }) => {
    if (method === 'GET' && made.service.posts() === 3 && !removed) {
      made.service.truth.remove('session', 101);
      removed = true;
    }
    return undefined;
  };
  const ended = await made.imports(three, '--concurrency 1');
  expect(ended.code).toBe(9);
  expect(states(ended)).toEqual({ created: 2, changed: 1 });
  await expectOneTruth(made, ended);
  expect(states(await made.imports(three))).toEqual({ created: 1, unchanged: 2 });
  expect(made.service.posts()).toBe(4);
  expect(made.service.sessions).toHaveLength(3);
});

describe('A service that does not take a field', () => {
  const roster = 'email,close_time\nann@example.org,2027-01-10T12:00:00Z\nbob@example.org,\n';
  const keeps = (made: Exam) => {
    made.service.fault = ({ method, body }) => {
      if (method === 'POST' || method === 'PATCH') delete body.close_time;
      if (method === 'POST') body.close_time = '2027-01-10T11:00:00Z';
      return undefined;
    };
  };

  test('leaves the student different, each time, with 9; --accept-different keeps that.', async () => {
    const made = exam();
    keeps(made);
    for (const args of ['', '', '--update', '--update']) {
      const ended = await made.imports(roster, args);
      expect(ended.code).toBe(9);
      expect(Number(ended.report.different)).toBe(1);
      expect(ended.report.verified).toBe(false);
      expect(ended.report.problems).toMatchObject([{ line: 2, state: 'different', reason: expect.stringContaining('close_time is') }]);
      expect(ended.stderr).not.toContain('Verified');
    }
    await expectOneTruth(made, await made.imports(roster, '--update'));
    expect(made.service.posts()).toBe(2);
    const accepted = await made.imports(roster, '--accept-different');
    expect(accepted.code).toBe(0);
    expect(states(accepted)).toEqual({ unchanged: 1, different: 1 });
  });

  test.each(['--map seat=Seat', '--map seat:=Seat'])('that a column fills is compared as well: %s.', async (map) => {
    const made = exam();
    expect((await made.imports('email,Seat\nann@example.org,12\n', map)).code).toBe(0);
    const moved = 'email,Seat\nann@example.org,13\n';
    const other = await made.imports(moved, map);
    expect({ code: other.code, states: states(other) }).toEqual({ code: 9, states: { different: 1 } });
    expect(states(await made.imports(moved, `${map} --update`))).toEqual({ updated: 1 });
    expect(made.service.sessions).toMatchObject([{ seat: map.includes(':') ? 13 : '13' }]);
    expect(states(await made.imports(moved, map))).toEqual({ unchanged: 1 });
  });

  test('that a listing does not show is named, because nothing proves it.', async () => {
    const made = exam({ showing: showing({ hidden: ['close_time', 'seat'] }) });
    const roster = 'email,name,Seat,close_time\nann@example.org,Ann,12,2027-01-10T12:00:00Z\n';
    for (let time = 1; time <= 2; time += 1) {
      const ended = await made.imports(roster, '--map seat=Seat -o table');
      expect(ended.code).toBe(0);
      expect(ended.stderr).toContain(
        'The list of exam 6 does not show close_time, seat, so it is unknown whether the service has them as in the file.',
      );
    }
    expect((await made.imports(roster, '--map seat=Seat')).report.not_shown).toEqual(['close_time', 'seat']);
  });

  test('that --update does not change is told without the advice to update.', async () => {
    const made = exam();
    made.service.add({ email: 'ann@example.org', skip_requirements: false });
    const roster = 'email,skip_requirements\nann@example.org,true\n';
    const hint = async (args: string) => JSON.parse((await made.imports(roster, args)).stderr.trim().split('\n').at(-1) ?? '').error.hint;
    expect(await hint('')).toContain('--update');
    expect(await hint('--update')).toMatch(/^The service did not change what the lines above name\..*--accept-different/);
  });

  test('that no update can set is different, and said not to be changeable.', async () => {
    const made = exam();
    made.service.add({ email: 'ann@example.org', skip_requirements: false });
    const ended = await made.imports('email,skip_requirements\nann@example.org,true\n', '--update');
    expect(ended.code).toBe(9);
    expect(ended.report.problems[0]?.reason).toContain('skip_requirements cannot be changed');
  });
});

describe('The states of all rows', () => {
  test('are the same in the report and in the list, for a file with rows of every kind.', async () => {
    const made = exam();
    const roster = `email,role\n${Array.from({ length: 40 }, (_, at) => `s${at}@example.org,${at % 9 === 0 ? 'teacher' : 'student'}`).join('\n')}\nnobody,student\n`;
    for (let at = 1; at < 40; at += 7) made.service.add({ email: `s${at}@example.org` });
    made.service.fault = ({ method, count }) => {
      if (method !== 'POST') return undefined;
      if (count === 3) return { answer: { status: 422 } };
      return count === 5 ? { answer: 'lost', done: 'never' } : undefined;
    };
    const ended = await made.imports(roster, '--skip-invalid --only role=student');
    expect(ended.report).toMatchObject({ lines: 41, left_out: 5, invalid: 1, rejected: 1, absent: 1 });
    await expectOneTruth(made, ended);
  });

  test('count students whose PATCH is still to come as created, with their open_time open.', async () => {
    const made = exam();
    made.service.fault = ({ method }) => (method === 'PATCH' ? { answer: { status: 401 } } : undefined);
    const ended = await made.imports('email,open_time\nann@example.org,2027-01-10T09:00:00Z\nbob@example.org,\n', '--concurrency 1');
    expect(ended.report).toMatchObject({ created: 1, open_time_open: 1, not_sent: 1, verified: false });
    await expectOneTruth(made, ended);
  });
});

describe('A 201 without a body', () => {
  const every = (answer: 'empty' | 'located' | Said) => (made: Exam) => {
    made.service.fault = ({ method }) => (method === 'POST' ? { answer, done: 'now' } : undefined);
  };
  const opening = `email,open_time\n${Array.from({ length: 25 }, (_, at) => `s${at}@example.org,${at % 2 ? '' : '2027-01-10T09:00:00Z'}`).join('\n')}\n`;

  test('and with a Location tells the session there.', async () => {
    const made = exam();
    every('located')(made);
    const ended = await made.imports(opening);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 25 });
    expect(made.service.posts()).toBe(25);
    expect(made.service.sessions.filter(({ open_time }) => open_time !== null)).toHaveLength(13);
    // One to plan with, one after the first eight, and one to prove.
    expect(made.service.requests().filter((line) => line === 'GET /exams/6/student_sessions')).toHaveLength(3);
  });

  test('and without a Location is done, its session found by one listing for all rows.', async () => {
    const made = exam();
    every('empty')(made);
    const ended = await made.imports(opening);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 25 });
    expect(made.service.posts()).toBe(25);
    expect(made.service.sessions.filter(({ open_time }) => open_time !== null)).toHaveLength(13);
    expect(made.service.requests().filter((line) => line === 'GET /exams/6/student_sessions').length).toBeLessThanOrEqual(3);
  });

  test('with a body without an ID is never sent again, whatever the listing shows.', async () => {
    const made = exam({ showing: { lag: 3_600_000 } });
    every({ status: 201, body: {} })(made);
    for (const args of ['', '--resend-absent']) {
      const ended = await made.imports(three, args);
      expect([ended.code, states(ended)]).toEqual([10, { unknown: 3 }]);
    }
    expect(made.service.posts()).toBe(3);
    await made.service.clock.pass(3_600_000);
    expect(states(await made.imports(three))).toEqual({ created: 3 });
    expect(made.service.posts()).toBe(3);
  });
});

test('A listing that the service refuses for too many requests is waited for.', async () => {
  const made = exam();
  made.service.fault = ({ method, path, count }) =>
    method === 'GET' && path.endsWith('/student_sessions') && count % 8 !== 0
      ? { answer: { status: 429, headers: count % 2 ? { 'retry-after': '1' } : {} } }
      : undefined;
  const ended = await made.imports(three);
  expect(ended.code).toBe(0);
  expect(states(ended)).toEqual({ created: 3 });
});

test('A listing at the end that lacks a student who was there before is waited for, and does not make the line changed.', async () => {
  const { service, imports } = exam();
  const ann = service.add({ email: 'ann@example.org', name: 'Ann' });
  let listings = 0;
  const lacking = (from: number, to: number) => {
    listings = 0;
    service.fault = ({ method, path }) => {
      if (method !== 'GET' || path !== '/exams/6/student_sessions') return undefined;
      listings += 1;
      if (listings < from || listings > to) return undefined;
      return { answer: { status: 200, body: service.sessions.filter(({ id }) => id !== ann.id) } };
    };
  };
  lacking(2, 3);
  expect(states(await imports(`${one}bob@example.org,Bob\n`))).toEqual({ created: 1, unchanged: 1 });
  lacking(2, 1000);
  const ended = await imports(three);
  expect(ended.code).toBe(9);
  expect(ended.stderr).toContain(`it lacks session ${ann.id}, which the service shows by its ID.`);
  expect(states(ended)).toEqual({ created: 1, unchanged: 2 });
});

test('A student whom another client deletes during the import is changed.', async () => {
  const { service, imports } = exam();
  const ann = service.add({ email: 'ann@example.org', name: 'Ann' });
  service.onArrival = ({ method }) => {
    if (method === 'POST') service.truth.remove('session', ann.id);
  };
  const ended = await imports(`${one}bob@example.org,Bob\n`);
  expect(ended.code).toBe(9);
  expect(states(ended)).toEqual({ created: 1, changed: 1 });
});
