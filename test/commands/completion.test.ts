/** The scripts for the shells, as they are printed. */
import { expect, test } from 'vitest';
import { shells } from '../../src/cli/complete/shells/index.ts';
import { run } from '../support/run.ts';

test.each(Object.entries(shells))('completion %s prints its script, on a terminal and in a pipe', async (name, { script }) => {
  for (const tty of [true, false]) {
    const { code, stdout, stderr } = await run(['completion', name], { tty });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd()).toBe(script.trimEnd());
  }
});

test('a shell that it does not know is a mistake in the usage', async () => {
  const { code, stdout, stderr } = await run(['completion', 'tcsh']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('bash, zsh, fish, powershell');
});
