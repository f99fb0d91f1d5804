/** The hint after a refused token names where it comes from. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { attempt, failureOf, token } from './outcome.ts';
import { answer, faultServer } from './server.ts';

test('a 401 names the variable that holds the token, the word before it, and the variable of that word', async () => {
  const server = await faultServer([answer(401), answer(401)]);
  const own = await attempt('exams list -o json', server.origin);
  const word = 'If the service has another word than "apiServiceToken" before the token: export PROCTOR_AUTH_PREFIX=WORD';
  expect(failureOf(own).hint).toBe(`The token comes from PROCTOR_TOKEN; set a token there that the service accepts. ${word}`);
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, token, { mode: 0o600 });
  const filed = await attempt('exams list -o json', server.origin, { env: { PROCTOR_TOKEN: '', PROCTOR_TOKEN_FILE: file } });
  expect(failureOf(filed).hint).toBe(`The token comes from PROCTOR_TOKEN_FILE; set a token there that the service accepts. ${word}`);
});
