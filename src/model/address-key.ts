/** The e-mail address of a student: as a service shows it, and the key shared by all of its spellings. */
import type { JsonObject } from './json.ts';

/** No space, no capitals, nothing but ASCII: as most services store addresses. */
const alreadyKey = /^[!-@[-~]*$/;

/** The key shared by all spellings of one e-mail address: most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  if (alreadyKey.test(address)) return address;
  return address.trim().normalize('NFC').toLowerCase();
}

/** One text on each side of an @. */
const address = /^[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+$/;
/** With these, services hide a part of an address: `a***@example.org`, `a…@…`, `ad...@example.org`, `axxxx@example.org`. */
const masking = /[*?\u2026\u2022\u25cf\u2219\u00b7\u2027\u2588\u2587\u25a0\u25aa\u25cb\u25e6\u00d7]|\.\.|##|xxx/i;

/** The address that a service shows; undefined if it shows none, or hides it: that proves nothing about the student. */
export function addressIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && isAddress(email) ? email : undefined;
}

/** What a service shows in place of an address that it hides; undefined for an address, and if there may be none. */
export function maskIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && !isAddress(email) && (email.includes('@') || masking.test(email)) ? email : undefined;
}

function isAddress(text: string): boolean {
  return address.test(text.trim()) && !masking.test(text);
}
