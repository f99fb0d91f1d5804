/** The connections of the built program, whose libraries are in its bundle: TLS, and a proxy. `test/faults` has all cases in process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { proxyTo } from '../faults/proxy.ts';
import { answer, faultServer, serverBy } from '../faults/server.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Options, program } from './program.ts';

const token = 'fault-token-0123456789';

function against(origin: string, line: string, { home = temporaryFolder(), env = {} }: Options) {
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

  test('the authorities in the setting caFile, several in one file, and those that Node trusts beside them are trusted, and no others', async () => {
    const listed = { code: 0, stdout: '[{"id":1}]\n', stderr: '' };
    const lists = async (home: string, env = {}) => against((await serve()).origin, 'exams list -o json', { home, env });
    const home = temporaryFolder();
    const others = join(home, 'others.pem');
    writeFileSync(others, readFileSync(makeCertificates().caFile));
    expect(await program(['config', 'set', 'caFile', others], { home })).toMatchObject({ code: 0 });
    expect(await lists(home)).toMatchObject({ code: 8, stdout: '' });
    expect(await lists(home, { NODE_EXTRA_CA_CERTS: caFile })).toEqual(listed);
    writeFileSync(others, readFileSync(caFile), { flag: 'a' });
    expect(await lists(home)).toEqual(listed);
  });

  test("the authorities of the system's store are trusted, for reads, writes, and beside caFile", async () => {
    const exam = { id: 1, name: 'a' };
    const system = { SSL_CERT_FILE: caFile, SSL_CERT_DIR: temporaryFolder(), PROCTOR_PROTECT_RUNNING_EXAMS: 'off' };
    const serving = () => serverBy(() => answer(200, exam), { tls: { key, cert } });
    const home = temporaryFolder();
    expect(await program(['config', 'set', 'caFile', makeCertificates().caFile], { home })).toMatchObject({ code: 0 });
    for (const each of [temporaryFolder(), home]) {
      const server = await serving();
      const ended = await against(server.origin, 'api POST /exams/1/grade --yes -o json', { home: each, env: system });
      expect([ended.code, ended.stderr, server.writes()]).toEqual([0, '', ['POST /exams/1/grade']]);
    }
    const other = await serving();
    expect(await against(other.origin, 'exams get 1', {})).toMatchObject({ code: 8 });
    expect(other.received).toEqual([]);
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
