import { expect, test } from 'vitest';
import { run, temporaryFolder, type World } from '../support/run.ts';

const home = temporaryFolder();
const forced = { tty: true, env: { FORCE_COLOR: '1' } };

test.each<[colored: boolean, where: string, world: World, options?: string[]]>([
  [true, 'on a terminal', { tty: true }],
  [true, 'with an empty NO_COLOR', { tty: true, env: { NO_COLOR: '' } }],
  [true, 'on a dumb terminal where FORCE_COLOR asks for them', { tty: true, env: { TERM: 'dumb', FORCE_COLOR: '1' } }],
  [false, 'in a pipe', {}],
  [false, 'with --no-color', { tty: true }, ['--no-color']],
  [false, 'with NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }],
  [false, 'with NO_COLOR, whatever FORCE_COLOR says', { tty: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }],
  [false, 'with FORCE_COLOR=0', { tty: true, env: { FORCE_COLOR: '0' } }],
  [false, 'on a dumb terminal', { tty: true, env: { TERM: 'dumb' } }],
  ...['json', 'ndjson', 'csv', 'id'].map((format): [boolean, string, World, string[]] => [false, `in ${format}`, forced, ['-o', format]]),
])('there are colours: %j %s', async (colored, _where, world, options = []) => {
  const { code, stdout } = await run(['--profile', 'sandbox', 'exams', 'list', ...options], { home, ...world });
  expect({ code, colored: stdout.includes('\u001b') }).toEqual({ code: 0, colored });
});
