import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

const fields = ['id', 'email', 'status', 'open_time', 'close_time', 'level_of_suspicion'];

describe('the nearest word', () => {
  it.each([
    ['emial', 'email'],
    ['Status', 'status'],
    ['close_tme', 'close_time'],
    ['level_of_suspision', 'level_of_suspicion'],
  ])('to %s is %s', (word, meant) => {
    expect(nearest(word, fields)).toBe(meant);
  });

  it.each(['', 'password', 'xyz'])('to "%s" is none', (word) => {
    expect(nearest(word, fields)).toBeUndefined();
  });

  it('finds every word again in which two neighbours were swapped', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fields.slice(1)), fc.nat(), (word, place) => {
        const at = place % (word.length - 1);
        const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
        expect(nearest(swapped, fields)).toBe(word);
      }),
    );
  });
});
