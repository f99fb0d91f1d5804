import { expect, test } from 'vitest';
import { proxyFor } from '../../src/api/proxy.ts';

const env = { HTTPS_PROXY: 'http://proxy.example:3128' };

test.each(['localhost', 'localhost.', 'exams.localhost', 'exams.localhost.', '127.0.0.1', '127.8.9.1', '[::1]', '[::ffff:127.0.0.1]'])(
  'No proxy is asked for this machine: %s.',
  (host) => {
    expect(proxyFor(`https://${host}:8443`, env)).toBeUndefined();
  },
);

test.each(['localhost.example', 'notlocalhost', '127.0.0.1.example', '128.0.0.1', '[::2]', '[::ffff:10.0.0.1]'])(
  'A proxy is asked for another: %s.',
  (host) => {
    expect(proxyFor(`https://${host}:8443`, env)).toMatchObject({ variable: 'HTTPS_PROXY', exempt: undefined });
  },
);

test.each(['proctor.invalid', '.invalid', '*.invalid', '*', 'other.example, PROCTOR.INVALID:443', 'invalid.'])(
  'NO_PROXY exempts: %s.',
  (names) => {
    expect(proxyFor('https://proctor.invalid', { ...env, NO_PROXY: names })?.exempt).toBeDefined();
  },
);

test.each(['tor.invalid', 'proctor.invalid:8443', '*.proctor.invalid', '', 'invalid.example'])('NO_PROXY does not exempt: %s.', (names) => {
  expect(proxyFor('https://proctor.invalid', { ...env, NO_PROXY: names })).toMatchObject({ exempt: undefined });
});
