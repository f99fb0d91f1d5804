import { describe, expect, it } from 'vitest';
import { addressFault } from '../../../src/bulk/map/address.ts';
import { addressKey } from '../../../src/model/address-key.ts';

describe('an e-mail address', () => {
  it.each([
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

  it.each([
    ['ann.example.org', 'there is no @ in it'],
    ['@example.org', 'there is nothing before the @'],
    ['ann@', 'there is nothing after the @'],
    ['ann@gmail', 'the domain has no dot in it'],
    ['ann@@example.org', 'there is more than one @ in it'],
    ['ann example@example.org', 'there is a space in it'],
    ['ann\u00a0@example.org', 'there is a space in it'],
    ['ann\u200b@example.org', 'there is a character before the @ that cannot stand there'],
    ['\u202eann@example.org', 'there is a character before the @ that cannot stand there'],
    ['mailto:ann@example.org', 'there is a character before the @ that cannot stand there'],
    ['"ann"@example.org', 'there is a character before the @ that cannot stand there'],
    ['.ann@example.org', 'a dot before the @ stands first, last or twice'],
    ['a..b@example.org', 'a dot before the @ stands first, last or twice'],
    ['ann@example..org', 'the domain cannot be one'],
    ['ann@-example.org', 'the domain cannot be one'],
    ['ann@example.org.', 'the domain cannot be one'],
    ['ann@example.org\u0007', 'the domain cannot be one'],
    ['ann@[127.0.0.1]', 'the domain cannot be one'],
    ['ann@127.0.0.1', 'the domain ends in a number'],
    [`${'a'.repeat(65)}@example.org`, 'it is longer than an address can be'],
    [`ann@${'a'.repeat(250)}.org`, 'it is longer than an address can be'],
  ])('cannot be %j', (text, reason) => {
    expect(addressFault(text)).toEqual({ code: 'bad_address', reason });
  });

  it.each([
    'ann@example.org, ben@example.org',
    'ann@example.org;ben@example.org',
    'ann@example.org ben@example.org',
    'ann@example.org|b@c.de',
  ])('is only one: %s', (text) => {
    expect(addressFault(text)?.code).toBe('two_addresses');
  });

  it('is the same whatever its case and however its accents are composed', () => {
    expect(addressKey('Zoe\u0308@Example.ORG')).toBe(addressKey('zoë@example.org'));
  });
});
