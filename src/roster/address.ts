/**
 * The check of an e-mail address before it is sent: what mail systems deliver to (RFC 5321, with the letters of RFC
 * 6531), not all that the grammar permits. A domain has a dot: "ann@gmail" is a slip far more often than a host of
 * one's own. Quoted names, comments and IP addresses are refused.
 */

const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/** Why a text is no address; undefined if it is one. */
export function addressFault(text: string): string | undefined {
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  if (!text.includes('@')) return 'it contains no @';
  if (text.split(/[\s,;|<>()]+/).filter((part) => /.@./.test(part)).length > 1) return 'the cell contains several addresses';
  if (more.length > 0) return 'it contains more than one @';
  if (local === '' || domain === '') return `there is nothing ${local === '' ? 'before' : 'after'} the @`;
  if (local.startsWith('#')) return 'it begins with #, as a comment does';
  if (/\s/.test(text)) return 'it contains a space';
  if (!atom.test(local)) return 'it contains an invalid character before the @';
  if (/^\.|\.\.|\.$/.test(local)) return 'a dot before the @ is first, last or doubled';
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return 'it is too long';
  if (labels.length < 2) return 'the domain contains no dot';
  if (!labels.every((one) => label.test(one) && one.length <= 63)) return 'the domain is invalid';
  return /^\d+$/.test(labels.at(-1) ?? '') ? 'the domain ends in a number' : undefined;
}
