/** Two things in one command: a fault and a colleague, a kill and a colleague, an undo and its own undo. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { killed } from '../runs/small-office.ts';
import { ada, bob } from '../support/algebra.ts';
import { lostAfter, refused, type Service } from '../support/service.ts';
import { latest, minuteLater, where } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { done, office, undo, window } from './attacked-office.ts';

const both = () => office({ sessions: [ada, bob].map((student) => ({ ...student, ...window })) });
const of = (service: Service, id: number) => service.sessions.find((session) => session.id === id);
const closes = (service: Service) => service.sessions.map(({ close_time }) => close_time?.slice(11, 16)).join(' ');

describe('An undo', () => {
  test('names whom a colleague has registered in the place of a student from here, and prints no command that deletes them', async () => {
    const { service } = await done(office({ sessions: [] }), 'sessions create --exam 1 --email zoe@example.org');
    service.truth.remove('session', 101);
    service.truth.createSession(1, { email: 'zoe@example.org' });
    const { stderr } = await undo(service, 11, 'the student is in exam 1 again, as session 102');
    expect(stderr).not.toContain('sessions delete');
  });

  test('of a move beside which a colleague has registered a student takes back that student alone', async () => {
    const { service } = await done(both(), 'sessions move 7 8 --exam 2 --yes');
    service.onAnswer = ({ line }) => {
      if (line === 'DELETE /student_sessions/101') service.truth.createSession(1, { email: ada.email });
    };
    const { stderr } = await undo(service, 9);
    service.onAnswer = () => {};
    const [, printed = ''] = /proctor-cli (runs undo \S+)/.exec(stderr.slice(stderr.indexOf('hint:'))) ?? [];
    await done(service, `${printed} --yes`, 9);
    expect(where(service).split(', ').sort()).toEqual(['ada 1', 'ada 2', 'bob 1']);
  });

  test('beside which a colleague deletes the session that stays prints the command that registers the student with all that it showed', async () => {
    const service = both();
    service.onAnswer = ({ line }) => {
      if (line === 'POST /exams/2/student_sessions') service.change('session', 7, { status: 'exam_started' });
      if (line === 'DELETE /student_sessions/101') service.truth.remove('session', 7);
    };
    await done(service, 'sessions move 7 --exam 2 --yes', 9);
    const { stderr } = await undo(service, 9, 'Exam 1 no longer shows ada@example.org exactly once');
    const [, printed = ''] = /proctor-cli (sessions create .*)$/m.exec(stderr) ?? [];
    await done(service, printed);
    expect(of(service, 102)).toMatchObject({ exam_id: 1, email: ada.email, name: ada.name, close_time: window.close_time });
  });

  test('of an undo names no window once more that the run itself had named', async () => {
    const service = both();
    service.next('PATCH /exams/1', { takes: 3_000 });
    service.onArrival = ({ line }) =>
      void (line === 'PATCH /exams/1' && service.change('session', 7, { close_time: '2127-02-01T10:37:00Z' }));
    expect((await done(service, 'exams delay 1 --by 15m --yes', 9)).stderr).toMatch(/session 7/i);
    service.onArrival = () => {};
    await undo(service);
    await undo(service);
    expect(closes(service)).toBe('10:37 10:45');
  });

  test('that was taken back in part is no undo of that part: whom it has moved is named, and not called undone', async () => {
    const { service } = await done(both(), 'sessions move 7 8 --exam 2 --yes');
    const line = `runs undo ${await latest(service)} --yes`;
    await done(service, line);
    const back = service.sessions.find(({ email }) => email === ada.email);
    service.change('session', Number(back?.id), { close_time: '2127-02-01T10:45:00Z' });
    await undo(service, 9);
    expect(where(service).split(', ').sort()).toEqual(['ada 1', 'bob 2']);
    const { stderr, writes } = await done(service, line, 11);
    expect(writes).toEqual([]);
    expect(stderr).toMatch(/session 8 bob@example.org \(session 102: the student is in exam 2 again, as session 105\b/);
  });

  test('that was taken back in part takes back once more what shows the values of its run again', async () => {
    const service = both();
    const roster = { stdin: 'email,name\nada@example.org,Adele\nbob@example.org,Bobby\n' };
    await done(service, 'sessions import - --exam 1 --update --map name=name --yes', 0, roster);
    const line = `runs undo ${await latest(service)} --yes`;
    await done(service, line);
    service.change('session', 7, { name: 'Ada of a colleague' });
    await undo(service, 9);
    expect(of(service, 8)?.name).toBe('Bobby');
    await done(service, line, 0);
    expect([of(service, 7)?.name, of(service, 8)?.name]).toEqual(['Ada of a colleague', 'Bob']);
  });
});

describe('A look', () => {
  test('at a create that was answered with a student of another exam, whose own exam is gone, ends', async () => {
    const service = office({ sessions: [ada, { ...bob, exam_id: 2 }] });
    service.next('POST', { answer: (whole) => ({ ...whole, body: { ...of(service, 8) } }) });
    service.onAnswer = ({ method }) => void (method === 'POST' && service.truth.remove('exam', 1));
    await done(service, 'sessions create --exam 1 --email zoe@example.org', 9, 'exam 1 is no longer there');
  });

  test('at a line that is awaited also shows who was created before it, and is there twice by now', async () => {
    const service = office({ sessions: [] });
    service.next('POST', undefined, { answer: 'lost', done: 20_000 });
    let looks = 0;
    service.onArrival = ({ line }) => {
      if (line !== 'GET /exams/1/student_sessions' || service.sessions.length === 0) return;
      looks += 1;
      if (looks === 2) service.truth.createSession(1, { email: 'zoe@example.org' });
    };
    const roster = { stdin: 'email\nzoe@example.org\nyan@example.org\n' };
    const { stderr } = await done(service, 'sessions import - --exam 1 --yes', 9, roster);
    expect([service.posts(), stderr]).toEqual([2, expect.stringMatching(/zoe@example\.org: duplicate/)]);
  });
});

test('Whose own record leaves out a no that the list shows is deleted as planned; who has a yes by then stays', async () => {
  for (const skip_requirements of [false, true]) {
    const service = both();
    service.showing.as = (record, { line }) =>
      line.startsWith('GET /student_sessions/')
        ? Object.fromEntries(Object.entries(record).filter(([, value]) => value !== false))
        : { skip_requirements: false, ...record };
    service.onArrival = ({ method }) => void (method === 'POST' && service.change('session', 7, { skip_requirements }));
    const roster = { stdin: 'email\nbob@example.org\nzoe@example.org\n' };
    await done(service, 'sessions import - --exam 1 --remove-missing 1 --yes', skip_requirements ? 9 : 0, roster);
    expect(where(service)).toContain(skip_requirements ? 'ada 1, bob 1' : 'bob 1');
    expect(service.sessions.length).toBe(skip_requirements ? 3 : 2);
  }
});

test('An exam is not updated by what the service shows of another one', async () => {
  const service = office();
  service.next('GET /exams/1', { answer: (whole) => ({ ...whole, body: { ...service.exams[1], allow_whiteboard: false } }) });
  expect((await done(service, 'exams update 1 --allow-headphones', 8, 'The service showed exam 2 in place of exam 1.')).writes).toEqual([]);
});

test.each<[what: string, own: Fields, since: Fields, end: string]>([
  ['', { close_time: '2127-02-01T10:05:00Z' }, { open_time: null }, '10:29'],
  [' where the minutes counted from now', { open_time: '2026-02-01T09:00:00Z', close_time: '2026-02-01T10:05:00Z' }, {}, '08:25'],
])('A share whose printed length was given is not given once more%s', async (_what, own, since, end) => {
  const service = office({ sessions: [{ ...ada, ...window, ...own }] });
  const share = 'sessions extend 7 --by 20% --yes';
  const { stderr } = await done(service, share, 2);
  const [, printed = ''] = /proctor-cli (sessions extend .*)$/m.exec(stderr) ?? [];
  await done(service, `${printed} --yes`);
  service.change('session', 7, since);
  expect((await done(service, share, 11, '--again')).writes).toEqual([]);
  expect(closes(service)).toBe(end);
});

test('An undo of times and proctors does not wait for what it has set itself', async () => {
  const service = office({ pools: { 1: [1] } });
  writeFileSync(join(service.home, 'table.csv'), 'id,name,date,start,end,proctors\n1,Algebra,2127-02-01,08:00,10:30,1;2\n');
  await done(service, `exams apply ${join(service.home, 'table.csv')} --timezone UTC --yes`);
  for (const _ of ['the run', 'its undo']) {
    const began = service.clock.now();
    const { stderr } = await undo(service);
    expect([service.clock.now() - began < 70_000, stderr.includes('looked up for')]).toEqual([true, false]);
  }
});

test('An undo whose answer was lost does not wait for what the service shows as it was asked to', async () => {
  const { service } = await done(office({ sessions: [] }), 'exams update 1 --end 2127-02-01T10:30:00Z --yes');
  service.next('PATCH /exams/1', lostAfter);
  const began = service.clock.now();
  const { stderr } = await undo(service);
  expect([service.clock.now() - began < 70_000, stderr.includes('looked up for')]).toEqual([true, false]);
});

test('A student whom a colleague has deleted before any look is named by each command that looks once more', async () => {
  const service = office({ sessions: [] });
  service.onAnswer = ({ method }) => void (method === 'POST' && service.truth.remove('session', 101));
  const create = 'sessions create --exam 1 --email zoe@example.org';
  expect((await done(service, create, 10)).stderr).toContain('names session 101, but no read shows it yet');
  const resumed = await done(service, `runs resume ${await latest(service)} --yes`, 10);
  expect(resumed.stderr).toContain('The service accepted the request and named student session 101, but no read shows it.');
  expect(resumed.writes).toEqual([]);
});

describe('A timetable that moves an exam', () => {
  const apply = (service: Service, roster = 'email\nada@example.org\nbob@example.org\n') => {
    writeFileSync(join(service.home, 'one.csv'), roster);
    writeFileSync(join(service.home, 'table.csv'), 'id,name,date,start,end,roster\n1,Algebra,2127-02-01,08:00,10:30,one.csv\n');
    return `exams apply ${join(service.home, 'table.csv')} --timezone UTC --yes`;
  };
  /** Killed after the exam and a window were set, and a colleague had given the other student more time. */
  const halfMoved = async () => {
    const service = both();
    const line = apply(service);
    // The windows are read once more after that.
    service.next('PATCH /exams/1', { takes: 3_000 });
    service.onArrival = ({ line: request }) => {
      if (request === 'PATCH /exams/1') service.change('session', 7, { close_time: '2127-02-01T10:37:00Z' });
    };
    const home = await killed(service, line, { writes: 2 });
    service.onArrival = () => {};
    minuteLater(service);
    return { service, line, home };
  };

  test('deletes who is not in the roster, and whose window it has moved along, by the same command', async () => {
    const service = both();
    await done(service, `${apply(service, 'email\nada@example.org\n')} --remove-missing 1`);
    expect([where(service), closes(service)]).toEqual(['ada 1', '11:00']);
  });

  test('does not delete whose window a colleague has moved once more', async () => {
    const service = both();
    service.onAnswer = ({ line }) => {
      if (line === 'PATCH /student_sessions/8') service.change('session', 8, { close_time: '2127-02-01T11:37:00Z' });
    };
    await done(service, `${apply(service, 'email\nada@example.org\n')} --remove-missing 1`, 9);
    expect(where(service)).toBe('ada 1, bob 1');
  });

  test('names the window that a colleague has set, also if the process that met it was killed', async () => {
    const { service, line, home } = await halfMoved();
    await done(service, line, 9, /[Ss]ession 7/, { home });
    expect(closes(service)).toBe('10:37 11:00');
    await done(service, line, 0, { home });
  });

  test('names that window when its run is closed', async () => {
    const { service, home } = await halfMoved();
    const { stdout, stderr } = await done(service, `runs close ${await latest(service, { home })}`, 9, { home });
    expect(`${stdout}${stderr}`).toContain('changed');
  });

  test('looks once at who is added, also where a colleague has deleted somebody: no read from before proves that the list is short', async () => {
    const service = both();
    const line = apply(service, 'email\nada@example.org\nbob@example.org\nzoe@example.org\n');
    let looks = 0;
    service.onArrival = ({ method, line: request }) => {
      if (method === 'POST') service.truth.remove('session', 7);
      const isLook = request === 'GET /exams/1/student_sessions' && service.writes().includes('POST /exams/1/student_sessions');
      looks += isLook ? 1 : 0;
      if (isLook && looks === 2) service.truth.remove('session', 101);
    };
    expect((await done(service, line, 9)).stderr).toContain('3 of 4 done, 1 failed');
  });

  test('has done a part where it finishes its times, and then refuses a student with other values', async () => {
    const service = both();
    const line = apply(service, 'email,name\nada@example.org,Ada\nbob@example.org,Bob\n');
    service.next('PATCH /exams/1', { takes: 3_000 });
    service.next('GET /student_sessions/8', refused(409));
    await done(service, line, 9);
    service.change('session', 7, { name: 'Ada of a colleague' });
    const { writes, stderr } = await done(service, line, 9);
    expect([writes, stderr]).toEqual([['PATCH /student_sessions/8'], expect.stringContaining('kept with other values')]);
    const [, printed = ''] = /proctor-cli (sessions import .*)$/m.exec(stderr) ?? [];
    await done(service, printed, 11);
  });
});

describe('A value that a service resets along with another one is named', () => {
  const resets = (path: string, field: string, fields: Fields) => {
    const service = both();
    service.onArrival = ({ method, path: to, body }) => {
      if (method !== 'PATCH' || to !== path || !(field in body)) return;
      service.change(path.startsWith('/exams') ? 'exam' : 'session', Number(path.split('/')[2]), fields);
    };
    return service;
  };

  test('of an exam, whose windows move all the same, with the line that sets it again', async () => {
    const service = resets('/exams/1', 'end_time', { save_recording: false });
    const delay = 'exams delay 1 --by 15m --yes';
    const { stderr } = await done(service, delay, 9);
    expect([closes(service), stderr]).toEqual(['10:45 10:45', expect.stringContaining('but save_recording changed with them')]);
    const [, printed = ''] = /proctor-cli (exams update .*)$/m.exec(stderr) ?? [];
    await done(service, printed);
    expect([service.exams[0]?.save_recording, closes(service)]).toEqual([true, '10:45 10:45']);
    await done(service, delay, 11);
  });

  test('of an exam whose start and end were changed whole, which stands in the way of nothing', async () => {
    const service = resets('/exams/1', 'end_time', { save_recording: false });
    const update = 'exams update 1 --start 2127-02-01T07:40:00Z --end 2127-02-01T09:50:00Z --yes';
    await done(service, update, 9, 'but save_recording changed with them');
    service.onArrival = () => {};
    await done(service, 'exams delay 1 --by 10m --yes');
  });

  test('of an exam whose yes and no are shown as 1 and 0 in one answer and as true and false in another', async () => {
    const inNumbers = (fields: Fields) =>
      Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, typeof value === 'boolean' ? Number(value) : value]));
    let shown = 0;
    const as = (fields: Fields) => (shown++ % 2 === 0 ? inNumbers(fields) : fields);
    const calm = office({ sessions: [], showing: { as } });
    await done(calm, 'exams delay 1 --by 15m --yes');
    const service = resets('/exams/1', 'end_time', { save_recording: false });
    service.showing.as = inNumbers;
    expect((await done(service, 'exams delay 1 --by 15m --yes', 9)).stderr).toContain(
      'Set it again: proctor-cli exams update 1 --save-recording',
    );
  });

  test('of an exam that keeps its length by itself, without a line that would move the windows once more', async () => {
    const service = resets('/exams/1', 'start_time', { end_time: '2127-02-01T11:00:00Z' });
    const { stderr } = await done(service, 'exams update 1 --start 2127-02-01T09:00:00Z --yes', 9);
    expect(stderr).toContain('but end_time changed with them');
    expect(stderr).toContain('proctor-cli exams get 1');
  });

  test('of a student', async () => {
    const service = resets('/student_sessions/7', 'close_time', { skip_requirements: false });
    service.change('session', 7, { skip_requirements: true });
    expect((await done(service, 'sessions extend 7 --by 10m --yes', 9)).stderr).toContain('but skip_requirements changed with them');
  });

  test.each([
    ['close_time', null, 'undo takes it back', 0, 0],
    ['name', 'Renamed', 'undo leaves what somebody else may have set', 11, 1],
  ] as const)('of a new student whose open time follows: of %s, and %s: %s', async (field, value, _title, code, left) => {
    const service = resets('/student_sessions/101', 'open_time', { [field]: value });
    const roster = { stdin: 'email,name,open_time,close_time\nzoe@example.org,Zoe,2127-02-01T08:30:00Z,2127-02-01T10:30:00Z\n' };
    const { stderr } = await done(service, 'sessions import - --exam 1 --yes', 9, roster);
    expect(stderr).toContain(`It is in the exam as session 101: Student session 101 has its new times, but ${field} changed with them.`);
    service.onArrival = () => {};
    await undo(service, code);
    expect(service.sessions.filter(({ id }) => id === 101)).toHaveLength(left);
  });
});
