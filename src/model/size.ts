/** Sizes in words: 64MB, 500kB, 1024. A kilobyte has 1,000 bytes. */
import { sentence } from '../text/sentence.ts';
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
