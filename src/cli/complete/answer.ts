/**
 * What the shells are answered. The first line is a kind and how many characters of the current word
 * stay; then come the candidates, one a line, each with a tab and what it is. It is bundled by itself:
 * only what is asked of the service, and is not in the cache, loads the program.
 *
 * words, open   candidates that begin with what was typed; a space follows, or may not
 * found         the one candidate whose description contains what was typed
 * files, folders   the shell completes these by itself
 */
import type { Host } from '../../host/host.ts';
import { visible } from '../../text/characters.ts';
import { type Asked, cachedAnswer } from './cache.ts';
import type { Candidate } from './candidates.ts';
import { type Grammar, readGrammar } from './grammar.ts';
import type { Wanted } from './wanted.ts';
import { readLine, wanted } from './words.ts';

/** What the service and this machine have, kept for the next time where it is worth it. Never throws. */
export type Live = (asked: Asked) => Promise<readonly Candidate[]>;

/**
 * The answer to words of which the last is the current one, with a colon before it. Throws nothing that a
 * shell may cause. `looking` is called before the first file is read, which a disk may delay for ever.
 */
export async function answer(
  words: readonly string[],
  host: Pick<Host, 'env' | 'home' | 'platform' | 'now'>,
  live: Live,
  looking: () => Promise<void> = async () => {},
): Promise<string> {
  const typed = [...words.slice(0, -1), (words.at(-1) ?? '').replace(/^:/, '')];
  const grammar = await readGrammar();
  const want = wanted(grammar, typed);
  if (want.kind === 'files' || want.kind === 'folders') return lines(want.kind, want.from, []);
  const part = (typed.at(-1) ?? '').slice(want.from);
  if (want.kind === 'words') return lines(want.open ? 'open' : 'words', want.from, beginning(want.candidates, part));
  const asked = askedFor(want, grammar, typed);
  await looking();
  const found = (await cachedAnswer(host, asked)) ?? (await live(asked));
  const left = found.filter(({ value }) => wordOfAnyShell.test(value) && !want.taken.includes(value));
  const fitting = beginning(left, part);
  if (fitting.length > longest) return lines('words', want.from, []);
  const [only, ...others] = fitting.length > 0 || part === '' ? [] : containing(left, part);
  if (only && others.length === 0) return lines('found', want.from, [only]);
  return lines(want.open ? 'open' : 'words', want.from, fitting);
}

/** No shell takes anything in it for more than a letter; it is offered as it is, and another one is not offered at all. */
const wordOfAnyShell = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@+-]*$/u;
/** Longer lists help nobody; they are not cut, because shells put in what all of a list have in common. */
const longest = 10_000;
const longestAbout = 120;

function askedFor({ what, exam }: Extract<Wanted, { kind: 'live' }>, grammar: Grammar, typed: readonly string[]): Asked {
  const { given } = readLine(grammar, typed.slice(0, -1));
  const [profile, baseUrl, timezone] = ['--profile', '--base-url', '--timezone'].map((name) => given.get(name)?.at(-1));
  return {
    what,
    ...(exam === undefined ? {} : { exam }),
    overrides: {
      ...(profile === undefined ? {} : { profile }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(timezone === undefined ? {} : { timezone }),
    },
  };
}

function beginning(candidates: readonly Candidate[], part: string): readonly Candidate[] {
  const start = part.toLowerCase();
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(start));
}

function containing(candidates: readonly Candidate[], part: string): readonly Candidate[] {
  const sought = part.toLowerCase();
  return candidates.filter(({ about }) => about.toLowerCase().includes(sought));
}

function lines(kind: string, from: number, candidates: readonly Candidate[]): string {
  const shown = candidates.map(({ value, about }) => `${value}\t${visible(about.slice(0, longestAbout))}\n`);
  return `${kind} ${from}\n${shown.join('')}`;
}
