import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/config/profile-settings.ts';

describe('a base URL', () => {
  test.each([
    ['https://proctor.example.org', 'https://proctor.example.org/api/v1'],
    ['proctor.example.org', 'https://proctor.example.org/api/v1'],
    ['https://proctor.example.org/api/v1/', 'https://proctor.example.org/api/v1'],
    ['https://proctor.example.org:443', 'https://proctor.example.org/api/v1'],
    ['HTTPS://Proctor.Example.ORG', 'https://proctor.example.org/api/v1'],
    ['https://host.example/exam/api/v1', 'https://host.example/exam/api/v1'],
    ['https://prüfung.example', 'https://xn--prfung-4ya.example/api/v1'],
    ['http://localhost:3000', 'http://localhost:3000/api/v1'],
    ['http://127.8.9.10', 'http://127.8.9.10/api/v1'],
    ['http://[::1]:3000', 'http://[::1]:3000/api/v1'],
  ])('%s means %s', (text, meant) => {
    expect(parseBaseUrl(text)).toBe(meant);
  });

  test.each([
    ['is empty', ''],
    ['space or a control character', ' https://proctor.example.org', 'https://proctor.example.org\n', 'https://proctor.example.org\u200b'],
    ['backslash', 'https://proctor.example.org\\@evil.example'],
    ['user name or password', 'https://user:secret@proctor.example.org', 'https://proctor.example.org@evil.example'],
    ['query', 'https://proctor.example.org?token=secret'],
    ['fragment', 'https://proctor.example.org#'],
    ['"ftp:"', 'ftp://proctor.example.org'],
    ['"file:"', 'file:///etc/passwd'],
    ['not an address', 'javascript:alert(1)', 'https:proctor.example.org', '//proctor.example.org', 'https://', 'https://a.example:99999'],
    ['version v2', 'https://proctor.example.org/api/v2'],
    ['version v1.1', 'https://proctor.example.org/api/v1.1'],
    ['does not end in /api/v1', 'https://a.example/api', 'https://a.example/api/v1/exams', 'https://a.example/API/V1'],
    ['does not end in /api/v1', 'https://a.example//api/v1', 'https://a.example/x/../api/v1', 'https://a.example/%61pi/v1'],
    ['unencrypted', 'http://proctor.example.org', 'http://localhost.evil.example', 'http://localhost.', 'http://[::2]'],
    ['unusual form', 'http://[::ffff:127.0.0.1]', 'http://0x7f.1', 'http://127.0.0.01', 'https://0x0a000007'],
    ['unusual form', 'https://１２７.0.0.1', 'http://ｌocalhost', 'https://ex%61mple.org'],
  ])('is refused, because of what is in it: %s', (why = '', ...texts) => {
    const refused = expect.objectContaining({ name: 'InvalidValue', message: expect.stringContaining(why) });
    for (const text of texts) expect(() => parseBaseUrl(text), text).toThrow(refused);
  });

  test('that is no domain is told how one is written: it may be a variable that was not replaced', () => {
    const hint = expect.stringMatching(/^Write it like https:.*auth login$/);
    expect(() => parseBaseUrl('$PROCTOR_URL')).toThrow(expect.objectContaining({ hint }));
  });

  test('goes to https or to this machine once it is accepted', () => {
    const piece = fc.constantFrom(
      ...['https://', 'http://', 'localhost', '127.0.0.1', 'a.example', '[::1]', ':80', '/', '/api/v1'],
      ...['/api/v2', '/x', '.', '@', '\\', '%2e', '0x7f.1'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        let url: string;
        try {
          url = parseBaseUrl(pieces.join(''));
        } catch (error) {
          expect(error).toHaveProperty('name', 'InvalidValue');
          return;
        }
        expect(parseBaseUrl(url)).toBe(url);
        expect(new URL(url).href).toBe(url);
        expect(url).toMatch(/^(https:\/\/[^/]+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?)(\/.+)?\/api\/v1$/);
      }),
      { numRuns: 500, examples: [[['http://', 'a.example']], [['https://', 'a.example', '/x', '/api/v1']], [['0x7f.1']]] },
    );
  });
});
