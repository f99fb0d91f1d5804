/** Names as people are called: "Berg, Jan van der" is Jan van der Berg where the last name comes first. */

/** The name in the order in which it is spoken; unchanged where it is not written as "Last, First". */
export function spokenName(name: string): string {
  const [last, first, ...more] = name.split(',').map((part) => part.trim());
  return last && first && more.length === 0 ? `${first} ${last}` : name;
}

/** The name and the address in `"Lee, Ann" <ann@example.org>`; the text itself as the address where it is not written so. */
export function addressWithName(text: string): { email: string; name?: string } {
  const [, before = '', address = ''] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  if (address === '') return { email: text };
  const name = before.trim().replaceAll(/^"|"$/g, '');
  return name === '' ? { email: address.trim() } : { email: address.trim(), name };
}

const spreadsheetError =
  /(^|\s)#(N\/A|NV|REF!|BEZUG!|NAME\?|VALUE!|WERT!|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|CALC!|VALEUR!|NOM\?|VALOR!|VERW!|ND|N\/D)(\s|$)/i;
/** Letters that were lost, or of which UTF-8 was read as another encoding: "MÃ¼ller", "Oâ€™Brien". */
const garbled = /\ufffd|[ÂÃÐÑ][^\p{L}\p{M}\s'’.,-]|ÃŸ|á[º»]|â€/u;
/** The longest names on record have some 750 letters. */
const longestName = 1000;

/** Why a text cannot be what a person is called; undefined for one that may be. */
export function nameFault(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return 'the name contains a line break or another control character';
  if (name.length > longestName) return `the name has ${name.length} letters, more than ${longestName}; the column may hold something else`;
  if (spreadsheetError.test(name)) return 'the name contains an error of the spreadsheet, as of a lookup that found nothing';
  return garbled.test(name) ? 'letters of the name were lost or garbled when the file was saved; export it again as UTF-8' : undefined;
}
