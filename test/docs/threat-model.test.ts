/** The threat model: each attacker and asset has a row, and each claim names a test that is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allCommands } from '../cli/all-commands.ts';
import { pages, root } from './pages.ts';

const rows = (pages.get('SECURITY.md')?.split('## The threat model')[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => {
    const [attacker = '', asset = '', attack = '', stops = '', shown = ''] = line.slice(2, -2).split(' | ');
    return { attacker, asset, attack, stops, tests: [...shown.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) };
  });

const attackers = ['service', 'network', 'author of a roster', 'local user', 'another process', 'terminal'];
const assets = ['token', "students' data", 'exam', 'machine'];

test('each attacker has a row for each asset, and no other is named', () => {
  for (const attacker of attackers)
    for (const asset of assets)
      expect(
        rows.filter((row) => row.attacker === attacker && row.asset === asset),
        `${attacker}, ${asset}`,
      ).not.toEqual([]);
  for (const { attacker, asset } of rows)
    expect([attackers, assets].map((names, index) => names.includes([attacker, asset][index] ?? ''))).toEqual([true, true]);
});

test.each(rows)('"$attack" names the tests that show what stops it, or says that nothing does', ({ stops, tests }) => {
  if (tests.length === 0) expect(stops).toMatch(/^not protected/);
  for (const file of tests) {
    expect(file).toMatch(/^test\/.*\.test\.ts$/);
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readFileSync(join(root, file), 'utf8'), file).toMatch(/\b(test|it)[.(]/);
  }
});

test('no option and no argument takes a token', () => {
  for (const { name, args = {}, flags = {} } of allCommands) {
    const texts = Object.entries(flags).filter(([, { type }]) => type !== 'boolean');
    expect(
      [...Object.keys(args), ...texts.map(([key]) => key)].filter((key) => /token|secret|password/i.test(key)),
      name,
    ).toEqual([]);
  }
});
