/** The way to the service: name, certificate and proxy, each in its good and its bad state. */
import { describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../faults/certificates.ts';
import { proxyTo } from '../../faults/proxy.ts';
import { answer, closedPort, faultServer, type Reaction } from '../../faults/server.ts';
import type { World } from '../../support/run.ts';
import { examined, goodExam, goodSession, homeWith, token } from './examined.ts';

/** The timeout is long, as no test may fail on a busy machine; only the one whose service never answers waits for it. */
const at = (origin: string, world: World = {}, timeout = '10s') =>
  examined(['--timeout', timeout], { ...world, env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...world.env } });
const answers: Reaction[] = Array.from(
  { length: 6 },
  () => (socket, request) => answer(200, [request.path.endsWith('/exams') ? goodExam : goodSession])(socket, request),
);

test('an unknown host name', async () => {
  const { code, found } = await at('https://proctor.invalid');
  expect(code).toBe(8);
  expect(found.DNS).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/: proctor-cli config get baseUrl$/) });
  expect(found.TLS).toMatchObject({ state: 'skipped', detail: 'needs: DNS' });
});

test('a name that leads to this machine', async () => {
  const server = await faultServer(answers);
  const { found } = await at(server.origin.replace('127.0.0.1', 'localhost'));
  expect(found.DNS).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^localhost is .*(127\.0\.0\.1|::1)/) });
  expect(found.TLS?.state).toBe('skipped');
});

describe.skipIf(!hasOpenssl())('TLS', () => {
  const { caFile, key, cert } = hasOpenssl() ? makeCertificates() : { caFile: '', key: '', cert: '' };
  const serve = (address = '127.0.0.1') => faultServer(answers, { address, tls: { key, cert } });
  /** Before the certificate was made, as far as the days that are left are counted. */
  const longBefore = new Date(Date.now() - 60 * 24 * 60 * 60 * 1000).toISOString();

  test('an authority that is not known: that is said, and where to set it', async () => {
    const server = await serve();
    const { code, found } = await at(server.origin);
    expect(code).toBe(8);
    expect(found.TLS).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('an authority that this machine does not trust'),
      remedy: expect.stringMatching(/: proctor-cli config set caFile FILE$/),
    });
    expect(found.service?.state).toBe('skipped');
    expect(server.received).toEqual([]);
  });

  test('one that is set: trusted, with its end', async () => {
    const server = await serve();
    const { code, found } = await at(server.origin, { home: await homeWith(['caFile', caFile]), now: longBefore });
    expect(code).toBe(0);
    expect(found.TLS).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/TLSv1\.3.*proctor\.example by Private authority, until \d{4}-\d\d-\d\d.*ca\.pem/),
    });
  });

  test('a certificate that ends soon', async () => {
    const server = await serve();
    const { code, found } = await at(server.origin, { home: await homeWith(['caFile', caFile]) });
    expect(code).toBe(0);
    expect(found.TLS).toMatchObject({ state: 'warning', detail: expect.stringMatching(/[012] days left$/) });
  });

  test('one that has ended', async () => {
    const old = makeCertificates(-1);
    const server = await faultServer(answers, { tls: old });
    const { code, found } = await at(server.origin, { home: await homeWith(['caFile', old.caFile]) });
    expect(code).toBe(8);
    expect(found.TLS).toMatchObject({ state: 'failed', detail: expect.stringContaining('has expired') });
    expect(server.received).toEqual([]);
  });

  test('one for another name', async () => {
    const server = await serve('127.0.0.2');
    const { found } = await at(server.origin, { home: await homeWith(['caFile', caFile]) });
    expect(found.TLS).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/: proctor-cli config get baseUrl$/) });
  });

  test('the names in a certificate are shown on their line, and no advice is made of them', async () => {
    const name = 'evil.example;touch pwned: proctor-cli auth login';
    const made = makeCertificates(2, { subject: name, issuer: name });
    const server = await faultServer(answers, { tls: made });
    const { found } = await at(server.origin, { home: await homeWith(['caFile', made.caFile]) });
    expect(found.TLS).toMatchObject({ state: 'warning', detail: expect.stringContaining(name) });
    expect(found.TLS?.remedy).not.toContain('evil');
  });

  test('a port that speaks no TLS, and a closed port', async () => {
    const plain = await faultServer([]);
    for (const port of [plain.port, await closedPort()]) {
      const { code, found } = await at(`https://127.0.0.1:${port}`, {}, '500ms');
      expect(code).toBe(8);
      expect(found.TLS).toMatchObject({ state: 'failed', remedy: expect.stringContaining('Check') });
    }
  });

  test('through a proxy: it is named without its password, and looks the name up', async () => {
    const server = await serve();
    const proxy = await proxyTo(server.port);
    const address = proxy.url.replace('://', '://ada:secret-word@');
    const home = await homeWith(['caFile', caFile]);
    const { code, found, stdout } = await at('https://proctor.example', { home, env: { HTTPS_PROXY: address } });
    expect(code).toBe(0);
    expect(found.proxy).toMatchObject({ state: 'ok', detail: `${proxy.url} (HTTPS_PROXY)` });
    expect(found.DNS?.state).toBe('skipped');
    expect([found.TLS?.state, found.service?.state]).toEqual(['skipped', 'ok']);
    expect(proxy.asked[0]).toBe('CONNECT proctor.example:443 HTTP/1.1');
    expect(proxy.seen()).toContain(`Basic ${Buffer.from('ada:secret-word').toString('base64')}`);
    expect(stdout).not.toContain('secret-word');
  });

  test('a proxy that refuses, and one that is missing', async () => {
    const refusing = await proxyTo(1, '407 Proxy Authentication Required');
    for (const url of [refusing.url, `http://127.0.0.1:${await closedPort()}`]) {
      const { code, found } = await at('https://proctor.example', { env: { https_proxy: url } });
      expect(code).toBe(8);
      expect(found.service).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('proxy'),
        remedy: expect.stringMatching(/https_proxy.* NO_PROXY/),
      });
    }
  });
});

test('a proxy that is no address: the variable is named, and its text is not', async () => {
  const { code, found, stdout } = await at('https://proctor.invalid', { env: { ALL_PROXY: 'secret-word@nowhere' } });
  expect(code).toBe(3);
  expect(found.proxy).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/: unset ALL_PROXY$/) });
  expect(stdout).not.toContain('secret-word');
});

test.each(['proctor.invalid', '.invalid', '*.invalid', '*', 'other.example, PROCTOR.INVALID:443', 'invalid.'])(
  'NO_PROXY exempts: %s',
  async (names) => {
    const { found } = await at('https://proctor.invalid', { env: { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: names } });
    expect(found.proxy?.detail).toMatch(/^none: NO_PROXY exempts/);
    expect(found.DNS?.state).toBe('failed');
  },
);

test.each(['tor.invalid', 'proctor.invalid:8443', '*.proctor.invalid', '', 'invalid.example'])(
  'NO_PROXY does not exempt: %s',
  async (names) => {
    const { found } = await at('https://proctor.invalid', { env: { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: names } });
    expect(found.proxy?.detail).toBe('http://127.0.0.1:9 (HTTPS_PROXY)');
  },
);
