/** Secure connections of a private authority, and the way through a proxy, which must learn nothing but the address. */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../support/listening.ts';
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

describe.skipIf(!hasOpenssl())('over TLS', () => {
  const made = (days?: number) => (hasOpenssl() ? makeCertificates(days) : { caFile: '', key: '', cert: '' });
  const [good, expired] = [made(), made(-1)];
  const { caFile } = good;
  const serve = ({ key, cert } = good, address = '127.0.0.1') => faultServer([answer(200, [{ id: 1 }])], { address, tls: { key, cert } });
  const list = 'exams list -o json';
  const throughProxy = (proxy: string, { trusting = caFile, origin = 'https://proctor.example' } = {}) =>
    homeTrusting(trusting).then((home) => attempt(list, origin, { home, env: { HTTPS_PROXY: proxy } }));

  /** Speaks HTTP where TLS is spoken to it. */
  async function plain() {
    const port = await listening(createHttpServer((_request, response) => response.end('[]')));
    return { origin: `https://127.0.0.1:${port}`, received: [] };
  }

  const anotherServer = 'Another server, or one without TLS, may answer there. Check host and port.';

  test.each<[what: string, server: () => Promise<{ origin: string; received: unknown[] }>, trusts: string, says: RegExp, hint: string]>([
    ['a caFile of another authority', serve, expired.caFile, /: unable to verify .* \(UNABLE_TO_[A-Z_]+\)\.$/, 'config set caFile'],
    ['another name', () => serve(good, '127.0.0.2'), caFile, /altnames \(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/, anotherServer],
    [
      'an expired certificate',
      () => serve(expired),
      expired.caFile,
      /: certificate has expired \(CERT_HAS_EXPIRED\)\.$/,
      "this machine's clock",
    ],
    ['HTTP', plain, caFile, /: the secure connection failed: wrong version number \(ERR_SSL_[A-Z_]+\)\.$/, anotherServer],
  ])('a server that is not proven gets no request: %s', async (_what, server, trusts, says, hint) => {
    const { origin, received } = await server();
    const outcome = await attempt(list, origin, { home: await homeTrusting(trusts) });
    const network = { code: 'network', exit: 8, message: expect.stringMatching(says), hint: expect.stringContaining(hint) };
    expect(failureOf(outcome)).toMatchObject(network);
    expect([outcome.waits, received]).toEqual([[], []]);
  });

  test('nor does one that nobody vouches for, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await serve();
    const untrusted = { exit: 8, message: expect.stringContaining('(UNABLE_TO_'), hint: expect.stringContaining('config set caFile') };
    for (const line of [list, 'sessions delete 1 --yes -o json'])
      expect(failureOf(await attempt(line, server.origin))).toMatchObject(untrusted);
    const proxy = await proxyTo(server.port);
    for (const other of [{ trusting: expired.caFile }, { origin: 'https://elsewhere.example' }])
      expect((await throughProxy(proxy.url, other)).code).toBe(8);
    expect(server.received).toEqual([]);
    expect(proxy.seen()).not.toContain(token);
  });

  test('a caFile that is gone, or holds no certificate, is named, and nothing is sent', async () => {
    const file = join(temporaryFolder(), 'authority.pem');
    copyFileSync(caFile, file);
    const home = await homeTrusting(file);
    const server = await serve();
    for (const damage of [() => writeFileSync(file, 'no certificate\n'), () => rmSync(file)]) {
      damage();
      expect(failureOf(await attempt(list, server.origin, { home }))).toMatchObject({ exit: 3, message: expect.stringContaining(file) });
    }
    expect(server.received).toEqual([]);
  });

  describe('through a proxy', () => {
    test.each(['HTTPS_PROXY', 'https_proxy'])('a proxy sees the address and never the token: %s', async (variable) => {
      const server = await serve();
      const proxy = await proxyTo(server.port);
      const world = { home: await homeTrusting(caFile), env: { [variable]: proxy.url } };
      const { code, stdout, stderr } = await attempt(list, 'https://proctor.example', world);
      expect([code, JSON.parse(stdout), stderr]).toEqual([0, [{ id: 1 }], '']);
      expect(proxy.asked).toEqual(['CONNECT proctor.example:443 HTTP/1.1']);
      expect(proxy.seen()).not.toContain(token);
      expect(proxy.seen().toLowerCase()).not.toContain('authorization');
      expect(server.received[0]?.headers.authorization).toBe(`apiServiceToken ${token}`);
    });

    test.each([
      ['407 Proxy Authentication Required', 1, 'refused to connect to the service (407).'],
      ['403 Forbidden', 1, 'refused to connect to the service (403).'],
      ['500 Internal Server Error', 3, 'refused to connect to the service (500).'],
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
        hint: 'Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY (hosts to reach without it).',
      });
    });

    /** The address of a proxy that closes the connection once it is asked. */
    async function hangingUp() {
      return `http://127.0.0.1:${await listening(createTcpServer((socket) => socket.once('data', () => socket.destroy())))}`;
    }
    const speakingNoTls = async () => (await proxyTo(1, '400 Bad Request')).url.replace('http://127.0.0.1', 'https://localhost');

    test.each([
      ['hangs up', hangingUp, (url: string) => `: the connection to the proxy ${url} failed (`],
      ['should speak TLS and does not', speakingNoTls, (url: string) => ` through the proxy ${url} failed: wrong version number (`],
    ])('that %s is named', async (_what, proxy, words) => {
      const url = await proxy();
      expect(failureOf(await throughProxy(url)).message).toContain(words(url));
    });
  });
});

test('http on loopback never goes through a proxy', async () => {
  const server = await faultServer([answer(200, []), answer(200, [])]);
  const proxy = await proxyTo(server.port);
  const everywhere = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, http_proxy: proxy.url, https_proxy: proxy.url };
  for (const origin of [server.origin, server.origin.replace('127.0.0.1', 'localhost')])
    expect((await attempt('exams list', origin, { env: everywhere })).code).toBe(0);
  expect(proxy.asked).toEqual([]);
  expect(server.received).toHaveLength(2);
});

const thisMachine = ['localhost', 'localhost.', 'exams.localhost.', '127.0.0.1', '127.8.9.1', '[::1]'];
const others = ['localhost.example', 'notlocalhost', '127.0.0.1.example', '128.0.0.1', '[::2]'];
const exempt = ['proctor.invalid', '*.invalid', '*'];
const notExempt = ['tor.invalid', 'proctor.invalid:8443', ''];
const places: [origin: string, noProxy: string, times: number][] = [
  ...thisMachine.map((host): (typeof places)[number] => [`https://${host}:1`, '', 0]),
  ...others.map((host): (typeof places)[number] => [`https://${host}:8443`, '', 1]),
  ...exempt.map((names): (typeof places)[number] => ['https://proctor.invalid', names, 0]),
  ...notExempt.map((names): (typeof places)[number] => ['https://proctor.invalid', names, 1]),
  ['https://127.0.0.1.example:1', '127.0.0.0/8,0.0.0.0/0', 1],
  ['https://192.0.2.7:1', '192.0.3.0/24,192.0.2.0/99,x/24', 1],
];

test.each(places)('A proxy is asked for what is neither this machine nor in NO_PROXY: %s with %j: %i', async (origin, names, times) => {
  const proxy = await proxyTo(1, '403 Forbidden');
  const env = { HTTPS_PROXY: proxy.url, [names === '*' ? 'no_proxy' : 'NO_PROXY']: names };
  expect([(await attempt('exams list', origin, { env })).code, proxy.asked.length]).toEqual([8, times]);
});

test.each([
  ['198.18.0.9', 'example.org, 198.18.0.0/15'],
  ['[::2]', '::/96'],
])('A service at %s in a network of NO_PROXY (%s) is reached without the proxy.', async (host, names) => {
  const proxy = await proxyTo(1, '403 Forbidden');
  const env = { HTTPS_PROXY: proxy.url, NO_PROXY: names };
  await attempt('exams list --timeout 50ms', `https://${host}:1`, { env });
  expect(proxy.asked).toEqual([]);
});

test.each(['nonsense', 'socks5://127.0.0.1:1080', 'http://'])('a proxy that is none (%s): its variable alone is named', async (address) => {
  const outcome = await attempt('exams list -o json', 'https://proctor.example', { env: { HTTPS_PROXY: address } });
  expect(outcome.code).toBe(3);
  expect(failureOf(outcome)).toMatchObject({
    code: 'invalid_input',
    message: 'HTTPS_PROXY is not the address of an http or https proxy.',
    hint: expect.stringContaining('unset HTTPS_PROXY'),
  });
});
