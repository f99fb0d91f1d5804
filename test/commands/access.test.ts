/** What the commands about access and settings show to a person and to a pipe. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';

test('config list in a pipe is a line a setting, however long a value is', async () => {
  const home = temporaryFolder();
  await run(['config', 'set', 'tokenCommand', `vault read ${'a-long-path/'.repeat(30)}token`], { home });
  const list = ['config', 'list', '--all', '-o'];
  const settings = JSON.parse((await run([...list, 'json'], { home })).stdout) as { setting: string }[];
  const lines = (await run([...list, 'table'], { home })).stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['SETTING', ...settings.map(({ setting }) => setting)]);
});

test('auth status shows the whole address on a terminal of 80 columns', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const baseUrl = 'https://proctoring.examinations.example.org/api/v1';
  const profiles = { default: { baseUrl, token: 'tok_Sup3rS3cretValue' } };
  writeFileSync(join(home, 'config', 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
  const { code, stdout } = await run(['auth', 'status'], { home, tty: true, columns: 80 });
  expect(code).toBe(0);
  expect(stdout).toContain(baseUrl);
});

test('a token in the environment is taken without the spaces around it', async () => {
  const env = { PROCTOR_TOKEN: ' a-token-of-the-tests\n', PROCTOR_BASE_URL: 'https://proctor.example' };
  expect((await run(['auth', 'token'], { env })).stdout).toBe('a-token-of-the-tests\n');
});
