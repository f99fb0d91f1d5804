/** The record of runs, its key and the data of the sandbox are used only where no other user can write them, and closed to them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ada, serviceWithExam } from '../support/algebra.ts';
import { isRoot, mode, nobody, withoutRights } from '../support/rights.ts';
import { run, temporaryFolder } from '../support/run.ts';

const update = 'sessions update 7 --close-time 2127-02-01T10:30:00Z';

/** A machine with a record, in a state folder of the user's choice. */
async function machine() {
  const service = serviceWithExam({ sessions: [ada] });
  expect((await service.run(update)).code).toBe(0);
  const folder = join(service.home, 'state');
  const record = join(folder, 'record.sqlite');
  return { service, folder, record, key: join(folder, 'runs.key'), journal: `${record}-journal` };
}

test.skipIf(withoutRights)('the record of runs, its key and its folder are closed to others', async () => {
  const { service, folder, record, key } = await machine();
  const open = () => [chmodSync(folder, 0o777), chmodSync(record, 0o666)];
  open();
  const { code, stderr } = await service.run('runs list');
  const line = `warning: Other users could read or change ${folder} and ${record}, until this command closed it to them.\n`;
  expect([code, stderr]).toEqual([0, line]);
  expect([folder, record, key].map(mode)).toEqual(['755', '600', '600']);
  chmodSync(key, 0o644);
  expect((await service.run('runs list')).stderr).toContain(key);
  open();
  expect(await service.run('runs list --quiet')).toMatchObject({ code: 0, stderr: '' });
  expect([folder, record].map(mode)).toEqual(['755', '600']);
  expect((await service.run('runs list')).stderr).toBe('');
});

test.runIf(isRoot).each(['folder', 'record', 'key', 'journal'] as const)(
  'the state of another user is refused, and nothing is sent: %s',
  async (which) => {
    const machineWithRecord = await machine();
    const { service, [which]: path } = machineWithRecord;
    const before = service.arrived.length;
    // SQLite would play it back.
    if (which === 'journal') writeFileSync(path, 'theirs');
    chownSync(path, nobody, nobody);
    const { code, stderr } = await service.run(update);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`because of ${path}: it belongs to another user`)]);
    expect(service.arrived.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

test.skipIf(withoutRights).each(['record', 'key', 'journal'] as const)('nor is a pipe waited at, which has no end: %s', async (which) => {
  const { service, [which]: path } = await machine();
  rmSync(path, { force: true });
  spawnSync('mkfifo', [path]);
  const { code, stderr } = await service.run(update);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`because of ${path}: it is not a file or a folder`)]);
});

test.skipIf(withoutRights)('a folder of locks that is a link, or open to others, is none: who writes there could end a lock', async () => {
  const { service, folder } = await machine();
  const [holders, elsewhere] = [join(folder, 'holders'), temporaryFolder()];
  chmodSync(holders, 0o777);
  expect((await service.run('runs list')).stderr).toContain(`${holders}, until this command closed it`);
  rmSync(holders, { recursive: true });
  symlinkSync(elsewhere, holders);
  const before = service.writes().length;
  expect(await service.run(update)).toMatchObject({ code: 3, stderr: expect.stringContaining('it is a link, which is not followed') });
  expect([readdirSync(elsewhere), service.writes().length]).toEqual([[], before]);
});

describe.skipIf(withoutRights)('the data of the sandbox', () => {
  const lines = [
    ['exams', 'list', '--profile', 'sandbox'],
    ['sandbox', 'outbox'],
    ['sandbox', 'reset', '--yes'],
  ];
  const seeded = async () => {
    const home = temporaryFolder();
    expect((await run(['sandbox', 'outbox'], { home })).code).toBe(0);
    const folder = join(home, 'state', 'sandbox');
    return { home, folder, file: join(folder, 'sandbox.db'), journal: join(folder, 'sandbox.db-journal') };
  };

  test.runIf(isRoot).each(lines)('of another user is refused by %s %s', async (...line) => {
    for (const which of ['folder', 'file', 'journal'] as const) {
      const { home, [which]: path } = await seeded();
      if (which === 'journal') writeFileSync(path, 'theirs');
      chownSync(path, nobody, nobody);
      const { code, stderr } = await run(line, { home });
      expect([code, stderr]).toEqual([3, expect.stringContaining('it belongs to another user')]);
    }
  });

  test('that is open to others is closed, in a folder of --folder, too', async () => {
    const folder = join(temporaryFolder(), 'kept');
    mkdirSync(folder);
    await run(['sandbox', 'reset', '--yes', '--folder', folder], { home: temporaryFolder() });
    for (const path of [folder, join(folder, 'sandbox.db')]) chmodSync(path, 0o777);
    const { stderr } = await run(['sandbox', 'outbox', '--folder', folder], { home: temporaryFolder() });
    expect(stderr).toContain(`warning: Other users could read or change ${folder} and`);
    expect([mode(folder), mode(join(folder, 'sandbox.db'))]).toEqual(['755', '700']);
  });

  test('is no link, whose target keeps its rights', async () => {
    const { home, file } = await seeded();
    const elsewhere = join(home, 'public');
    rmSync(file);
    writeFileSync(elsewhere, 'precious');
    chmodSync(elsewhere, 0o644);
    symlinkSync(elsewhere, file);
    for (const line of lines) expect((await run(line, { home })).stderr).toContain('it is a link, which is not followed');
    expect([mode(elsewhere), readFileSync(elsewhere, 'utf8')]).toEqual(['644', 'precious']);
  });

  test.runIf(isRoot)('of another user is refused with a hint that leads on', async () => {
    const folder = temporaryFolder();
    chownSync(folder, nobody, nobody);
    const { stderr } = await run(['sandbox', 'outbox', '--folder', folder], { home: temporaryFolder() });
    expect(stderr).toMatch(/\nhint: Name a folder of your own: --folder FOLDER\n$/);
  });

  test('is never written through a link beside the database', async () => {
    const { home, folder } = await seeded();
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    for (const name of readdirSync(folder)) expect(name).toBe('sandbox.db');
    symlinkSync(elsewhere, join(folder, 'sandbox.db-wal'));
    expect((await run(['sandbox', 'reset', '--yes'], { home })).code).not.toBe(0);
    expect(existsSync(elsewhere)).toBe(false);
  });
});
