/** How a run is resumed, given up, or refused. */
import { describe, expect, test } from 'vitest';
import { type Exam, exam, lastRun, one, states, three } from './importing.ts';
import { brokenResends } from './promises.ts';

/** An exam with an unfinished run of three rows: Bob was sent, and never arrived. */
async function unfinished(): Promise<Exam> {
  const made = exam();
  made.posts({ 2: { answer: 'lost', done: 'never' } });
  const ended = await made.imports(three, '--concurrency 1');
  expect(states(ended)).toEqual({ created: 2, absent: 1 });
  return made;
}

test('A second import into the exam ends at once, and says who is at it.', async () => {
  const { service, imports } = exam();
  const [go, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.fault = ({ method, count }) => {
    if (method !== 'POST' || count > 1) return undefined;
    arrived.resolve();
    return { takes: go.promise };
  };
  const first = imports(three);
  await arrived.promise;
  expect(await imports(three)).toMatchObject({
    code: 8,
    stderr: expect.stringMatching(/Another proctor-cli \(process \d+ on test, since .*sessions import/),
  });
  go.resolve();
  expect((await first).code).toBe(0);
  expect(service.posts()).toBe(3);
});

describe('A student sent but not arrived', () => {
  test('is sent again after a yes, and not after a no.', async () => {
    for (const yes of [true, false]) {
      const { service, imports, posts } = exam();
      posts({ 2: { answer: 'lost', done: 'never' } });
      const ended = await imports(three, '--concurrency 1', { tty: true, answers: [true, yes] });
      expect(ended.questions[1]).toContain('1 request');
      expect(states(ended)).toEqual(yes ? { created: 3 } : { created: 2, absent: 1 });
      expect(service.posts()).toBe(yes ? 4 : 3);
    }
  });

  test('is asked about again when the run is resumed, and sent only after confirmation.', async () => {
    for (const yes of [true, false]) {
      const { service, imports } = await unfinished();
      const ended = await imports(three, '', { tty: true, answers: [yes, true] });
      expect(ended.questions[0]).toContain('1 request may have been sent');
      expect(states(ended)).toEqual(yes ? { created: 3 } : { created: 2, absent: 1 });
      expect(service.posts()).toBe(yes ? 4 : 3);
    }
  });

  test('is told of in a dry run.', async () => {
    const { home, imports } = await unfinished();
    const ended = await imports(three, '--dry-run -o table');
    expect(ended.stderr).toContain(`Run ${(await lastRun({ home })).run} of the same command is unfinished`);
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

describe('A student never sent', () => {
  test('and was added by hand meanwhile is not sent.', async () => {
    const { service, imports, posts } = exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    service.add({ email: 'bob@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });
});

describe('An unfinished run', () => {
  test('carries its open lines over to a changed file: nobody is sent twice, and new lines are added.', async () => {
    const { service, imports } = await unfinished();
    const more = `${three}dan@example.org,Dan\n`;
    const ended = await imports(more);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 3, absent: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
    expect(states(await imports(more, '--resend-absent'))).toEqual({ created: 4 });
    expect(service.sessions).toHaveLength(4);
    expect(brokenResends(service)).toEqual([]);
  });

  test('asks about lines that the file had not, and about no other.', async () => {
    const { service, imports, posts } = exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    posts({});
    const ended = await imports(`${three}dan@example.org,Dan\n`, '', { tty: true, answers: [true] });
    expect(ended.questions).toEqual([expect.stringMatching(/^Import 1 student into exam 6/)]);
    expect(service.sessions).toHaveLength(4);
  });

  test('looks up a line that is no longer in the file, and gives up what was not sent of it.', async () => {
    const { home, service, imports } = await unfinished();
    for (const args of ['', '--resend-absent']) expect(states(await imports(one, args))).toEqual({ created: 1 });
    expect(service.posts()).toBe(3);
    expect(await lastRun({ home })).toMatchObject({ state: 'finished' });
    const { imports: again, posts, service: other } = exam();
    posts({ 2: { answer: { status: 401 } } });
    await again(three, '--concurrency 1');
    posts({});
    expect(states(await again(one))).toEqual({ created: 1 });
    expect(other.sessions).toHaveLength(1);
  });

  test('with other options is another one: what it may have sent is looked up, and not sent again without consent.', async () => {
    const other = '-F skip_requirements=true';
    const { service, imports } = exam();
    service.fault = ({ method, count }) => (method === 'POST' && count === 2 ? { answer: 'lost', done: 'never' } : undefined);
    const before = await imports(three, '--concurrency 1');
    expect(states(before)).toEqual({ created: 2, absent: 1 });
    service.fault = () => undefined;
    await service.clock.pass(600_000);
    const ended = await imports(three, other);
    expect(states(ended)).toMatchObject({ not_sent: 1 });
    expect(ended.report.problems.find(({ state }) => state === 'not_sent')?.reason).toContain(String(before.report.run));
    expect(service.posts('bob@example.org')).toBe(1);
    await imports(three, `${other} --resend-absent`);
    expect(service.sessions).toHaveLength(3);
    expect(brokenResends(service)).toEqual([]);
  });
});

describe('Times that count from now', () => {
  const column = 'email,close_time\nann@example.org,+2h\nbob@example.org,+2h\ncy@example.org,now+2h\n';
  const closing = ({ service }: Exam) => service.sessions.map(({ close_time }) => close_time);

  /** An exam with an unfinished run, begun at eight: Ann was sent. */
  async function begun(roster: string, args = ''): Promise<Exam> {
    const made = exam();
    made.posts({ 2: { answer: { status: 401 } } });
    const ended = await made.imports(roster, `--concurrency 1 ${args}`, { now: '2027-01-10T08:00:00Z' });
    expect(states(ended)).toEqual({ created: 1, not_sent: 2 });
    made.posts({});
    return made;
  }

  test.each([
    ['in a column', column, ''],
    ['in -F', three, '-F close_time=+2h'],
  ])('count from the start of the run when it is resumed later, %s.', async (_, roster, args) => {
    const made = await begun(roster, args);
    const ended = await made.imports(roster, args, { now: '2027-01-10T09:00:00Z' });
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(closing(made)).toEqual(Array(3).fill('2027-01-10T10:00:00Z'));
  });

  test('mean in the preview what they mean in the import.', async () => {
    const { imports } = await begun(column);
    const ended = await imports(column, '--dry-run', { now: '2027-01-10T09:00:00Z' });
    expect(JSON.parse(ended.stdout)).toMatchObject([{ action: 'unchanged' }, { action: 'create' }, { action: 'create' }]);
  });

  test('count from its start for lines that were added since, and anew once the run has come to its end.', async () => {
    const made = await begun(column);
    const over = await made.imports(`${column}dan@example.org,+2h\n`, '', { now: '2027-01-10T09:00:00Z' });
    expect(states(over)).toEqual({ created: 4 });
    expect(closing(made)).toEqual(Array(4).fill('2027-01-10T10:00:00Z'));
    const last = await made.imports('email,close_time\neve@example.org,+2h\n', '', { now: '2027-01-10T11:00:00Z' });
    expect(last.code).toBe(0);
    expect(closing(made).at(-1)).toBe('2027-01-10T13:00:00Z');
  });
});

describe('A listing that keeps changing', () => {
  /** Bob's request is lost, and another client adds a student at each of the first listings after it. */
  async function changing(who: (count: number) => string) {
    const made = exam();
    made.service.fault = ({ method, count }) => {
      if (method === 'GET' && made.service.posts() > 0 && count < 9) made.service.add({ email: who(count) });
      return method === 'POST' && count === 2 ? { answer: 'lost', done: 'never' } : undefined;
    };
    return made;
  }

  test('in the imported students is seen: who is there more than once is said to be.', async () => {
    const { service, imports } = await changing(() => 'cy@example.org');
    const ended = await imports(three, '--concurrency 1 --resend-absent');
    expect(ended.code).toBe(9);
    expect(states(ended)).toMatchObject({ duplicate: 1 });
    expect(service.sessions.filter(({ email }) => email === 'bob@example.org')).toHaveLength(1);
  });

  test('in students added by others settles nothing either: one of them may be the student under another address.', async () => {
    const { service, imports } = await changing((count) => `stranger${count}@example.org`);
    const ended = await imports(three, '--concurrency 1 --resend-absent');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ created: 2, unknown: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });
});
