import { describe, expect, test } from 'vitest';
import { addressKey } from '../../src/model/address-key.ts';
import { addressFault } from '../../src/roster/names.ts';

const [zoe, user, jane] = ['zoë@münchen.example', '用户@例子.公司', 'jane@xn--mnchen-3ya.example'];
const faults: Record<string, string[]> = {
  'it contains no @': ['ann.example.org'],
  'the domain contains no dot': ['ann@gmail', 'ann@'],
  'it contains more than one @': ['ann@@example.org'],
  'it contains a space': ['ann example@example.org', 'ann\u00a0@example.org'],
  'it contains an invalid character before the @': [
    '@example.org',
    'ann\u200b@b.org',
    '\u202eann@b.org',
    'mailto:ann@b.org',
    '"ann"@b.org',
  ],
  'it begins with #, as a comment does': ['#ann@example.org'],
  'a dot before the @ is first, last or doubled': ['.ann@example.org', 'a..b@example.org'],
  'the domain is invalid': ['ann@b..org', 'ann@-b.org', 'ann@b.org.', 'ann@b.org\u0007', 'ann@[127.0.0.1]', 'ann@127.0.0.1'],
  'it is too long': [`${'a'.repeat(65)}@example.org`, `ann@${'a'.repeat(250)}.org`],
};

describe('an e-mail address', () => {
  test.each(['ann@example.org', "o'neil+exam_1@sub.example.co.uk", 'a@b.io', zoe, user, jane, `${'a'.repeat(64)}@example.org`])(
    'may be %s',
    (text) => expect(addressFault(text)).toBeUndefined(),
  );

  test.each(Object.entries(faults).flatMap(([reason, texts]) => texts.map((text) => [text, reason])))(
    'cannot be %j: %s',
    (text, reason) => {
      expect(addressFault(text)).toBe(reason);
    },
  );

  test.each([', ', ';', ' ', '|'])('is only one, and not two with %j between them', (between) => {
    expect(addressFault(`ann@example.org${between}b@c.de`)).toBe('the cell contains several addresses');
  });

  test('is the same whatever its case and however its accents are composed', () => {
    expect(addressKey('Zoe\u0308@Example.ORG')).toBe(addressKey('zoë@example.org'));
  });
});
