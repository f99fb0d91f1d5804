/** The e-mail address of a student, as a service shows it, and the key of its spellings. */
import { folded, foldedText } from '../text/fold.ts';
import type { JsonObject } from './json.ts';
import { nearest } from './nearest.ts';

/** Most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  return foldedText(address);
}

/** An address, but none of which a service hides a part: `a***@example.org`, `ad...@example.org`, `a●●●@example.org`. */
const address = /^(?!.*\.\.)(?!.*(?![\0-\x7f])([\p{S}\p{Po}])\1)(?:"[^"]+"|[^\s@<>()[\],;:"*…•]+)@[^\s@<>()[\],;:"*…•]+$/u;

/** Undefined where the service may hide it, which proves nothing. */
export function addressIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && address.test(email.trim()) ? email : undefined;
}

/** What a service shows in place of an address: it may stand for any. */
export function maskIn({ email }: JsonObject): string | undefined {
  const isShown = typeof email === 'string' && email.trim() !== '';
  return isShown && addressIn({ email }) === undefined ? email : undefined;
}

/** The words after "shows no address": what one of these records shows in its place; empty if none shows anything. */
export function maskAmong(records: readonly JsonObject[]): string {
  const mask = records.map(maskIn).find((each) => each !== undefined);
  return mask === undefined ? '' : ` (it shows ${mask.trim()})`;
}

/** Compares the names only: the domains of an institution are alike. */
export function nearestOf(addresses: readonly string[]): (address: string) => string | undefined {
  const nameIn = (address: string) => folded(addressKey(address)).split(/[+@]/)[0] ?? '';
  const byName = new Map(addresses.map((address) => [nameIn(address), address]));
  return (address) => byName.get(nearest(nameIn(address), byName.keys()) ?? '');
}
