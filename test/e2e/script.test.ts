/** The script and its Node: which one it takes, and how little it has it load. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { embedded, silent } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, start } from './program.ts';
import { openScreen, withoutScreen } from './screen.ts';

const installation = inject('installation');
const [node] = inject('command');
const bin = join(installation, 'bin', 'proctor-cli.js');

describe('on a Node that is too old', () => {
  /** One that is, where the machine has it; else this one under another name. */
  const old = oldNode();

  const onOld = (args: string[], stdin = '', env = {}) => {
    const child = start(old.file, [...old.options, bin, ...args], { home: temporaryFolder(), env });
    child.stdin.end(stdin);
    return child;
  };

  test('it hands over to the checkout’s own, with arguments, stdin and status', async () => {
    expect(await ended(onOld(['--version']))).toEqual({ code: 0, stdout: `proctor-cli ${manifest.version}\n`, stderr: '' });
    expect((await ended(onOld(['exmas']))).code).toBe(2);
    const create = ['--profile', 'sandbox', 'sessions', 'create', '--exam', '6', '--body', '-', '-o', 'json'];
    expect(JSON.parse((await ended(onOld(create, '{"email":"old@example.org"}'))).stdout)).toMatchObject({ email: 'old@example.org' });
  });

  test('so does a token command that calls the program in turn', async () => {
    const words = [old.file, ...old.options, bin, 'auth', 'token'].map((word) => `'${word}'`).join(' ');
    const command = `env PROCTOR_TOKEN=a-token-of-the-tests ${words}`;
    const outer = await ended(
      onOld(['auth', 'token'], '', { PROCTOR_BASE_URL: 'https://proctor.example', PROCTOR_TOKEN_COMMAND: command }),
    );
    expect(outer).toEqual({ code: 0, stdout: 'a-token-of-the-tests\n', stderr: '' });
  });

  test.each([
    ['a signal is passed on', (pid: number) => process.kill(pid, 'SIGTERM'), 0],
    ['where a signal has ended the other, its status says so', (pid: number) => process.kill(childOf(pid), 'SIGKILL'), 128 + 9],
    // Its output ends once the one that it was handed over to has ended, too.
    ['killed, it stops the other as Ctrl-C does', (pid: number) => process.kill(pid, 'SIGKILL'), null],
  ])('%s', async (_what, act, status) => {
    const child = onOld(['sandbox', 'serve']);
    child.stderr.once('data', () => act(Number(child.pid)));
    expect((await ended(child)).code).toBe(status);
  });
  const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));

  test.skipIf(withoutScreen)('and one Ctrl-C of a terminal is one', async () => {
    const [sent, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { env } = await embedded().under(silent(() => sent.resolve(), 'PATCH', answered.promise));
    const line = [old.file, ...old.options, bin, 'exams', 'update', '6', '--name', 'Renamed'].map((word) => `'${word}'`).join(' ');
    const screen = openScreen(`${line}; echo status $?; sleep 60`, { HOME: temporaryFolder(), PATH: process.env.PATH ?? '', ...env });
    onTestFinished(() => screen.close());
    await sent.promise;
    screen.press('C-c');
    await pause(200);
    answered.resolve();
    // A second one would not wait for the answer to the request that was sent.
    expect(await screen.shows(/status \d/)).toContain('Renamed');
  });

  test('where there is no other, it says in one line which it needs', async () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'dist']) cpSync(join(installation, name), join(folder, name), { recursive: true });
    copyFileSync(join(installation, 'package.json'), join(folder, 'package.json'));
    const child = start(old.file, [...old.options, join(folder, 'bin', 'proctor-cli.js'), '--version'], { home: folder });
    const { code, stdout, stderr } = await ended(child);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: proctor-cli needs Node .*; this is v\d+\.\d+\.\d+\. The executable of a release brings its own\.\n$/);
  });
});

function oldNode(): { file: string; options: string[] } {
  const file = '/usr/bin/node';
  const major = existsSync(file) ? Number(/\d+/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' }))?.[0]) : undefined;
  if (major !== undefined && major < 22) return { file, options: [] };
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });";
  return { file: node, options: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`] };
}

test.each([
  ['thrown where nothing catches it', 'throw new Error("a leak")'],
  ['rejected where nothing awaits it', 'Promise.reject(new Error("a leak"))'],
])('no stack is shown for what is %s', async (_how, act) => {
  const once = `const timer = setInterval(() => { if (process.listenerCount('uncaughtException')) { clearInterval(timer); ${act}; } }, 5)`;
  const hook = `data:text/javascript,${encodeURIComponent(once)}`;
  const { code, stderr } = await ended(start(node, ['--import', hook, bin, 'sandbox', 'serve'], { home: temporaryFolder() }));
  expect(code).toBe(1);
  expect(stderr).toMatch(/error: Internal error in proctor-cli: a leak\nhint: .+\n$/);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('an error that cannot be reported ends with a sentence, too', async () => {
  const unreadable = 'Object.defineProperty(new Error(), "message", { get() { throw new Error("a leak"); } })';
  const once = `const timer = setInterval(() => { if (process.listenerCount('uncaughtException')) { clearInterval(timer); throw ${unreadable}; } }, 5)`;
  const hook = `data:text/javascript,${encodeURIComponent(once)}`;
  const { code, stderr } = await ended(start(node, ['--import', hook, bin, 'sandbox', 'serve'], { home: temporaryFolder() }));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/error: Internal error in proctor-cli, which could not be reported\.\n$/)]);
});

describe('the modules loaded', () => {
  /** Files of the bundle, and Node's own modules, as a hook writes them down that Node preloads. */
  async function loadedBy(line: string, env: Record<string, string> = {}): Promise<{ files: string[]; builtins: string[] }> {
    const log = join(temporaryFolder(), 'loaded');
    writeFileSync(log, '');
    const hook = `import { appendFileSync } from 'node:fs'; import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + '\\n'); return next(url, context); } });`;
    const option = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
    const { stderr } = await ended(start(node, [option, bin, ...line.split(' ')], { home: temporaryFolder(), env }));
    expect(stderr).toBe('');
    const names = [...new Set(readFileSync(log, 'utf8').trimEnd().split('\n'))];
    return {
      files: names.flatMap((name) => /[\\/]dist[\\/]([\w.-]+)$/.exec(name)?.[1] ?? []),
      builtins: names.filter((name) => name.startsWith('node:')),
    };
  }
  /** Not node:vm, which runs what the build has compiled: Node has loaded all but the names of it at its start. */
  const heavy = (builtins: readonly string[]) =>
    builtins.flatMap((name) => /^node:(net|http|tls|sqlite|readline|zlib)(\/|$)/.exec(name)?.[1] ?? []);

  test.each(['--version', '--help', 'help', ''])('for %j: nothing of the bundle', async (line) => {
    const { files, builtins } = await loadedBy(line);
    expect({ files, heavy: heavy(builtins) }).toEqual({ files: [], heavy: [] });
  });

  test.each([
    ['completion of a flag', '__complete exams list :--out', []],
    ['a command that sends nothing', 'config list', []],
    ['a request: neither database nor questions nor archives', 'exams list -o json', ['net', 'tls', 'http']],
  ])('for %s', async (_what, line, most) => {
    const server = createServer((_request, response) => response.end('[]')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { PROCTOR_BASE_URL: `http://127.0.0.1:${port}/api/v1`, PROCTOR_TOKEN: 'a-token-of-the-tests' };
    const { builtins } = await loadedBy(line, env).finally(() => server.close());
    expect(heavy(builtins).filter((name) => !most.includes(name))).toEqual([]);
  });
});
