/** Which texts are addresses, and which may stand in place of one that is hidden. */
import { expect, test } from 'vitest';
import { addressIn, addressKey, maskIn } from '../../src/model/listing.ts';

test.each([
  ...['office@xxxlutz.example', 'col·lecció@museu.example', '"a,b"@example.org', "o'brien+exam@example.org", 'maxxx@example.org'],
  ...['mueller@bücher.example', '田中@例え.example', ' ada@example.org '],
])('%s is an address', (email) => {
  expect([addressIn({ email }), maskIn({ email })]).toEqual([email, undefined]);
});

test.each([
  ...['a***@example.org', 'a…@…', '•••', 'a@[redacted]', '[hidden]@example.org', 'ad...@example.org', 'hidden', 's1234567'],
  ...['Max <max@example.org>', 'max@example.org; moritz@example.org', 'mailto:max@example.org', 'a@b@c'],
])('%s may hide one', (email) => {
  expect([addressIn({ email }), maskIn({ email })]).toEqual([undefined, email]);
});

test.each([null, undefined, '', ' ', 7])('%j neither is one nor hides one', (email = null) => {
  expect([addressIn({ email }), maskIn({ email })]).toEqual([undefined, undefined]);
});

test('Spellings of one address share a key.', () => {
  expect(new Set(['Zo\u00eb@Example.ORG', ' zoe\u0308@example.org', 'ZO\u00cb@example.org'].map(addressKey)).size).toBe(1);
  expect(new Set(['ann@m\u00fcnchen.example', 'Ann@XN--mnchen-3ya.example', 'ann@mu\u0308nchen.EXAMPLE'].map(addressKey)).size).toBe(1);
  expect(new Set(['ann@xn--a.example', 'ann@xn--b.example', 'xn--a@b.example'].map(addressKey)).size).toBe(3);
});
