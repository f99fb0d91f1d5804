/** The e-mail address of a student: as a service shows it, and the key shared by all of its spellings. */
import { folded } from '../text/fold.ts';
import type { JsonObject } from './json.ts';
import { nearest } from './nearest.ts';

/** Most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}

/** One text on each side of an @, without the marks by which services hide a part of it: `a***@example.org`, `ad...@example.org`. */
const address = /^(?!.*\.\.)(?:"[^"]+"|[^\s@<>()[\],;:"*…•]+)@[^\s@<>()[\],;:"*…•]+$/;

/** The address that a service shows; undefined if it shows none, or may hide it: that proves nothing about the student. */
export function addressIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && address.test(email.trim()) ? email : undefined;
}

/** What a service shows in place of an address: it may stand for any. */
export function maskIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && email.trim() !== '' && addressIn({ email }) === undefined ? email : undefined;
}

/** Finds, for an address, the one whose name is nearest: accents and tags aside, because the addresses of an institution end alike. */
export function nearestOf(addresses: readonly string[]): (address: string) => string | undefined {
  const nameIn = (address: string) => folded(addressKey(address)).split(/[+@]/)[0] ?? '';
  const byName = new Map(addresses.map((address) => [nameIn(address), address]));
  return (address) => byName.get(nearest(nameIn(address), byName.keys()) ?? '');
}
