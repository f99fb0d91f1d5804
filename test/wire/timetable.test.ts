/** The requests of exams apply: typed from the specification (sections 2 and 4). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, succeeds } from './exchanges.ts';

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

function timetable(...lines: string[]) {
  const home = temporaryFolder();
  const path = join(home, 'period.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return {
    home,
    words: (flag = '--yes') => ['exams', 'apply', path, '--timezone', 'UTC', '-o', 'json', flag],
  };
}

test('exams apply --check reads the exams once, and nothing else', async () => {
  const { home, words } = timetable('id,name,date,start,end', '42,Algebra,2027-03-01,08:00,10:00');
  await succeeds(words('--check'), [get('/exams', [exam])], { home });
});

test('exams apply creates with a POST of what the line says, reads the list again, and then nothing else', async () => {
  const { home, words } = timetable('name,date,start,duration,recording', 'Analysis,2027-03-02,08:00,2h,no');
  const made = { name: 'Analysis', start_time: '2027-03-02T08:00:00Z', end_time: '2027-03-02T10:00:00Z', save_recording: false };
  await succeeds(
    words(),
    [
      get('/exams', [exam]),
      get('/exams', [exam]),
      { method: 'POST', path: '/api/v1/exams', body: made, reply: [201, { id: 43, ...made }] },
      get('/exams', [exam, { id: 43, ...made }]),
    ],
    { home },
  );
  const again = get('/exams', [exam, { id: 43, ...made }]);
  await succeeds(words(), [again, again], { home });
});
