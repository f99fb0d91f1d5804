/** A certificate authority and a certificate of it, made by openssl for one run of the tests. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/run.ts';

export type Certificates = { /** PEM file of the authority. */ caFile: string; key: string; cert: string };

export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** For 127.0.0.1, localhost and proctor.example; `days` is how long the certificate holds from now on, or since when it does not. */
export function makeCertificates(days = 2, { subject = 'proctor.example', issuer = 'Private authority' } = {}): Certificates {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2', '-subj', `/CN=${issuer}`);
  openssl('req', ...key, '-keyout', at('key.pem'), '-out', at('request.pem'), '-subj', `/CN=${subject}`);
  writeFileSync(at('names'), 'subjectAltName=DNS:proctor.example,DNS:localhost,IP:127.0.0.1\n');
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', String(days), '-extfile', at('names')];
  openssl('x509', '-req', '-in', at('request.pem'), '-out', at('cert.pem'), ...signed);
  return { caFile: at('ca.pem'), key: readFileSync(at('key.pem'), 'utf8'), cert: readFileSync(at('cert.pem'), 'utf8') };
}
