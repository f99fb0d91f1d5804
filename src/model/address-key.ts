/** The e-mail address of a student: as a service shows it, and the key shared by all of its spellings. */
import type { JsonObject } from './json.ts';

/** No space, no capitals, nothing but ASCII: as most services store addresses. */
const alreadyKey = /^[!-@[-~]*$/;

/** The key shared by all spellings of one e-mail address: most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  if (alreadyKey.test(address)) return address;
  return address.trim().normalize('NFC').toLowerCase();
}

/** One text on each side of an @; the first may be quoted, the second an address of the network. */
const address = /^(?:"(?:[^"\\]|\\.)+"|[^\s@<>()[\],;:"]+)@(?:\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[\da-f:.]+)\]|[^\s@<>()[\],;:"]+)$/i;
/** With these, services hide a part of an address: `a***@example.org`, `a…@…`. */
const masking = /[*\u2026\u2022\u25cf\u2219\u2027\u2588\u2587\u25a0\u25aa\u25cb\u25e6]/;
/** With these as well, but people have them in their addresses, too: `ad...@example.org`, `axxxx@example.org`. */
const letters = /[?\u00d7\u00b7]|##|\.\.|xxx/i;
/** Where people have them: `col·lecció@…`, `a..b@…`, `office@xxxlutz.example`. */
const inAddresses = { name: /l\u00b7l|(?<=[^.])\.\.(?=[^.])/gi, label: /l\u00b7l|xxx/gi };

/** Some services take the name of an account for an address. */
const account = /^(?=.*\d)[\w.+-]+$/;

/** What a listing shows beside a session. `plain`: addresses that resemble no mask, so that it masks none with letters and dots, or with other names. */
type Beside = { plain?: boolean };

/** The address that a service shows; undefined if it shows none, or may hide it: that proves nothing about the student. */
export function addressIn({ email }: JsonObject, { plain = false }: Beside = {}): string | undefined {
  return typeof email === 'string' && (isAddress(email, plain) || (plain && account.test(email.trim()))) ? email : undefined;
}

/** What a service shows in place of an address that it hides; undefined for an address, and if there may be none. */
export function maskIn({ email }: JsonObject, { plain = false }: Beside = {}): string | undefined {
  if (typeof email !== 'string' || isAddress(email, plain)) return undefined;
  return email.includes('@') || masking.test(email) || letters.test(email) ? email : undefined;
}

/** Whether a listing shows an address that resembles no mask. */
export function showsPlain(sessions: Iterable<JsonObject>): boolean {
  for (const session of sessions) if (addressIn(session) !== undefined) return true;
  return false;
}

/** Whether a mask is an address if no other one is hidden: `maxxx@example.org`. */
export function mayBeAddress(mask: string): boolean {
  return isAddress(mask, true);
}

/** Whether an address may be behind a mask: what is shown stands in it, in this order. */
export function mayHide(mask: string, email: string): boolean {
  if (!mayBeAddress(mask)) return addressesAmong(mask)?.includes(addressKey(email)) ?? true;
  const hidden = addressKey(email);
  const [first = '', ...others] = addressKey(mask).split(/(?:[?\u00d7\u00b7]|##+|\.\.+|xxx+)+/);
  const last = others.pop();
  if (last === undefined) return hidden === first;
  if (!hidden.startsWith(first) || !hidden.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = hidden.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= hidden.length;
}

/** The addresses in a text that hides nothing, as in `Max <max@example.org>`; undefined if it may hide one. */
function addressesAmong(text: string): string[] | undefined {
  if (masking.test(text) || letters.test(text)) return undefined;
  const found = text.split(/[\s<>()[\],;:"]+/).filter((part) => isAddress(part, false));
  return found.length > 0 ? found.map(addressKey) : undefined;
}

function isAddress(text: string, plain: boolean): boolean {
  const trimmed = text.trim();
  if (!address.test(trimmed) || masking.test(trimmed)) return false;
  if (plain || !letters.test(trimmed)) return true;
  const at = trimmed.lastIndexOf('@');
  if (letters.test(trimmed.slice(0, at).replace(inAddresses.name, ' '))) return false;
  const labels = trimmed.slice(at + 1).split('.');
  return labels.every((label) => label !== '' && !/^x{3,}$/i.test(label) && !letters.test(label.replace(inAddresses.label, ' ')));
}
