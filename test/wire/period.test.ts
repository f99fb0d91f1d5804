/** The requests of exams check and apply: typed from the specification (sections 2 and 4). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

const get = (path: string, body: unknown): Exchange => ({ method: 'GET', path: `/api/v1${path}`, reply: [200, body] });
const exam = {
  id: 42,
  name: 'Algebra',
  start_time: '2027-03-01T08:00:00Z',
  end_time: '2027-03-01T10:00:00Z',
  save_recording: true,
  allow_headphones: false,
  allow_whiteboard: false,
  allow_leave_room: true,
  allow_pen_paper: true,
};
const session = { id: 7, exam_id: 42, email: 'ada@example.org', status: 'registered', open_time: null, close_time: '2027-03-01T10:30:00Z' };

function timetable(...lines: string[]) {
  const home = temporaryFolder();
  const path = join(home, 'period.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return {
    home,
    words: (verb: string) => ['exams', verb, path, '--timezone', 'UTC', '-o', 'json', ...(verb === 'apply' ? ['--yes'] : [])],
  };
}

test('exams check reads the exams once, and nothing else', async () => {
  const { home, words } = timetable('id,name,date,start,end', '42,Algebra,2027-03-01,08:00,10:00');
  const { code } = await exchange(words('check'), [get('/exams', [exam])], { home });
  expect(code).toBe(0);
});

test('exams apply creates with a POST of what the line says, reads the exam again, and then only the list', async () => {
  const { home, words } = timetable('key,name,date,start,duration,recording', 'A,Analysis,2027-03-02,08:00,2h,no');
  const made = { name: 'Analysis', start_time: '2027-03-02T08:00:00Z', end_time: '2027-03-02T10:00:00Z', save_recording: false };
  const { code, stderr } = await exchange(
    words('apply'),
    [
      get('/exams', [exam]),
      { method: 'POST', path: '/api/v1/exams', body: made, reply: [201, { id: 43, ...made }] },
      get('/exams/43', { id: 43, ...made }),
    ],
    { home },
  );
  expect(code, stderr).toBe(0);
  expect((await exchange(words('apply'), [get('/exams', [exam, { id: 43, ...made }])], { home })).code).toBe(0);
});

test('exams apply changes an exam by one PATCH of what differs, all four restrictions with one of them', async () => {
  const columns = 'id,name,headphones,whiteboard,leave room,paper';
  const { home, words } = timetable(columns, '42,Linear Algebra,yes,no,yes,yes');
  const body = { name: 'Linear Algebra', allow_headphones: true, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: true };
  const { code, stderr } = await exchange(
    words('apply'),
    [
      get('/exams', [exam]),
      get('/exams/42', exam),
      { method: 'PATCH', path: '/api/v1/exams/42', body, reply: [200, { ...exam, ...body }] },
      get('/exams/42', { ...exam, ...body }),
    ],
    { home },
  );
  expect(code, stderr).toBe(0);
});

test('exams apply moves the end first, then the window of a student, and the start at last', async () => {
  const { home, words } = timetable('id,date,start,end', '42,2027-03-01,09:00,11:00');
  const [ends, both] = [
    { ...exam, end_time: '2027-03-01T11:00:00Z' },
    { ...exam, start_time: '2027-03-01T09:00:00Z', end_time: '2027-03-01T11:00:00Z' },
  ];
  const moved = { ...session, close_time: '2027-03-01T11:30:00Z' };
  const { code, stderr } = await exchange(
    words('apply'),
    [
      get('/exams', [exam]),
      get('/exams/42/student_sessions', [session]),
      get('/exams/42', exam),
      { method: 'PATCH', path: '/api/v1/exams/42', body: { end_time: ends.end_time }, reply: [200, ends] },
      get('/student_sessions/7', session),
      get('/exams/42', ends),
      { method: 'PATCH', path: '/api/v1/student_sessions/7', body: { close_time: moved.close_time }, reply: [200, moved] },
      { method: 'PATCH', path: '/api/v1/exams/42', body: { start_time: both.start_time }, reply: [200, both] },
      get('/exams/42', both),
      get('/student_sessions/7', moved),
    ],
    { home },
  );
  expect(code, stderr).toBe(0);
});
