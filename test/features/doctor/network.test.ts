/** What is wrong on the way to the service (name, certificate, proxy) is the finding of the service's row. */
import { expect, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../faults/certificates.ts';
import { proxyTo } from '../../faults/proxy.ts';
import { closedPort, faultServer } from '../../faults/server.ts';
import { examined, token } from './examined.ts';

const at = (origin: string, env: Record<string, string> = {}) =>
  examined(['--timeout', '10s'], { env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...env } });

test('an unknown host name, and a closed port', async () => {
  for (const origin of ['https://proctor.invalid', `http://127.0.0.1:${await closedPort()}`]) {
    const { code, found } = await at(origin);
    expect(code).toBe(8);
    expect(found.service).toMatchObject({
      state: 'failed',
      remedy: expect.stringMatching(/^Check the .*(PROCTOR_BASE_URL|: proctor-cli)/),
    });
    expect(found.exams).toMatchObject({ state: 'skipped', detail: 'needs: service' });
  }
});

test.skipIf(!hasOpenssl())('an authority that is not known: that is said, and where to set it', async () => {
  const { key, cert } = makeCertificates();
  const server = await faultServer([], { tls: { key, cert } });
  const { code, found } = await at(server.origin);
  expect(code).toBe(8);
  expect(found.service).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('an authority that this machine does not trust'),
    remedy: expect.stringMatching(/: proctor-cli config set caFile FILE$/),
  });
  expect(server.received).toEqual([]);
});

test('a proxy that refuses, and one that is missing', async () => {
  const refusing = await proxyTo(1, '407 Proxy Authentication Required');
  for (const url of [refusing.url, `http://127.0.0.1:${await closedPort()}`]) {
    const { code, found } = await at('https://proctor.example', { https_proxy: url });
    expect(code).toBe(8);
    expect(found.service).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('proxy'),
      remedy: expect.stringMatching(/https_proxy.* NO_PROXY/),
    });
  }
});

test('a proxy that is no address: the variable is named, and its text is not', async () => {
  const { code, found, stdout } = await at('https://proctor.invalid', { ALL_PROXY: 'secret-word@nowhere' });
  expect(code).toBe(3);
  expect(found.service).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/: unset ALL_PROXY$/) });
  expect(stdout).not.toContain('secret-word');
});
