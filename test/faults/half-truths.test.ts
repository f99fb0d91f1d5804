/** Answers that look like success and are not the whole truth, and what a program that reads the outcome gets to see. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer } from './server.ts';

describe('a list that its own answer counts', () => {
  test.each([{ total: 3 }, { meta: { total_count: 3 } }])('fails when fewer items came: %j', async (counted) => {
    const server = await faultServer([answer(200, { exams: [{ id: 1 }, { id: 2 }], ...counted })]);
    const outcome = await attempt('exams list -o json', server.origin);
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain('says 3 items, but there were 2');
  });

  test('is whole when all came', async () => {
    const server = await faultServer([answer(200, { exams: [{ id: 1 }, { id: 2 }], total: 2 })]);
    expect(await attempt('exams list -o id', server.origin)).toMatchObject({ code: 0, stdout: '1\n2\n' });
  });
});

describe('a create that is answered 201 without an ID', () => {
  const ada = { id: 9, email: 'Ada@Example.org', name: 'Ada', status: 'registered' };
  const other = { id: 8, email: 'bob@example.org', status: 'registered' };
  const sent = '--email ada@example.org --name Ada -o json';

  test.each(['sessions create', 'students add'])('is looked up in the list of the exam and printed: %s', async (command) => {
    const server = await faultServer([answer(201, { message: 'created' }), answer(200, [other, ada])]);
    const outcome = await attempt(`${command} --exam 1 ${sent}`, server.origin);
    expect(outcome.code).toBe(0);
    expect(JSON.parse(outcome.stdout)).toEqual(ada);
    expect(outcome.stderr).toContain('the list of exam 1 does: ada@example.org is student session 9');
    expect(server.requests().at(-1)).toBe('GET /exams/1/student_sessions');
  });

  test('is compared with what was sent', async () => {
    const server = await faultServer([answer(201), answer(200, [{ ...ada, name: 'Bob' }])]);
    const outcome = await attempt(`sessions create --exam 1 ${sent}`, server.origin);
    expect([outcome.code, JSON.parse(outcome.stdout).id]).toEqual([9, 9]);
  });

  test.each<[string, unknown, string, string]>([
    ['does not show the student', [other], sent, 'does not show ada@example.org'],
    ['shows the student twice', [ada, { ...ada, id: 10 }], sent, 'shows 2 sessions with ada@example.org'],
    ['cannot be read', undefined, sent, 'no "id"'],
    ['cannot tell, because no address was sent', undefined, '--name Ada -o json', 'no "id"'],
  ])('has an unknown outcome where the list %s, and the hint says how to look', async (_, listed, fields, said) => {
    const server = await faultServer([answer(201, { message: 'created' }), listed === undefined ? answer(403) : answer(200, listed)]);
    const outcome = await attempt(`sessions create --exam 1 ${fields}`, server.origin);
    expect(outcome).toMatchObject({ code: 10, stdout: '' });
    const { message, hint } = failureOf(outcome);
    expect(message).toContain('It was most likely carried out');
    expect(message).toContain(said);
    expect(hint).toContain('check with: proctor-cli sessions list --exam 1');
    expect(server.requests().filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('of an exam has an unknown outcome, and the hint says how to look', async () => {
    const server = await faultServer([answer(201, {})]);
    const outcome = await attempt('exams create --start 2027-02-01T08:00Z --end 2027-02-01T10:00Z -o json', server.origin);
    expect(outcome).toMatchObject({ code: 10, stdout: '' });
    expect(failureOf(outcome).hint).toContain('proctor-cli exams list');
  });
});

test.each([{}, { success: false }])('a create whose answer names no resource may or may not have happened: %j', async (body) => {
  const server = await faultServer([answer(200, body)]);
  const outcome = await attempt('sessions create --exam 1 --email a@example.org -o json', server.origin);
  expect(outcome).toMatchObject({ code: 10, stdout: '' });
  expect(failureOf(outcome)).toMatchObject({ code: 'outcome_unknown', hint: expect.stringContaining('sessions list --exam 1') });
});

test('as IDs, only deleted ones are printed, because another command may read them', async () => {
  const server = await faultServer([answer(204), answer(404, { message: 'gone' }), answer(204)]);
  expect(await attempt('sessions delete 1 2 3 --yes -o id', server.origin)).toMatchObject({ code: 9, stdout: '1\n3\n' });
});

describe('a failure has stderr to itself when a program reads it', () => {
  const late = 'sessions update 1 --close-time 2020-01-01T00:00Z';

  test('also after a warning', async () => {
    const server = await faultServer([answer(422, { message: 'no' })]);
    failureOf(await attempt(`${late} -o json`, server.origin));
  });

  test('and a warning stands there when there is none', async () => {
    const server = await faultServer([answer(200, { id: 1, close_time: '2020-01-01T00:00:00Z' })]);
    const { code, stderr } = await attempt(`${late} -o json`, server.origin);
    expect(code).toBe(0);
    expect(stderr).toBe('warning: the close time is in the past; the student can no longer start.\n');
  });

  test('also where the profile says so', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config/config.json'), '{"profiles":{"default":{"output":"json"}}}', { mode: 0o600 });
    const server = await faultServer([answer(404, { message: 'no such exam' })]);
    expect(failureOf(await attempt('exams get 1', server.origin, { home })).exit).toBe(6);
  });
});
