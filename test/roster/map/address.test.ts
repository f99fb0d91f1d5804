import { describe, expect, test } from 'vitest';
import { addressKey } from '../../../src/model/address-key.ts';
import { addressFault } from '../../../src/roster/map/address.ts';

describe('an e-mail address', () => {
  test.each([
    'ann@example.org',
    "o'neil+exam_1@sub.example.co.uk",
    'a@b.io',
    'zoë@münchen.example',
    '用户@例子.公司',
    'jane@xn--mnchen-3ya.example',
    `${'a'.repeat(64)}@example.org`,
  ])('may be %s', (text) => {
    expect(addressFault(text)).toBeUndefined();
  });

  test.each([
    ['ann.example.org', 'it contains no @'],
    ['@example.org', 'there is nothing before the @'],
    ['ann@', 'there is nothing after the @'],
    ['ann@gmail', 'the domain contains no dot'],
    ['ann@@example.org', 'it contains more than one @'],
    ['ann example@example.org', 'it contains a space'],
    ['ann\u00a0@example.org', 'it contains a space'],
    ['ann\u200b@example.org', 'it contains an invalid character before the @'],
    ['\u202eann@example.org', 'it contains an invalid character before the @'],
    ['mailto:ann@example.org', 'it contains an invalid character before the @'],
    ['"ann"@example.org', 'it contains an invalid character before the @'],
    ['#ann@example.org', 'it begins with #, as a comment does'],
    ['.ann@example.org', 'a dot before the @ is first, last or doubled'],
    ['a..b@example.org', 'a dot before the @ is first, last or doubled'],
    ['ann@example..org', 'the domain is invalid'],
    ['ann@-example.org', 'the domain is invalid'],
    ['ann@example.org.', 'the domain is invalid'],
    ['ann@example.org\u0007', 'the domain is invalid'],
    ['ann@[127.0.0.1]', 'the domain is invalid'],
    ['ann@127.0.0.1', 'the domain ends in a number'],
    [`${'a'.repeat(65)}@example.org`, 'it is too long'],
    [`ann@${'a'.repeat(250)}.org`, 'it is too long'],
  ])('cannot be %j', (text, reason) => {
    expect(addressFault(text)).toEqual({ code: 'bad_address', reason });
  });

  test.each([
    'ann@example.org, ben@example.org',
    'ann@example.org;ben@example.org',
    'ann@example.org ben@example.org',
    'ann@example.org|b@c.de',
  ])('is only one: %s', (text) => {
    expect(addressFault(text)?.code).toBe('two_addresses');
  });

  test('is the same whatever its case and however its accents are composed', () => {
    expect(addressKey('Zoe\u0308@Example.ORG')).toBe(addressKey('zoë@example.org'));
  });
});
