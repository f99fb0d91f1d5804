/** How a run is resumed, given up, or refused. */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenResends } from '../../../campaign/oracle.ts';
import { type Exam, exam, one, states, three } from './importing.ts';

/** An exam with an unfinished run of three rows: Bob was sent, and never arrived. */
async function unfinished(): Promise<Exam> {
  const made = await exam();
  made.posts({ 2: { answer: 'reset', done: 'never' } });
  const ended = await made.imports(three, '--concurrency 1');
  expect(states(ended)).toEqual({ created: 2, absent: 1 });
  return made;
}

/** The files below a folder that this process has open. */
function openBelow(folder: string): string[] {
  const descriptors = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return readlinkSync(join('/proc/self/fd', name));
    } catch {
      return [];
    }
  });
  return descriptors.filter((path) => path.startsWith(folder));
}

describe('A student sent but not arrived', () => {
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

  test('is asked about again when the run is resumed, and sent only after confirmation.', async () => {
    for (const yes of [true, false]) {
      const { service, imports } = await unfinished();
      const ended = await imports(three, '', { tty: true, answers: [yes, true] });
      expect(ended.questions[0]).toContain('1 student may have been sent');
      expect(states(ended)).toEqual(yes ? { created: 3 } : { created: 2, absent: 1 });
      expect(service.posts()).toBe(yes ? 4 : 3);
    }
  });

  test('is no student to be created in a preview.', async () => {
    const { imports } = await unfinished();
    const planned = JSON.parse((await imports(three, '--dry-run')).stdout) as { action: string }[];
    expect(planned.map(({ action }) => action)).toEqual(['unchanged', 'absent', 'unchanged']);
    const resent = JSON.parse((await imports(three, '--dry-run --resend-absent')).stdout) as { action: string }[];
    expect(resent.map(({ action }) => action)).toEqual(['unchanged', 'create', 'unchanged']);
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
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    service.add({ email: 'bob@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });

  test('and was added by hand in another case is not sent.', async () => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1');
    service.add({ email: 'BOB@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 1 });
    expect(service.posts('bob@example.org')).toBe(1);
  });
});

describe('An unfinished run', () => {
  test('is resumed with the time of its start in the zone in force.', async () => {
    const { imports, posts } = await exam();
    posts({ 2: { answer: { status: 401 } } });
    await imports(three, '--concurrency 1 --timezone Asia/Kolkata');
    const ended = await imports(three, '--timezone Asia/Kolkata');
    expect(ended.stderr).toMatch(/^Resuming run \S+ of \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \+05:30\.$/m);
  });

  const changes: [string, roster: string, args: string, word: RegExp][] = [
    ['another file', one, '', /the file/],
    ['other columns', three, '-F skip_requirements=true', /columns/],
  ];

  test.each(changes)('is not resumed by %s.', async (_, roster, args, word) => {
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

  test('is given up with --start-over; the new one begins with the students in the exam.', async () => {
    const { service, imports } = await unfinished();
    const ended = await imports(`${three}dan@example.org,Dan\n`, '--start-over');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 2, unchanged: 2 });
    expect(service.students()).toHaveLength(4);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('is given up only after the wait for unknown outcomes: a late student is found.', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method, count }) => {
      if (method === 'POST') return count === 2 ? { answer: 'reset', done: 55_000 } : undefined;
      return count > 1 ? { answer: { status: 500 } } : undefined;
    };
    const ended = await imports(three, '--concurrency 1 --settle 40s');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ created: 2, unknown: 1 });
    service.fault = () => undefined;
    const again = await imports(`${three}dan@example.org,Dan\n`, '--start-over --settle 40s');
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 1, unchanged: 3 });
    expect(service.students().filter(({ email }) => email === 'bob@example.org')).toHaveLength(1);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('stays as it is, with its journal closed, if its unknown outcomes cannot be read.', async () => {
    const { service, imports, home } = await exam();
    service.fault = ({ method, count }) =>
      method === 'POST' ? { answer: 'reset', done: 'never' } : count > 1 ? { answer: { status: 500 } } : undefined;
    expect((await imports(one)).code).toBe(10);
    expect((await imports(one, '--start-over')).code).toBe(8);
    if (process.platform === 'linux') expect(openBelow(home)).toEqual([]);
    service.fault = () => undefined;
    expect((await imports(one, '--start-over')).code).toBe(0);
    expect(service.students()).toHaveLength(1);
  });

  test.each([
    ['1/2', '', 'the whole of the rows'],
    ['1/2', '--shard 1/3', 'a share of another size'],
  ])('of share %s, with a student in doubt, is not passed over by %s: %s.', async (share, again) => {
    const { service, imports } = await exam();
    const roster = `email\n${Array.from({ length: 12 }, (_, at) => `s${at}@example.org`).join('\n')}\n`;
    service.fault = ({ method, count }) => (method === 'POST' && count === 2 ? { answer: 'reset', done: 'never' } : undefined);
    expect((await imports(roster, `--concurrency 1 --shard ${share}`)).code).toBe(9);
    service.fault = () => undefined;
    const posts = service.posts();
    const refused = await imports(roster, again);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('the share changed');
    expect(service.posts()).toBe(posts);
    expect((await imports(roster, '--shard 2/2')).code).toBe(0);
    expect((await imports(roster, `${again} --start-over`)).code).toBe(0);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('is given up together with those of all other shares.', async () => {
    const { service, imports } = await exam();
    const roster = `email\n${Array.from({ length: 12 }, (_, at) => `s${at}@example.org`).join('\n')}\n`;
    service.fault = ({ method }) => (method === 'POST' ? { answer: { status: 401 } } : undefined);
    for (const share of ['1/2', '2/2']) expect((await imports(roster, `--shard ${share}`)).code).toBe(4);
    service.fault = () => undefined;
    expect((await imports(roster, '--start-over')).code).toBe(0);
    expect((await imports(roster, '--shard 1/3')).code).toBe(0);
    expect(service.students()).toHaveLength(12);
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

describe('Times that count from now', () => {
  const column = 'email,close_time\nann@example.org,+2h\nbob@example.org,+2h\ncy@example.org,now+2h\n';
  const closing = ({ service }: Exam) => service.students().map(({ close_time }) => close_time);

  /** An exam with an unfinished run, begun at eight: Ann was sent. */
  async function begun(roster: string, args = ''): Promise<Exam> {
    const made = await exam();
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

  test('count anew once the run has come to its end, and after --start-over.', async () => {
    const made = await begun(column);
    const other = `${column}dan@example.org,+2h\n`;
    const over = await made.imports(other, '--start-over', { now: '2027-01-10T09:00:00Z' });
    expect(states(over)).toEqual({ created: 3, different: 1 });
    expect(closing(made)).toEqual(['2027-01-10T10:00:00Z', ...Array(3).fill('2027-01-10T11:00:00Z')]);
    const last = await made.imports('email,close_time\neve@example.org,+2h\n', '', { now: '2027-01-10T11:00:00Z' });
    expect(last.code).toBe(0);
    expect(closing(made).at(-1)).toBe('2027-01-10T13:00:00Z');
  });
});

describe('A listing that keeps changing', () => {
  /** Bob's request is lost, and another client adds a student at each of the first listings after it. */
  async function changing(who: (count: number) => string) {
    const made = await exam();
    made.service.fault = ({ method, count }) => {
      if (method === 'GET' && made.service.posts() > 0 && count < 9) made.service.add({ email: who(count) });
      return method === 'POST' && count === 2 ? { answer: 'reset', done: 'never' } : undefined;
    };
    return made;
  }

  test('in the imported students settles nothing, and nothing is sent again.', async () => {
    const { service, imports } = await changing(() => 'cy@example.org');
    const ended = await imports(three, '--concurrency 1 --resend-absent');
    expect(ended.code).toBe(10);
    expect(states(ended)).toMatchObject({ created: 1, unknown: 1 });
    expect(service.posts()).toBe(3);
    expect(states(await imports(three, '--resend-absent'))).toMatchObject({ created: 2 });
    expect(service.students().filter(({ email }) => email === 'bob@example.org')).toHaveLength(1);
  });

  test('in students added by others settles all the same.', async () => {
    const { service, imports } = await changing((count) => `stranger${count}@example.org`);
    const ended = await imports(three, '--concurrency 1 --resend-absent');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(service.posts()).toBe(4);
  });
});
