/** The one exit: no secret passes it, and commands that are suggested address the same service as the user's own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test, vi } from 'vitest';
import { serviceUrl, Terminal } from '../../src/cli/run/terminal.ts';
import type { Prompts, World } from '../../src/host/host.ts';
import { Secrets } from '../../src/model/secrets.ts';
import { sentence } from '../../src/text/sentence.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { answering, token } from './answering.ts';

const sandbox = { profile: 'sandbox' };

test.each([
  ['Check with: proctor-cli exams get 5', 'Check with: proctor-cli --profile sandbox exams get 5'],
  [
    'proctor-cli runs resume 1; take it back: proctor-cli runs undo 1',
    'proctor-cli --profile sandbox runs resume 1; take it back: proctor-cli --profile sandbox runs undo 1',
  ],
  ['proctor-cli auth login --profile NAME --base-url URL', 'proctor-cli auth login --profile NAME --base-url URL'],
  ['proctor-cli auth login --base-url URL', 'proctor-cli --profile sandbox auth login --base-url URL'],
  ['proctor-cli --profile other exams list', 'proctor-cli --profile other exams list'],
  ['See: proctor-cli exams create --help', 'See: proctor-cli exams create --help'],
  ['Choose another with: proctor-cli auth switch NAME', 'Choose another with: proctor-cli auth switch NAME'],
  ['proctor-cli sessions get -- --profile=x', 'proctor-cli --profile sandbox sessions get -- --profile=x'],
  ['Another proctor-cli has held the lock', 'Another proctor-cli has held the lock'],
])('%s', (text, expected) => {
  expect(serviceUrl(text, sandbox)).toBe(expected);
  expect(serviceUrl(text, {})).toBe(text);
});

test('a text of others that begins many command lines takes time in proportion to its length', () => {
  const before = performance.now();
  const text = serviceUrl('proctor-cli exams '.repeat(100_000), sandbox);
  expect(text.split('--profile sandbox')).toHaveLength(100_001);
  expect(performance.now() - before).toBeLessThan(10_000);
});

test('an address and a name are quoted for the shell', () => {
  const where = { profile: "o'hara", baseUrl: 'http://[::1]:8080' };
  expect(serviceUrl('proctor-cli doctor', where)).toBe(`proctor-cli --profile 'o'\\''hara' --base-url 'http://[::1]:8080' doctor`);
});

test('an address that is refused is not repeated, with or without a password', async () => {
  for (const baseUrl of ['https://ada:pw@proctor.example', 'ftp://proctor.example'])
    expect(serviceUrl('Log in with: proctor-cli auth login', { baseUrl })).toBe('Log in with: proctor-cli auth login');
  const { code, stderr } = await run(['exams', 'list', '--base-url', 'https://ada:pw@proctor.example']);
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.not.stringContaining('pw') });
});

test('errors and notes go through it, in words and as JSON', async () => {
  const { env, ...world } = answering(404);
  const failing = ['--base-url', env.PROCTOR_BASE_URL, 'exams', 'list'];
  const hint = /proctor-cli --base-url https:\S+ config get baseUrl$/;
  const failed = async (...more: string[]) => (await run([...failing, ...more], { ...world, env: { PROCTOR_TOKEN: token } })).stderr;
  expect((await failed()).trimEnd()).toMatch(hint);
  expect(JSON.parse(await failed('-o', 'json')).error.hint).toMatch(hint);
  // A variable may stand before this line alone.
  const told = await run(['sessions', 'extend', '21', '--by', '5m'], { tty: true, env: { PROCTOR_PROFILE: 'sandbox' } });
  expect(told.stderr).toMatch(/Undo it with: proctor-cli --profile sandbox runs undo \S+/);
});

/** What has been written, drawn or asked. */
function worldThatHears(heard: string[]): World {
  const write = async (text: string) => void heard.push(text);
  const asked = async (message: string) => heard.push(message) > 0;
  const screen = () => ({ columns: 80, rows: 24, write, release() {} });
  const stream = { isTTY: true, columns: 80, write };
  return {
    argv: [],
    env: { NO_COLOR: '1' },
    stdout: stream,
    stderr: stream,
    screen,
    questions: async () => ({ confirm: asked }),
  } as unknown as World;
}

const spellings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => encodeURIComponent(secret),
  (secret) => encodeURI(secret),
  (secret) => new URLSearchParams({ q: secret }).toString().slice(2),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(secret).toString('base64url'),
  (secret) => Buffer.from(`user:${secret}`).toString('base64'),
];

test('a secret passes it in no spelling: printed, told, drawn or asked', async () => {
  const secrets = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~!*()+/=%&"\\é語'), minLength: 12, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(secrets, fc.constantFrom(...spellings), fc.string(), async (secret, spelled, beside) => {
      const heard: string[] = [];
      const known = new Secrets();
      known.use(secret);
      const { host } = new Terminal(worldThatHears(heard), known);
      const text = `${beside} ${spelled(secret)} ${beside}`;
      await host.stdout.write(text);
      await host.stderr.write(text);
      await (await host.screen({ key() {}, resize() {} })).write(text);
      await (await host.questions()).confirm(sentence`${text}`);
      expect(heard).toHaveLength(4);
      for (const each of heard) expect(each).not.toContain(spelled(secret));
    }),
    { numRuns: 1000 },
  );
});

test.each(['xterm', 'dumb'])('a question has the terminal (%s) to itself, and is one line for a screen reader', async (TERM) => {
  vi.useFakeTimers();
  const text = sentence`Delete the exams of all students of the autumn term now, with their sessions and their mails?`;
  const heard: string[] = [];
  const confirm = async (message: string) => {
    vi.advanceTimersByTime(5000);
    return heard.push(message) > 0;
  };
  const kinds: boolean[] = [];
  const questions = async (plain: boolean) => (kinds.push(plain) > 0 ? { confirm } : undefined);
  const terminal = new Terminal({ ...worldThatHears(heard), env: { TERM }, questions } as unknown as World, new Secrets());
  const answered = terminal.line.waiting();
  await (await terminal.host.questions()).confirm(text);
  vi.useRealTimers();
  answered();
  expect([kinds, heard.map((each) => each.split('\n').length)]).toEqual(TERM === 'dumb' ? [[true], [1]] : [[false], [2]]);
});

test.each([20, 40])('no choice is wider than a terminal of %s columns', async (columns) => {
  const stream = { isTTY: true, columns, write: async () => {} };
  const offered: string[] = [];
  const search: Prompts['search'] = async (_message, find) => {
    for (const found of find('')) offered.push(typeof found === 'string' ? found : found.label);
    return '';
  };
  const { host } = new Terminal(
    { argv: [], env: {}, stdout: stream, stderr: stream, questions: async () => ({ search }) } as unknown as World,
    new Secrets(),
  );
  await (await host.questions()).search(sentence`Exam:`, () => [
    { value: '6', label: `6  ${'統計学入門'.repeat(20)}@example.org` },
    '7'.repeat(200),
  ]);
  expect(offered.map((line) => stringWidth(line) < columns)).toEqual([true, true]);
});

test('a token in a roster reaches neither the file of rejected lines nor the result', async () => {
  const folder = temporaryFolder();
  const [roster, rejects] = [join(folder, 'roster.csv'), join(folder, 'rejects.csv')];
  writeFileSync(roster, `email,name\nada@example.org,Ada\nnobody@here,${token}\n`);
  const line = ['--profile', 'sandbox', 'sessions', 'import', roster, '--exam', '6', '--yes', '--skip-invalid', '--rejects', rejects];
  const { code, stdout } = await run([...line, '-o', 'json'], { env: { PROCTOR_TOKEN: token } });
  expect(code).toBe(9);
  expect(readFileSync(rejects, 'utf8')).toMatch(/nobody@here,\*{8}/);
  for (const text of [readFileSync(rejects, 'utf8'), stdout]) expect(text).not.toContain(token);
});
