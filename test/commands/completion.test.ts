/** The scripts for the shells, as they are printed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shells } from '../../src/commands/completion.ts';
import { run } from '../support/run.ts';

test.each(Object.entries(shells))('completion %s prints its script, on a terminal and in a pipe', async (name, { file }) => {
  const script = readFileSync(`completions/${file}`, 'utf8');
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
