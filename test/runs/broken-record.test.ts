/** A record that is damaged, newer or without its key, as each command that writes meets it: one sentence, status 3, nothing is sent. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, held } from '../support/algebra.ts';
import type { Service } from '../support/service.ts';

const place = (service: Service, name = 'record.sqlite') => join(service.home, 'state', name);

function edit(path: string, statement: string) {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

const breaks: [what: string, breaks: (service: Service) => void, code: string, says: RegExp][] = [
  ['a key that is lost', (service) => rmSync(place(service, 'runs.key')), 'invalid_config', /its key is not on this machine/],
  ["another record's key", (service) => writeFileSync(place(service, 'runs.key'), 'k'.repeat(43)), 'invalid_config', /with another key/],
  ['a newer version', (service) => edit(place(service), 'UPDATE meta SET version = 99'), 'state_failed', /a newer version/],
  ['no database', (service) => writeFileSync(place(service), 'nothing '.repeat(2000)), 'state_damaged', /it is damaged/],
  ['a file of another program', (service) => edit(place(service), 'PRAGMA application_id = 7'), 'state_failed', /another program/],
];

const lines = [
  'sessions create --exam 1 --email bob@example.org',
  'sessions update 7 --name Ada',
  'exams send-emails 1 --yes',
  'api PATCH /student_sessions/7 -F name=Ada',
  'sessions delete 7 --yes',
];

test.each(breaks)('%s', async (_what, breakIt, code, says) => {
  const service = held({ sessions: [ada] });
  expect((await service.run('sessions update 7 --name Eve')).code).toBe(0);
  const before = service.writes().length;
  breakIt(service);
  for (const line of lines) {
    const outcome = await service.run(`${line} -o json`);
    const failure = failureOf(outcome);
    expect([outcome.code, outcome.stdout, failure.code], line).toEqual([3, '', code]);
    expect(failure.message).toMatch(says);
    expect(failure.message.split(/[.!?](?= |$)/).filter(Boolean).length, failure.message).toBe(1);
  }
  expect(service.writes()).toHaveLength(before);
});
