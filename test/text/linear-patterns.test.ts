/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of source code */
/** A law: each regular expression takes time in proportion to its text, or its text is short whoever wrote it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Patterns that are not linear, or known only at run time, each by how its place begins: and why that is no harm. */
const harmless: Record<string, string> = {
  'api/operations.ts new RegExp(': 'a path of the table of operations, whose parts a slash separates',
  'cli/run/terminal.ts new RegExp(': 'a hint, which is ours and names no foreign text longer than a sentence',
  'commands/roster-flags.ts /': 'values of an option, which the user has typed',
  'model/json.ts /"[^': 'JSON that was parsed before: each of its quotes is closed',
  'model/secrets.ts new RegExp(': 'spellings of secrets, letter by letter, without any repetition',
  'roster/text.ts /[^\\s,;': 'at most 40 letters on either side of one letter, for a sample in a hint',
  'sandbox/faults.ts new RegExp(': 'the kinds of faults, which are words',
};

/** Literals, and those that are made of texts which the source holds. */
const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const patterns = files.flatMap((name) => patternsIn(name, readFileSync(join(root, name), 'utf8')));
const keyOf = (place: string) => Object.keys(harmless).find((beginning) => place.startsWith(beginning));

/** Milliseconds. */
const usual = { timeout: 60_000 };
const patient = { ...usual, attackTimeout: 5000, incubationTimeout: 5000 };

/** Why a pattern is not known to be linear; undefined if it is. */
async function problemOf(source: string | undefined, flags: string, limits = usual): Promise<string | undefined> {
  if (source === undefined) return 'is made at run time';
  const found = await check(source, flags, limits);
  if (found.status === 'safe') return undefined;
  return `${found.status}: ${found.status === 'vulnerable' ? found.complexity.summary : found.error.kind}`;
}

test('the source has no pattern that foreign text can make slow, and no reason for one that it does not have', async () => {
  const problems: string[] = [];
  const used = new Set<string>();
  const known = new Map<string, string | undefined>();
  for (const { place, source, flags } of patterns) {
    const key = `${source}/${flags}`;
    if (!known.has(key)) known.set(key, await problemOf(source, flags));
    const problem = known.get(key);
    const reason = keyOf(place);
    if (problem === undefined) continue;
    if (reason !== undefined) used.add(reason);
    // Attacks are timed: on a busy machine, patterns look slow that are linear.
    else if (await problemOf(source, flags, patient)) problems.push(`${place}: ${problem}`);
  }
  expect(problems).toEqual([]);
  expect(Object.keys(harmless).filter((beginning) => !used.has(beginning))).toEqual([]);
}, 180_000);

describe('the law', () => {
  test('sees every pattern of the source', () => {
    expect(patterns.length).toBeGreaterThan(300);
    const made = [
      "const a = 'x+'; const b = [/y/, /z/].map((each) => each.source).join('|'); const units = { h: 'h|hours' };",
      'const c = new RegExp(`^${a}${b}\\\\d$`, "g"); const d = new RegExp(String.raw`\\p{L}+`, "u"); new RegExp(units.h);',
      'const e = f(/q/i); new RegExp(given);',
    ].join('\n');
    expect(patternsIn('x.ts', made).map(({ source, flags }) => [source, flags])).toEqual([
      ['y', ''],
      ['z', ''],
      ['^x+y|z\\d$', 'g'],
      ['\\p{L}+', 'u'],
      ['h|hours', ''],
      ['q', 'i'],
      [undefined, ''],
    ]);
  });

  test.each(['@[^@]*[;,][^@]*@', '\\s+$', '^(a+)+$', '^\\s*[\\w -]*\\s*:'])('calls /%s/ slow', async (source) => {
    expect(await problemOf(source, '')).toMatch(/^vulnerable: /);
  });

  test.each(['[^a-z]+', '^\\s*a', '<title[^<>]*>', '["\'`\\s]*[=:]\\s*'])('calls /%s/ linear where it is', async (source) => {
    expect(await problemOf(source, 'y')).toBeUndefined();
  });
});

/** `source` is undefined where the pattern is only known when the program runs. */
type Pattern = { place: string; source: string | undefined; flags: string };

function patternsIn(name: string, text: string): Pattern[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: Pattern[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const collect = (node: ts.Node) => {
    const place = `${name.replaceAll('\\', '/')} ${node.getText().replace(/\s+/g, ' ')}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, ...partsOf(node.text) });
    else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      found.push({ place, source: textOf(source, constants), flags: textOf(flags, constants) ?? '' });
    }
    ts.forEachChild(node, collect);
  };
  collect(file);
  return found;
}

function partsOf(literal: string): { source: string; flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The text that an expression of constants makes; undefined for any other one. */
function textOf(node: ts.Expression | undefined, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  const text = (part: ts.Expression | undefined) => textOf(part, constants);
  if (node === undefined) return undefined;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).source;
  if (ts.isIdentifier(node)) return text(constants.get(node.text));
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') return templateText(node.template, text, true);
  if (ts.isTemplateExpression(node)) return templateText(node, text, false);
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return text(node.expression);
  if (ts.isPropertyAccessExpression(node)) return text(memberOf(constants.get(node.expression.getText()), node.name.text));
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'join')
    return undefined;
  // [a, b].join('|'), and the same of regular expressions with .map((each) => each.source) between.
  let list = node.expression.expression;
  if (ts.isCallExpression(list) && /\.source\)?$/.test(list.getText()) && ts.isPropertyAccessExpression(list.expression))
    list = list.expression.expression;
  if (!ts.isArrayLiteralExpression(list)) return undefined;
  const parts = list.elements.map(text);
  return parts.includes(undefined) ? undefined : parts.join(text(node.arguments[0]) ?? ',');
}

function memberOf(object: ts.Expression | undefined, name: string): ts.Expression | undefined {
  let plain = object;
  while (plain && (ts.isAsExpression(plain) || ts.isSatisfiesExpression(plain))) plain = plain.expression;
  if (!plain || !ts.isObjectLiteralExpression(plain)) return undefined;
  const found = plain.properties.find((property) => property.name?.getText() === name);
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

function templateText(template: ts.TemplateLiteral, text: (node: ts.Expression) => string | undefined, raw: boolean): string | undefined {
  const own = (part: ts.TemplateLiteralLikeNode) => (raw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(template)) return own(template);
  const parts = template.templateSpans.map(({ expression, literal }) => [text(expression), own(literal)] as const);
  if (parts.some(([value]) => value === undefined)) return undefined;
  return own(template.head) + parts.map(([value, rest]) => value + rest).join('');
}
