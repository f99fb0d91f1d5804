/** The requests of commands that send several, literally and in their order: typed from the specification (sections 2 and 4). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileWith } from '../features/accommodations/lists.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { del, type Exchange, exchange, get, patch, post, succeeds } from './exchanges.ts';

const [nine, eleven] = ['2127-03-22T08:00:00Z', '2127-03-22T10:00:00Z'];
const half = '2127-03-22T10:30:00Z';
const restrictions = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };
const exam = { id: 42, name: 'Algebra', start_time: nine, end_time: eleven, save_recording: false, ...restrictions };
const { id: _, ...examFields } = exam;
const ada = { id: 7, exam_id: 42, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time: null };
type Session = Omit<typeof ada, 'open_time' | 'close_time'> & { open_time: string | null; close_time: string | null };
const session = (more: Partial<Session> = {}): Session => ({ ...ada, ...more });

const seeExam = (more: object = {}) => get('/exams/42', { ...exam, ...more });
const students = (...all: unknown[]) => get('/exams/42/student_sessions', all);
const see = (shown: Session) => get(`/student_sessions/${shown.id}`, shown);
const set = (body: object, shown = session(body)) => patch('/student_sessions/7', body, shown);
const setExam = (body: object, now: object) => patch('/exams/42', body, { ...exam, ...now });

const closed = session({ close_time: half });
const [week, weekEnd] = ['2127-03-29T08:00:00Z', '2127-03-29T10:00:00Z'];
const later = '2127-03-22T10:15:00Z';
const own = session({ close_time: half });
const moved = session({ close_time: '2127-03-22T10:45:00Z' });
const opened = session({ open_time: nine });

const other = { ...exam, id: 43, name: 'Analysis' };
const there = (...all: unknown[]) => get('/exams/43/student_sessions', all);
const made = session({ id: 70, exam_id: 43 });
const madeOpen = session({ ...made, open_time: '2127-03-22T08:10:00Z' });
const from = session({ open_time: '2127-03-22T08:10:00Z' });
const add = post('/exams/43/student_sessions', { email: ada.email, name: ada.name }, made);

const copy = { ...examFields, start_time: week, end_time: weekEnd };
const proctors = [{ id: 4 }, { id: 'eve' }];
const pageTwo = '/exams/42/student_sessions?page=2';

const flows: [what: string, line: string, exchanges: Exchange[]][] = [
  [
    'one time for each, after a read of what it relies on; at the end each is read once more',
    'exams delay 42 --by 15m --yes',
    [
      ...[seeExam(), students(own), setExam({ end_time: later }, { end_time: later })],
      // The close time was computed with the end of the exam: the exam has to show its new one.
      ...[seeExam({ end_time: later }), set({ close_time: moved.close_time }), see(moved), students(moved)],
    ],
  ],
  [
    'the end, the windows and the start, each after a read that shows the old time',
    'exams shift --exam 42 --by 7d --yes',
    [
      ...[seeExam(), students(opened), setExam({ end_time: weekEnd }, { end_time: weekEnd }), seeExam({ end_time: weekEnd })],
      ...[
        set({ open_time: week }),
        see(session({ open_time: week })),
        setExam({ start_time: week }, { start_time: week, end_time: weekEnd }),
      ],
      ...[seeExam({ start_time: week, end_time: weekEnd }), students(session({ open_time: week }))],
    ],
  ],
  ['each listing of a selection once', 'exams shift --name algebra --by 7d --dry-run', [get('/exams', [exam]), seeExam(), students()]],
  [
    'of which exam the session is, session and exam, the close_time alone, and the session once more',
    'sessions extend 7 --by 30m',
    [see(session({ close_time: eleven })), see(session({ close_time: eleven })), seeExam(), set({ close_time: half }), see(closed)],
  ],
  [
    'each session of which the list shows no times; the times from which they were computed, once more',
    'sessions extend --exam 42 --by 30m --yes',
    [
      students({ id: 7, email: ada.email, status: 'registered' }),
      see(session()),
      seeExam(),
      set({ close_time: half }),
      see(closed),
      seeExam(),
    ],
  ],
  [
    'a session once that the list shows twice',
    'sessions extend --exam 42 --by 30m --yes',
    [students(own, own), seeExam(), set({ close_time: '2127-03-22T11:00:00Z' }), see(session({ close_time: '2127-03-22T11:00:00Z' }))],
  ],
  [
    'the places that are locked, who is in the other exam, both exams; the student is created, seen, and deleted here',
    'sessions move 7 --exam 43 --yes',
    [
      ...[see(session()), there(), get('/exams/43', other), see(session()), seeExam(), add, there(made), see(made), see(session())],
      ...[del('/student_sessions/7'), get('/student_sessions/7', {}, 404), there(made)],
    ],
  ],
  [
    'an own open_time after the creation, because a POST cannot set it',
    'sessions move 7 --exam 43 --yes',
    [
      ...[see(from), there(), get('/exams/43', other), see(from), seeExam(), add, there(made), see(made)],
      ...[patch('/student_sessions/70', { open_time: from.open_time }, madeOpen), see(madeOpen)],
      // Right before the deletion, both are read once more.
      ...[see(madeOpen), see(from), del('/student_sessions/7')],
      ...[get('/student_sessions/7', {}, 404), get('/exams/43', other), there(madeOpen)],
    ],
  ],
  [
    'the exam and its pool, one like it; the exam with all that can be set, then the pool',
    `exams clone 42 --start ${week}`,
    [
      ...[seeExam(), get('/exams/42/proctor_pool', proctors), get('/exams', [exam]), post('/exams', copy, { ...copy, id: 44 })],
      ...[get('/exams', [exam, { ...copy, id: 44 }]), get('/exams/44/proctor_pool', [])],
      post('/exams/44/proctor_pool', { proctors: [4, 'eve'] }),
      get('/exams/44/proctor_pool', proctors),
    ],
  ],
  [
    'what the service shows as 1 and 0, as true and false',
    `exams clone 42 --start ${week}`,
    [
      ...[get('/exams/42', digits(exam)), get('/exams/42/proctor_pool', []), get('/exams', [exam])],
      ...[post('/exams', copy, digits({ ...copy, id: 44 })), get('/exams', [exam, digits({ ...copy, id: 44 })])],
    ],
  ],
  [
    'the list of exams, its students and proctors, each once',
    'preflight --exam 42',
    [
      get('/exams', [exam, { ...other, start_time: week, end_time: weekEnd }]),
      students({ ...ada, status: 'mail_sent' }),
      get('/exams/42/proctor_pool', [{ id: 4 }]),
    ],
  ],
  [
    'the exam, then its students, all pages of them',
    'exams report 42',
    [
      seeExam(),
      { ...students(ada), reply: [200, [ada], { link: `<https://proctor.example/api/v1${pageTwo}>; rel="next"` }] },
      get(pageTwo, [{ ...ada, id: 8 }]),
    ],
  ],
  [
    'a listing that shows less than the session, and the session',
    `accommodations apply ${fileWith('email,extra\nada@example.org,25%\n')} --exam 42 --check`,
    [seeExam(), students({ id: 7, email: ada.email, status: 'registered' }), see(closed)],
  ],
  [
    'each close_time alone, and session and exam once more at the end',
    `accommodations apply ${fileWith('email,extra\nada@example.org,25%\n')} --exam 42 --yes`,
    [seeExam(), students(session()), set({ close_time: half }), see(closed), seeExam()],
  ],
];

/** A record as services without true and false show it. */
function digits(record: object): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, typeof value === 'boolean' ? Number(value) : value]));
}

test.each(flows)('%s: %s', async (_what, line, exchanges) => {
  await succeeds(`${line} -o json --timezone UTC`, exchanges, { home: temporaryFolder(), now: '2027-01-10T12:00:00Z' });
});

test('An undo gives back a time that is finer than what is sent otherwise.', async () => {
  const home = temporaryFolder();
  const fine = session({ close_time: '2127-03-22T10:00:00.250Z' });
  await succeeds('sessions extend 7 --by 30m', [see(fine), see(fine), seeExam(), set({ close_time: half }), see(closed)], { home });
  const { stdout } = await exchange('runs list -o id', [], { home });
  await succeeds(`runs undo ${stdout.trim()} --yes`, [see(closed), seeExam(), set({ close_time: fine.close_time }), see(fine)], { home });
});

test('An undo sends a time as the service takes it, however it is shown.', async () => {
  const home = temporaryFolder();
  await run(['config', 'set', 'dialect.timeFormat', 'epoch-s'], { home });
  const seconds = (time: string) => set({ close_time: Date.parse(time) / 1000 });
  const whole = '2127-03-22T10:00:00Z';
  const before = session({ close_time: whole });
  await succeeds('sessions extend 7 --by 30m', [see(before), see(before), seeExam(), seconds(half), see(closed)], { home });
  const { stdout } = await exchange('runs list -o id', [], { home });
  await succeeds(`runs undo ${stdout.trim()} --yes`, [see(closed), seeExam(), seeExam(), seconds(whole), see(before)], { home });
});

test('An exam that was moved in the instant of a write is named: its students would have too little time.', async () => {
  const line = `accommodations apply ${fileWith('email,extra\nada@example.org,25%\n')} --exam 42 --yes`;
  const exchanges = [seeExam(), students(session()), set({ close_time: half }), see(closed), seeExam({ end_time: weekEnd })];
  const { code, stderr } = await exchange(line, exchanges);
  expect([code, stderr]).toEqual([9, expect.stringMatching(/changed exam 42 at the same moment: end_time is now 2127-03-29 10:00/)]);
});

test('A search lists the exams, then the students of those of today, then all sessions.', async () => {
  const elsewhere = session({ id: 71, exam_id: 43 });
  const exchanges = [get('/exams', [exam]), students(session()), get('/student_sessions', [session(), elsewhere])];
  const { stdout } = await exchange('sessions find ada -o json', exchanges, { now: '2127-03-22T09:00:00Z' });
  const found = { ...session(), exam_name: 'Algebra', exam_start: nine, exam_end: eleven };
  expect(JSON.parse(stdout)).toEqual([found, { ...elsewhere, exam_name: null, exam_start: null, exam_end: null }]);
});

test('A clone says what the exam does not show, and is refused where the clocks would show its end before its start.', async () => {
  const clone = 'exams clone 42 --timezone Europe/Vienna --start';
  const pool = get('/exams/42/proctor_pool', []);
  const { allow_whiteboard: _w, ...sent } = copy;
  const exchanges = [seeExam({ allow_whiteboard: undefined }), pool, get('/exams', []), post('/exams', sent, { ...sent, id: 44 })];
  const { stderr } = await exchange(`${clone} ${week}`, [...exchanges, get('/exams', [{ ...sent, id: 44 }])]);
  expect(stderr).toContain('does not show allow_whiteboard');
  const night = seeExam({ start_time: '2027-10-31T00:45:00Z', end_time: '2027-10-31T01:15:00Z' });
  const refused = await exchange(`${clone} ${week}`, [night, pool]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--end')]);
});

test('A timetable reads the exams, looks again before it creates, reads them again; and then nothing else.', async () => {
  const home = temporaryFolder();
  const path = join(home, 'period.csv');
  writeFileSync(path, 'name,date,start,duration,recording\nAnalysis,2027-03-02,08:00,2h,no\n');
  const body = { name: 'Analysis', start_time: '2027-03-02T08:00:00Z', end_time: '2027-03-02T10:00:00Z', save_recording: false };
  const [before, after] = [get('/exams', [exam]), get('/exams', [exam, { id: 43, ...body }])];
  const line = `exams apply ${path} --timezone UTC`;
  await succeeds(`${line} --yes`, [before, before, post('/exams', body, { id: 43, ...body }), after], { home });
  await succeeds(`${line} --yes`, [after, after], { home });
  await succeeds(`${line} --check`, [after], { home });
});
