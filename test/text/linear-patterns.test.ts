/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of source code */
/** A law: each regular expression takes time in proportion to its text, or its text is short whoever wrote it. */
import { check } from 'recheck';
import { describe, expect, test } from 'vitest';
import { patternsIn, patternsOfSource } from '../support/patterns.ts';

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

const patterns = patternsOfSource();
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
