import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { type Data, embedded } from './embedded.ts';

const states = (stdout: string) => JSON.parse(stdout).map(({ check, state }: Data) => `${check}: ${state}`);

test('all is well', async () => {
  const { code, stdout, stderr } = await embedded().run('doctor -o json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(states(stdout)).toEqual(['configuration: ok', 'time zone: ok', 'token: ok', 'service: ok']);
  expect(stdout).toContain('6 exams');
});

test('a broken configuration is the finding, not the end', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config', 'config.json'), '{"profiles":\n oops}');
  const { code, stdout, stderr } = await run(['doctor', '-o', 'json'], { home });
  expect(code).toBe(3);
  expect(states(stdout)).toEqual(['configuration: failed', 'time zone: not checked', 'token: not checked', 'service: not checked']);
  expect(JSON.parse(stdout)[0].detail).toContain('config.json:2:2');
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'invalid_config', exit: 3 });
});

test('no token: the remedy is the command that logs in', async () => {
  const { code, stdout, stderr } = await run(['doctor']);
  expect(code).toBe(4);
  expect(stdout).toContain('proctor-cli auth login');
  expect(stderr).toContain('proctor-cli auth login');
});

test('no service', async () => {
  const { code, stdout } = await run(['doctor', '-o', 'json'], {
    env: { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: 'a-token-of-the-tests' },
  });
  expect(code).toBe(8);
  expect(states(stdout)).toEqual(['configuration: ok', 'time zone: ok', 'token: ok', 'service: failed']);
  expect(stdout).not.toContain('a-token-of-the-tests');
});
