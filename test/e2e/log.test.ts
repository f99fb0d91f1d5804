/** The log of the program as it ships: many processes, processes that are killed, disks that are full. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, program, shell } from './program.ts';

type LogRecord = Record<string, unknown>;

const sessions = Array.from({ length: 8 }, (_, index) => String(index + 1));

/** A service with the sessions that it is asked for; `requests` counts what arrives, `changes` the changes among it. */
async function service(before: (method: string, url: string) => 'answer' | 'silence' = () => 'answer') {
  let requests = 0;
  let changes = 0;
  const changed = new Set<string>();
  const serve: RequestListener = (request, response) => {
    requests += 1;
    const { method = '', url = '' } = request;
    if (method === 'PATCH') changes += 1;
    const [, id = '0'] = /student_sessions\/(\d+)/.exec(url) ?? [];
    request.resume().on('end', () => {
      if (before(method, url) === 'silence') return;
      if (method === 'PATCH') changed.add(id);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: Number(id), room: changed.has(id) ? 12 : 11 }));
    });
  };
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests, changes: () => changes };
}

function homeFor(origin: string, more: Record<string, string> = {}): { home: string; path: string; env: Record<string, string> } {
  const home = temporaryFolder();
  const path = join(home, 'log.ndjson');
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const profile = { baseUrl: origin, token: 'a-token-of-the-tests', protectRunningExams: 'off', logFile: path, ...more };
  writeFileSync(join(home, 'config', 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
  return { home, path, env: { PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state') } };
}

/** The limit concerns all files that a process writes, also compiled code that others would use. */
const onFullDisk = (blocks: number, line: readonly string[], home: string, env: Record<string, string>) =>
  shell(`trap '' XFSZ; ulimit -f ${blocks}; proctor ${line.join(' ')}`, { home, env: { ...env, XDG_CACHE_HOME: join(home, 'cache') } });

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
const recordsOf = (...files: string[]): LogRecord[] => files.flatMap(linesOf).map((line) => JSON.parse(line));

const isChange = ({ event, method }: LogRecord) => event === 'request' && method === 'PATCH';

const update = ['sessions', 'update', ...sessions, '-F', 'room=12'];

test('five processes share a log that fills up several times, and no record is lost or torn', async () => {
  const { origin } = await service();
  const { home, path, env } = homeFor(origin, { logFileSize: '25kB' });
  const many = Array.from({ length: 16 }, (_, index) => index + 1);
  // Each has sessions of its own: only one process at a time is at the same command.
  const line = (process: number) => ['sessions', 'update', ...many.map((id) => String(100 * process + id)), '-F', 'room=12'];
  const runs = await Promise.all([1, 2, 3, 4, 5].map((process) => program(line(process), { home, env })));
  // On a slow machine, progress is said.
  expect(runs.filter(({ code, stderr }) => code !== 0 || /^(warning|error)/m.test(stderr))).toEqual([]);
  const files = [path, ...[1, 2, 3].map((number) => `${path}.${number}`)];
  const all = recordsOf(...files);
  const runsInLog = Map.groupBy(all, ({ invocation }) => invocation);
  expect(runsInLog.size).toBe(5);
  for (const records of runsInLog.values()) {
    expect(records.filter(isChange)).toHaveLength(many.length);
    expect(records.map(({ event }) => event)).toEqual(expect.arrayContaining(['start', 'exit']));
  }
  expect(existsSync(`${path}.2`)).toBe(true);
  expect(files.filter(existsSync).map((file) => statSync(file).mode & 0o777)).toEqual(files.filter(existsSync).map(() => 0o600));
});

test('a process that is killed leaves whole records and no exit, and the next one continues behind them', async () => {
  const { origin } = await service((method, url) => (method === 'PATCH' && url.endsWith('/3') ? 'silence' : 'answer'));
  const { home, path, env } = homeFor(origin);
  const child = launch(update, { home, env });
  const end = ended(child);
  await expect.poll(() => recordsOf(path).filter(isChange).length, { timeout: 20_000 }).toBe(2);
  child.kill('SIGKILL');
  await end;
  const left = recordsOf(path).map(({ event }) => event);
  expect([left[0], left.includes('exit')]).toEqual(['start', false]);
  await program('sessions get 1', { home, env });
  expect(recordsOf(path).map(({ event }) => event)).toEqual([...left, 'start', 'request', 'exit']);
});

test('a second Ctrl-C, which ends an import at once, still leaves its exit', async () => {
  const posted = Promise.withResolvers<void>();
  const troubled = await embedded().under('lost-before=1,how=silence,on=POST', { onFault: () => posted.resolve() });
  const { home, path, env } = homeFor(troubled.env.PROCTOR_BASE_URL);
  writeFileSync(join(home, 'roster.csv'), 'email\nada@example.org\n');
  const line = ['sessions', 'import', join(home, 'roster.csv'), '--exam', '6', '--yes'];
  const child = launch(line, { home, env: { ...env, ...troubled.env } });
  const said = new Promise<void>((resolve) => child.stderr.on('data', (text) => String(text).includes('Ctrl-C again') && resolve()));
  const end = ended(child);
  await posted.promise;
  child.kill('SIGINT');
  await said;
  child.kill('SIGINT');
  expect((await end).code).toBe(130);
  const exits = recordsOf(path).filter(({ event }) => event === 'exit');
  expect(exits).toMatchObject([{ exit: 130, code: 'interrupted' }]);
});

test('the requests of completion are not logged, and need no log that can be written', async () => {
  const { origin, requests } = await service();
  const { home, path, env } = homeFor(origin);
  const { code } = await program(['__candidates', '{"what":"exams","overrides":{}}'], { home, env });
  expect([code, requests(), existsSync(path)]).toEqual([0, 1, false]);
});

test.each([
  ['output', '>', 'sessions get 1'],
  ['output', '>>', 'sessions get 1'],
  ['messages', '2>', 'sessions get 1 --debug'],
])('a log that takes the %s of the command (%s) is an error before anything is sent', async (what, redirected, line) => {
  const { origin, requests } = await service();
  const { home, path, env } = homeFor(origin);
  const record = '{"version":1}\n';
  writeFileSync(path, redirected === '>>' ? record : '', { mode: 0o600 });
  const { code } = await shell(`proctor ${line} ${redirected} ${path}`, { home, env });
  expect([code, requests()]).toEqual([3, 0]);
  const held = readFileSync(path, 'utf8');
  if (what === 'messages')
    expect(held).toContain(`The log ${path} (profile default) cannot be written: it takes the messages of this command.`);
  else expect(held).toBe(redirected === '>>' ? record : '');
});

test('a disk that is full from the start is an error before anything is sent', async () => {
  const { origin, requests } = await service();
  const { home, path, env } = homeFor(origin);
  const { code, stdout, stderr } = await onFullDisk(0, update, home, env);
  expect([code, stdout, requests()]).toEqual([3, '', 0]);
  expect(stderr).toContain(`error: The log ${path} (profile default) cannot be written: `);
  expect(stderr).not.toMatch(internals);
});

test('a disk that is full later ends the log with one warning, and not the command', async () => {
  const { origin, changes } = await service();
  const { home, path, env } = homeFor(origin, { logFileSize: '100MB' });
  // The limit is one for all files: the log has nearly come to it, and the record of the run has room.
  const [blocks, room] = [4096, 2048];
  const record = `${JSON.stringify({ version: 1, event: 'exit' })}\n`;
  writeFileSync(path, record.repeat(Math.floor((blocks * 1024 - room) / record.length)), { mode: 0o600 });
  const { code, stdout, stderr } = await onFullDisk(blocks, update, home, env);
  expect([code, changes()], stderr).toEqual([0, sessions.length]);
  expect(stdout.match(/updated/g)).toHaveLength(sessions.length);
  expect(stderr).toMatch(/^warning: The log .* can no longer be written: .*\. The command continues without it\.\n$/);
  expect(stderr).toContain(path);
  // The next run, on a disk with room, begins on a line of its own.
  await program('sessions get 1', { home, env });
  expect(recordsOfWhole(path).at(-1)).toMatchObject({ event: 'exit', exit: 0 });
});

/** The records of whole lines. */
function recordsOfWhole(path: string): LogRecord[] {
  return linesOf(path).flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
