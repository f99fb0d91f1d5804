/** Sizes in words: 64MB, 500kB, 1024. A kilobyte has 1,000 bytes. */
import { type Sentence, sentence } from '../text/sentence.ts';
import { count } from './count.ts';
import { InvalidValue } from './invalid-value.ts';

const units = { '': 1, b: 1, kb: 1e3, mb: 1e6 } as const;
/** A text of more bytes cannot be held by JavaScript. */
const most = 500e6;

/** Bytes. Throws `InvalidValue`. */
export function parseSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+) ?([kKmM]?[bB]?)$/.exec(text.trim()) ?? [];
  const bytes = Number(number) * (units[unit.toLowerCase() as keyof typeof units] ?? Number.NaN);
  if (number !== '' && bytes >= 1 && bytes <= most) return bytes;
  throw new InvalidValue(sentence`"${text}" is not a size up to 500MB.`, 'Give a size such as 64MB or 500kB.');
}

/** As people read it: 812 bytes, 14 kB, 2.4 MB. */
export function sizeInWords(bytes: number): Sentence {
  if (bytes < 1e3) return sentence`${count(bytes, 'byte')}`;
  const [value, unit] = bytes < 999.5e3 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return sentence`${value.toFixed(value < 9.95 ? 1 : 0)} ${unit}`;
}
