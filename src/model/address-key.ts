/** The e-mail address of a student: as a service shows it, and the key shared by all of its spellings. */
import type { JsonObject } from './json.ts';

/** No space, no capitals, nothing but ASCII: as most services store addresses. */
const alreadyKey = /^[!-@[-~]*$/;

/** The key shared by all spellings of one e-mail address: most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  if (alreadyKey.test(address)) return address;
  return address.trim().normalize('NFC').toLowerCase();
}

/** The address that a service shows; undefined if it shows none, or a blank one. */
export function addressIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && email.trim() !== '' ? email : undefined;
}
