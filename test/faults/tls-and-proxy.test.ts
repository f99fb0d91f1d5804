/** Secure connections of a private authority, and the way through a proxy, which must learn nothing but the address. */
import { once } from 'node:events';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { hasOpenssl, makeCertificates } from './certificates.ts';
import { attempt, failureOf, token } from './outcome.ts';
import { proxyTo } from './proxy.ts';
import { answer, closedPort, faultServer } from './server.ts';

async function homeTrusting(caFile: string): Promise<string> {
  const home = temporaryFolder();
  const { code, stderr } = await run(['config', 'set', 'caFile', caFile], { home });
  expect(code, stderr).toBe(0);
  return home;
}

const anotherServer = 'Another server may be answering there, or one without TLS: check host and port with: proctor-cli config get baseUrl';

describe.skipIf(!hasOpenssl())('over TLS', () => {
  const { caFile, key, cert } = hasOpenssl() ? makeCertificates() : { caFile: '', key: '', cert: '' };
  const serve = (address = '127.0.0.1') => faultServer([answer(200, [{ id: 1 }])], { address, tls: { key, cert } });

  test('an unknown authority is refused, without a retry, and caFile is named', async () => {
    const server = await serve();
    const outcome = await attempt('exams list -o json', server.origin);
    expect(outcome.code).toBe(8);
    expect(outcome.waits).toEqual([]);
    expect(failureOf(outcome)).toMatchObject({ code: 'network', hint: expect.stringContaining('config set caFile') });
    expect(failureOf(outcome).message).toMatch(/: unable to verify the first certificate \(UNABLE_TO_[A-Z_]+\)\.$/);
    expect(server.received).toEqual([]);
  });

  test('nor with NODE_TLS_REJECT_UNAUTHORIZED=0: no token goes to a certificate that nobody vouches for', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await serve();
    for (const line of ['exams list -o json', 'sessions delete 1 --yes -o json']) {
      const outcome = await attempt(line, server.origin);
      expect(outcome.code).toBe(8);
      expect(failureOf(outcome).message).toContain('(UNABLE_TO_');
    }
    const proxy = await proxyTo(server.port);
    expect((await attempt('exams list', 'https://proctor.example', { env: { HTTPS_PROXY: proxy.url } })).code).toBe(8);
    expect(server.received).toEqual([]);
    expect(proxy.seen()).not.toContain(token);
  });

  test('the authority in the setting caFile is trusted', async () => {
    const server = await serve();
    const { code, stdout, stderr } = await attempt('exams list -o json', server.origin, { home: await homeTrusting(caFile) });
    expect(stderr).toBe('');
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ id: 1 }]]);
  });

  test('but a certificate for another name is not', async () => {
    const server = await serve('127.0.0.2');
    const outcome = await attempt('exams list -o json', server.origin, { home: await homeTrusting(caFile) });
    expect(outcome.code).toBe(8);
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining("does not match certificate's altnames (ERR_TLS_CERT_ALTNAME_INVALID)."),
      hint: anotherServer,
    });
    expect(server.received).toEqual([]);
  });

  test('a caFile that is gone, or holds no certificate, is named, and nothing is sent', async () => {
    const file = join(temporaryFolder(), 'authority.pem');
    copyFileSync(caFile, file);
    const home = await homeTrusting(file);
    const server = await serve();
    writeFileSync(file, 'no certificate\n');
    const empty = await attempt('exams list -o json', server.origin, { home });
    rmSync(file);
    const gone = await attempt('exams list -o json', server.origin, { home });
    for (const outcome of [empty, gone]) {
      expect(outcome.code).toBe(3);
      expect(failureOf(outcome).message).toContain(file);
    }
    expect(server.received).toEqual([]);
  });

  test('an expired certificate is told from an untrusted one, and points at the clock', async () => {
    const expired = makeCertificates(-1);
    const server = await faultServer([answer(200, [])], { tls: expired });
    const outcome = await attempt('exams list -o json', server.origin, { home: await homeTrusting(expired.caFile) });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining(': certificate has expired (CERT_HAS_EXPIRED).'),
      hint: expect.stringContaining('the clock of this machine'),
    });
    expect([server.received, outcome.waits]).toEqual([[], []]);
  });

  test('http spoken to an https port is no success', async () => {
    const plain = createHttpServer((_request, response) => response.end('[]')).listen(0, '127.0.0.1');
    onTestFinished(() => void plain.close());
    await once(plain, 'listening');
    const { port } = plain.address() as { port: number };
    const outcome = await attempt('exams list -o json', `https://127.0.0.1:${port}`);
    expect(outcome.code).toBe(8);
    expect(failureOf(outcome)).toMatchObject({
      code: 'network',
      message: expect.stringMatching(/: the secure connection failed: wrong version number \(ERR_SSL_[A-Z_]+\)\.$/),
      hint: anotherServer,
    });
  });

  describe('through a proxy', () => {
    test.each(['HTTPS_PROXY', 'https_proxy'])('of %s: it sees the address and never the token', async (variable) => {
      const server = await serve();
      const proxy = await proxyTo(server.port);
      const { code, stdout, stderr } = await attempt('exams list -o json', 'https://proctor.example', {
        home: await homeTrusting(caFile),
        env: { [variable]: proxy.url },
      });
      expect(stderr).toBe('');
      expect([code, JSON.parse(stdout)]).toEqual([0, [{ id: 1 }]]);
      expect(proxy.asked).toEqual(['CONNECT proctor.example:443 HTTP/1.1']);
      expect(proxy.seen()).not.toContain(token);
      expect(proxy.seen().toLowerCase()).not.toContain('authorization');
      expect(server.received[0]?.headers.authorization).toBe(`apiServiceToken ${token}`);
    });

    test('the certificate is still that of the service', async () => {
      const server = await serve();
      const proxy = await proxyTo(server.port);
      const outcome = await attempt('exams list -o json', 'https://elsewhere.example', {
        home: await homeTrusting(caFile),
        env: { HTTPS_PROXY: proxy.url },
      });
      expect(outcome.code).toBe(8);
      expect(server.received).toEqual([]);
      expect(proxy.seen()).not.toContain(token);
    });

    test.each([
      ['407 Proxy Authentication Required', 1, 'refused to connect to the service (407).'],
      ['403 Forbidden', 1, 'refused to connect to the service (403).'],
      ['503 Service Unavailable', 3, 'refused to connect to the service (503).'],
    ])('that answers %s to a read: it is asked so often: %i', async (refusal, times, words) => {
      const proxy = await proxyTo(1, refusal);
      const address = proxy.url.replace('//', '//somebody:pass-word-1234@');
      const outcome = await attempt('exams list', 'https://proctor.example', { env: { HTTPS_PROXY: address } });
      expect(outcome.stderr).toContain(`error: Could not list the exams at https://proctor.example: the proxy ${proxy.url} ${words}\n`);
      expect(outcome.stderr).not.toContain('pass-word-1234');
      expect([outcome.code, proxy.asked.length]).toEqual([8, times]);
    });

    test.each([
      ['exams list', 'list the exams'],
      ['sessions delete 1 --yes', 'show student session 1'],
    ])('that is missing: it is named, not the service: %s', async (line, does) => {
      const port = await closedPort();
      const outcome = await attempt(`${line} -o json`, 'https://proctor.example', {
        env: { https_proxy: `http://somebody:pass-word-1234@127.0.0.1:${port}` },
      });
      expect(outcome.code).toBe(8);
      expect(failureOf(outcome)).toMatchObject({
        code: 'network',
        message: `Could not ${does} at https://proctor.example: the connection to the proxy http://127.0.0.1:${port} was refused.`,
        hint: 'Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY, the hosts that are reached without it.',
      });
    });

    test('that hangs up is named', async () => {
      const mute = createTcpServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
      onTestFinished(() => void mute.close());
      await once(mute, 'listening');
      const { port } = mute.address() as { port: number };
      const outcome = await attempt('exams list -o json', 'https://proctor.example', { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
      expect(failureOf(outcome).message).toContain(`: the connection to the proxy http://127.0.0.1:${port} failed (`);
    });

    test('that should speak TLS and does not is named', async () => {
      const proxy = await proxyTo(1, '400 Bad Request');
      const address = proxy.url.replace('http://127.0.0.1', 'https://localhost');
      const outcome = await attempt('exams list -o json', 'https://proctor.example', { env: { HTTPS_PROXY: address } });
      expect(failureOf(outcome).message).toContain(`: the secure connection through the proxy ${address} failed: wrong version number (`);
      expect(proxy.asked).toHaveLength(1);
    });
  });
});

test('http on loopback never goes through a proxy', async () => {
  const server = await faultServer([answer(200, []), answer(200, [])]);
  const proxy = await proxyTo(server.port);
  const everywhere = {
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    http_proxy: proxy.url,
    https_proxy: proxy.url,
  };
  for (const origin of [server.origin, server.origin.replace('127.0.0.1', 'localhost')]) {
    expect((await attempt('exams list', origin, { env: everywhere })).code).toBe(0);
  }
  expect(proxy.asked).toEqual([]);
  expect(server.received).toHaveLength(2);
});

/** What a proxy that refuses everything is asked for, when a command is to reach an origin. */
async function askedFor(origin: string, env: Record<string, string> = {}): Promise<string[]> {
  const proxy = await proxyTo(1, '403 Forbidden');
  expect((await attempt('exams list', origin, { env: { HTTPS_PROXY: proxy.url, ...env } })).code).toBe(8);
  return proxy.asked;
}

test.each(['localhost', 'localhost.', 'exams.localhost.', '127.0.0.1', '127.8.9.1', '[::1]'])(
  'no proxy is asked for this machine: %s',
  async (host) => {
    expect(await askedFor(`https://${host}:1`)).toEqual([]);
  },
);

test.each(['localhost.example', 'notlocalhost', '127.0.0.1.example', '128.0.0.1', '[::2]'])(
  'a proxy is asked for another: %s',
  async (host) => {
    expect(await askedFor(`https://${host}:8443`)).toHaveLength(1);
  },
);

test.each(['proctor.invalid', '.invalid', '*.invalid', '*', 'other.example, PROCTOR.INVALID:443', 'invalid.'])(
  'NO_PROXY exempts: %s',
  async (names) => {
    expect(await askedFor('https://proctor.invalid', { [names === '*' ? 'no_proxy' : 'NO_PROXY']: names })).toEqual([]);
  },
);

test.each(['tor.invalid', 'proctor.invalid:8443', '*.proctor.invalid', '', 'invalid.example'])('NO_PROXY does not: %s', async (names) => {
  expect(await askedFor('https://proctor.invalid', { NO_PROXY: names })).toHaveLength(1);
});

test.each(['nonsense', 'socks5://127.0.0.1:1080', 'http://'])(
  'a proxy that is none (%s) is named by its variable, and not repeated',
  async (address) => {
    const outcome = await attempt('exams list -o json', 'https://proctor.example', { env: { HTTPS_PROXY: address } });
    expect(outcome.code).toBe(3);
    expect(failureOf(outcome)).toMatchObject({
      code: 'invalid_input',
      message: 'HTTPS_PROXY is not the address of an http or https proxy.',
      hint: expect.stringContaining('unset HTTPS_PROXY'),
    });
  },
);
