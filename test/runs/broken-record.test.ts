/** A record that cannot be relied on, as each command that writes meets it: one sentence, status 3, nothing is sent. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureOf } from '../faults/outcome.ts';
import { ada, held } from '../support/algebra.ts';

// What else may be wrong with it is in test/record/refused-record.test.ts.
test.each([
  'sessions create --exam 1 --email bob@example.org',
  'sessions update 7 --name Ada',
  'exams send-emails 1 --yes',
  'api PATCH /student_sessions/7 -F name=Ada',
  'sessions delete 7 --yes',
  'sessions import - --exam 1 --yes',
])('Without the key of the record: %s', async (line) => {
  const service = held({ sessions: [ada] });
  expect((await service.run('sessions update 7 --name Eve')).code).toBe(0);
  rmSync(join(service.home, 'state', 'runs.key'));
  const outcome = await service.run(`${line} -o json`, { stdin: 'email\nbob@example.org\n' });
  const { code, message } = failureOf(outcome);
  expect([outcome.code, code]).toEqual([3, 'invalid_config']);
  expect(['', expect.stringContaining('"run":null')]).toContainEqual(outcome.stdout);
  expect(message.split(/[.!?](?= |$)/)).toEqual([expect.stringContaining('its key is not on this machine'), '']);
  expect(service.writes()).toHaveLength(1);
});
