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

test('every student with an address gets one mail; those without are counted', async () => {
  const { send, folder } = await serve();
  const { id, path } = await newExam(send, { name: 'Statik' });
  const { body: zoe } = await send('POST', `${path}/add_student`, { name: 'Zoë', email: 'zoe@example.org' });
  const { body: bo } = await send('POST', `${path}/add_student`, { email: 'bo@example.org' });
  await send('POST', `${path}/add_student`, { name: 'No address' });

  const { status, body } = await send('POST', `${path}/send_emails`);
  expect([status, body]).toEqual([200, { sent: 2, skipped: 1 }]);
  const mail = { call: 1, exam_id: id, subject: 'Your exam: Statik', sent_at: new Date(now).toISOString().replace('.000', '') };
  expect(outbox(folder, { exam: String(id) })).toEqual([
    { ...mail, id: 1, student_session_id: zoe.id, email: 'zoe@example.org', name: 'Zoë' },
    { ...mail, id: 2, student_session_id: bo.id, email: 'bo@example.org', name: null },
  ]);
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

test('a second call mails everyone a second time, as a call of its own; the outbox shows the mails of one exam, and keeps them when it is gone', async () => {
  const { send, folder } = await serve();
  const { id, path } = await newExam(send);
  await send('POST', `${path}/add_student`, { email: 'zoe@example.org' });
  for (const exam of [path, path, '/exams/5']) await send('POST', `${exam}/send_emails`, {});
  await send('DELETE', path);
  expect(outbox(folder, { exam: String(id) }).map(({ call }) => call)).toEqual([1, 2]);
  expect(outbox(folder, { exam: 'x' })).toEqual([]);
  expect(new Set(outbox(folder).map(({ call }) => call))).toEqual(new Set([1, 2, 3]));
  expect((await send('POST', `${path}/send_emails`)).status).toBe(404);
});

test('overlapping calls to two processes on one database send one mail per student and call', async () => {
  const folder = newFolder();
  const students = 500;
  const exam = crowdedExam(folder, students);
  const services = await Promise.all([serveElsewhere(folder), serveElsewhere(folder)]);
  const calls = services.flatMap(({ send }) => Array.from({ length: 4 }, () => send('POST', `/exams/${exam}/send_emails`)));
  for (const { status, body } of await Promise.all(calls)) expect([status, body]).toEqual([200, { sent: students, skipped: 0 }]);

  const mails = outbox(folder);
  const perCall = new Map<number, Set<number>>();
  for (const { call, student_session_id: id } of mails) perCall.set(Number(call), (perCall.get(Number(call)) ?? new Set()).add(Number(id)));
  expect(mails).toHaveLength(calls.length * students);
  expect([...perCall.keys()]).toEqual(calls.map((_call, index) => index + 1));
  expect([...perCall.values()].every((mailed) => mailed.size === students)).toBe(true);
});

// How far the transaction has come is seen from outside: what does not fit into the cache goes to the log before the end.
test.each([0.5, 2, 2.5, 3])(
  'a process killed when send_emails has logged %d MB has sent all mails of that call or none',
  async (megabytes) => {
    const folder = newFolder();
    const students = 30_000;
    const exam = crowdedExam(folder, students);
    const { send, kill } = await serveElsewhere(folder);
    const log = join(folder, `sandbox.db-wal`);
    const logged = () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) / 1e6;

    let ended = false;
    const end = () => {
      ended = true;
    };
    send('POST', `/exams/${exam}/send_emails`).then(end, end);
    while (!ended && logged() < megabytes) await setImmediate();
    await kill();

    const store = new Store(join(folder, 'sandbox.db'));
    onTestFinished(() => store.close());
    const mailed = outbox(folder).length;
    expect([0, students]).toContain(mailed);
    expect(store.list('student_sessions', exam).filter(({ data }) => data.status === 'mail_sent')).toHaveLength(mailed);
    expect(store.sql('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  },
);
