/** How a run is gone on with, given up, or refused. */
import { describe, expect, test } from 'vitest';
import { brokenResends } from '../../campaign/oracle.ts';
import { type Exam, exam, one, states, three } from './importing.ts';

/** An exam with an unfinished run of three rows: Bob was sent, and never arrived. */
async function unfinished(): Promise<Exam> {
  const made = await exam();
  made.posts({ 2: { answer: 'reset', done: 'never' } });
  const ended = await made.imports(three, '--concurrency 1');
  expect(states(ended)).toEqual({ created: 2, absent: 1 });
  return made;
}

describe('A student who was sent and has not arrived', () => {
  test('is not sent again by the same command.', async () => {
    const { service, imports } = await unfinished();
    const ended = await imports(three);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 2, absent: 1 });
    expect(service.posts()).toBe(3);
  });

  test('is sent again with --resend-absent.', async () => {
    const { service, imports } = await unfinished();
    const ended = await imports(three, '--resend-absent');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(service.students()).toHaveLength(3);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('is sent again after a yes, and not after a no.', async () => {
    for (const yes of [true, false]) {
      const { service, imports, posts } = await exam();
      posts({ 2: { answer: 'reset', done: 'never' } });
      const ended = await imports(three, '--concurrency 1', { tty: true, answers: [true, yes] });
      expect(ended.questions[1]).toContain('1 student');
      expect(states(ended)).toEqual(yes ? { created: 3 } : { created: 2, absent: 1 });
      expect(service.posts()).toBe(yes ? 4 : 3);
    }
  });

  test('and has come since is found, and not sent again.', async () => {
    const { service, imports } = await unfinished();
    service.add({ email: 'bob@example.org', name: 'Bob' });
    const ended = await imports(three, '--resend-absent');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(service.posts()).toBe(3);
  });
});

describe('A student who was never sent', () => {
  test('and was added by hand meanwhile is not sent.', async () => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    service.add({ email: 'bob@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });

  test('and was added by hand in another case is a conflict.', async () => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    service.add({ email: 'BOB@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 2, conflict: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });
});

describe('An unfinished run', () => {
  const changes: [string, roster: string, args: string, word: RegExp][] = [
    ['another file', one, '', /the file/],
    ['other columns', three, '-F skip_requirements=true', /columns/],
  ];

  test.each(changes)('is not gone on with by %s.', async (_, roster, args, word) => {
    const { service, imports } = await unfinished();
    const ended = await imports(roster, args);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stderr).error.message).toMatch(word);
    expect(JSON.parse(ended.stderr).error.hint).toContain('--start-over');
    expect(service.posts()).toBe(3);
    // Being refused has harmed nothing.
    expect((await imports(three, '--resend-absent')).code).toBe(0);
    expect(service.students()).toHaveLength(3);
  });

  test('is given up with --start-over; the new one begins with who is there.', async () => {
    const { service, imports } = await unfinished();
    const ended = await imports(`${three}dan@example.org,Dan\n`, '--start-over');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 2 });
    expect(service.students()).toHaveLength(4);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('that is finished is no matter to the next one.', async () => {
    const { service, imports } = await exam();
    await imports(one);
    const ended = await imports(three);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    const again = await imports(three);
    expect(states(again)).toEqual({ unchanged: 3 });
    expect(service.posts()).toBe(3);
  });
});

test('A listing that keeps changing settles nothing, and nothing is sent again.', async () => {
  const { service, imports } = await exam();
  service.fault = ({ method, count }) => {
    if (method === 'GET' && service.posts() > 0 && count < 9) service.add({ email: `stranger${count}@example.org` });
    return method === 'POST' && count === 2 ? { answer: 'reset', done: 'never' } : undefined;
  };
  const ended = await imports(three, '--concurrency 1 --resend-absent');
  expect(ended.code).toBe(10);
  expect(states(ended)).toEqual({ created: 2, unknown: 1 });
  expect(service.posts()).toBe(3);
  const again = await imports(three, '--resend-absent');
  expect(again.code).toBe(0);
  expect(service.students().filter(({ email }) => email === 'bob@example.org')).toHaveLength(1);
});
