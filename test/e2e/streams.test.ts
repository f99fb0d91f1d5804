/** Conditions of a shell: closed pipes, full disks, slow readers, folders that are gone. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { listening } from '../support/listening.ts';
import { temporaryFolder } from '../support/run.ts';
import { internals, launch, type Options, program, shell } from './program.ts';

/** What leads to the embedded service of this process: each process of the program that has one of its own takes twice as long. */
async function world(more: Record<string, string | undefined> = {}): Promise<Options> {
  const { env } = await embedded().under([]);
  return { home: temporaryFolder(), env: { ...env, ...more } };
}

/** To one whose list of exams is 2 MB: a pipe holds 64 KB. */
const exams = Array.from({ length: 8_000 }, (_, id) => ({ id, name: `Exam ${id} ${'ä'.repeat(100)}` }));
async function long(): Promise<Options> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(exams));
  });
  return world({ PROCTOR_BASE_URL: `http://127.0.0.1:${await listening(server)}` });
}

test.each([
  ['sessions list', 'head -1', world],
  ['sessions list -o json', 'head -1', world],
  ['--help', 'true', world],
  ['exams list', 'true', world],
  ['exams list -o ndjson', 'head -c 100', long],
  ['exams list -o csv', 'head -c 100', long],
  ['exams list', 'head -c 100', long],
])('%s ends quietly where its reader goes: | %s', async (line, reader, where) => {
  const { stdout, stderr } = await shell(`proctor ${line} | ${reader} >/dev/null; echo "\${PIPESTATUS[0]}"`, await where());
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

test.each(['exams list', 'sessions list -o ndjson', 'exams list -o csv', '--help', '--version'])('%s > /dev/full is told', async (line) => {
  const { stdout, stderr, code } = await shell(`proctor ${line} > /dev/full`, await world());
  expect([code, stdout]).toEqual([3, '']);
  const said = line.includes('json') ? JSON.parse(stderr).error.message : stderr;
  expect(said).toMatch(/^(error: )?Could not write the output: .+\.($|\nhint: .+\n$)/);
  expect(stderr).not.toMatch(internals);
});

test.each(['/dev/full', '&-'])('stderr that takes nothing (%s) changes neither what is printed nor the status', async (where) => {
  expect((await shell(`proctor exmas 2>${where}`, await world())).code).toBe(2);
  expect((await shell(`proctor exams get 1 -o id 2>${where}`, await world())).stdout).toBe('1\n');
});

describe('a working folder that has been deleted', () => {
  const gone = async (line: string, env = {}) =>
    shell(`folder=$(mktemp -d); cd "$folder"; rmdir "$folder"; proctor ${line}`, await world(env));

  test.each(['--version', '--help', '--profile sandbox exams list', "__complete exams get ':' || true"])('%s works', async (line) => {
    expect(await gone(line)).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
  });

  test('is named where a path starts from it', async () => {
    const outcome = await gone('config set caFile ca.pem');
    expect(outcome).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('that has been deleted') });
    expect(outcome.stderr).not.toMatch(internals);
  });
});

test.each(['json', 'ndjson'])('2 MB of %s arrive whole at a slow reader', async (format) => {
  const child = launch(['exams', 'list', '-o', format], await long());
  const exit = once(child, 'close');
  child.stdout.pause();
  const parts: Buffer[] = [];
  for await (const part of child.stdout) {
    parts.push(part);
    if (parts.length % 20 === 0) await setTimeout(1);
  }
  const [code] = await exit;
  const text = Buffer.concat(parts).toString();
  expect(Buffer.byteLength(text)).toBeGreaterThan(1_800_000);
  expect(JSON.parse(format === 'json' ? text : `[${text.trimEnd().replaceAll('\n', ',')}]`)).toEqual(exams);
  expect(code).toBe(0);
});

test('stdin is read to its end', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(1_000_000) });
  const { code, stdout } = await program('sessions create --exam 6 --body - -o json --dry-run', { ...(await world()), stdin: body });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)[0].body).toEqual(JSON.parse(body));
});

test.each([
  ['are printed as they are', '', / \d\d:\d\d( \S+)? → \d{4}-/, /[\u0080-\u00ff]/],
  ['are words with --plain', ' --again --plain', / \d\d:\d\d( \S+)? to \d{4}-/, /[^\n -~]/],
])('characters beyond ASCII %s', async (_how, more, shown, not) => {
  const { stderr } = await program(`sessions extend 24 --by 2h -o id${more}`, await world());
  expect(stderr).toMatch(shown);
  expect(stderr).not.toMatch(not);
});
