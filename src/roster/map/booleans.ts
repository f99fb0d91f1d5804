/** The words for yes and no in tables, in English, German and French. */

const yes = new Set(['true', 'yes', 'y', '1', 'ja', 'j', 'wahr', 'oui', 'o', 'vrai', 'x']);
const no = new Set(['false', 'no', 'n', '0', 'nein', 'falsch', 'non', 'faux', '-']);

/** The meaning of a word; undefined for other words. */
export function booleanOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return yes.has(word) ? true : no.has(word) ? false : undefined;
}
