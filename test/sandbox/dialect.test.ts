import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { seededExams } from '../commands/embedded.ts';
import { type Item, serve } from './harness.ts';

test('the service speaks the dialect it is given', async () => {
  const { send } = await serve({
    pageSize: 4,
    dialect: {
      ...defaultDialect,
      idKey: 'uid',
      sessionExamKey: 'exam',
      studentSelector: 'who',
      proctorsKey: 'staff',
      timeFormat: 'epoch-s',
      sessionNameKey: 'full_name',
    },
  });
  const exam = (await send('POST', '/exams', { name: 'Optik', start_time: 1_795_251_600, allow_headphones: false })).body;
  expect(exam).toMatchObject({ name: 'Optik', start_time: '2026-11-21T09:00:00Z', allow_headphones: false, allow_pen_paper: false });
  const path = `/exams/${exam.uid}`;
  const session = (await send('POST', `${path}/add_student`, { full_name: 'Zoë', exam: 1 })).body;
  expect(session).toMatchObject({ exam: exam.uid, full_name: 'Zoë' });
  expect((await send('GET', `${path}/show_student?who=${session.uid}`)).body).toEqual(session);
  expect((await send<Item[]>('POST', `${path}/proctor_pool`, { staff: [1] })).body[0]).toMatchObject({ uid: 1 });
  const { headers } = await send('GET', '/exams?page=1');
  expect([headers.link, headers['x-pagination-total-count']]).toEqual([expect.stringContaining('?page=2'), String(seededExams.length + 1)]);
});
