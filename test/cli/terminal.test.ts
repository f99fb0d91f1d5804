/** Suggested commands address the same service as the user's own command. */
import { expect, test } from 'vitest';
import { addressed } from '../../src/cli/run/terminal.ts';
import { run } from '../support/run.ts';
import { answering, token } from './answering.ts';

const sandbox = { profile: 'sandbox' };

test.each([
  ['Check with: proctor-cli exams get 5', 'Check with: proctor-cli --profile sandbox exams get 5'],
  [
    'proctor-cli runs resume 1; take it back: proctor-cli runs undo 1',
    'proctor-cli --profile sandbox runs resume 1; take it back: proctor-cli --profile sandbox runs undo 1',
  ],
  ['proctor-cli auth login --profile NAME --base-url URL', 'proctor-cli auth login --profile NAME --base-url URL'],
  ['proctor-cli --profile other exams list', 'proctor-cli --profile other exams list'],
  ['See: proctor-cli exams create --help', 'See: proctor-cli exams create --help'],
  ['Choose another with: proctor-cli auth switch NAME', 'Choose another with: proctor-cli auth switch NAME'],
  ['proctor-cli sessions get -- --profile=x', 'proctor-cli --profile sandbox sessions get -- --profile=x'],
  ['Another proctor-cli has held the lock', 'Another proctor-cli has held the lock'],
])('%s', (text, expected) => {
  expect(addressed(text, sandbox)).toBe(expected);
  expect(addressed(text, {})).toBe(text);
});

test('an address and a name are quoted for the shell', () => {
  const where = { profile: "o'hara", baseUrl: 'http://[::1]:8080' };
  expect(addressed('proctor-cli doctor', where)).toBe(`proctor-cli --profile 'o'\\''hara' --base-url 'http://[::1]:8080' doctor`);
});

test('an address that is refused is not repeated, with or without a password', async () => {
  for (const baseUrl of ['https://ada:pw@proctor.example', 'ftp://proctor.example'])
    expect(addressed('Log in with: proctor-cli auth login', { baseUrl })).toBe('Log in with: proctor-cli auth login');
  const { code, stderr } = await run(['exams', 'list', '--base-url', 'https://ada:pw@proctor.example']);
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.not.stringContaining('pw') });
});

test('errors and notes go through it, in words and as JSON', async () => {
  const { env, ...world } = answering(503);
  const failing = ['--base-url', env.PROCTOR_BASE_URL, 'exams', 'list'];
  expect((await run(failing, { ...world, env: { PROCTOR_TOKEN: token } })).stderr).toMatch(/proctor-cli --base-url https:\S+ doctor\n$/);
  expect(JSON.parse((await run([...failing, '-o', 'json'], { ...world, env: { PROCTOR_TOKEN: token } })).stderr).error.hint).toMatch(
    /proctor-cli --base-url https:\S+ doctor$/,
  );
  const told = await run(['--profile', 'sandbox', 'sessions', 'extend', '21', '--by', '5m'], { tty: true });
  expect(told.stderr).toMatch(/Undo it with: proctor-cli --profile sandbox runs undo \S+/);
});
