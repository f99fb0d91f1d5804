/** Questions on a real terminal: util-linux's `script` lends one. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { bin, ended, internals, program, start } from './program.ts';

const withoutTerminal = spawnSync('script', ['--version']).error !== undefined;

/** Types `keys` as soon as the question is there; what the terminal showed, without its escape sequences. */
async function typed(line: string, question: string, keys: string, home: string, env: Record<string, string> = {}) {
  const child = start('script', ['-qefc', `'${process.execPath}' '${bin}' ${line}`, '/dev/null'], { home, env });
  let shown = '';
  let answered = false;
  child.stdout.on('data', (text: Buffer) => {
    shown += text;
    if (answered || !plain(shown).includes(question)) return;
    answered = true;
    child.stdin.write(keys);
  });
  const { code } = await ended(child);
  return { code, shown: plain(shown), answered };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const plain = (text: string) => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '');

const question = 'Delete exam 3 (12 students) at http://127.0.0.1:';
const deleteExam = '--profile sandbox exams delete 3';

async function isThere(home: string): Promise<boolean> {
  return (await program('--profile sandbox exams get 3', { home })).code === 0;
}

test.skipIf(withoutTerminal)('y deletes', async () => {
  const home = temporaryFolder();
  const { code, shown } = await typed(deleteExam, question, 'y\r', home);
  expect(code).toBe(0);
  expect(shown).toContain('(profile sandbox)?');
  expect(shown).toContain('deleted');
  expect(await isThere(home)).toBe(false);
});

test.skipIf(withoutTerminal).each([
  ['n', 'n\r', 130],
  ['Enter alone', '\r', 130],
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 130],
])('%s leaves everything as it is', async (_key, keys, status) => {
  const home = temporaryFolder();
  const { code, shown, answered } = await typed(deleteExam, question, keys, home);
  expect(answered).toBe(true);
  expect(code).toBe(status);
  expect(shown).toMatch(/Nothing was (sent|changed)\./);
  expect(shown).not.toMatch(internals);
  expect(await isThere(home)).toBe(true);
});

test.skipIf(withoutTerminal)('a question ends with its process', async () => {
  const home = temporaryFolder();
  const child = start('script', ['-qefc', `echo pid $$; exec '${process.execPath}' '${bin}' ${deleteExam}`, '/dev/null'], { home });
  let shown = '';
  let killed = false;
  child.stdout.on('data', (text: Buffer) => {
    shown += text;
    const [, pid] = /pid (\d+)/.exec(shown) ?? [];
    if (pid === undefined || killed || !plain(shown).includes(question)) return;
    killed = process.kill(Number(pid), 'SIGTERM');
  });
  expect((await ended(child)).code).toBe(143);
  expect(plain(shown)).toContain('Stopped by SIGTERM.');
  expect(await isThere(home)).toBe(true);
});

test.skipIf(withoutTerminal)('Ctrl-D at a question that keeps nothing open is no success either', async () => {
  const { code } = await typed('auth login --no-verify --base-url https://proctor.example', 'Token:', '\u0004', temporaryFolder());
  expect(code).toBe(130);
});

test.skipIf(withoutTerminal)('a terminal in CI is not asked', async () => {
  const home = temporaryFolder();
  const { code, shown, answered } = await typed(deleteExam, question, 'y\r', home, { CI: 'true' });
  expect({ code, answered }).toEqual({ code: 2, answered: false });
  expect(shown).toContain('--yes');
});

test.skipIf(withoutTerminal)('a token that is typed is not shown', async () => {
  const home = temporaryFolder();
  const token = 'typed-secret-0123456789';
  const { code, shown } = await typed('auth login --no-verify --base-url https://proctor.example', 'Token:', `${token}\r`, home);
  expect(code).toBe(0);
  expect(shown).not.toContain(token);
  expect((await program('auth token', { home })).stdout).toBe(`${token}\n`);
});
