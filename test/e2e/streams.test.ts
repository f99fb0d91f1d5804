/** Conditions of a shell: closed pipes, full disks, slow readers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, type Options, program, shell } from './program.ts';

const home = temporaryFolder();
/** The embedded service of this process: each process of the program that has one of its own takes twice as long. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ folder: temporaryFolder() });
});
afterAll(() => sandbox.close());

const world = (env: Record<string, string | undefined> = {}): Options => ({
  home,
  env: { PROCTOR_BASE_URL: sandbox.baseUrl, PROCTOR_TOKEN: sandbox.token, ...env },
});

describe('a pipe that is closed', () => {
  test.each(['exams list', 'sessions list', 'sessions list -o ndjson', 'sessions list -o json', 'exams --help'])(
    '%s ends quietly',
    async (line) => {
      const { stdout, stderr } = await shell(`proctor ${line} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`, world());
      expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
    },
  );

  test.each(['--help', '--version', 'sessions list'])('%s ends quietly, too, before anything was written', async (line) => {
    const { stdout, stderr } = await shell(`proctor ${line} | true; echo "\${PIPESTATUS[0]}"`, world());
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });
});

describe('stdout that cannot be written to', () => {
  test.each(['exams list', 'sessions list -o ndjson', 'exams list -o json', 'exams list -o csv', '--help', '--version', '-V', ''])(
    '%s > /dev/full',
    async (line) => {
      const { stdout, stderr, code } = await shell(`proctor ${line} > /dev/full`, world());
      expect(code).toBe(3);
      expect(stdout).toBe('');
      const said = line.includes('json') ? JSON.parse(stderr).error.message : stderr;
      expect(said).toMatch(/^(error: )?Could not write the output: .+\.($|\nhint: .+\n$)/);
      expect(stderr).not.toMatch(internals);
    },
  );

  test('stderr that cannot be written to does not change the status', async () => {
    expect((await shell('proctor exmas 2> /dev/full', world())).code).toBe(2);
    expect((await shell('proctor exams get 1 -o id 2> /dev/full', world())).stdout).toBe('1\n');
  });
});

describe.skipIf(!existsSync('/proc/self/fdinfo'))('stdout that is closed', () => {
  test.each(['exams list', 'exams get 1 -o json', 'sessions list -o ndjson', 'config list', 'exams --help', '--help', '--version'])(
    '%s >&-',
    async (line) => {
      const { code, stderr } = await shell(`proctor ${line} >&-`, world());
      expect(code).toBe(3);
      expect(stderr).toContain('Could not write the output: stdout is closed.');
      expect(stderr).not.toMatch(internals);
    },
  );

  test('keeps a write from being sent, because its result would be lost', async () => {
    const exams = () => shell('proctor exams list -o id', world());
    const before = (await exams()).stdout;
    const { code, stderr } = await shell('proctor exams create --start now+1h --end now+2h >&-', world());
    expect(code).toBe(3);
    expect(stderr).toContain('Nothing was sent.');
    expect((await exams()).stdout).toBe(before);
  });

  test('is none where a shell, or another program, gives it /dev/null', async () => {
    expect((await shell('proctor exams list >/dev/null', world())).code).toBe(0);
    const [file = '', ...words] = [...inject('command'), 'exams', 'list'];
    const child = spawn(file, words, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, HOME: home, ...world().env },
    });
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  test('stderr that is closed changes neither what is printed nor the status', async () => {
    expect((await shell('proctor exmas 2>&-', world())).code).toBe(2);
    expect((await shell('proctor exams get 1 -o id 2>&-', world())).stdout).toBe('1\n');
    expect((await shell('proctor exams list <&- >&- 2>&-', world())).code).not.toBe(1);
  });
});

describe('a working folder that has been deleted', () => {
  const gone = (line: string, env = {}) => shell(`folder=$(mktemp -d); cd "$folder"; rmdir "$folder"; proctor ${line}`, world(env));

  test.each([
    '--version',
    '--help',
    'exams list',
    '--profile sandbox exams list',
    "__complete exams get ':'",
    "__complete sessions import ':'",
  ])('%s works', async (line) => {
    expect(await gone(line)).toMatchObject({ code: 0, stdout: expect.stringMatching(/./), stderr: '' });
  });

  test('is named where a path starts from it', async () => {
    for (const outcome of [await gone('config set caFile ca.pem'), await gone('config list', { PROCTOR_CONFIG_DIR: 'here' })]) {
      expect(outcome).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('which has been deleted') });
      expect(outcome.stderr).not.toMatch(internals);
    }
    expect(await gone("__complete exams get ':'", { PROCTOR_STATE_DIR: 'here' })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('10 MB into a slow reader', () => {
  const exams = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `Exam ${id} ${'ä'.repeat(100)}` }));
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(exams));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const long = () => world({ PROCTOR_BASE_URL: address(), PROCTOR_TOKEN: 'a-token-of-the-tests' });

  test.each(['json', 'ndjson', 'csv', 'table'])('that takes its first line and goes: %s ends quietly', async (format) => {
    const { stdout, stderr } = await shell(`proctor exams list -o ${format} | head -c 100 >/dev/null; echo "\${PIPESTATUS[0]}"`, long());
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  test.each(['json', 'ndjson'])('%s arrives whole', async (format) => {
    const child = launch(['exams', 'list', '-o', format], long());
    const exit = once(child, 'close');
    child.stdout.pause();
    await setTimeout(700);
    const parts: Buffer[] = [];
    for await (const part of child.stdout) {
      parts.push(part);
      if (parts.length % 20 === 0) await setTimeout(1);
    }
    const [code] = await exit;
    const text = Buffer.concat(parts).toString();
    expect(Buffer.byteLength(text)).toBeGreaterThan(9_000_000);
    expect(
      format === 'json'
        ? JSON.parse(text)
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
    ).toEqual(exams);
    expect(code).toBe(0);
  });
});

test('stdin is read to its end', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(1_000_000) });
  const { code, stdout } = await program('sessions create --exam 6 --body - -o json --dry-run', { ...world(), stdin: body });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)[0].body).toEqual(JSON.parse(body));
});

test('a missing file of the shell causes no stack trace', async () => {
  const { code, stderr } = await ended(launch(['sessions', 'create', '--exam', '6', '--body', '/nowhere/x.json'], world()));
  expect(code).toBe(3);
  expect(stderr).toContain('/nowhere/x.json');
  expect(stderr).not.toMatch(internals);
});

describe('characters beyond ASCII', () => {
  const extend = 'sessions extend 24 --by 2h -o id';

  test('are printed as they are', async () => {
    const { stderr } = await program(extend, world());
    expect(stderr).toMatch(/ \d\d:\d\d( \S+)? → \d{4}-/);
    expect(stderr).not.toMatch(/[\u0080-\u00ff]/);
  });

  test('are words with --plain', async () => {
    const { stderr } = await program(`${extend} --again --plain`, world());
    expect(stderr).toMatch(/ \d\d:\d\d( \S+)? to \d{4}-/);
    expect(stderr).not.toMatch(/[^\n -~]/);
  });
});
