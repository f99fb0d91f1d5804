/** A size in words. A kilobyte has 1,000 bytes. */
import { type Sentence, sentence } from '../text/sentence.ts';
import { count } from './count.ts';

/** As people read it: 812 bytes, 14 kB, 2.4 MB. */
export function sizeInWords(bytes: number): Sentence {
  if (bytes < 1e3) return sentence`${count(bytes, 'byte')}`;
  const [value, unit] = bytes < 999.5e3 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return sentence`${value.toFixed(value < 9.95 ? 1 : 0)} ${unit}`;
}
