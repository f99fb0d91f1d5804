import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { createService } from '../../src/sandbox/service.ts';
import { Store } from '../../src/sandbox/store.ts';
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

test('a program can ask the service in its own process, over a store in memory and by a clock of its own', async () => {
  const store = new Store(':memory:');
  store.create(() => store.insert('student_sessions', { email: 'zoe@example.org' }, store.insert('exams', { name: 'Optik' }).id));
  const service = createService(store, { now: () => Date.parse('2027-02-01T08:00:00Z') });
  const headers = { authorization: `apiServiceToken ${store.token()}` };
  const answer = await service(new Request('http://localhost/api/v1/exams/1/student_sessions?x=1', { headers }));
  expect([answer.status, answer.headers.get('date')]).toEqual([200, 'Mon, 01 Feb 2027 08:00:00 GMT']);
  expect(await answer.json()).toEqual([{ id: 1, exam_id: 1, email: 'zoe@example.org' }]);
});
