/** A state that cannot be trusted with a record is refused before anything is sent, each kind with a sentence of its own. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { openState } from '../../src/state/open-state.ts';
import { temporaryFolder } from '../support/run.ts';
import { host, newRun, opened, steps, worker } from './state-world.ts';

/** A folder with one finished run. */
async function used(folder = temporaryFolder()): Promise<string> {
  const state = await opened(folder);
  const run = await state.begin(newRun, steps(3));
  await run.close('finished');
  await state.close();
  return folder;
}

const opening = (folder: string) => openState({ folder, host });
const place = (folder: string) => join(folder, 'runs.sqlite');
const refusal = (code: string, message: string) => ({ code, exit: 3, message });

describe('with a sentence of its own', () => {
  const isLink = 'it is a link, which is not followed';
  const link = (name: string) => (folder: string) => {
    rmSync(join(folder, name), { force: true });
    symlinkSync(join(folder, 'elsewhere'), join(folder, name));
  };
  const another = (folder: string) => {
    rmSync(place(folder));
    edit(folder, 'CREATE TABLE theirs (a)');
    chmodSync(place(folder), 0o600);
  };
  test.each<[string, (folder: string) => unknown, string, string]>([
    ['a key that is lost', (folder) => rmSync(join(folder, 'runs.key')), 'state_damaged', 'is damaged: its key '],
    [
      'the key of another state',
      async (folder) => copyFileSync(join(await used(), 'runs.key'), join(folder, 'runs.key')),
      'state_damaged',
      'is damaged: the key beside it is that of another state.',
    ],
    ['a key that is none', (folder) => writeFileSync(join(folder, 'runs.key'), 'short'), 'state_failed', 'it is not a key'],
    [
      'a file of a newer version',
      (folder) => edit(folder, 'UPDATE meta SET schema_version = 2'),
      'state_failed',
      'cannot be used: a newer version of proctor-cli has written it.',
    ],
    ['a file of another program', another, 'state_failed', 'cannot be used: it belongs to another program.'],
    [
      'a file that is no database',
      (folder) => writeFileSync(place(folder), 'no database '.repeat(1000)),
      'state_damaged',
      'is damaged: it is not a database.',
    ],
    ['no file at all', (folder) => [rmSync(place(folder)), mkdirSync(place(folder))], 'state_failed', 'it is not a file'],
    ...['runs.sqlite', 'runs.sqlite-wal', 'runs.key', 'runs.last'].map(
      (name) => [`a link ${name}`, link(name), 'state_failed', isLink] as never,
    ),
  ])('%s', async (what, act, code, sentence) => {
    const folder = await used();
    await act(folder);
    const before = what.startsWith('a file') ? readFileSync(place(folder)) : undefined;
    await expect(opening(folder)).rejects.toMatchObject({ code, exit: 3, message: expect.stringContaining(sentence) });
    if (before) expect(readFileSync(place(folder))).toEqual(before);
  });

  test.runIf(process.platform === 'linux')('on a network: the sentence says how to choose a local folder', async () => {
    const folder = await used();
    for (const [type, name] of [
      [0x6969, 'NFS'],
      [0xff534d42 | 0, 'CIFS'],
      [0xfe534d42, 'SMB'],
      [0x65735546, 'FUSE'],
    ] as const) {
      const refused = openState({ folder, host, typeOf: () => type });
      await expect(refused).rejects.toMatchObject({
        ...refusal('invalid_config', `The state folder ${folder} is not on a local disk (${name}), where records and locks can be lost.`),
        hint: expect.stringContaining('export PROCTOR_STATE_DIR='),
      });
    }
  });
});

describe('a place that cannot be written', () => {
  /** As a user to whom rights apply. */
  const asNobody = (folder: string, body: string) => worker(folder, `process.setuid(65534); ${body}`);
  const isRoot = process.getuid?.() === 0;

  test.runIf(isRoot)('a folder, a file, or a folder of another user', async () => {
    const folder = await used(join(temporaryFolder(), 'state'));
    const open = `(await openState({ ...options, host: { ...host, env: {} } })); say('opened')`;
    const refused = async (words: string) => {
      const child = asNobody(folder, open);
      expect(await child.ended()).toBe(3);
      expect(child.lines.join()).toContain(words);
    };
    chmodSync(join(folder, '..'), 0o755);
    chmodSync(folder, 0o755);
    await refused('belongs to another user');
    for (const name of ['', 'runs.sqlite', 'runs.key', 'runs.last', 'locks']) chownSync(join(folder, name), 65534, 65534);
    chmodSync(folder, 0o500);
    await refused('permission denied');
    chmodSync(folder, 0o700);
    chmodSync(place(folder), 0o400);
    await refused('permission denied');
    chmodSync(place(folder), 0o600);
    const child = asNobody(folder, open);
    expect([await child.ended(), child.lines]).toEqual([0, ['opened']]);
  });

  test.runIf(process.platform === 'linux')('a disk that is full, or gets full: nothing is said to be recorded that is not', async () => {
    const folder = temporaryFolder();
    const child = worker(
      folder,
      `const state = await openState(options);
       const run = await state.begin(newRun, steps(10));
       say('begun', run.run.id);
       for (let n = 1; ; n += 1) { await run.intend(1 + (n % 10), 'sending'); say('sent', n); }`,
      { prefix: ['prlimit', '--fsize=300000', 'env', '--ignore-signal=XFSZ'] },
    );
    expect(await child.ended()).toBe(3);
    expect(child.lines.at(-1)).toMatch(/^error state_failed The state .* cannot be used: the disk (is full|reports an error)\.$/);
    const sent = child.lines.filter((line) => line.startsWith('sent')).length;
    expect(sent).toBeGreaterThan(10);
    const state = await opened(folder);
    const [id = ''] = await child.said('begun');
    expect((await state.events(id)).length).toBe(sent);
    const late = worker(folder, `const state = await openState(options); await state.begin(newRun, steps(10)); say('begun')`, {
      prefix: ['prlimit', '--fsize=1', 'env', '--ignore-signal=XFSZ'],
    });
    expect(await late.ended()).toBe(3);
    expect(late.lines.join()).toMatch(/^error (state|output)_failed /);
  });
});

describe('a database from a backup', () => {
  test('is refused, as is another one, and one that is missing, until it is accepted', async () => {
    const folder = await used();
    const backup = join(folder, 'backup');
    copyFileSync(place(folder), backup);
    await used(folder);
    copyFileSync(place(folder), join(folder, 'current'));
    const restored = `The state ${place(folder)} was restored from a backup: it is older than its last commit. It lacks all that was done since.`;
    copyFileSync(backup, place(folder));
    await expect(opening(folder)).rejects.toMatchObject(refusal('state_restored', restored));
    copyFileSync(join(folder, 'current'), place(folder));
    await (await opening(folder)).close();

    renameSync(place(folder), join(folder, 'away'));
    const missing = `The state ${place(folder)} is missing, with the record of what was done from here.`;
    await expect(opening(folder)).rejects.toMatchObject(refusal('state_restored', missing));

    const other = temporaryFolder();
    cpSync(join(folder, 'runs.key'), join(other, 'runs.key'));
    copyFileSync(place(await used(other)), place(folder));
    await expect(opening(folder)).rejects.toMatchObject({ code: 'state_restored', message: expect.stringContaining('it is not the one') });
    rmSync(join(folder, 'runs.last'));
    await expect(opening(folder)).rejects.toMatchObject({ code: 'state_restored' });
  });
});

function edit(folder: string, statement: string) {
  const database = new DatabaseSync(place(folder));
  database.exec(statement);
  database.close();
}

test('these tests find prlimit where they need it', () => {
  if (process.platform === 'linux') expect(spawnSync('prlimit', ['--version']).status).toBe(0);
  else expect(process.platform).not.toBe('linux');
});
