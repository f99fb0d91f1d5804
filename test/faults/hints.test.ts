/** The hint after a refusal fits it: which address, which token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { attempt, failureOf, token } from './outcome.ts';
import { answer, faultServer } from './server.ts';

test('a 401 names the variable that holds the token', async () => {
  const server = await faultServer([answer(401), answer(401)]);
  const own = await attempt('exams list -o json', server.origin);
  expect(failureOf(own).hint).toBe('The token comes from PROCTOR_TOKEN; set a token there that the service accepts.');
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, token, { mode: 0o600 });
  const filed = await attempt('exams list -o json', server.origin, { env: { PROCTOR_TOKEN: '', PROCTOR_TOKEN_FILE: file } });
  expect(failureOf(filed).hint).toBe(`The token comes from PROCTOR_TOKEN_FILE (${file}); set a token there that the service accepts.`);
});

test('a name that cannot be resolved is shown with where it was written', async () => {
  const variable = await attempt('exams list -o json', 'https://proctor.invalid');
  expect(failureOf(variable).hint).toBe('Check the network, and the spelling of proctor.invalid (PROCTOR_BASE_URL).');
  const flag = await attempt('exams list -o json --base-url https://other.invalid', 'https://proctor.invalid');
  expect(failureOf(flag).hint).toBe('Check the network, and the spelling of other.invalid (--base-url).');
});
