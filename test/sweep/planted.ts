/**
 * Secrets as a sweep plants them, and how it finds them again: each holds a core that stands nowhere
 * else, of which no eight characters in a row may be found, in plain or in base64.
 */
import type { Draw } from '../fuzz/draw.ts';

/** Where each is planted: tokens, the password of a proxy, keys and headers of answers, a redirect, a cookie, a body that is sent. */
const kinds = [
  ...(['tokenVariable', 'tokenFile', 'storedToken', 'otherToken', 'commandToken', 'proxyPassword'] as const),
  ...(['answerKey', 'errorKey', 'header', 'address', 'cookie', 'bodyKey'] as const),
];
export type Kind = (typeof kinds)[number];
export type Planted = { kind: Kind; value: string; core: string };

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
/** Characters that change the spelling of a secret when it is encoded. */
const nasty = ['', '"', "'", '\\', '%', '&', '+/=', ',;', '$`', '<>', '{}', '~!*()'];

export function plant(draw: Draw): Record<Kind, Planted> {
  const planted = (kind: Kind): Planted => {
    const core = draw.word(letters);
    return { kind, core, value: `${draw.pick(nasty)}${core}${draw.pick(nasty)}` };
  };
  return Object.fromEntries(kinds.map((kind) => [kind, planted(kind)])) as Record<Kind, Planted>;
}

const window = 8;

/** The planted secrets of which a text shows so much that it is no chance. */
export function foundIn(text: string, planted: readonly Planted[]): Kind[] {
  const found: Kind[] = [];
  for (const { kind, core } of planted) {
    const parts = Array.from({ length: core.length - window + 1 }, (_, at) => core.slice(at, at + window));
    // In base64 a text differs at each of three offsets.
    const encoded = [0, 1, 2].map((offset) => Buffer.from(core.slice(offset)).toString('base64').slice(0, 16));
    if ([...parts, ...encoded].some((part) => text.includes(part))) found.push(kind);
  }
  return found;
}
