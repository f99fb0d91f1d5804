import { expect, test } from 'vitest';
import { folded, hasWords, soughtWords } from '../../src/text/fold.ts';

test.each([
  ['muller anna', 'Anna Müller'],
  ['Müller', 'anna.mueller@example.org Anna Mu\u0308ller'],
  ['strasse', 'Straße 1'],
  ['lodz soren', 'Søren Łódź'],
  ['ＡＤＡ', 'ada@example.org'],
  ['schmidt, ann', 'Annika Schmidt'],
  ['zoe', 'Z\u200boë'],
])('%s finds %s', (typed, text) => expect(hasWords(folded(text), soughtWords(typed))).toBe(true));

test.each([
  ['anna schmidt', 'Anna Müller'],
  ['annaschmidt', 'Anna Schmidt'],
])('%s does not find %s', (typed, text) => expect(hasWords(folded(text), soughtWords(typed))).toBe(false));
