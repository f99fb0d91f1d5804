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
    ['', 'is empty'],
    [' https://proctor.example.org', 'space'],
    ['https://proctor.example.org\n', 'space or a control character'],
    ['https://proctor.example.org\u200b', 'control character'],
    ['https://proctor.example.org\\@evil.example', 'backslash'],
    ['https://user:secret@proctor.example.org', 'user name or password'],
    ['https://proctor.example.org@evil.example', 'user name or password'],
    ['https://proctor.example.org?token=secret', 'query'],
    ['https://proctor.example.org#', 'fragment'],
    ['ftp://proctor.example.org', '"ftp:"'],
    ['file:///etc/passwd', '"file:"'],
    ['javascript:alert(1)', 'not an address'],
    ['https:proctor.example.org', 'not an address'],
    ['//proctor.example.org', 'not an address'],
    ['https://', 'not an address'],
    ['https://proctor.example.org:99999', 'not an address'],
    ['https://proctor.example.org/api/v2', 'version v2'],
    ['https://proctor.example.org/api/v1.1', 'version v1.1'],
    ['https://proctor.example.org/api', 'does not end in /api/v1'],
    ['https://proctor.example.org/api/v1/exams', 'does not end in /api/v1'],
    ['https://proctor.example.org/API/V1', 'does not end in /api/v1'],
    ['https://proctor.example.org//api/v1', 'does not end in /api/v1'],
    ['https://proctor.example.org/x/../api/v1', 'does not end in /api/v1'],
    ['https://proctor.example.org/%61pi/v1', 'does not end in /api/v1'],
    ['http://proctor.example.org', 'unencrypted'],
    ['http://localhost.evil.example', 'unencrypted'],
    ['http://localhost.', 'unencrypted'],
    ['http://[::2]', 'unencrypted'],
    ['http://[::ffff:127.0.0.1]', 'unusual form'],
    ['http://0x7f.1', 'unusual form'],
    ['http://127.0.0.01', 'unusual form'],
    ['https://0x0a000007', 'unusual form'],
    ['https://１２７.0.0.1', 'unusual form'],
    ['http://ｌocalhost', 'unusual form'],
    ['https://ex%61mple.org', 'unusual form'],
  ])('%j is refused', (text, why) => {
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ name: 'InvalidValue', message: expect.stringContaining(why) }));
  });

  test('once accepted is accepted again, unchanged, and goes to https or to this machine', () => {
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
      { numRuns: 500 },
    );
  });
});
