/** The token from a file or a program: one line; anything else is refused by name, and nothing of it is ever shown. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runTokenCommand } from '../../src/config/token.ts';
import { type Host, HostFailure } from '../../src/host/host.ts';
import { realHost } from '../../src/host/process.ts';
import { commandWords } from '../../src/model/shell-quote.ts';
import { hostOf, run, temporaryFolder } from '../support/run.ts';

const address = { PROCTOR_BASE_URL: 'https://proctor.example.org' };

describe('a token file', () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string | Uint8Array, mode = 0o600) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };
  const token = (path: string) => run(['auth', 'token', '-o', 'json'], { env: { ...address, PROCTOR_TOKEN_FILE: path } });

  test.each([
    ['secret-token', 0o600],
    ['secret-token\n', 0o644],
    ['secret-token\r\n', 0o666],
  ])('with %j and mode %o gives the token: CI systems make it readable for all', async (text, mode) => {
    expect(JSON.parse((await token(file('good', text, mode))).stdout)).toEqual({ token: 'secret-token' });
  });

  test('in UTF-16, as the > of PowerShell writes it, gives the token', async () => {
    const little = Buffer.from('\ufeffsecret-token\r\n', 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16()])
      expect(JSON.parse((await token(file('wide', bytes))).stdout)).toEqual({ token: 'secret-token' });
  });

  mkdirSync(join(folder, 'folder'));
  const bad: [string, string, string][] = [
    ['is a line break', file('break', '\n'), 'is empty'],
    ['has several lines', file('lines', 'secret-token\nsecret-two\n'), 'contains a space or a line break'],
    ['is huge', file('huge', 'secret'.repeat(20_000)), 'it is larger than 64 KiB'],
    ['has a space', file('space', 'secret token'), 'contains a space'],
    ['is binary', file('binary', Buffer.from([0xff, 0, 0x73, 0x65])), 'it is not UTF-8 text'],
    ['is UTF-16 without a mark', file('unmarked', Buffer.from('secret', 'utf16le')), 'not printable ASCII'],
    ['is missing', join(folder, 'missing'), 'no such file or directory (ENOENT)'],
    ['is a folder', join(folder, 'folder'), 'it is a folder'],
    ['is an endless device', '/dev/zero', 'it is a device'],
  ];
  test.skipIf(process.platform === 'win32').each(bad)('that %s is refused, and nothing of it is shown', async (_what, path, why) => {
    const { code, stdout, stderr } = await token(path);
    expect([code, stdout]).toEqual([3, '']);
    const { error } = JSON.parse(stderr);
    expect(error.message).toContain(why);
    expect(stderr.replaceAll(path, '')).not.toContain('secret');
  });
});

test('a token in the environment is trimmed', async () => {
  const env = { ...address, PROCTOR_TOKEN: ' a-token-of-the-tests\n' };
  expect((await run(['auth', 'token'], { env })).stdout).toBe('a-token-of-the-tests\n');
});

test.each(['correcthorse', 'abc/def=', 'eyJhbGciOiJIUzI1NiJ9.e30.x'])('a token in place of the path is never shown: %s', async (secret) => {
  const env = { PROCTOR_BASE_URL: 'https://proctor.invalid', PROCTOR_TOKEN_FILE: secret };
  for (const line of ['auth token', 'auth status', 'exams list', 'doctor', 'config list', 'exams list --debug']) {
    const { stdout, stderr } = await run(line.split(' '), { env });
    expect(stdout + stderr, line).not.toContain(secret);
    if (line !== 'auth token') continue;
    expect(stderr).toContain('The file of PROCTOR_TOKEN_FILE cannot be used: no such file or directory (ENOENT).');
  }
});

describe('the words of a token command', () => {
  test.each([
    ['  vault   read\ttoken ', ['vault', 'read', 'token']],
    ['vault "a b" \'c d\'', ['vault', 'a b', 'c d']],
    ['vault --path="a b"/c', ['vault', '--path=a b/c']],
    ['vault ""', ['vault', '']],
    ['vault "it\'s"', ['vault', "it's"]],
    ['vault $HOME `id` ; rm * | x \\n', ['vault', '$HOME', '`id`', ';', 'rm', '*', '|', 'x', '\\n']],
  ])('%s', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  test.each(['', '   ', '""', 'vault "open', "vault 'open"])('%j is refused', (text) => {
    expect(() => commandWords(text)).toThrow(expect.objectContaining({ name: 'InvalidValue' }));
  });
});

describe('a token command', () => {
  const { execPath } = process;
  const secret = 'planted-token-of-a-program';

  test.each([
    ['tok\n', 'tok'],
    ['tok', 'tok'],
    ['tok\r\nmore\n', 'tok'],
  ])('gives the first line of %j', async (printed, token) => {
    expect(await runTokenCommand(hostOf({ execute: async () => printed }), 'vault', 'p')).toBe(token);
  });

  test.each([
    ['beside other lines', `console.log('${secret}'); console.log('more'); console.error('It is ${secret}.')`],
    ['and fails', `console.log('${secret}'); console.error('It is ${secret}.'); process.exit(1)`],
    [
      'and closes its output',
      `console.log('${secret}'); console.error('It is ${secret}.'); process.stdout.end(); setInterval(() => {}, 9)`,
      10_000,
    ],
    ['and goes on without end', `setInterval(() => console.log('${secret}\\n'.repeat(999)), 1); console.error('It is ${secret}.')`],
    ['a word before it', `console.log('Bearer ${secret}'); console.error('It is ${secret}.')`],
    ['10 MB of it', `process.stderr.write('It is ${secret}. '.repeat(400_000), () => console.log('${secret}'))`],
  ])('that prints the token among its errors shows it masked: %s', async (_what, script, milliseconds = 60_000) => {
    const execute: Host['execute'] = (file, args, limits) => realHost().execute(file, args, { ...limits, milliseconds });
    const env = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN_COMMAND: `${execPath} -e "${script}"` };
    const { stderr } = await run(['exams', 'list'], { env, execute });
    expect(stderr).toMatch(/^It is \*{8}\./);
    expect(stderr).not.toContain(secret.slice(0, 6));
  });

  test('says its errors as a message: without control characters, and as JSON where all is', async () => {
    const execute: Host['execute'] = async (_file, _args, { onEnd }) => {
      onEnd?.({ stdout: secret, stderr: 'renew it\u001b[2J soon\n' });
      return secret;
    };
    const env = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN_COMMAND: 'vault' };
    const [table, json] = await Promise.all([[], ['-o', 'json']].map((format) => run(['exams', 'list', ...format], { env, execute })));
    expect(table?.stderr).toMatch(/^renew it␛\[2J soon\n(.*\n)*error: /);
    expect(json?.stderr).toMatch(/^(\{[^\n]*\}\n)+$/);
  });

  test('is masked by the names in what it says, as its token may be unknown', async () => {
    const execute: Host['execute'] = async (_file, _args, { onEnd }) => {
      onEnd?.({ stdout: '', stderr: `vault: session_token=${secret}\nopen https://vault.example/device\n` });
      throw new HostFailure('exited with 1');
    };
    const env = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN_COMMAND: 'vault' };
    const { stderr } = await run(['exams', 'list'], { env, execute });
    expect(stderr).toMatch(/^vault: session_token=\*{8}\nopen https:\/\/vault\.example\/device\n/);
  });

  test('is run without a shell', async () => {
    expect(await runTokenCommand(realHost() as unknown as Host, `${execPath} -p "process.argv[1]" "$HOME;\`id\`"`, 'p')).toBe('$HOME;`id`');
  });

  /** On Windows a folder is not found, and no program is ended by a signal. */
  const ofUnix = [
    ['is a folder', '/', 'may not be run'],
    ['is ended by itself', `${execPath} -e "process.kill(process.pid, 'SIGKILL')"`, 'was ended by SIGKILL'],
  ];
  test.each([
    ['fails', `${execPath} -e "console.log('s3cret'); process.exit(7)"`, 'exited with 7'],
    ['prints without end', `${execPath} -e "setInterval(() => console.log('s3cret'.repeat(9999)), 1)"`, 'printed more than 64 KiB'],
    ['prints nothing', `${execPath} -e "console.log(); console.log('s3cret')"`, 'printed nothing'],
    ['is not there', 'no-such-program-anywhere', 'was not found'],
    ...(process.platform === 'win32' ? [] : ofUnix),
  ])('that %s is named with the reason, and nothing that it printed', async (_what, line, why) => {
    const failure = await runTokenCommand(realHost() as unknown as Host, line, 'p').catch((error) => error);
    const [program] = commandWords(line);
    expect(failure).toMatchObject({ code: 'not_logged_in', exit: 4, message: `The token command of profile p failed: ${program} ${why}.` });
    expect(failure.cause).toBeUndefined();
    expect(failure.message + failure.hint).not.toContain('s3cret');
  });
});
