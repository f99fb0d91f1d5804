/** The hint after a refusal fits it: which ID, which address, which token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { attempt, failureOf, token } from './outcome.ts';
import { answer, faultServer } from './server.ts';

test.each([
  ['students show --exam 7 --session 8', 'Check both IDs; list the students of the exam with: proctor-cli sessions list --exam 7'],
  ['exams get 7', 'Check the ID; list the exams with: proctor-cli exams list'],
  ['sessions get 7', 'Check the ID, or find the session by a name with: proctor-cli sessions find NAME'],
  [
    'users list --institute 9',
    "Ask the service's operator for the ID of your institute, and store it with: proctor-cli config set institute ID",
  ],
  ['api GET /examz', "List the service's paths with: proctor-cli api --list"],
  ['api GET /exams/7/nothing?a=b', "List the service's paths with: proctor-cli api --list"],
  ['exams list', 'Check the address of the service with: proctor-cli doctor'],
])('a 404 of "%s"', async (line, hint) => {
  const server = await faultServer([answer(404, { error: 'not found' })]);
  expect(failureOf(await attempt(`${line} -o json`, server.origin))).toMatchObject({ code: 'not_found', hint });
});

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
