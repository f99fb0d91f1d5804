/** The connections of the built program, one of each kind: TLS, a proxy, a deadline. `test/faults` has all cases in process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { proxyTo } from '../faults/proxy.ts';
import { answer, closedPort, drip, faultServer, serverBy, silence } from '../faults/server.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Options, program } from './program.ts';

const token = 'fault-token-0123456789';

/** Without the gate of the running exam, which would be the first to find out what is wrong with a connection. */
const ungated = temporaryFolder();
beforeAll(async () => {
  expect(await program('config set protectRunningExams off', { home: ungated })).toMatchObject({ code: 0 });
});

let exams = 0;
/** Its first request is a write, of which is to be said whether it was sent; no run that was stopped before is resumed by it. */
function writes(): string {
  exams += 1;
  return `api POST /exams/${exams}/send_emails --yes`;
}

function against(origin: string, line: string, { home = ungated, env = {} }: Options = {}) {
  return program(line, { home, env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...env } });
}

describe.skipIf(!hasOpenssl())('Over TLS', () => {
  const { caFile, key, cert } = hasOpenssl() ? makeCertificates() : { caFile: '', key: '', cert: '' };
  const serve = () => faultServer([answer(200, [{ id: 1 }])], { tls: { key, cert } });
  let trusting: string;
  beforeAll(async () => {
    trusting = temporaryFolder();
    expect(await program(['config', 'set', 'caFile', caFile], { home: trusting })).toMatchObject({ code: 0 });
  });

  test('the authority in the setting caFile is trusted.', async () => {
    const server = await serve();
    expect(await against(server.origin, 'exams list -o json', { home: trusting })).toEqual({ code: 0, stdout: '[{"id":1}]\n', stderr: '' });
  });

  test('the authorities that Node trusts are trusted beside it, several in one file among them.', async () => {
    const server = await serve();
    const [first, second] = [makeCertificates().caFile, makeCertificates().caFile];
    const others = join(temporaryFolder(), 'others.pem');
    writeFileSync(others, readFileSync(first, 'utf8') + readFileSync(second, 'utf8'));
    const home = temporaryFolder();
    expect(await program(['config', 'set', 'caFile', others], { home })).toMatchObject({ code: 0 });
    const refused = await against(server.origin, 'exams list -o json', { home });
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    const trusted = await against(server.origin, 'exams list -o json', { home, env: { NODE_EXTRA_CA_CERTS: caFile } });
    expect(trusted).toEqual({ code: 0, stdout: '[{"id":1}]\n', stderr: '' });
    writeFileSync(others, readFileSync(first, 'utf8') + readFileSync(caFile, 'utf8'));
    expect(await against((await serve()).origin, 'exams list -o json', { home })).toMatchObject({ code: 0 });
  });

  test('an unknown authority is refused, and nothing is sent.', async () => {
    const server = await serve();
    const { code, stderr } = await against(server.origin, writes());
    expect(code).toBe(8);
    expect(stderr).toContain('its certificate was issued by an authority that this machine does not trust');
    expect(stderr).toContain('Nothing was sent.');
    expect(server.received).toEqual([]);
    const read = await against(server.origin, 'exams send-emails 1 --yes');
    expect([read.code, server.received]).toEqual([8, []]);
    expect(read.stderr).toContain('its certificate was issued by an authority that this machine does not trust');
  });

  test('a proxy sees the address of the service and never the token.', async () => {
    const server = await serve();
    const proxy = await proxyTo(server.port);
    const ended = await against('https://proctor.example', 'exams list -o json', { home: trusting, env: { HTTPS_PROXY: proxy.url } });
    expect(ended).toEqual({ code: 0, stdout: '[{"id":1}]\n', stderr: '' });
    expect(proxy.asked).toEqual(['CONNECT proctor.example:443 HTTP/1.1']);
    expect(proxy.seen()).not.toContain(token);
    expect(server.received[0]?.headers.authorization).toBe(`apiServiceToken ${token}`);
  });
});

describe('A proxy', () => {
  const mail = (address: string) => against('https://proctor.example', writes(), { env: { HTTPS_PROXY: address } });

  test('that refuses is named, and nothing is sent.', async () => {
    const proxy = await proxyTo(1, '407 Proxy Authentication Required');
    const { code, stderr } = await mail(proxy.url.replace('//', '//somebody:pass-word-1234@'));
    expect(code).toBe(8);
    expect(stderr).toContain(`the proxy ${proxy.url} asks for a user name and a password (407). Nothing was sent.`);
    expect(stderr).not.toContain('pass-word-1234');
    expect(proxy.asked).toHaveLength(1);
  });

  test('that cannot be reached is named.', async () => {
    const address = `http://127.0.0.1:${await closedPort()}`;
    const { code, stderr } = await against('https://proctor.example', 'exams send-emails 1 --yes', { env: { HTTPS_PROXY: address } });
    expect(code).toBe(8);
    expect(stderr).toMatch(new RegExp(`^error: Could not show exam 1 at .*the proxy ${address} refused the connection\\.$`, 'm'));
  });

  test('that should speak TLS and does not is named.', async () => {
    const proxy = await proxyTo(1, '400 Bad Request');
    const address = proxy.url.replace('http:', 'https:');
    const { code, stderr } = await mail(address);
    expect(code).toBe(8);
    expect(stderr).toContain(`the secure connection to the proxy ${address} failed: it answers without TLS`);
  });

  test('is not used for http on loopback.', async () => {
    const server = await faultServer([answer(200, [])]);
    const proxy = await proxyTo(server.port);
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url };
    expect(await against(server.origin, 'exams list -o json', { env })).toMatchObject({ code: 0 });
    expect([proxy.asked, server.received.length]).toEqual([[], 1]);
  });
});

test.each([
  ['is silent', silence],
  ['answers a byte at a time', drip(200, ['{"id":1', ...Array.from({ length: 500 }, () => ' ')], 20)],
])('--timeout ends a request to a service that %s; mails are requested once.', async (_what, reaction) => {
  const students = [{ id: 7, exam_id: 1, email: 'ada@example.org', status: 'registered' }];
  const server = await serverBy(({ method, path }) => {
    if (method === 'POST') return reaction;
    return answer(200, path.endsWith('/student_sessions') ? students : { id: 1 });
  });
  expect(await against(server.origin, 'exams send-emails 1 --yes --timeout 2s')).toMatchObject({ code: 10 });
  expect(server.requests().filter((request) => !request.startsWith('GET '))).toEqual(['POST /exams/1/send_emails']);
});
