import { expect, test } from 'vitest';
import { hasControls } from '../../src/text/pattern.ts';

test('Each control and format character of the first plane is found, and no other one.', () => {
  const letters = Array.from({ length: 0x10000 }, (_, at) => String.fromCharCode(at));
  expect(letters.filter((letter) => hasControls(`a${letter}`) !== /\p{C}/u.test(letter))).toEqual([]);
});
