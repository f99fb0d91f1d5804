/** Whom a colleague has registered, too, is named where a read shows it: by a timetable's last look, and by the undo of a create that was lost. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { algebra, serviceWithExam } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { lostAfter } from '../support/service.ts';

const eve = { email: 'eve@example.org', name: 'Eve' };

test('A timetable whose last look shows a student twice ends with 9, and its undo leaves the one of the colleague.', async () => {
  const folder = temporaryFolder();
  const table = join(folder, 'timetable.csv');
  writeFileSync(join(folder, 'new.csv'), 'email,name\neve@example.org,Eve\n');
  writeFileSync(table, 'id,name,date,start,end,roster\n1,Algebra,2127-02-01,08:00,10:15,new.csv\n');
  const service = serviceWithExam({ exams: [algebra] });
  let lists = 0;
  service.onArrival = ({ line }) => {
    const isListed = line === 'GET /exams/1/student_sessions' && service.truth.sessions.has(101);
    if (isListed && ++lists === 2) service.truth.createSession(1, eve);
  };
  const { code, stderr } = await service.run(`exams apply ${table} --timezone UTC --yes`);
  expect([code, service.sessions.length], stderr).toEqual([9, 2]);
  const [, undo = ''] = /proctor-cli (runs undo \S+)/.exec(stderr) ?? [];
  const undone = await service.run(`${undo} --yes`);
  expect(undone.code, undone.stderr).toBe(9);
  expect(service.sessions.map(({ id }) => id)).toEqual([102]);
});

test('The undo of a lost create beside which a colleague has registered the student names both possibilities, and deletes nobody.', async () => {
  const service = serviceWithExam();
  service.next('POST /exams/1/student_sessions', lostAfter);
  service.onAnswer = ({ line }) => {
    if (line === 'POST /exams/1/student_sessions') service.truth.createSession(1, eve);
  };
  expect((await service.run('sessions create --exam 1 --email eve@example.org --name Eve')).code).toBe(9);
  const [{ run }] = JSON.parse((await service.run('runs list -o json')).stdout);
  const { code, stderr } = await service.run(`runs undo ${run} --yes`);
  expect([code, service.sessions.length]).toEqual([11, 2]);
  expect(stderr).toContain('eve@example.org');
});
