/** What is wrong on the way to the service (name, certificate, proxy) is the finding of the service's row. */
import { expect, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../faults/certificates.ts';
import { proxyTo } from '../../faults/proxy.ts';
import { closedPort, faultServer } from '../../faults/server.ts';
import { examined, token } from './examined.ts';

const at = (origin: string, env: Record<string, string> = {}) =>
  examined(['--timeout', '10s'], { env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...env } });

const local = async () => `http://127.0.0.1:${await closedPort()}`;

test.each<[string, () => Promise<[origin: string, proxy?: string]>, string, RegExp]>([
  ['an unknown host name', async () => ['https://proctor.invalid'], '', /^Check the .*(PROCTOR_BASE_URL|: proctor-cli)/],
  ['a closed port', async () => [await local()], '', /^Check the .*(PROCTOR_BASE_URL|: proctor-cli)/],
  [
    'a proxy that refuses',
    async () => ['https://proctor.example', (await proxyTo(1, '407 Proxy Authentication Required')).url],
    'proxy',
    /HTTPS_PROXY.* NO_PROXY/,
  ],
  ['a proxy that is missing', async () => ['https://proctor.example', await local()], 'proxy', /HTTPS_PROXY.* NO_PROXY/],
])('%s', async (_what, place, detail, remedy) => {
  const [origin, proxy] = await place();
  const { code, found } = await at(origin, proxy === undefined ? {} : { https_proxy: proxy });
  expect(code).toBe(8);
  expect(found.service).toMatchObject({ state: 'failed', detail: expect.stringContaining(detail), remedy: expect.stringMatching(remedy) });
  expect(found.exams).toMatchObject({ state: 'skipped', detail: 'needs: service' });
});

test.skipIf(!hasOpenssl())('an authority that is not known: that is said, and where to set it', async () => {
  const { key, cert } = makeCertificates();
  const server = await faultServer([], { tls: { key, cert } });
  const { code, found } = await at(server.origin);
  expect(code).toBe(8);
  expect(found.service).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('unable to verify the first certificate'),
    remedy: expect.stringMatching(/: proctor-cli config set caFile FILE$/),
  });
  expect(server.received).toEqual([]);
});

test('a proxy that is no address: the variable is named, and its text is not', async () => {
  const { code, found, stdout } = await at('https://proctor.invalid', { https_proxy: 'secret-word@nowhere' });
  expect(code).toBe(3);
  expect(found.service).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/: unset https_proxy$/) });
  expect(stdout).not.toContain('secret-word');
});
