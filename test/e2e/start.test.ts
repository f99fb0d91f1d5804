/** How the program comes up, in which surroundings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { temporaryFolder } from '../support/run.ts';
import { internals, program } from './program.ts';

describe('--version and --help work', () => {
  const surroundings = () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.config', 'proctor-cli'), { recursive: true });
    writeFileSync(join(home, '.config', 'proctor-cli', 'config.json'), '{broken');
    return [
      ['with a broken configuration', { home }],
      ['without HOME', { env: { HOME: undefined } }],
      ['with a HOME that is not there', { home: '/nowhere' }],
      ['with nothing but a PATH', { env: { HOME: undefined, TERM: undefined } }],
    ] as const;
  };

  test.each(surroundings())('%s', async (_where, options) => {
    expect(await program('--version', options)).toEqual({ code: 0, stdout: `proctor-cli ${version}\n`, stderr: '' });
    const { code, stdout, stderr } = await program('--help', options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: proctor-cli');
  });

  test('while a command says what is wrong', async () => {
    const [[, broken]] = surroundings();
    expect(await program('exams list', broken)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('config.json:1:2') });
    const homeless = await program('--profile sandbox exams list', { env: { HOME: undefined } });
    expect(homeless.code).toBe(3);
    expect(homeless.stderr).toContain('PROCTOR_STATE_DIR');
    expect(homeless.stderr).not.toMatch(internals);
  });
});

test('--version and --help, the short way, are what the program itself would print', async () => {
  const home = temporaryFolder();
  const whole = await program('--help --yes', { home });
  expect(whole.stdout).toContain('Usage: proctor-cli');
  for (const argv of [[], ['help'], ['-h'], ['--help']]) expect(await program(argv, { home })).toEqual(whole);
  const named = await program('--version --yes', { home });
  for (const argv of [['-V'], ['--version']]) expect(await program(argv, { home })).toEqual(named);
});
