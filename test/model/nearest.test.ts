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

test('A part of a longer name finds it, if no whole name is near', () => {
  const options = ['--allow-headphones', '--name', '--exam-name', 'dialect.paging'];
  expect(['--headphones', '--nam', 'pagin'].map((word) => nearest(word, options))).toEqual([options[0], '--name', options[3]]);
});

test.each(['colour', 'x', ''])('"%s" is near to nothing', (word) => {
  expect(nearest(word, words)).toBeUndefined();
});
