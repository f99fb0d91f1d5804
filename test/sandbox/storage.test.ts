/** What the embedded service keeps: for its owner only, beyond its process, and never a file of another program. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { sessionStatuses } from '../../src/model/status.ts';
import { outbox, resetSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { inStore, seededExams } from '../commands/embedded.ts';
import { type Item, newExam, newFolder, now, type Send, sender, serve } from './harness.ts';

async function everything(send: Send): Promise<unknown> {
  const paths = ['/exams', '/student_sessions', '/institutes/1/users', ...seededExams.map((id) => `/exams/${id}/proctor_pool`)];
  return Promise.all(paths.map(async (path) => (await send('GET', path)).body));
}

test('the folder and everything in it are for their owner only', async () => {
  const { folder, send } = await serve();
  await newExam(send);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toContain('sandbox.db-wal');
  for (const file of readdirSync(folder)) expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
});

test('data and token outlive the process; every store has a token of its own, safe in a URL', async () => {
  const folder = newFolder();
  const first = await startSandbox({ folder });
  const { path } = await newExam(sender(first), { name: 'Optik' });
  await first.close();
  const second = await serve({ folder });
  expect(second.token).toBe(first.token);
  expect((await second.send('GET', path)).body.name).toBe('Optik');
  expect(second.token).toMatch(/^[\w-]{32,}$/);
  expect((await serve()).token).not.toBe(second.token);
});

test.each(['proctor', 'apple', 'pear'])('the data of "%s" show every status, every level and every kind of exam', async (seed) => {
  const { send } = await serve({ seed });
  const exams = (await send<Item[]>('GET', '/exams')).body;
  const sessions = (await send<Item[]>('GET', '/student_sessions')).body;
  const times = exams.map(({ start_time, end_time }) => [Date.parse(String(start_time)), Date.parse(String(end_time))]);
  const seen = (field: string) => new Set(sessions.map((session) => session[field]));
  expect(seen('status')).toEqual(new Set(sessionStatuses));
  expect(seen('level_of_suspicion')).toEqual(new Set([0, 1, 2, 3]));
  expect(seen('email')).toContain(null);
  expect(seen('name')).toContain(undefined);
  const phases = times.map(([start = 0, end = 0]) => (end < now ? 'past' : start < now ? 'running' : 'to come'));
  expect(new Set(phases)).toEqual(new Set(['past', 'running', 'to come']));
  expect(times.flat().every((time) => time % (15 * 60_000) === 0)).toBe(true);
  const addresses = sessions.flatMap(({ email }) => (email === null ? [] : [String(email)]));
  expect(addresses.filter((address) => !/@([a-z]+\.)?example\.(org|com|net)$/.test(address))).toEqual([]);
});

test('a reset brings the first data back under a running service, and leaves the token', async () => {
  const { send, folder } = await serve();
  const before = await everything(send);
  await send('POST', '/exams/5/send_emails');
  await send('DELETE', '/exams/1');
  await newExam(send);
  const counts = resetSandbox(folder, { now: () => now });
  expect(counts).toEqual({ users: 12, exams: seededExams.length, sessions: (await send<Item[]>('GET', '/student_sessions')).body.length });
  expect(await everything(send)).toEqual(before);
});

test.each([resetSandbox, outbox])('whatever command comes first makes the data where there are none, or an empty file', (command) => {
  for (const isThere of [false, true]) {
    const folder = newFolder();
    mkdirSync(folder);
    if (isThere) writeFileSync(join(folder, 'sandbox.db'), '');
    command(folder);
    expect(inStore(folder, (store) => store.list('exams'))).toHaveLength(seededExams.length);
  }
});

describe('what is no database of the sandbox', () => {
  const foreign = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE settings (precious TEXT); INSERT INTO settings VALUES ('mine')`);
    database.close();
  };
  test.each<[what: string, put: (path: string) => void, why?: string]>([
    ['a text', (path) => writeFileSync(path, 'This is no database, and long enough to be looked at. '.repeat(50))],
    ['of another program', foreign],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync(join(path, '..', 'elsewhere'), path), 'it is a link, which is not followed'],
  ])('is left as it is, and named (%s)', async (_what, put, why = 'it is not a file of the sandbox') => {
    const folder = newFolder();
    mkdirSync(folder);
    const file = join(folder, 'sandbox.db');
    put(file);
    const content = () => [readdirSync(folder), lstatSync(file).isFile() && readFileSync(file)];
    const before = content();
    const refused = {
      code: 'unavailable',
      message: `The sandbox cannot use its database ${file}: ${why}.`,
      hint: expect.stringContaining('Move the file away'),
    };
    await expect(startSandbox({ folder })).rejects.toMatchObject(refused);
    for (const use of [() => resetSandbox(folder), () => outbox(folder)]) expect(use).toThrow(expect.objectContaining(refused));
    expect(content()).toEqual(before);
  });
});

describe('a database of the sandbox that is damaged', () => {
  /** Does something to the bytes of a sound file. */
  const bytes = (change: (whole: Buffer) => Buffer) => (file: string) => writeFileSync(file, change(readFileSync(file)));
  const sql = (text: string) => (file: string) => {
    const database = new DatabaseSync(file);
    database.exec(text);
    database.close();
  };
  const filledAndEmptied = sql('CREATE TABLE filler (text TEXT); INSERT INTO filler VALUES (zeroblob(50000)); DROP TABLE filler');
  const rule = `CREATE TRIGGER no BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END`;
  test.each<[string, isSeen: boolean, (file: string) => void]>([
    ['cut off', true, bytes((whole) => whole.subarray(0, 5000))],
    ['overwritten behind its header', true, bytes((whole) => Buffer.concat([whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 7)]))],
    ['without its tables', true, sql('DROP TABLE settings')],
    ['without its token', true, sql('DELETE FROM settings')],
    ['cut to its header', true, bytes((whole) => whole.subarray(0, 100))],
    ['of a future format', true, bytes((whole) => whole.fill(9, 18, 20))],
    ['where nothing reads it at the start', false, sql('DROP TABLE outbox')],
    ['with tables of another version', false, sql('DROP TABLE users; CREATE TABLE users (id INTEGER PRIMARY KEY, login TEXT NOT NULL)')],
    ['with a rule of its own', false, sql(`${rule}; INSERT INTO outbox VALUES (1, 1, 1, 1, '', '', '', '')`)],
    ['in its list of free pages', false, (file) => [filledAndEmptied, bytes((whole) => whole.fill(3, 35, 36))].map((act) => act(file))],
  ])('is made anew by a reset, and named with that remedy where a start sees it: %s', async (_kind, isSeen, damage) => {
    const folder = newFolder();
    resetSandbox(folder);
    const file = join(folder, 'sandbox.db');
    damage(file);
    if (isSeen) {
      const before = readFileSync(file);
      const refused = { code: 'unavailable', hint: expect.stringContaining(`proctor-cli sandbox reset --folder ${folder}`) };
      await expect(startSandbox({ folder })).rejects.toMatchObject(refused);
      expect(() => outbox(folder)).toThrow(expect.objectContaining(refused));
      expect(readFileSync(file)).toEqual(before);
    }
    expect(resetSandbox(folder).exams).toBe(seededExams.length);
    expect(outbox(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name !== 'sandbox.db')).toEqual([]);
    expect((await (await serve({ folder })).send<Item[]>('GET', '/exams')).body).toHaveLength(seededExams.length);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

test('a folder that cannot be is named, whatever wants it', () => {
  const file = join(mkdirSync(newFolder(), { recursive: true }) ?? '', 'a-file');
  writeFileSync(file, '');
  const folder = join(file, 'sandbox');
  const message = expect.stringMatching(/^The sandbox cannot use its database .*\/a-file\/sandbox\/sandbox\.db: /);
  for (const use of [() => resetSandbox(folder), () => outbox(folder)])
    expect(use).toThrow(expect.objectContaining({ code: 'unavailable', message }));
});
