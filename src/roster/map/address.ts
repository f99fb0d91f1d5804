/**
 * The check of an e-mail address before it is sent: what mail systems deliver to (RFC 5321, with the letters of RFC
 * 6531), not all that the grammar permits. A domain has a dot: "ann@gmail" is a slip far more often than a host of
 * one's own. Quoted names, comments and IP addresses are refused.
 */

/** The reason why a text is not an address, with its code. */
export type AddressFault = { code: 'bad_address' | 'two_addresses'; reason: string };

const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/** The problem with an address; undefined if it is valid. */
export function addressFault(text: string): AddressFault | undefined {
  const bad = (reason: string): AddressFault => ({ code: 'bad_address', reason });
  const parts = text.split('@');
  const [local = '', domain = ''] = parts;
  if (parts.length === 1) return bad('it contains no @');
  if (parts.length > 2) {
    const several = text.split(/[\s,;|<>()]+/).filter((part) => /.@./.test(part)).length > 1;
    return several ? { code: 'two_addresses', reason: 'the cell contains several addresses' } : bad('it contains more than one @');
  }
  if (local === '' || domain === '') return bad(`there is nothing ${local === '' ? 'before' : 'after'} the @`);
  if (local.startsWith('#')) return bad('it begins with #, as a comment does');
  if (/\s/.test(text)) return bad('it contains a space');
  if (!atom.test(local)) return bad('it contains an invalid character before the @');
  if (/^\.|\.\.|\.$/.test(local)) return bad('a dot before the @ is first, last or doubled');
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return bad('it is too long');
  const labels = domain.split('.');
  if (labels.length < 2) return bad('the domain contains no dot');
  if (!labels.every((one) => label.test(one) && one.length <= 63)) return bad('the domain is invalid');
  return /^\d+$/.test(labels.at(-1) ?? '') ? bad('the domain ends in a number') : undefined;
}
