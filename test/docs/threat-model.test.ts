/** The threat model: each attacker and asset has a row, and each claim is the title of a test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { allCommands } from '../cli/all-commands.ts';
import { pages, root } from './pages.ts';

const rows = (pages.get('SECURITY.md')?.split('## The threat model')[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => {
    const [attacker = '', asset = '', attack = '', stops = ''] = line.slice(2, -2).split(' | ');
    const tests = [...stops.matchAll(/“([^”]+)” \(`(test\/[^`]+)`\)/g)].map(([, title = '', file = '']) => ({ title, file }));
    return { attacker, asset, attack, stops, tests };
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

/** Of the tests of a file that are run and have to pass, without what `each` puts at their end. */
function titlesIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const titles: string[] = [];
  const visit = (node: ts.Node) => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    const isTest = ts.isCallExpression(node) && /^(?!.*[.](skip|todo|fails)\b)test\b/s.test(node.expression.getText(source));
    if (isTest && title && ts.isStringLiteralLike(title)) titles.push(title.text.replace(/(?:: [^:]*?)?[%$].*$/, ''));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

test.each(rows)('"$attack" names the tests that show what stops it, or says that nothing does', ({ stops, tests }) => {
  if (tests.length === 0) expect(stops).toMatch(/^not protected/);
  for (const { title, file } of tests) expect(titlesIn(file), file).toContain(title);
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
