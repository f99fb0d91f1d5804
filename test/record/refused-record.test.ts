/** A record on this machine that cannot be relied on is refused with 3, in one sentence and with the way on, before anything is sent. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { createKeys } from '../../src/record/keys.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { temporaryFolder } from '../support/run.ts';
import { eachKind, newRun, openAt, opened, optionsOf, refusal, steps, worker } from './record-world.ts';

const placeIn = (folder: string) => join(folder, 'record.sqlite');

/** A folder with one run that has ended. */
async function used(folder = temporaryFolder(), count = 3): Promise<string> {
  const record = await openAt({ folder });
  await record.lock(['d'], 'import');
  await (await record.startRun(newRun, steps(count))).close('finished');
  await record.close();
  return folder;
}

function edit(folder: string, statement: string) {
  const database = new DatabaseSync(placeIn(folder));
  database.exec(statement);
  database.close();
}

const moveOld = /^Nothing was sent\. Then begin without it; .* undone: (mv \S+record\.sqlite \S+)$/;
const moveAway = /^Restore it from a backup, or begin without it; .* undone: (mv \S+record\.sqlite \S+)$/;

test('a new record is for its owner only, and beside the one before', async () => {
  const folder = await used(join(temporaryFolder(), 'state'));
  const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
  expect(Object.fromEntries(modes)).toEqual({ 'record.sqlite': '600', 'runs.key': '600', holders: '700' });
  expect(readdirSync(join(folder, 'holders'))).toEqual([]);
});

eachKind((newPlace) =>
  test('the folder of a new key is closed to others, who could exchange it', async () => {
    const place = await newPlace();
    chmodSync(place.folder, 0o777);
    await opened(place);
    expect((statSync(place.folder).mode & 0o777).toString(8)).toBe('700');
  }),
);

test('two that make the key at the same moment have the same one; where none can be made, nothing waits', async () => {
  const folder = temporaryFolder();
  const [one, other] = await Promise.all(['k', 'k'].map((name) => createKeys(join(folder, name))));
  expect(one?.print).toBe(other?.print);
  await expect(createKeys(join(folder, 'gone', 'k'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('no record is kept where none is wanted, and it can be written all the same', async () => {
  const folder = temporaryFolder();
  const record = await opened({ folder }, { at: 'none' });
  await record.lock(['d'], 'import');
  const run = await record.startRun(newRun, steps(1));
  await run.close('finished');
  expect([record.place, (await record.runs()).length]).toEqual(['none', 1]);
  expect(readdirSync(folder)).toEqual([]);
});

test('ended runs are pruned when the record is opened', async () => {
  const folder = await used();
  expect((await (await opened({ folder }, { keepRuns: 60_000 })).runs()).length).toBe(1);
  expect((await (await opened({ folder }, { keepRuns: -60_000 })).runs()).length).toBe(0);
});

describe('with a sentence of its own', () => {
  const another = (folder: string) => {
    rmSync(placeIn(folder));
    edit(folder, 'PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)');
  };
  const link = (folder: string) => {
    renameSync(placeIn(folder), join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), placeIn(folder));
  };
  const inFolder = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text);
  const isFolder = (folder: string) => [rmSync(placeIn(folder)), mkdirSync(placeIn(folder))];
  const otherKey = async (folder: string) => copyFileSync(join(await used(), 'runs.key'), join(folder, 'runs.key'));
  const edited = (statement: string) => (folder: string) => edit(folder, statement);
  type Case = [what: string, act: (folder: string) => unknown, code: ErrorCode, says: string, wayOn: string | RegExp];
  test.each<Case>([
    ['a file that is no database', inFolder('record.sqlite', 'text '.repeat(1000)), 'state_damaged', 'it is damaged', moveAway],
    ['a file of another program', another, 'state_failed', 'it belongs to another program', 'Move that file away'],
    ['an older one', edited('UPDATE meta SET version = 1'), 'state_failed', 'an older version', moveOld],
    ['a newer one', edited('UPDATE meta SET version = 4'), 'state_failed', 'a newer version', 'Update proctor-cli'],
    ['tables that have changed', edited('DROP TABLE meta'), 'state_damaged', 'it is damaged', moveAway],
    ['a link', link, 'state_failed', 'it is a link, which is not followed', 'export PROCTOR_STATE_DIR='],
    ['a folder', isFolder, 'state_failed', 'unable to open', 'PROCTOR_STATE_DIR='],
    ['a lost key', (folder) => rmSync(join(folder, 'runs.key')), 'invalid_config', 'its key is not on this', 'runs.key, or name its file'],
    ['another key', otherKey, 'invalid_config', 'it was made with another key', 'Copy the key'],
    ['a key that is none', inFolder('runs.key', 'short'), 'invalid_config', 'it is not a key', 'Copy the key'],
  ])('%s', async (what, act, code, says, wayOn) => {
    const folder = await used();
    await act(folder);
    const bytes = /^a (file|newer)/.test(what) ? readFileSync(placeIn(folder)) : undefined;
    await refusal(openAt({ folder }), code, says, wayOn);
    if (bytes) expect(readFileSync(placeIn(folder))).toEqual(bytes);
  });

  test('a page that is damaged: where it is read; what the hint says leads to a new record', async () => {
    const folder = await used(temporaryFolder(), 2000);
    const bytes = readFileSync(placeIn(folder));
    writeFileSync(placeIn(folder), bytes.fill(0xaa, 40_960));
    const record = await opened({ folder });
    const read = record.runs().then(([run]) => record.steps(run?.id ?? ''));
    const [, command = ''] = moveAway.exec(await refusal(read, 'state_damaged', 'it is damaged', moveAway)) ?? [];
    await record.close().catch(() => {});
    execFileSync('sh', ['-c', command]);
    expect(await (await opened({ folder })).runs()).toEqual([]);
  });

  test('a file system of other machines, by its name', async () => {
    const folder = await used();
    for (const [name, type] of Object.entries({ NFS: 0x6969, CIFS: 0xff534d42 | 0, SMB: 0xfe534d42, FUSE: 0x65735546 })) {
      const opening = openSqlite(folder, { ...optionsOf({ folder }).host, platform: 'linux', typeOf: () => type }, () => {});
      await refusal(
        opening,
        'invalid_config',
        `it is not on a local disk (${name}), where locks can be lost.`,
        'export PROCTOR_STATE_DIR=',
      );
    }
  });

  test('on Windows a share, and a drive that is one, by the name of the server', async () => {
    const folder = await used();
    const onWindows = { ...optionsOf({ folder }).host, platform: 'win32' };
    const opening = openSqlite(folder, { ...onWindows, realPath: () => '\\\\server\\exams\\state' }, () => {});
    await refusal(
      opening,
      'invalid_config',
      'it is not on a local disk (\\\\server\\exams), where locks can be lost.',
      'PROCTOR_STATE_DIR',
    );
    const noDevice = () => {
      throw new Error('EISDIR');
    };
    for (const realPath of [() => 'C:\\exams\\state', noDevice])
      await (await openSqlite(folder, { ...onWindows, realPath }, () => {})).close();
  });

  test('a key that is a pipe is refused: it would wait for its writer', async () => {
    for (const keyFile of [undefined, join(temporaryFolder(), 'key')]) {
      const folder = temporaryFolder();
      execFileSync('mkfifo', [keyFile ?? join(folder, 'runs.key')]);
      await refusal(openAt({ folder }, keyFile === undefined ? {} : { keyFile }), 'invalid_config', 'it is not a file', '');
    }
  });

  test('a key file that the settings name: closed to others, a line of text, and there', async () => {
    const [folder, keyFile] = [temporaryFolder(), join(temporaryFolder(), 'key')];
    const open = () => openAt({ folder }, { keyFile });
    const hint = await refusal(open(), 'invalid_config', `The key file ${keyFile} cannot be used: it does not exist.`, '(umask 077');
    execFileSync('sh', ['-c', hint.slice(hint.indexOf('(umask'))]);
    const record = await open();
    const [key, digest] = [record.keys.studentKey('Ada@example.org'), record.keys.digest('ada@example.org')];
    await record.close();
    chmodSync(keyFile, 0o644);
    const closed: string[] = [];
    await (await openAt({ folder }, { keyFile, onClosed: (paths) => closed.push(...paths) })).close();
    expect([closed, statSync(keyFile).mode & 0o777]).toEqual([[keyFile], 0o600]);
    chmodSync(keyFile, 0o400);
    const again = await opened({ folder: temporaryFolder() }, { keyFile });
    expect([again.keys.studentKey(' ada@EXAMPLE.org '), again.keys.digest('ada@example.org')]).toEqual([key, digest]);
    expect(key).not.toBe(digest);
  });
});

describe('a place that cannot be written', () => {
  test.runIf(process.getuid?.() === 0)('a folder, a file, or a folder of another user', async () => {
    const folder = await used(join(temporaryFolder(), 'state'));
    const ends = async () => {
      // All that a record needs is loaded while the checkout, which may be closed to others, can be read.
      const child = worker(
        { folder },
        `await (await openAt(place, { at: 'none' })).close();
         process.setuid(65534);
         const record = await open();
         say('opened');
         await record.close();`,
      );
      await child.ended;
      return child.lines.join();
    };
    chmodSync(join(folder, '..'), 0o755);
    chmodSync(folder, 0o755);
    chownSync(folder, 1, 1);
    expect(await ends()).toMatch(/^error invalid_config 3 .* belongs to another user/);
    for (const name of ['', 'record.sqlite', 'runs.key', 'holders']) chownSync(join(folder, name), 65534, 65534);
    chmodSync(folder, 0o500);
    expect(await ends()).toMatch(/^error state_failed 3 The state .* cannot be used: .*(unable to open|readonly).*\.$/);
    chmodSync(folder, 0o700);
    chmodSync(placeIn(folder), 0o400);
    expect(await ends()).toMatch(/^error state_failed 3 The state .* cannot be used: permission denied \(EACCES\)\.$/);
    chmodSync(placeIn(folder), 0o600);
    expect(await ends()).toBe('opened');
  });

  test.runIf(process.platform === 'linux')('a disk that gets full, or is: nothing is said to be recorded that is not', async () => {
    const folder = temporaryFolder();
    const limited = (bytes: number) => ['prlimit', `--fsize=${bytes}`, 'env', '--ignore-signal=XFSZ'];
    const child = worker(
      { folder },
      `const record = await open();
       await record.lock(['d'], 'import');
       const run = await record.startRun(newRun, steps(10));
       say('id', run.run.id);
       for (let n = 1; ; n += 1) { await run.save([step(1 + (n % 10), { line: n, state: 'sending' })]); say('sent', n); }`,
      limited(300_000),
    );
    const [id = ''] = await child.said('id');
    await child.ended;
    const full = /^error state_failed 3 The state .* cannot be used: (disk I\/O error|database or disk is full)\.$/;
    expect(child.lines.at(-1)).toMatch(full);
    const sent = child.lines.filter((line) => line.startsWith('sent ')).length;
    expect(sent).toBeGreaterThan(10);
    const record = await opened({ folder });
    expect(Math.max(...(await record.steps(id)).map(({ line }) => line ?? 0))).toBe(sent);
    const late = worker({ folder }, `const record = await open(); await record.startRun(newRun, steps(10)); say('begun')`, limited(1));
    await late.ended;
    expect(late.lines.join()).toMatch(full);
  });
});
