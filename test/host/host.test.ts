/** Our requests to the real host. */
import { expect, test, vi } from 'vitest';
import { realHost } from '../../src/host/process.ts';

test('programs that are run for people get no token in their environment', async () => {
  for (const name of ['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_PROFILE']) vi.stubEnv(name, `planted-${name}`);
  const environment = await realHost().execute(process.execPath, ['-p', 'JSON.stringify(process.env)'], { milliseconds: 20_000 });
  vi.unstubAllEnvs();
  expect(environment).not.toContain('planted-PROCTOR_TOKEN');
  expect(environment).toContain('planted-PROCTOR_PROFILE');
});

test('the token command knows the proxy without its user and password', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://ann:pa@ss@proxy.example.org:8080');
  vi.stubEnv('http_proxy', 'ann:planted-word@proxy.example.org');
  vi.stubEnv('NO_PROXY', 'x@y');
  const host = realHost();
  const shown = 'JSON.stringify([process.env.HTTPS_PROXY, process.env.http_proxy])';
  const printed = await host.execute(process.execPath, ['-p', shown], { milliseconds: 20_000 });
  vi.unstubAllEnvs();
  expect(JSON.parse(printed)).toEqual(['http://proxy.example.org:8080', 'proxy.example.org']);
});

test('a diagnostic report of Node holds no environment', () => {
  realHost();
  expect(JSON.stringify(process.report.getReport())).not.toContain('environmentVariables');
});
