import { expect, test } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

const words = ['timezone', 'timeout', 'output', 'baseUrl'];

test.each([
  ['timezon', 'timezone'],
  ['TimeZone', 'timezone'],
  ['tiemout', 'timeout'],
  ['baseurl', 'baseUrl'],
  ['ouput', 'output'],
  ['timezone', 'timezone'],
])('"%s" is most likely meant to be %s', (word, meant) => {
  expect(nearest(word, words)).toBe(meant);
});

test.each(['colour', 'x', ''])('"%s" is near to nothing', (word) => {
  expect(nearest(word, words)).toBeUndefined();
});
