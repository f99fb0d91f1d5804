import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { type Item, serve } from './harness.ts';

test('the service speaks the dialect it is given', async () => {
  const names = { idKey: 'uid', sessionExamKey: 'exam', studentSelector: 'who', proctorsKey: 'staff', sessionNameKey: 'full_name' };
  const { send } = await serve({ dialect: { ...defaultDialect, ...names, timeFormat: 'epoch-s' } });
  const exam = (await send('POST', '/exams', { name: 'Optik', start_time: 1_795_251_600, allow_headphones: false })).body;
  expect(exam).toMatchObject({ name: 'Optik', start_time: '2026-11-21T09:00:00Z', allow_headphones: false, allow_pen_paper: false });
  const path = `/exams/${exam.uid}`;
  const session = (await send('POST', `${path}/add_student`, { full_name: 'Zoë', exam: 1 })).body;
  expect(session).toMatchObject({ exam: exam.uid, full_name: 'Zoë' });
  expect((await send('GET', `${path}/show_student?who=${session.uid}`)).body).toEqual(session);
  expect((await send<Item[]>('POST', `${path}/proctor_pool`, { staff: [1] })).body[0]).toMatchObject({ uid: 1 });
});
