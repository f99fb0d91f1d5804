/**
 * Secrets as a sweep plants them, and how it finds them again: each holds a core that stands nowhere
 * else, of which no eight characters in a row may be found, in plain or in base64.
 */
import type { Draw } from '../fuzz/draw.ts';

/** Where each kind is planted. */
export const kinds = {
  tokenVariable: 'PROCTOR_TOKEN, which requests carry',
  tokenFile: 'a token file',
  storedToken: 'the token of the profile in use',
  otherToken: 'the token of another profile',
  commandToken: 'what the token command prints',
  proxyPassword: 'the password in the address of a proxy',
  answerKey: 'under secret keys of answers, spelled in many ways',
  errorKey: 'under secret keys of error bodies, whole, cut and not JSON',
  header: 'in headers of answers',
  address: 'in the query of a redirect',
  cookie: 'in a cookie',
  bodyKey: 'under a secret key of a body that is sent',
} as const;
export type Kind = keyof typeof kinds;
export type Planted = { kind: Kind; value: string; core: string };

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
/** Characters that change the spelling of a secret when it is encoded. */
const nasty = ['', '"', "'", '\\', '%', '&', '+/=', ',;', '$`', '<>', '{}', '~!*()'];

export function plant(draw: Draw): Record<Kind, Planted> {
  const planted = (kind: Kind): Planted => {
    const core = draw.word(letters);
    return { kind, core, value: `${draw.pick(nasty)}${core}${draw.pick(nasty)}` };
  };
  return Object.fromEntries((Object.keys(kinds) as Kind[]).map((kind) => [kind, planted(kind)])) as Record<Kind, Planted>;
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
