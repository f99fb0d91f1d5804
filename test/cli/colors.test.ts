import { describe, expect, test } from 'vitest';
import { run, temporaryFolder, type World } from '../support/run.ts';

const home = temporaryFolder();
const escapeCode = '\u001b';
const colored = async (world: World, ...options: string[]) => {
  const { code, stdout } = await run(['--profile', 'sandbox', 'exams', 'list', ...options], { home, ...world });
  expect(code).toBe(0);
  return stdout.includes(escapeCode);
};

describe('a table has colours', () => {
  test('on a terminal', async () => {
    expect(await colored({ tty: true })).toBe(true);
    expect(await colored({ tty: true, env: { NO_COLOR: '' } })).toBe(true);
  });

  test('on a dumb terminal where FORCE_COLOR asks for them', async () => {
    expect(await colored({ tty: true, env: { TERM: 'dumb', FORCE_COLOR: '1' } })).toBe(true);
  });
});

describe('a table has none', () => {
  test.each<[string, World, string[]]>([
    ['in a pipe', {}, []],
    ['with --no-color', { tty: true }, ['--no-color']],
    ['with NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }, []],
    ['with NO_COLOR, whatever FORCE_COLOR says', { tty: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, []],
    ['with FORCE_COLOR=0', { tty: true, env: { FORCE_COLOR: '0' } }, []],
    ['on a dumb terminal', { tty: true, env: { TERM: 'dumb' } }, []],
  ])('%s', async (_where, world, options) => {
    expect(await colored(world, ...options)).toBe(false);
  });
});

test.each(['json', 'ndjson', 'csv', 'id'])('%s never has colours', async (format) => {
  expect(await colored({ tty: true, env: { FORCE_COLOR: '1' } }, '-o', format)).toBe(false);
});
