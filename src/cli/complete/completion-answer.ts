/**
 * The answer to the shells. The first line is a kind and how many characters of the current word stay; then
 * come the candidates, one a line, each with a tab and its description. It is bundled separately: the program
 * is loaded only for a request to the service that the cache cannot answer.
 *
 * words, open   candidates that begin with the typed text; a space follows, or may not
 * found         the one candidate that is meant by the typed text: in its description, or the city of a zone
 * files, folders   the shell completes these by itself
 */
import type { Host } from '../../host/host.ts';
import { visible } from '../../text/characters.ts';
import { type Asked, cachedAnswer } from './cache.ts';
import type { Candidate } from './candidates.ts';
import { readLine, wanted } from './completion-words.ts';
import { type Grammar, readGrammar } from './grammar.ts';
import type { Wanted } from './wanted.ts';

/** The candidates from the service and this machine, cached if worthwhile. Never throws. */
export type Live = (asked: Asked) => Promise<readonly Candidate[]>;

/**
 * The answer to words of which the last is the current one, with a colon before it. Throws nothing that a shell may
 * cause. `looking` is called before the first file is read, because a disk may never answer.
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
  if (want.kind === 'found') return lines('found', want.from, [want.candidate]);
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
  return lines('words', want.from, fitting);
}

/** Words without characters that a shell interprets. Others are not offered, because they would need quoting. */
const wordOfAnyShell = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@+-]*$/u;
/** A longer list is useless; it is not truncated, because shells insert the common prefix of a whole list. */
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
