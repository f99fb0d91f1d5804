/**
 * The path of a request as the log has it. Invariant: what may be an address, a name or a secret does not stand in it:
 * a part stays only if it is a word of the service's paths, or looks like an ID. A word of letters may be a name.
 */
import { operations } from './operations.ts';
import { decoded } from './raw-path.ts';

/** Stands for a part that is left out. */
const hidden = '{hidden}';
/** Also of the names of query parameters. Characters. */
const partAtMost = 64;
const partsAtMost = 12;

/** `query`: the names of the parameters, each once. */
export function loggedPath(path: string): { path: string; query: string[] } {
  const [before = '', search = ''] = path.split(/\?(.*)/s);
  const parts = before.split('/').slice(1);
  const shown = parts.slice(0, partsAtMost).map((part) => (part === '' ? '' : shownPart(part)));
  if (parts.length > partsAtMost) shown.push(hidden);
  const names = search
    .split('&')
    .filter((each) => each !== '')
    // Without a value, it may be one.
    .map((each) => (each.includes('=') ? shownName(each.replace(/=.*/s, '')) : hidden));
  return { path: `/${shown.join('/')}`, query: [...new Set(names)].slice(0, partsAtMost) };
}

const words: ReadonlySet<string> = new Set(
  Object.values(operations)
    .flatMap(({ path }) => path.split('/'))
    .filter((part) => !part.startsWith(':')),
);

function shownPart(part: string): string {
  const plain = decoded(part);
  return words.has(plain) || (plain.length <= partAtMost && /^(?=.*\d)[\w~:-]+$/.test(plain)) ? plain : hidden;
}

function shownName(name: string): string {
  const plain = decoded(name);
  return plain.length <= partAtMost && /^[\w.~:[\]-]+$/.test(plain) ? plain : hidden;
}
