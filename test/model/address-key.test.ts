/** Which texts are addresses, and which stand in place of one that is hidden. */
import { describe, expect, test } from 'vitest';
import { addressIn, maskIn, mayBeAddress, mayHide } from '../../src/model/address-key.ts';

describe('An ordinary address', () => {
  test.each([
    'a..b@docomo.example',
    'office@xxxlutz.example',
    'col·lecció@museu.example',
    'anna@col·legi.example',
    '"John Doe"@example.org',
    '"a,b"@example.org',
    'user@[192.0.2.1]',
    "o'brien+exam@example.org",
    'mueller@bücher.example',
    '田中@例え.example',
  ])('%s is no mask', (email) => {
    expect(addressIn({ email })).toBe(email);
    expect(maskIn({ email })).toBeUndefined();
  });

  test.each(['maxxx@example.org', 'lexxxi@example.org', 'xxxmax@example.org', 'who?@example.org', 'j...d@example.org'])(
    '%s that resembles a mask is one only where the listing shows no other addresses',
    (email) => {
      expect([addressIn({ email }), maskIn({ email })]).toEqual([undefined, email]);
      expect([addressIn({ email }, { plain: true }), maskIn({ email }, { plain: true })]).toEqual([email, undefined]);
      expect(mayBeAddress(email)).toBe(true);
    },
  );
});

test.each(['a***@example.org', 'a…@…', '•••', 'a@[redacted]', '[hidden]@example.org', 'a*b@xxx.example'])(
  '%s is a mask in any listing, of any address',
  (email) => {
    expect([addressIn({ email }, { plain: true }), maskIn({ email }, { plain: true })]).toEqual([undefined, email]);
    expect(mayBeAddress(email)).toBe(false);
    expect(mayHide(email, 'bob@example.net')).toBe(true);
  },
);

test.each(['ad...@example.org', 'axxxx@example.org', 'xxx@example.org', 'a??@example.org', 'a@xxxx.example', 'a..@example.org'])(
  '%s is a mask',
  (email) => {
    expect([addressIn({ email }), maskIn({ email })]).toEqual([undefined, email]);
  },
);

test.each(['Max <max@example.org>', 'max@example.org; moritz@example.org', 'mailto:max@example.org', 'max@example.org (private)'])(
  '%s hides no address but the ones that stand in it',
  (email) => {
    expect(addressIn({ email }, { plain: true })).toBeUndefined();
    expect(mayHide(email, 'Max@example.org')).toBe(true);
    expect(mayHide(email, 'anna@example.org')).toBe(false);
  },
);

test('A mask of letters hides only an address in which stands what it shows', () => {
  expect(mayHide('maxxx@example.org', 'Martin@Example.org')).toBe(true);
  expect(mayHide('mxxxa.lxxx@example.org', 'maria.lee@example.org')).toBe(true);
  for (const other of ['anna@example.org', 'martin@example.net', 'm@example.org']) expect(mayHide('maxxx@example.org', other)).toBe(false);
  expect(mayHide('mxxxa.lxxx@example.org', 'maria@example.org')).toBe(false);
});
