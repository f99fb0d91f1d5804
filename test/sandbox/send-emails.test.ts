import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { outbox, resetSandbox } from '../../src/sandbox/index.ts';
import { Store } from '../../src/sandbox/store.ts';
import { type Item, newExam, newFolder, now, serve, serveElsewhere } from './harness.ts';

/** An exam with many students, written at once because as many requests would take long. */
function crowdedExam(folder: string, students: number): number {
  resetSandbox(folder);
  const store = new Store(join(folder, 'sandbox.db'));
  store.transaction('write', () => {
    store.sql('DELETE FROM student_sessions WHERE exam_id = 6').run();
    for (let count = 1; count <= students; count++)
      store.insert('student_sessions', { status: 'registered', email: `s${count}@example.org` }, 6);
  });
  store.close();
  return 6;
}

test('a call mails every student with an address, and counts the others; a second one does so again; the outbox keeps the mails of an exam that is gone', async () => {
  const { send, folder } = await serve();
  const { id, path } = await newExam(send, { name: 'Statik' });
  const add = (fields: object) => send('POST', `${path}/add_student`, fields).then(({ body }) => body);
  const [zoe, bo] = [await add({ name: 'Zoë', email: 'zoe@example.org' }), await add({ email: 'bo@example.org' })];
  await add({ name: 'No address' });
  const { status, body } = await send('POST', `${path}/send_emails`);
  expect([status, body]).toEqual([200, { sent: 2, skipped: 1 }]);
  const mail = { call: 1, exam_id: id, subject: 'Your exam: Statik', sent_at: new Date(now).toISOString().replace('.000', '') };
  expect(outbox(folder, { exam: String(id) })).toEqual([
    { ...mail, id: 1, student_session_id: zoe.id, email: 'zoe@example.org', name: 'Zoë' },
    { ...mail, id: 2, student_session_id: bo.id, email: 'bo@example.org', name: null },
  ]);
  for (const exam of [path, '/exams/5']) await send('POST', `${exam}/send_emails`, {});
  await send('DELETE', path);
  expect(outbox(folder, { exam: String(id) }).map(({ call }) => call)).toEqual([1, 1, 2, 2]);
  expect(outbox(folder, { exam: 'x' })).toEqual([]);
  expect(new Set(outbox(folder).map(({ call }) => call))).toEqual(new Set([1, 2, 3]));
  expect((await send('POST', `${path}/send_emails`)).status).toBe(404);
});

test('mail_sent follows registered, and never comes back from a later status', async () => {
  const { send } = await serve();
  const before = (await send<Item[]>('GET', '/exams/3/student_sessions')).body;
  const { body: late } = await send('POST', '/exams/3/add_student', { email: 'late@example.org' });
  const { body: unreachable } = await send('POST', '/exams/3/add_student', {});
  await send('POST', '/exams/3/send_emails');
  const after = (await send<Item[]>('GET', '/exams/3/student_sessions')).body;
  expect(after).toEqual([...before, { ...late, status: 'mail_sent' }, unreachable]);
});

test('overlapping calls to two processes on one database send one mail per student and call', async () => {
  const folder = newFolder();
  const students = 100;
  const exam = crowdedExam(folder, students);
  const services = await Promise.all([serveElsewhere(folder), serveElsewhere(folder)]);
  const calls = services.flatMap(({ send }) => Array.from({ length: 4 }, () => send('POST', `/exams/${exam}/send_emails`)));
  for (const { status, body } of await Promise.all(calls)) expect([status, body]).toEqual([200, { sent: students, skipped: 0 }]);

  const perCall = Map.groupBy(outbox(folder), ({ call }) => call);
  expect([...perCall.keys()]).toEqual(calls.map((_call, index) => index + 1));
  const mailed = [...perCall.values()].map((mails) => [mails.length, new Set(mails.map((mail) => mail.student_session_id)).size]);
  expect(mailed).toEqual(calls.map(() => [students, students]));
});

// How far the transaction has come is seen from outside: what does not fit into the cache goes to the log before the end.
test('a process killed while send_emails is at work has sent all mails of that call or none', async () => {
  const folder = newFolder();
  const students = 30_000;
  const exam = crowdedExam(folder, students);
  const { send, kill } = await serveElsewhere(folder);
  const log = join(folder, 'sandbox.db-wal');
  const logged = () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) / 1e6;

  const call = Promise.allSettled([send('POST', `/exams/${exam}/send_emails`)]);
  while (logged() < 2.5 && (await Promise.race([call, setImmediate('on its way')])) === 'on its way');
  await kill();

  const store = new Store(join(folder, 'sandbox.db'));
  onTestFinished(() => store.close());
  const mailed = outbox(folder).length;
  expect([0, students]).toContain(mailed);
  expect(store.list('student_sessions', exam).filter(({ data }) => data.status === 'mail_sent')).toHaveLength(mailed);
  expect(store.sql('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});
