import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretHeader, isSecretKey, maskSecretKeys, maskSecretPairs, Secrets, shownHeader } from '../../src/model/secrets.ts';
import { shellQuoted } from '../../src/model/shell-quote.ts';

function using(secret: string): Secrets {
  const secrets = new Secrets();
  secrets.use(secret);
  return secrets;
}

describe('keys', () => {
  test.each([
    ...['token', 'api_token', 'accessToken', 'Secret_Key', 'client-secret', 'password', 'passwd', 'pin_code', 'PIN', 'apiKey'],
    ...['x-api-key', 'key'],
    ...['authorization', 'Authorisation', 'auth', 'authKey', 'auth_code', 'Set-Cookie', 'proxy-authorization', 'private_key'],
    ...['db_credentials', 'apiKeys', 'api_key_2', 'X-Auth'],
  ])('%s tell of a secret', (key) => expect(isSecretKey(key)).toBe(true));

  test.each([
    ...['author', 'authors', 'authority', 'monkey', 'public_key', 'primaryKey', 'keyboard', 'keyword', 'token_type'],
    ...['token_source', 'password_changed_at'],
    ...['tokenExpiresAt', 'email', 'name', 'pinned', 'spinning', 'status', 'id', 'auth_method', 'secret_count', 'next_page_token'],
    ...['secretary', 'secretary_email', 'Sécrétariat', 'authenticated_at', 'authentication_method', 'auth_status'],
    ...['authorization_required'],
  ])('%s do not', (key) => expect(isSecretKey(key)).toBe(false));

  test.each([
    ...['authorToken', 'author_password', 'auth_type_token', 'auth_provider_key', 'secretPublicKey', 'secretary_password', 'secretArn'],
    ...['auth_time_token', 'authentication', 'public_key_password', 'x_auth_method_token'],
  ])('%s tells of one although a part of it does not', (key) => expect(isSecretKey(key)).toBe(true));
});

describe('headers of a roster', () => {
  test.each([
    ...['Password', 'Kennwort', 'mot de passe', 'API token', 'Passwort (neu)', 'Contraseña', 'Hasło', 'PIN', 'Access cookie', 'pwd'],
    ...'PW|Passcode|private key|API key|Lösenord|Passord|Adgangskode|Salasana|Jelszó|Şifre|Пароль|パスワード|密码'.split('|'),
  ])('%s tell of a secret, as they do as keys', (header) => {
    expect([isSecretHeader(header), isSecretKey(header)]).toEqual([true, true]);
  });

  test.each(['Person key', 'external_person_key', 'auth', 'Auth method', 'Author', 'E-Mail', 'Password changed at', 'Pinned'])(
    '%s do not',
    (header) => expect(isSecretHeader(header)).toBe(false),
  );
});

test('masks what stands under them, whatever it is, at any depth, and nothing else', () => {
  const value = { id: 1, list: [{ Secret_Key: { a: 1 } }, { tokens: ['a', 'b'] }], pin: 1234, has_password: true, token: null, note: 'x' };
  const list = [{ Secret_Key: '********' }, { tokens: '********' }];
  expect(maskSecretKeys(value)).toEqual({ ...value, list, pin: '********' });
  const plain = { id: 1, deep: [{ name: 'x' }] };
  expect(maskSecretKeys(plain)).toBe(plain);
});

const planted = 'sw0rdf1sh-PLANTED';
describe('text of a service', () => {
  test.each([
    JSON.stringify({ error: JSON.stringify({ password: planted, inner: JSON.stringify({ Secret_Key: { a: planted } }) }) }),
    JSON.stringify({ message: `Bad: ${JSON.stringify({ x: JSON.stringify({ token: `"\\${planted}` }) })} here` }),
    `{"message": "cut: {\\"pass\\\\u0077ord\\": \\"${planted}`,
    `authorization=Digest username="ada", response="${planted}"`,
    `{:token=>"${planted}", 'token' => '${planted}', token == ${planted}}`,
    `{'token': {'a': '${planted}'}}`,
    `<x token="${planted}"/>`,
    `https://example.org/?to%6ben=${planted}&user%5Btoken%5D=${planted}&card[pin]=${planted}`,
    `https://example.org/?card[pin]=${planted}`,
    `https://example.org/?next=https%3A%2F%2Fexample.org%2F%3Faccess_token%3D${planted}%26x%3D1`,
  ])('shows no secret: %s', (text) => {
    expect(maskSecretPairs(text)).not.toContain(planted);
    expect(maskSecretPairs(text)).toContain('********');
  });

  test.each([
    ...['{"a":1.0, "b": [1e400]}', '{"author":"Ada"', 'Key takeaways: none', 'a keyboard: x', '', 'a <token> is missing', '<token />x'],
    ...['{"a": "\\u0041 %41"', 'see https://example.org/tokens/list'],
  ])('stays as it is where there is none: %s', (text) => expect(maskSecretPairs(text)).toBe(text));

  test('keeps what shows how a header is made', () => {
    expect(shownHeader('authorization', 'apiServiceToken ********')).toBe('authorization: apiServiceToken ********');
    expect(shownHeader('X-Api-Key', planted)).toBe('X-Api-Key: ********');
    expect(shownHeader('location', `https://ada:pw@x.org/?token=${planted}`)).toBe('location: https://x.org/?token=********');
  });
});

describe('secrets that are known', () => {
  const namesInHtml: Record<string, string> = { '+': 'plus', '=': 'equals', '/': 'sol', '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  const nasty = `p"q'r\\s%t&u,v;w/x=y+z<~>`;
  test.each([
    ['as it is', nasty],
    ['in JSON', JSON.stringify(nasty)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(nasty))],
    ['in HTML', nasty.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ['in an address', encodeURIComponent(nasty)],
    ['in an address within an address', encodeURIComponent(encodeURIComponent(nasty))],
    ['in an address within an address within an address', [1, 2, 3, 4].reduce((text) => encodeURIComponent(text), nasty)],
    ['in a quoted cell', `"${nasty.replaceAll('"', '""')}"`],
    ['in a command', shellQuoted(nasty)],
    ['in HTML with names', nasty.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
    ['in HTML without ends', nasty.replace(/[^a-z\d]/g, (sign) => `&#${sign.charCodeAt(0)}`)],
    ['in HTML with all names', nasty.replace(/[+=/&<>"]/g, (sign) => `&${namesInHtml[sign]};`)],
    ['in a form', new URLSearchParams({ q: nasty }).toString()],
    ['in base64', Buffer.from(nasty).toString('base64')],
    ['in hexadecimal', Buffer.from(nasty).toString('hex')],
    ['in capital hexadecimal', Buffer.from(nasty).toString('hex').toUpperCase()],
  ])('are masked %s', (_, text) => {
    const shown = using(nasty).masked(`before ${text} after`);
    expect(shown).toMatch(/^before .{0,4}\*{8}.{0,4} after$/);
  });

  test.each(['X-TOK-0A1B2C3D', 'x-tok-0a1b2c3d', Buffer.from('x-tok-0a1b2c3d').toString('hex')])(
    'are masked in small letters and in capitals, too: %s',
    (text) => expect(using('x-Tok-0A1b2C3d').masked(`It is ${text}.`)).toBe('It is ********.'),
  );

  test('are masked in their own case only if they may be words', () => {
    expect(using('test').masked('test Test')).toBe('******** Test');
  });

  test('are masked in a long list that takes no more memory for it', () => {
    const list = Array(4_000_000).fill(0);
    const before = process.resourceUsage().maxRSS;
    expect(using(nasty).maskedIn([list, nasty])).toEqual([list, '********']);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(250_000);
  });

  test('are masked whatever letters of them are escaped, and JSON stays JSON', () => {
    const secret = 'fault-token_012.345~é';
    const code = (letter: string, digits: number) => letter.charCodeAt(0).toString(16).padStart(digits, '0');
    const spelling = fc.constantFrom<(letter: string) => string>(
      (letter) => letter,
      (letter) => encodeURIComponent(letter),
      (letter) => (letter === 'é' ? letter : `%${code(letter, 2)}`),
      (letter) => `\\u${code(letter, 4).toUpperCase()}`,
      (letter) => (letter === 'é' ? letter : `\\x${code(letter, 2)}`),
      (letter) => `&#${letter.charCodeAt(0)};`,
      (letter) => `&#x${code(letter, 2)};`,
      (letter) => `\\u{${code(letter, 2)}}`,
      (letter) => ({ _: '&lowbar;', '.': '&period;' })[letter] ?? letter,
    );
    fc.assert(
      fc.property(fc.array(spelling, { minLength: secret.length, maxLength: secret.length }), (spellings) => {
        const text = Array.from(secret, (letter, at) => spellings[at]?.(letter)).join('');
        const secrets = using(secret);
        expect([secrets.masked(text), secrets.maskedWords(text)]).toEqual(Array(2).fill('********'));
        expect(secrets.masked(JSON.stringify({ a: text, b: [1, 'x y'] }))).toBe('{"a":"********","b":[1,"x y"]}');
        expect(secrets.maskedWords(`{"note":"x ${text}`)).toMatch(/^{"note":"x \*{8}$/);
      }),
    );
  });

  test('are masked without the blanks and the line break around them, which are not sent', () => {
    expect(using(`\ufeff ${planted}\n`).masked(`It is ${planted}.`)).toBe('It is ********.');
  });

  test.each([
    (code: string) => `%${code}`,
    (code: string) => `%u00${code}`,
    (code: string) => `\\u00${code}`,
    (code: string) => `\\x${code}`,
    (code: string) => `&#x${code};`,
  ])('are masked where a text that spells them with escapes was cut, wherever that was: %#', (spelled) => {
    const text = Array.from(planted, (letter) => spelled(letter.charCodeAt(0).toString(16))).join('');
    for (let end = 12 * spelled('00').length; end < text.length; end += 1) {
      const cut = text.slice(0, end);
      expect(using(planted).masked(`at https://x.org/${cut}…, and`)).toMatch(/^at \*{8} and$/);
      expect(using(planted).maskedWords(`at x/${cut}`)).toBe('at ********');
    }
  });

  test('are masked in a word of any length, and many dots take no longer than other letters', () => {
    const spelled = `%${Buffer.from(planted).toString('hex').match(/../g)?.join('%')}`;
    for (const beside of ['%41'.repeat(7_000_000), '\\u0041'.repeat(1_000_000)])
      expect(using(planted).masked(`It is ${beside}${spelled}${beside} here`)).toBe('It is ******** here');
    const before = performance.now();
    expect(using(planted).masked('.'.repeat(5_000_000))).toHaveLength(5_000_000);
    expect(performance.now() - before).toBeLessThan(3000);
  }, 60_000);

  test('include user and password of a proxy, and its Basic header', () => {
    const secrets = new Secrets();
    secrets.knowAddress('http://jo%40x:pa%24%24word@proxy.example.org:8080');
    const basic = Buffer.from('jo@x:pa$$word').toString('base64');
    expect(secrets.masked(`pa$$word pa%24%24word ${basic} proxy.example.org`)).toBe('******** ******** ******** proxy.example.org');
  });

  test('include short passwords where they stand in addresses, also of a command', () => {
    const secrets = new Secrets();
    secrets.knowAddress(`curl -s "https://jo:pw1@vault.example/x" 'postgres://db.example.org/x?password=pw2'`);
    const shown = secrets.masked('GET https://jo:pw1@vault.example/x postgres://db.example.org/x?password=pw2 pw1 jo');
    expect(shown).toBe('GET https://********@vault.example/x postgres://db.example.org/x?******** pw1 jo');
  });

  test('are masked together with what stands beside them under the name of a secret', () => {
    const secrets = using('fault-token');
    const beside = `{"password": "open-sesame fault-token", "note": "token: open-sesame fault-token"}`;
    for (const text of [beside, beside.slice(0, -1), 'password = "open-sesame fault-token"'])
      expect(secrets.maskedWords(text)).not.toContain('sesame');
    expect(shownHeader('x-api-key', 'open-sesame ********')).toBe('x-api-key: ********');
  });

  test('are masked where a text was cut within one', () => {
    expect(using('fault-token-0123').maskedWords('{"note":"x fault-tok')).toBe('{"note":"x ********');
    expect(using('fault-token-0123').masked('x fault-token-012… fault-t… faul… fault-token')).toBe(
      'x ********… ********… faul… fault-token',
    );
    expect(using('fault-token-0123').masked('x fault-token-012... fault-t... faul... fault-token')).toBe(
      'x ********... ********... faul... fault-token',
    );
  });

  test('show less than their half where a text was cut within one, however short they are', () => {
    for (const secret of ['abcd', 'abcdef', 'abcdefgh', 'abcdefghijklmnop'])
      for (let length = 1; length < secret.length; length += 1) {
        const [, shown = ''] = /^x ([a-p]*)/.exec(using(secret).masked(`x ${secret.slice(0, length)}…`)) ?? [];
        expect(shown.length).toBeLessThan(Math.min(6, secret.length / 2));
      }
  });

  test('are masked as they are, too, where a part of them looks like an escaped letter', () => {
    const secret = '%66ault-token-0123';
    for (const text of [`${secret} ${encodeURIComponent(secret)}`, `token=${secret} x ${secret}`, JSON.stringify([secret, { token: 1 }])])
      expect(using(secret).maskedWords(text)).not.toContain('ault-');
  });

  test('of thousands of characters are masked as fast, of many profiles, too', () => {
    const secrets = new Secrets();
    const digits = (of: number) => Array.from({ length: 3000 }, (_, index) => (index * 7919 + of).toString(36)).join('');
    const some = Array.from({ length: 8 }, (_, at) => `k${digits(at)}`);
    const begun = performance.now();
    for (const each of some) secrets.use(each);
    for (const each of some) {
      const spellings = [
        each,
        encodeURIComponent(each),
        Buffer.from(each).toString('hex'),
        `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}${each.slice(1)}`,
      ];
      for (const spelling of spellings) expect(secrets.masked(`x ${spelling} y`)).toBe('x ******** y');
      expect(secrets.maskedWords(`x ${each.slice(0, -2)}`)).toBe('x ********');
      expect(secrets.masked(`x ${each.slice(0, 9)}… y`)).toBe('x ********… y');
    }
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  test('are masked in values, which else stay the same', () => {
    const secrets = using('fault-token');
    const value = { id: 7, note: 'x fault-token y', list: [{ a: 'fault-token' }], big: 12345678901234567890n };
    expect(secrets.maskedIn(value)).toEqual({ ...value, note: 'x ******** y', list: [{ a: '********' }] });
    const plain = { id: 7, list: ['a'] };
    expect(secrets.maskedIn(plain)).toBe(plain);
  });
});
