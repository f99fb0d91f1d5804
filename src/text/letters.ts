/** Names without their punctuation, as headers, fields and columns are compared. */

import { patternOnUse } from './pattern.ts';

const other = patternOnUse(String.raw`[^\p{L}\p{N}]+`, 'gu');
/** ASCII alone, in small letters: as most names are. */
const plain = /^[\0-@[-\x7f]*$/;

/** Letters and digits of a text in small letters; `between` stands for what else there is. */
export function lettersAndDigits(text: string, between = ''): string {
  return text.replace(plain.test(text) ? /[^a-z\d]+/g : other(), between);
}
