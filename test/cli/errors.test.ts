/** How a command fails: the contract's exit statuses, a sentence for people, one line of JSON for scripts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { run, temporaryFolder, type World } from '../support/run.ts';
import { answering, token } from './answering.ts';
import { commandLinesIn, problemOf } from './command-lines.ts';

const nobody: World = { env: { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: token } };

function brokenConfiguration(): World {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config', 'config.json'), '{"profiles": {');
  return { home };
}

function stoppedBy(code: 'interrupted' | 'terminated'): World {
  const stop = new AbortController();
  return { ...answering(503), interrupt: stop.signal, onSleep: () => stop.abort(new CliError(code, 'Stopped.')) };
}

type Failure = readonly [code: string, exit: number, line: string, world?: () => World];

const failures: readonly Failure[] = [
  ['internal', 1, '--profile sandbox sessions delete 1', () => ({ tty: true })],
  ['usage', 2, 'exmas list'],
  ['usage', 2, 'exams list --colums id'],
  ['needs_confirmation', 2, '--profile sandbox exams delete 1'],
  ['needs_terminal', 2, 'auth login'],
  ['invalid_input', 3, '--profile sandbox exams get a/b'],
  ['invalid_input', 3, 'exams list --timeout 30', () => answering(200)],
  ['invalid_config', 3, 'exams list', brokenConfiguration],
  ['not_logged_in', 4, 'exams list'],
  ['token_refused', 4, 'exams list', () => answering(401)],
  ['token_refused', 4, 'exams list', () => answering(403)],
  ['unsupported', 5, 'sessions end 5'],
  ['not_found', 6, '--profile sandbox exams get 999'],
  ['rejected', 7, 'exams get 1', () => answering(400)],
  ['rejected', 7, 'exams send-emails 1 --yes', () => answering(409, 'writes')],
  ['already_there', 11, 'sessions create --exam 1 --email ada@example.org', () => answering(500, 'writes')],
  ['already_mailed', 11, '--profile sandbox exams send-emails 2 --yes'],
  ['rate_limited', 8, 'exams list', () => answering(429)],
  ['unavailable', 8, 'exams list', () => answering(500)],
  ['network', 8, 'exams list', () => nobody],
  ['network', 8, 'exams send-emails 1 --yes', () => nobody],
  ['redirected', 8, 'exams list', () => answering(302)],
  ['bad_answer', 8, 'exams list', () => answering(200)],
  ['unavailable', 8, 'exams send-emails 1 --yes', () => answering(502)],
  ['partly_done', 9, '--profile sandbox sessions delete 1 999 --yes'],
  ['outcome_unknown', 10, 'exams send-emails 1 --yes', () => answering(502, 'writes')],
  ['unavailable', 8, 'sessions create --exam 1 --email a@example.org', () => answering(500, 'writes')],
  ['exam_running', 12, '--profile sandbox exams delete 3 --yes'],
  ['interrupted', 130, 'exams list', () => stoppedBy('interrupted')],
  ['terminated', 143, 'exams list', () => stoppedBy('terminated')],
];

/** Commands that have something to print although they fail: what became of each item. */
const printsAll = new Set(['partly_done']);

describe.each(failures.map(([code, exit, line, world]) => ({ code, exit, line, world })))(
  '$code is exit status $exit: $line',
  (failure) => {
    const { code, exit, line, world = (): World => ({}) } = failure;
    const argv = line.split(' ');

    test('a person reads what happened and what to do next', async () => {
      const { stderr, ...printed } = await run([...argv, '--quiet'], world());
      expect({ code: printed.code, stderr }).toEqual({
        code: exit,
        stderr: expect.stringMatching(/^(.+\n)*error: \S.*[.!?]\nhint: [A-Z].*\S\n$/),
      });
      if (!printsAll.has(code)) expect(printed.stdout).toBe('');
      expect(stderr).not.toMatch(/\n {4}at |\.ts:|node:|undefined|\[object/);
      expect(stderr).not.toContain(token);
      for (const words of commandLinesIn(stderr)) expect(await problemOf(words)).toBe(undefined);
    });

    test.each([['-o', 'json'], ['-ondjson'], ['--output=json'], []])('a script reads one line of JSON: %s', async (...output) => {
      const given = world();
      const byEnvironment = output.length === 0 ? { PROCTOR_OUTPUT: 'json' } : {};
      const { stderr, ...printed } = await run([...argv, ...output, '--quiet'], { ...given, env: { ...given.env, ...byEnvironment } });
      expect(stderr).toMatch(/^\{.*\}\n$/);
      const { error } = JSON.parse(stderr);
      if (code === 'network') expect(error.status).toBeNull();
      expect(error).toMatchObject({ code, exit, message: expect.stringMatching(/[.!?]$/), hint: expect.stringMatching(/./) });
      expect(printed.code).toBe(exit);
      if (!printsAll.has(code)) expect(printed.stdout).toBe('');
    });
  },
);

test('an ID in a hint is quoted for the shell', async () => {
  const { code, stderr } = await run(['exams', 'send-emails', "o'hara; rm", '--yes'], answering(502, 'writes'));
  expect([code, stderr]).toEqual([10, expect.stringMatching(/proctor-cli exams send-emails 'o'\\''hara; rm' --resend/)]);
});

test('a bug shows its stack with --debug only', async () => {
  // A prompt that throws is a bug.
  const { stderr } = await run(['--profile', 'sandbox', 'exams', 'delete', '1', '--debug'], { tty: true });
  expect(stderr).toMatch(/error: Internal error in proctor-cli[\s\S]*\n {4}at /);
});
