/** The file of a log: whose it is, which files are refused, torn lines, full files, and other processes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { pause } from '../../src/host/process.ts';
import { withLock } from '../../src/state/lock.ts';
import { LogFile, type LogFileOptions } from '../../src/state/log-file.ts';
import { whyNotWritten } from '../../src/state/why-not-written.ts';
import { temporaryFolder } from '../support/run.ts';

const never = new AbortController().signal;
let folder: string;
let path: string;
let troubles: unknown[];

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'log.ndjson');
  troubles = [];
});

function open(options: Partial<LogFileOptions> = {}): LogFile {
  const host = { sleep: (milliseconds: number) => pause(milliseconds, never), random: () => 0.5, platform: process.platform };
  return new LogFile({ path, bytes: 1e6, host, notRotated: (error) => troubles.push(error), ...options });
}

const record = (number: number, more = '') => JSON.stringify({ version: 1, number, more });
const text = (name = 'log.ndjson') => readFileSync(join(folder, name), 'utf8');
const numbers = (...names: string[]) =>
  names
    .flatMap((name) => text(name).trimEnd().split('\n'))
    .map((line) => JSON.parse(line).number)
    .sort((one, other) => one - other);

function put(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function logged(...lines: string[]) {
  const log = open();
  for (const line of lines) log.write(line);
  await log.close();
}

describe('the file', () => {
  test('is for its owner only, and is added to', async () => {
    await logged(record(1));
    await logged(record(2), record(3));
    expect(text()).toBe(`${record(1)}\n${record(2)}\n${record(3)}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is made private if others could read it', async () => {
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await logged(record(1));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('has each record as soon as it is written', () => {
    const log = open();
    log.write(record(1));
    expect(text()).toBe(`${record(1)}\n`);
    return log.close();
  });

  test('is created again if it was moved away', async () => {
    const log = open();
    log.write(record(1));
    renameSync(path, `${path}.away`);
    log.write(record(2));
    await log.close();
    expect([text('log.ndjson.away'), text()]).toEqual([`${record(1)}\n`, `${record(2)}\n`]);
  });

  test('writes to no other file and closes none after it was closed, although their numbers are the same', async () => {
    const log = open();
    log.write(record(1));
    await log.close();
    const others = Array.from({ length: 3 }, (_, at) => openSync(join(folder, `other-${at}`), 'w'));
    log.write(record(2));
    rmSync(path);
    log.write(record(3));
    await log.close();
    for (const [at, descriptor] of others.entries()) {
      expect(fstatSync(descriptor).isFile()).toBe(true);
      expect(text(`other-${at}`)).toBe('');
      closeSync(descriptor);
    }
    expect(existsSync(path)).toBe(false);
  });

  test('is left for its successor once another process has rotated it', async () => {
    const log = open();
    log.write(record(1));
    renameSync(path, `${path}.1`);
    await logged(record(2));
    log.write(record(3));
    await log.close();
    expect([text('log.ndjson.1'), text()]).toEqual([`${record(1)}\n`, `${record(2)}\n${record(3)}\n`]);
  });
});

describe('is refused, and unchanged', () => {
  const refusal = () => {
    try {
      open();
    } catch (error) {
      return whyNotWritten(error);
    }
    throw new Error('the log was opened');
  };

  test('a link', () => {
    writeFileSync(join(folder, 'target'), '');
    symlinkSync(join(folder, 'target'), path);
    expect(refusal()).toBe('it is a link, which is not followed');
    expect(text('target')).toBe('');
  });

  test.each(['email,name\nada@example.org,Ada\n', '{"n":1,"journal":5}\n', 'x', '{"ver\nsion":1}\n'])(
    'a file of another kind: %j',
    (content) => {
      writeFileSync(path, content);
      expect(refusal()).toBe('it exists and is not a log');
      expect(text()).toBe(content);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('a log of another user, who would read it', () => {
    writeFileSync(path, '');
    chownSync(path, 65534, 65534);
    expect(refusal()).toBe('it belongs to another user');
    expect([text(), statSync(path).uid]).toEqual(['', 65534]);
  });

  test('a pipe without a reader, without waiting for one', () => {
    execFileSync('mkfifo', [path]);
    expect(refusal()).toBe('it is not a file');
  });

  test('a folder, and a file in a folder that is missing', () => {
    mkdirSync(path);
    expect(refusal()).toBe('it is a folder (EISDIR)');
    path = join(folder, 'missing', 'log.ndjson');
    expect(refusal()).toBe('its folder does not exist (ENOENT)');
  });
});

describe('a torn line', () => {
  test.each(['{"version":1,"number":1,"mo', '{"v'])('is ended, and the next record is a line of its own: %j', async (torn) => {
    writeFileSync(path, torn);
    await logged(record(2));
    await logged(record(3));
    expect(text()).toBe(`${torn}\n${record(2)}\n${record(3)}\n`);
  });

  test('of another process is found at the next record', async () => {
    const log = open();
    log.write(record(1));
    appendFileSync(path, '{"version":1,"num');
    log.write(record(2));
    await log.close();
    expect(text()).toBe(`${record(1)}\n{"version":1,"num\n${record(2)}\n`);
  });
});

describe('a full file', () => {
  const full = async (from: number, to: number) => {
    const log = open({ bytes: 1000 });
    for (let number = from; number <= to; number += 1) {
      log.write(record(number, 'x'.repeat(80)));
      // A rotation takes its time, in which the log continues.
      if (statSync(path).size >= 1000) await expect.poll(() => existsSync(path) && statSync(path).size, { timeout: 10_000 }).toBe(false);
    }
    await log.close();
  };

  test('becomes FILE.1, and so on to FILE.3', async () => {
    await full(1, 60);
    expect(text('log.ndjson.1').length).toBeGreaterThanOrEqual(1000);
    const names = ['log.ndjson.3', 'log.ndjson.2', 'log.ndjson.1', ...(existsSync(path) ? ['log.ndjson'] : [])];
    const kept = numbers(...names);
    expect(kept.at(-1)).toBe(60);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 61 - kept.length + index));
    expect(existsSync(`${path}.4`)).toBe(false);
    expect(statSync(`${path}.3`).mode & 0o777).toBe(0o600);
    expect(troubles).toEqual([]);
  });

  test('keeps growing while another process has the lock, loses nothing, and says so once', async () => {
    const waits: number[] = [];
    const host = { sleep: async (milliseconds: number) => void waits.push(milliseconds), random: () => 1, platform: process.platform };
    await withLock(host, `${path}.lock`, async () => {
      const log = open({ bytes: 500, host });
      for (let number = 1; number <= 20; number += 1) log.write(record(number, 'x'.repeat(80)));
      await log.close();
    });
    expect(numbers('log.ndjson')).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(troubles).toHaveLength(1);
    expect(waits.length).toBeGreaterThan(1);
  });

  test('keeps growing where no other file can be created in its place', async () => {
    mkdirSync(join(folder, 'log.ndjson.3'));
    writeFileSync(join(folder, 'log.ndjson.2'), '');
    const log = open({ bytes: 500 });
    for (let number = 1; number <= 20; number += 1) log.write(record(number, 'x'.repeat(80)));
    await log.close();
    expect(numbers('log.ndjson')).toHaveLength(20);
    expect(troubles).toHaveLength(1);
  });

  test.each([
    ['a file of another kind', () => writeFileSync(`${path}.1`, 'notes\n')],
    ['a link', () => symlinkSync(put('target', 'notes\n'), `${path}.1`)],
    ['a file of another kind, further on', () => writeFileSync(`${path}.3`, 'notes\n')],
  ])('moves or replaces nothing but logs: %s', async (_, prepare) => {
    prepare();
    const before = Object.fromEntries(readdirSync(folder).map((name) => [name, text(name)]));
    const log = open({ bytes: 500 });
    for (let number = 1; number <= 20; number += 1) log.write(record(number, 'x'.repeat(80)));
    await log.close();
    expect(numbers('log.ndjson')).toHaveLength(20);
    for (const [name, content] of Object.entries(before)) expect(text(name)).toBe(content);
    expect(troubles.map(whyNotWritten)).toEqual([expect.stringMatching(/log\.ndjson\.[13] is not a log and stays there$/)]);
  });

  test('keeps growing if the lock is a link, or a file that is no lock', async () => {
    for (const prepare of [() => symlinkSync(join(folder, 'elsewhere'), `${path}.lock`), () => writeFileSync(`${path}.lock`, 'notes\n')]) {
      rmSync(`${path}.lock`, { force: true });
      prepare();
      await logged(record(1));
      const log = open({ bytes: 10 });
      log.write(record(2));
      await log.close();
    }
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
    expect(text('log.ndjson.lock')).toBe('notes\n');
    // A reason is the end of a sentence.
    expect(troubles.map(whyNotWritten)).toEqual([
      expect.stringMatching(/it is a link, which is not followed$/),
      expect.stringMatching(/[a-z]$/),
    ]);
    expect(numbers('log.ndjson')).toEqual([1, 1, 2, 2]);
  });

  test('is rotated once by two logs that find it full', async () => {
    const [one, other] = [open({ bytes: 1000 }), open({ bytes: 1000 })];
    for (let number = 1; number <= 12; number += 1) (number % 2 ? one : other).write(record(number, 'x'.repeat(80)));
    await Promise.all([one.close(), other.close()]);
    expect(numbers('log.ndjson.1')).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(existsSync(`${path}.2`)).toBe(false);
  });
});

test('processes that write at the same moment leave each record on a line of its own, and no empty line', async () => {
  // A file grows by pages: lines of a quarter of one are often seen half-way.
  const writer = `
    import { LogFile } from '${new URL('../../src/state/log-file.ts', import.meta.url)}';
    const log = new LogFile({ path: ${JSON.stringify(path)}, bytes: 1e9, host: { platform: process.platform } });
    for (let number = 0; number < 2000; number += 1) log.write(JSON.stringify({ version: 1, number, more: 'x'.repeat(1000) }));
    await log.close();`;
  const processes = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '--eval', writer], { stdio: 'inherit' }));
  expect((await Promise.all(processes.map((child) => once(child, 'exit')))).map(([code]) => code)).toEqual([0, 0, 0]);
  expect(numbers('log.ndjson')).toHaveLength(6000);
});
