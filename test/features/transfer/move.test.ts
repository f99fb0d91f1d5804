/** sessions move: created there, proven by a read, deleted here; nobody is in two exams or in none without being named. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { exam, type Office, office } from '../times/exams.ts';

const [nine, eleven, noon] = ['2027-03-01T08:00:00Z', '2027-03-01T10:00:00Z', '2027-03-01T11:00:00Z'];

/** Exams 5 and 7 at the same time, 8 at another; in 5: two students (100, 101) and one who has started (102); in 7: the address of 101, in capitals (103). */
const four = () =>
  office(
    [exam(5, nine, eleven), exam(7, nine, eleven), exam(8, eleven, noon)],
    [
      { exam_id: 5, name: 'Ada', skip_requirements: true, close_time: '2027-03-01T10:30:00Z', open_time: '2027-03-01T08:10:00Z' },
      { exam_id: 5, status: 'mail_sent', open_time: '2027-03-01T09:00:00Z' },
      { exam_id: 5, status: 'exam_started' },
      { exam_id: 7, email: 'S2@Example.ORG' },
    ],
  );

/** The same without the student who has started: while one has, exam 5 is running, and nobody is taken out of it. */
async function waiting() {
  const it = await four();
  it.service.truth.remove('session', 102);
  return it;
}

/** The exams in which each address is. */
function where({ service }: Office): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const { email, exam_id } of service.sessions) {
    const key = String(email).toLowerCase();
    found[key] = [...(found[key] ?? []), exam_id];
  }
  return found;
}

const sent = ({ service }: Office) => service.requests().filter((request) => !request.startsWith('GET'));

describe('sessions move', () => {
  test('creates a student there with what goes along, reads it, and deletes here', async () => {
    const it = await four();
    const [row] = await it.rows('sessions move 100 --exam 7 --yes');
    expect(row).toEqual({ session: 100, email: 's1@example.org', from: 5, to: 7, as: 104, result: 'moved' });
    expect(it.service.requests().slice(-9)).toEqual([
      'POST /exams/7/student_sessions',
      'PATCH /student_sessions/104',
      'GET /student_sessions/104',
      'GET /student_sessions/100',
      'DELETE /student_sessions/100',
      // The proof.
      'GET /exams/7/student_sessions',
      'GET /exams/5/student_sessions',
      'GET /exams/7',
      'GET /exams/5',
    ]);
    expect(it.service.sessions.find(({ id }) => id === 104)).toMatchObject({
      email: 's1@example.org',
      name: 'Ada',
      skip_requirements: true,
      close_time: '2027-03-01T10:30:00Z',
      open_time: '2027-03-01T08:10:00Z',
      exam_id: 7,
      status: 'registered',
    });
    expect(where(it)['s1@example.org']).toEqual([7]);
  });

  test('carries skip_requirements over where the service shows it as 1', async () => {
    const it = await four();
    const first = it.service.fault;
    it.service.fault = (request) => {
      for (const student of it.service.sessions) if (student.skip_requirements === true) student.skip_requirements = 1;
      return first?.(request);
    };
    const [row] = await it.rows('sessions move 100 --exam 7 --yes');
    expect(row).toMatchObject({ as: 104, result: 'moved' });
    expect(it.service.sessions.find(({ id }) => id === 104)?.skip_requirements).toBe(1);
  });

  test('to an exam at another time does not carry the window over, and says so', async () => {
    const it = await waiting();
    const { stderr, questions, code } = await it.run('sessions move 100 101 --exam 8', { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Move 2 sessions \(100 s1@example.org, 101 s2@example.org\) of exam 5 \(Exam 5, .*\) to exam 8 \(Exam 8, .*\) at https:\S+ \(profile default\)\?$/,
      ),
    ]);
    expect(stderr).toContain('the times of sessions 100, 101 are not carried over, because exam 8 is at another time');
    expect(stderr).toContain('1 student mailed about the present exam will be registered in exam 8, without a mail about exam 8.');
    expect(it.service.sessions.find(({ id }) => id === 104)).toMatchObject({ open_time: null, close_time: null });
  });

  test('does not create a student whose address is there already, however it is written', async () => {
    const it = await four();
    const [row] = await it.rows('sessions move 101 --exam 7 --yes');
    expect(row).toMatchObject({ session: 101, as: 103, result: 'moved' });
    expect(sent(it)).toEqual(['DELETE /student_sessions/101']);
    expect(where(it)['s2@example.org']).toEqual([7]);
  });

  test.each([[null], [' '], [undefined]])('sends nothing to an exam whose students all have the address %j', async (email) => {
    const it = await four();
    const listed = { id: 103, exam_id: 7, status: 'registered', ...(email === undefined ? {} : { email }) };
    it.service.fault = ({ method, path }) =>
      method === 'GET' && path === '/exams/7/student_sessions' ? { answer: { status: 200, body: [listed] } } : undefined;
    const { code, stderr } = await it.run('sessions move 101 --exam 7 --yes');
    expect(code).toBe(8);
    expect(stderr).toContain('The list of exam 7 shows no addresses, so it is unknown which students are in it.');
    expect(sent(it)).toEqual([]);
  });

  test('refuses by name what has started, is there already or does not exist, and moves the others', async () => {
    const it = await four();
    const { code, stdout } = await it.run('sessions move 102 103 999 100 --exam 7 --yes -o json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout).map(({ session, result, problem }: Record<string, unknown>) => [session, result, problem])).toEqual([
      [100, 'moved', undefined],
      [102, 'failed', 'Session 102 is not moved: its student has started the exam.'],
      [103, 'failed', 'Session 103 is not moved: it is in exam 7 already.'],
      [999, 'failed', expect.stringContaining('999')],
    ]);
    expect(where(it)).toMatchObject({ 's3@example.org': [5], 's1@example.org': [7] });
  });

  test('is not confirmed by silence', async () => {
    const it = await four();
    expect((await it.run('sessions move 100 --exam 7')).code).toBe(2);
    expect((await it.run('sessions move 100 --exam 7', { tty: true, answers: [false] })).code).toBe(130);
    expect(sent(it)).toEqual([]);
  });

  test('takes no students out of an exam that is running, unless a reason is given', async () => {
    const it = await four();
    expect((await it.run('sessions move 100 101 --exam 7 --yes')).code).toBe(12);
    expect(sent(it)).toEqual([]);
    expect((await it.run('sessions move 100 101 --exam 7 --yes --during-exam Booked')).code).toBe(0);
    expect(where(it)).toMatchObject({ 's1@example.org': [7], 's2@example.org': [7] });
  });

  test('moves nobody in place of the student whom the question named', async () => {
    const it = await four();
    const during = async () => {
      Object.assign(it.service.sessions[0] ?? {}, { email: 'eve@example.org' });
      return true;
    };
    const { code, stderr, questions } = await it.run('sessions move 100 --exam 7', { tty: true, answers: [during, false] });
    expect(questions).toEqual([expect.stringContaining('s1@example.org'), expect.stringContaining('eve@example.org')]);
    expect(code).toBe(130);
    expect(stderr).toContain('(eve@example.org) has changed');
    expect(sent(it)).toEqual([]);
  });

  test('keeps a session that is given to another person after the creation, and does not say that the student is in both exams', async () => {
    const it = await four();
    it.service.onArrival = ({ method }) => {
      if (method === 'POST') Object.assign(it.service.sessions[0] ?? {}, { email: 'eve@example.org' });
    };
    const { code, stdout, stderr } = await it.run('sessions move 100 --exam 8 --yes -o csv');
    expect([code, stdout]).toEqual([9, expect.stringContaining('kept')]);
    expect(stderr).toContain('s1@example.org is in exam 8, as session 104. Session 100 of exam 5 was kept');
    expect(stderr).toContain('it now belongs to eve@example.org');
    expect(stderr).not.toMatch(/in both|sessions delete/);
  });

  test('keeps a student who starts between the creation and the deletion, and names both sessions', async () => {
    const it = await four();
    it.service.onArrival = ({ method }) => {
      if (method === 'POST') Object.assign(it.service.sessions[0] ?? {}, { status: 'exam_started' });
    };
    const { code, stdout, stderr } = await it.run('sessions move 100 --exam 8 --yes -o csv');
    expect(code).toBe(9);
    expect(stdout).toContain('in both');
    expect(stderr).toContain('s1@example.org is in both exams: session 100 in exam 5 and session 104 in exam 8.');
    expect(stderr).toContain('its status is now exam_started');
    expect(stderr).toContain('proctor-cli sessions delete 104');
    it.service.onArrival = () => {};
    const again = await it.run('sessions move 100 --exam 8 --yes');
    expect([again.code, it.service.posts()]).toEqual([3, 1]);
    expect(again.stderr).toContain('Session 100 is not moved: its student has started the exam.');
    expect((await it.rows('runs list')).map(({ state }) => state)).toEqual(['finished']);
  });

  test.each([
    ['given time', { close_time: '2027-03-01T11:30:00Z' }, 'close_time is now'],
    ['given to another student', { email: 'eve@example.org' }, 'it now belongs to eve@example.org'],
    ['put into another exam', { exam_id: 8 }, 'it now belongs to exam 8'],
  ])('keeps a session that was %s between the creation and the deletion', async (_, fields, why) => {
    const it = await four();
    it.service.onArrival = ({ method }) => {
      if (method === 'POST') Object.assign(it.service.sessions[0] ?? {}, fields);
    };
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code).toBe(9);
    expect(stderr).toContain(why);
    expect(it.service.sessions.find(({ id }) => id === 100)).toMatchObject(fields);
    expect(sent(it)).not.toContain('DELETE /student_sessions/100');
  });

  test('an exam that a colleague moves in the instant of the deletion is named', async () => {
    const it = await four();
    it.service.fault = ({ method }) => {
      if (method === 'DELETE') Object.assign(it.service.exams[0] ?? {}, { end_time: noon });
      return undefined;
    };
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code).not.toBe(0);
    expect(stderr).toContain('end_time is');
    expect(where(it)['s1@example.org']).toEqual([7]);
  });

  test('an undo deletes nobody who was moved, says so each time, and the students move back', async () => {
    const it = await four();
    await it.run('sessions move 100 --exam 7 --yes');
    const [{ run } = {}] = await it.rows('runs list');
    for (let time = 0; time < 2; time += 1) {
      const { code, stderr, stdout } = await it.run(`runs undo ${run} --yes -o json`);
      expect(code, stderr).toBe(11);
      expect(`${stdout}${stderr}`).toContain('its student was moved there: session 100 is deleted');
    }
    expect(where(it)['s1@example.org']).toEqual([7]);
    expect((await it.run('sessions move 104 --exam 5 --yes')).code).toBe(0);
    expect(where(it)['s1@example.org']).toEqual([5]);
  });

  test('an undo of a move that stopped half-way deletes the new session, and the student stays here', async () => {
    const it = await waiting();
    it.service.fault = ({ method }) => (method === 'DELETE' ? { answer: { status: 422 } } : undefined);
    expect((await it.run('sessions move 100 --exam 7 --yes')).code).toBe(9);
    it.service.fault = () => undefined;
    const [{ run } = {}] = await it.rows('runs list');
    const { code, stderr } = await it.run(`runs undo ${run} --yes`);
    expect(code, stderr).toBe(0);
    expect(where(it)['s1@example.org']).toEqual([5]);
  });
});

describe('A colleague between any two requests', () => {
  const acts: [string, (session: Record<string, unknown>, it: Office) => void][] = [
    ['starts the exam for the student', (session) => void Object.assign(session, { status: 'exam_started' })],
    ['gives the student time', (session) => void Object.assign(session, { close_time: '2027-03-01T11:15:00Z' })],
    ['gives the session to another student', (session) => void Object.assign(session, { email: 'eve@example.org' })],
    ['deletes the session', (session, it) => it.service.truth.remove('session', Number(session.id))],
    ['adds the student there as well', (_, it) => void it.service.add({ exam_id: 7, email: 'S1@example.org' })],
    ['deletes the new session', (_, it) => it.service.truth.remove('session', 104)],
  ];

  test.each(acts)('who %s costs nobody the exam, and no run ends well that did not', async (what, act) => {
    for (let at = 1, reached = true; reached; at += 1) {
      const it = await waiting();
      const session = it.service.sessions.find(({ id }) => id === 100);
      let [requests, acted, tooLate] = [0, false, false];
      it.service.fault = ({ method, path }) => {
        requests += 1;
        // What moves once both sessions have been read cannot be seen before the deletion: the proof names it.
        tooLate ||= method === 'DELETE' || (it.service.posts() > 0 && method === 'GET' && path.endsWith('/100'));
        if (requests === at && !tooLate) {
          if (session) act(session, it);
          acted = true;
        }
        return undefined;
      };
      const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
      it.service.fault = () => undefined;
      reached = acted;
      const students = it.service.sessions;
      const [here, there] = [
        students.find(({ id }) => id === 100),
        students.filter(({ exam_id, email }) => exam_id === 7 && String(email).toLowerCase() === 's1@example.org'),
      ];
      const about = `before request ${at}: ${stderr}`;
      // Whoever is in the session, with the time that was given, is there or here.
      const owner = String(session?.email).toLowerCase();
      const kept = here ? [here] : students.filter(({ exam_id, email }) => exam_id === 7 && String(email).toLowerCase() === owner);
      if (!what.startsWith('deletes the session'))
        expect(
          kept.map(({ close_time }) => close_time),
          about,
        ).toContain(session?.close_time);
      if (code === 0 && session?.email === 's1@example.org') expect([here, there.length], about).toEqual([undefined, 1]);
      expect(code, about).not.toBe(1);
      expect(it.service.posts(), about).toBeLessThanOrEqual(1);
    }
  });
});

describe('After a move that was stopped', () => {
  test('by an interrupt at any of its requests, the same command finishes it: each student is there once', async () => {
    const whole = await waiting();
    await whole.run('sessions move 100 101 --exam 7 --yes');
    const all = whole.service.requests().length;
    for (let at = 1; at <= all; at += 1) {
      const it = await waiting();
      const stop = new AbortController();
      let requests = 0;
      it.service.fault = () => {
        requests += 1;
        if (requests === at) stop.abort(new CliError('interrupted', 'Interrupted.'));
        return undefined;
      };
      const stopped = await it.run('sessions move 100 101 --exam 7 --yes', { interrupt: stop.signal });
      expect([0, 130], stopped.stderr).toContain(stopped.code);
      it.service.fault = () => undefined;
      const again = await it.run('sessions move 100 101 --exam 7 --yes');
      expect(again.code, `after ${at}: ${again.stderr}`).toBe(0);
      expect(where(it)).toEqual({ 's1@example.org': [7], 's2@example.org': [7] });
      expect((await it.rows('runs list')).every(({ state }) => state === 'finished')).toBe(true);
    }
  });

  test.each([
    ['the creation was refused', 'POST', { answer: { status: 401 } } as const, 4],
    ['the answer to the creation was lost', 'POST', { answer: 'lost' } as const, 0],
    ['the deletion was refused', 'DELETE', { answer: { status: 401 } } as const, 9],
    ['the answer to the deletion was lost', 'DELETE', { answer: 'lost' } as const, 0],
  ])('the same command ends it if %s; the student is there once', async (_, method, fault, status) => {
    const it = await waiting();
    it.service.fault = (request) => (request.method === method && request.count === 1 ? fault : undefined);
    expect((await it.run('sessions move 100 101 --exam 8 --yes')).code).toBe(status);
    it.service.fault = () => undefined;
    const again = await it.run('sessions move 100 101 --exam 8 --yes');
    expect(again.code, again.stderr).toBe(0);
    expect(where(it)).toMatchObject({ 's1@example.org': [8], 's2@example.org': [7, 8] });
    expect((await it.rows('runs list')).every(({ state }) => state === 'finished')).toBe(true);
    // And once more: nothing is left to do.
    const before = sent(it).length;
    expect((await it.rows('sessions move 100 101 --exam 8 --yes')).map(({ result }) => result)).toEqual(['moved before', 'moved before']);
    expect(sent(it)).toHaveLength(before);
  });

  test('the same command moves nobody who has got the session meanwhile', async () => {
    const it = await waiting();
    it.service.fault = ({ method }) => (method === 'DELETE' ? { answer: { status: 401 } } : undefined);
    expect((await it.run('sessions move 100 --exam 7 --yes')).code).toBe(9);
    it.service.fault = () => undefined;
    Object.assign(it.service.sessions[0] ?? {}, { email: 'eve@example.org' });
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('it now belongs to eve@example.org');
    expect(where(it)).toMatchObject({ 'eve@example.org': [5], 's1@example.org': [7] });
  });

  test.each([
    ['never came', false, 2],
    ['came after the last look', true, 1],
  ])(
    'a creation whose connection was cut and that %s is looked for by the same command, which finishes the move',
    async (_, late, posts) => {
      const it = await four();
      it.service.fault = ({ method }) => (method === 'POST' ? { answer: 'lost', done: 'never' } : undefined);
      const slept: number[] = [];
      const command = 'sessions move 100 --exam 8 --yes --timeout 1s';
      const first = await it.run(command, { onSleep: (time) => void slept.push(time) });
      expect(first.code).toBe(10);
      expect(first.stderr).toContain('s1@example.org may be in exam 8 as well as here');
      expect(slept.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(2000);
      expect([it.service.posts(), where(it)['s1@example.org']]).toEqual([1, [5]]);
      it.service.fault = () => undefined;
      if (late) it.service.add({ exam_id: 8, email: 's1@example.org', name: 'Ada', skip_requirements: true });
      const again = await it.run(command);
      expect([again.code, it.service.posts()], again.stderr).toEqual([0, posts]);
      expect(where(it)['s1@example.org']).toEqual([8]);
      expect((await it.rows('runs list')).every(({ state }) => state === 'finished')).toBe(true);
    },
  );

  test('a person is asked before a creation that was lost is sent again', async () => {
    const it = await four();
    it.service.fault = ({ method }) => (method === 'POST' ? { answer: 'lost', done: 'never' } : undefined);
    const command = 'sessions move 100 --exam 8 --timeout 1s';
    await it.run(command, { tty: true, answers: [true, false] });
    it.service.fault = () => undefined;
    const again = await it.run(command, { tty: true, answers: [true] });
    expect(again.questions).toEqual([expect.stringContaining('two reads do not show what they create. Send it again?')]);
    expect([again.code, it.service.posts()], again.stderr).toEqual([0, 2]);
  });
});

describe('Before anything is deleted', () => {
  const own = { open_time: '2027-03-01T08:15:00Z', close_time: '2027-03-01T10:30:00Z' };
  const groups = (...students: Record<string, unknown>[]) => office([exam(5, nine, eleven), exam(7, nine, eleven)], students);
  const deletions = (it: Office) => sent(it).filter((request) => request.startsWith('DELETE'));
  const named = (it: Office, id: number) => it.service.sessions.find((student) => student.id === id);

  test('a student who is there already gets the later end, and keeps the earlier start', async () => {
    const it = await groups({ exam_id: 5, ...own }, { exam_id: 7, email: 's1@example.org' });
    const planned = await it.rows('sessions move 100 --exam 7 --dry-run');
    expect(planned.map(({ method, body }) => [method, body ?? null])).toEqual([
      ['PATCH', { close_time: own.close_time }],
      ['DELETE', null],
    ]);
    expect((await it.rows('sessions move 100 --exam 7 --yes'))[0]).toMatchObject({ as: 101, result: 'moved' });
    expect(sent(it)).toEqual(['PATCH /student_sessions/101', 'DELETE /student_sessions/100']);
    expect(named(it, 101)).toMatchObject({ open_time: null, close_time: own.close_time });
  });

  test.each([
    ['an end later than that of the session that moves', { close_time: '2027-03-01T10:45:00Z' }, '2027-03-01T10:45:00Z'],
    ['an end before that of the exam, and the session that moves has none', { close_time: '2027-03-01T09:30:00Z' }, eleven],
  ])('a window there is never narrowed: %s', async (what, there, closes) => {
    const it = await groups({ exam_id: 5, ...(what.endsWith('none') ? {} : own) }, { exam_id: 7, email: 's1@example.org', ...there });
    expect((await it.run('sessions move 100 --exam 7 --yes')).code).toBe(0);
    expect(named(it, 101)).toMatchObject({ close_time: closes });
  });

  test('a student who has started there is kept in both exams, and what differs is named', async () => {
    const it = await groups({ exam_id: 5, ...own }, { exam_id: 7, email: 's1@example.org', status: 'exam_started' });
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code).toBe(7);
    expect(stderr).toContain('close_time is not 2027-03-01T10:30:00Z; it cannot be set, because its status is "exam_started"');
    expect(stderr).not.toContain('sessions delete');
    expect(sent(it)).toEqual([]);
  });

  test.each([
    ['close_time', { close_time: own.close_time }, 0],
    ['skip_requirements', { skip_requirements: true }, 7],
  ])(
    'a service that drops %s when it creates a session loses nothing: the student stays, and the same command goes on',
    async (field, fields, status) => {
      const it = await groups({ exam_id: 5, ...fields });
      it.service.fault = ({ method }) => {
        const created = it.service.sessions.find(({ exam_id }) => exam_id === 7);
        if (method === 'GET' && created && status !== 0) created[field] = null;
        return undefined;
      };
      const add = it.service.fault;
      it.service.fault = (request) => {
        if (request.method === 'POST') delete request.body[field];
        return add(request);
      };
      const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
      expect(code, stderr).toBe(9);
      expect(stderr).toMatch(new RegExp(`is in both exams.* differs from what was sent: ${field} is `));
      expect(deletions(it)).toEqual([]);
      const again = await it.run('sessions move 100 --exam 7 --yes');
      expect(again.code, again.stderr).toBe(status);
      if (status === 0) expect(named(it, 101)).toMatchObject(fields);
      else expect(again.stderr).toContain(`Session 101 differs from session 100: ${field} is not true`);
      expect(deletions(it)).toHaveLength(status === 0 ? 1 : 0);
    },
  );

  describe('the session there is seen whole', () => {
    /** The first read after a creation shows the session there with these fields. */
    const showing = (it: Office, fields: Record<string, unknown>) => {
      it.service.fault = ({ method }) => {
        const made = it.service.sessions.find(({ exam_id }) => exam_id === 7);
        if (method === 'GET' && made) Object.assign(made, fields);
        return undefined;
      };
    };

    test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
      ['has another name', { name: 'Ada' }, { name: 'Eve' }, 'name is "Eve", not "Ada"'],
      ['has no name', { name: 'Ada' }, { name: null }, 'name is not shown'],
      ['lacks a number', { matriculation_number: '0123' }, {}, 'matriculation_number is not shown'],
      ['has an empty number', { matriculation_number: 123 }, { matriculation_number: '' }, 'matriculation_number is not shown'],
    ])('where it %s, both are kept and named, until it has it', async (_what, fields, shown, why) => {
      const it = await groups({ exam_id: 5, ...fields });
      showing(it, shown);
      const { code, stdout, stderr } = await it.run('sessions move 100 --exam 7 --yes -o csv');
      expect([code, stdout], stderr).toEqual([9, expect.stringContaining('in both')]);
      expect(stderr).toContain('is in both exams: session 100 in exam 5 and session 101 in exam 7. Session 101 differs from session 100: ');
      expect(stderr).toContain(why);
      const again = await it.run('sessions move 100 --exam 7 --yes');
      expect(again).toMatchObject({ code: 7, stderr: expect.stringContaining(why) });
      expect([deletions(it), it.service.posts()]).toEqual([[], 1]);
      showing(it, fields);
      expect((await it.run('sessions move 100 --exam 7 --yes')).code).toBe(0);
      expect(deletions(it)).toEqual(['DELETE /student_sessions/100']);
    });

    test('and other values of its own are not held against it', async () => {
      const own = { created_at: '2026-12-01', level_of_suspicion: 2, notes: [], seat: null, vip: false };
      const it = await groups({ exam_id: 5, name: ' Ada', ...own });
      showing(it, { name: 'Ada', created_at: '2026-12-20', level_of_suspicion: null, vip: true });
      const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
      expect(code, stderr).toBe(0);
    });
  });

  test('a time that the service takes and does not keep is named, and the student stays', async () => {
    const it = await groups({ exam_id: 5, close_time: own.close_time });
    it.service.fault = ({ method, path }) => {
      const created = it.service.sessions.find(({ exam_id }) => exam_id === 7);
      if (method === 'GET' && path.endsWith('/101') && created) created.close_time = null;
      return undefined;
    };
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code).toBe(9);
    expect(stderr).toContain('close_time is null, not 2027-03-01 11:30 +01:00');
    expect(deletions(it)).toEqual([]);
  });

  test.each([
    ['the session of another student', { id: 101, email: 's2@example.org', exam_id: 7 }],
    ['a session that does not exist', { id: 990, email: 's1@example.org', exam_id: 7 }],
    ['the session that was to be moved', { id: 100, email: 's1@example.org', exam_id: 7 }],
  ])('an answer that names %s leaves the outcome unknown, and offers nothing for deletion', async (_, body) => {
    const it = await groups({ exam_id: 5 }, { exam_id: 7 });
    it.service.fault = ({ method }) => (method === 'POST' ? { answer: { status: 201, body } } : undefined);
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code, stderr).toBe(10);
    expect(stderr).not.toMatch(/in both|sessions delete/);
    expect(deletions(it)).toEqual([]);
  });

  test('a student whom the service stores under another spelling is moved once, and the spelling is said', async () => {
    const it = await groups({ exam_id: 5, email: 'a+one@example.org' });
    it.service.fault = ({ method, body }) => {
      if (method === 'POST') body.email = 'a@example.org';
      return undefined;
    };
    const { code, stderr } = await it.run('sessions move 100 --exam 7 --yes');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Stored as a@example.org.');
    expect((await it.rows('sessions move 100 --exam 7 --yes')).map(({ as, result }) => [as, result])).toEqual([[101, 'moved before']]);
    expect(it.service.posts()).toBe(1);
  });

  test('a refused session beside a moved one does not claim that nothing was sent', async () => {
    const it = await groups({ exam_id: 5 }, { exam_id: 5, email: 's1@example.org' });
    const { code, stderr } = await it.run('sessions move 100 101 --exam 7 --yes');
    expect(code).toBe(9);
    expect(stderr).toContain('1 of 2 moved, 1 failed');
    expect(stderr).not.toContain('nothing was sent');
  });
});
