/** Colours are for terminals, in tables and before messages, unless they are asked for or turned off; data has none. */
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';

const home = temporaryFolder();
const forced = { FORCE_COLOR: '1' };

test.each<[inTables: boolean, inMessages: boolean, where: string, tty: boolean, env: Record<string, string>, options?: string[]]>([
  [true, true, 'on a terminal', true, {}],
  [false, true, 'in a pipe, where FORCE_COLOR asks for them', false, forced],
  [true, true, 'on a dumb terminal where FORCE_COLOR asks for them', true, { ...forced, TERM: 'dumb' }],
  [false, false, 'in a pipe', false, {}],
  [false, false, 'with --no-color', true, {}, ['--no-color']],
  [false, false, 'with NO_COLOR, whatever FORCE_COLOR says', true, { ...forced, NO_COLOR: '1' }],
  [false, false, 'with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }],
  [false, false, 'on a dumb terminal', true, { TERM: 'dumb' }],
  [false, false, 'with --plain', true, {}, ['--plain']],
  ...['json', 'ndjson'].map((format) => [false, false, `in ${format}`, true, forced, ['-o', format]] as never),
  ...['csv', 'id'].map((format) => [false, true, `in ${format}`, true, forced, ['-o', format]] as never),
])('there are colours in tables (%j) and messages (%j) %s', async (inTables, inMessages, _where, tty, env, options = []) => {
  const world = { home, tty, env: { NO_COLOR: '', ...env } };
  const list = await run(['--profile', 'sandbox', 'exams', 'list', ...options], world);
  const missing = await run(['--profile', 'sandbox', 'exams', 'get', '999', ...options], world);
  expect([list.code, missing.code]).toEqual([0, 6]);
  expect([list.stdout.includes('\u001b'), missing.stderr.includes('\u001b')]).toEqual([inTables, inMessages]);
  const shown = missing.stderr.replaceAll('\u001b', '␛');
  if (inMessages) expect(shown).toMatch(/^␛\[1m␛\[31merror:␛\[39m␛\[22m .*\n␛\[1m␛\[36mhint:/);
});
