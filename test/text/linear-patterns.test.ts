/** A law: each regular expression takes time in proportion to its text, or its text is short whoever wrote it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { normalForm } from '../../src/text/fold.ts';

/** Patterns that are not linear, or made for each command, each by how its place begins: and why that is no harm. */
const harmless: Record<string, string> = {
  'api/operations.ts RegExp(': 'a path of the table of operations, whose parts a slash separates',
  'cli/run/terminal.ts RegExp(': 'a hint, which is ours and names no foreign text longer than a sentence',
  'commands/table-flags.ts /': 'values of an option, which the user has typed',
  'model/json.ts /"[^': 'JSON that was parsed before: each of its quotes is closed',
  'model/secrets.ts RegExp(': 'spellings of secrets, letter by letter, without any repetition',
  'roster/open-table.ts /[^\\s,;': 'at most 40 letters on either side of one letter, for a sample in a hint',
  'sandbox/faults.ts RegExp(': 'the kinds of faults, which are words',
};
const isHarmless = (place: string) => Object.keys(harmless).find((beginning) => place.startsWith(beginning));

type Pattern = { place: string; source: string; flags: string };

const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');

/** In milliseconds. Three rounds of attacks find what ten do, in half of the time. */
const usual = { timeout: 60_000, maxIteration: 3 };
const patient = { ...usual, attackTimeout: 5000, incubationTimeout: 5000 };

/** Why a pattern is not known to be linear; undefined if it is. */
async function problemOf(source: string, flags: string, limits = usual): Promise<string | undefined> {
  // Chance finds what looks ahead, or not; what is read in its place takes as long, and is found by reasoning.
  const found = await check(source.replaceAll('(?=', '(?:'), flags, limits);
  if (found.status === 'safe') return undefined;
  return `${found.status}: ${found.status === 'vulnerable' ? found.complexity.summary : found.error.kind}`;
}

function literalsIn(name: string): Pattern[] {
  const file = ts.createSourceFile(name, textOf(name), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const collect = (node: ts.Node) => {
    const end = node.getText().lastIndexOf('/');
    if (ts.isRegularExpressionLiteral(node))
      found.push({ place: `${name} ${node.text}`, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    ts.forEachChild(node, collect);
  };
  collect(file);
  return found;
}

/** What a module makes while it loads, and when the act uses it. */
async function madeIn(name: string): Promise<Pattern[]> {
  const made: Pattern[] = [];
  const recording = class extends RegExp {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      if (new Error().stack?.split('\n')[2]?.includes(`/src/${name}`))
        made.push({ place: `${name} RegExp(`, source: this.source, flags: this.flags });
    }
  };
  vi.stubGlobal('RegExp', recording);
  vi.resetModules();
  const loaded = await import(join(root, name));
  loaded.hasHidden?.('\u3164');
  vi.unstubAllGlobals();
  return made;
}

test('the source has no pattern that foreign text can make slow', async () => {
  const patterns = files.flatMap(literalsIn);
  expect(patterns.length).toBeGreaterThan(250);
  const used = new Set<string>();
  for (const name of files) {
    const making = textOf(name).split('new RegExp(').length - 1;
    if (making === 0) continue;
    const made = await madeIn(name);
    const reason = isHarmless(`${name} RegExp(`);
    if (reason) used.add(reason);
    else expect([name, made.length]).toEqual([name, making]);
    patterns.push(...made);
  }
  const problems: string[] = [];
  const known = new Map<string, string | undefined>();
  for (const { place, source, flags } of patterns) {
    const key = `${source}/${flags}`;
    if (!known.has(key)) known.set(key, await problemOf(source, flags));
    if (known.get(key) === undefined) continue;
    const reason = isHarmless(place);
    if (reason) used.add(reason);
    // Attacks are timed: on a busy machine, patterns look slow that are linear.
    else if (await problemOf(source, flags, patient)) problems.push(`${place}: ${known.get(key)}`);
  }
  expect(problems).toEqual([]);
  expect(Object.keys(harmless).filter((beginning) => !used.has(beginning))).toEqual([]);
});

test('nor does it put marks in a row into their order in another way than in parts', () => {
  const marks = `a${'\u0315\u0300'.repeat(300_000)}`;
  const before = performance.now();
  for (const form of ['NFC', 'NFKC', 'NFKD'] as const) expect(normalForm(marks, form).length).toBeGreaterThan(marks.length);
  expect(performance.now() - before).toBeLessThan(5000);
  expect(normalForm(`e\u0301${marks}`, 'NFC')).toMatch(/^é/);
  expect(files.filter((name) => textOf(name).includes('.normalize('))).toEqual(['text/fold.ts']);
});

describe('the law', () => {
  test.each(['[^.[\\]]+(?=[.[\\]]*$)', '@[^@]*[;,][^@]*@', '\\s+$', '^(a+)+$', '^\\s*[\\w -]*\\s*:'])('calls /%s/ slow', async (source) => {
    expect(await problemOf(source, '')).toMatch(/^vulnerable: /);
  });

  test.each(['[^a-z]+', '^\\s*a', '<title[^<>]*>', '["\'`\\s]*[=:]\\s*'])('calls /%s/ linear where it is', async (source) => {
    expect(await problemOf(source, 'y')).toBeUndefined();
  });
});
