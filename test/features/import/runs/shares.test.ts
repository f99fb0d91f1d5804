/** An import in shares: whoever takes them, each student is brought in once, and the last to end reports the whole. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import { type Exam, exam, type Imported, states } from './importing.ts';

const size = 40;
const addressOf = (at: number) => `s${at}@example.org`;
const rosterOf = (count = size) => `email\n${Array.from({ length: count }, (_, at) => addressOf(at)).join('\n')}\n`;
const roster = rosterOf();

/** The students of the exam, each as often as it is there. */
const there = ({ service }: Exam) => service.students().map(({ email }) => String(email));
const everyone = Array.from({ length: size }, (_, at) => addressOf(at)).sort();
const stopped = new CliError('interrupted', 'Stopped by the test.');
const isWhole = ({ report }: Imported) => report.other_shard === 0 && report.lines === size;

describe('The shares of one roster', () => {
  test('are reported as a whole by the job that ends last, with the runs of all.', async () => {
    const made = await exam();
    const first = await made.imports(roster, '--shard 1/3');
    const second = await made.imports(roster, '--shard 2/3');
    expect([first, second].map(isWhole)).toEqual([false, false]);
    const last = await made.imports(roster, '--shard 3/3');
    expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining(`all ${size} students of the file are in exam 6`) });
    expect(states(last)).toEqual({ created: size });
    expect(last.report).toMatchObject({ lines: size, other_shard: 0, verified: true, not_in_file: 0 });
    expect(last.report.share_runs).toEqual([first.report.run, second.report.run, last.report.run]);
    expect(there(made).sort()).toEqual(everyone);
  });

  test('that end at the same moment are reported as a whole once.', async () => {
    const made = await exam();
    const together = Promise.withResolvers<void>();
    let listings = 0;
    // Each job reads the exam before it sends, and to prove what it has sent: the proofs are answered at once.
    made.service.fault = ({ method, path }) => {
      if (method !== 'GET' || !path.includes('student_sessions')) return undefined;
      listings += 1;
      if (listings === 8) together.resolve();
      return listings > 4 ? { until: together.promise } : undefined;
    };
    const jobs = await Promise.all([1, 2, 3, 4].map((index) => made.imports(rosterOf(16), `--shard ${index}/4`)));
    expect(jobs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(jobs.filter(({ report }) => report.created === 16)).toHaveLength(1);
    expect(made.service.posts()).toBe(16);
  });

  test('are no success as a whole while a line of another job has failed.', async () => {
    const made = await exam();
    made.service.fault = ({ email }) =>
      email === addressOf(7) ? { done: 'never', answer: { status: 422, body: { error: 'no' } } } : undefined;
    const jobs = [];
    for (const index of [1, 2, 3]) jobs.push(await made.imports(roster, `--shard ${index}/3`));
    const last = jobs.at(-1) as Imported;
    expect(last.code).toBe(9);
    expect(states(last)).toEqual({ created: size - 1, rejected: 1 });
    expect(last.report.problems).toMatchObject([{ line: 9, email: addressOf(7), state: 'rejected' }]);
  });

  test('are reported one by one where the exam cannot be read for the whole.', async () => {
    const made = await exam();
    await made.imports(roster, '--shard 1/2');
    let listings = 0;
    made.service.fault = ({ method, path }) => {
      if (method !== 'GET' || !path.includes('student_sessions') || made.service.posts() < size) return undefined;
      listings += 1;
      return listings > 1 ? { answer: { status: 500 } } : undefined;
    };
    const last = await made.imports(roster, '--shard 2/2');
    expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: the shares could not be reported together: ') });
    expect([isWhole(last), last.report.verified]).toEqual([false, true]);
  });

  test('are not reported as a whole while one of them has not begun.', async () => {
    const made = await exam();
    for (const index of [3, 1]) expect(isWhole(await made.imports(roster, `--shard ${index}/3`))).toBe(false);
  });

  test('delete each its own of the students that the file lacks, and report their number once.', async () => {
    const made = await exam();
    for (const email of ['old1', 'old2', 'old3', 'old4', 'old5']) made.service.add({ email: `${email}@example.org` });
    const jobs = [];
    for (const index of [1, 2, 3]) jobs.push(await made.imports(roster, `--shard ${index}/3 --remove-missing --max-removals 5`));
    expect(jobs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const removed = jobs.map(({ report }) => Number(report.removed));
    expect(Math.max(...removed.slice(0, 2))).toBeLessThan(5);
    expect(jobs.at(-1)?.report).toMatchObject({ removed: 5, not_in_file: 0, created: size });
    expect(there(made).sort()).toEqual(everyone);
  });

  test('of another roster are another import, which is refused meanwhile.', async () => {
    const made = await exam();
    const go = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    made.service.fault = ({ method, count }) => {
      if (method !== 'POST' || count > 1) return undefined;
      arrived.resolve();
      return { until: go.promise };
    };
    const first = made.imports(roster, '--shard 1/2');
    await arrived.promise;
    const refused = await made.imports(rosterOf(size - 1), '--shard 2/2');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('Another proctor-cli (process') });
    go.resolve();
    expect((await first).code).toBe(0);
  });
});

describe('--shard any', () => {
  test('imports every share, one after the other, and reports the whole.', async () => {
    const made = await exam();
    const ended = await made.imports(roster, '--shard any/4');
    expect([ended.code, isWhole(ended)]).toEqual([0, true]);
    expect(states(ended)).toEqual({ created: size });
    expect(ended.report.share_runs).toHaveLength(4);
    expect(made.service.posts()).toBe(size);
  });

  test('shares the work with others: each student is sent once, and the whole is reported.', async () => {
    const made = await exam();
    const jobs = await Promise.all(Array.from({ length: 3 }, () => made.imports(roster, '--shard any/5')));
    expect(jobs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(jobs.filter(isWhole).length).toBeGreaterThan(0);
    expect(made.service.posts()).toBe(size);
    expect(there(made).sort()).toEqual(everyone);
  });

  test('finishes the share of a job that was stopped, after its lost request was looked up.', async () => {
    const made = await exam();
    for (const index of [1, 3]) await made.imports(roster, `--shard ${index}/3`);
    const before = made.service.posts();
    const stop = new AbortController();
    made.service.fault = ({ method }) => {
      if (method !== 'POST' || made.service.posts() < before + 3) return undefined;
      stop.abort(stopped);
      return undefined;
    };
    expect((await made.imports(roster, '--shard 2/3', { interrupt: stop.signal })).code).toBe(130);
    made.service.fault = () => undefined;
    const ended = await made.imports(roster, '--shard any/3');
    expect([ended.code, isWhole(ended)]).toEqual([0, true]);
    expect(there(made).sort()).toEqual(everyone);
    expect(made.service.posts()).toBe(size);
  });

  test('goes on with the next share where a line of one may have been sent and is not there.', async () => {
    const made = await exam();
    made.service.fault = ({ method, count }) => (method === 'POST' && count === 1 ? { answer: 'reset', done: 'never' } : undefined);
    const ended = await made.imports(roster, '--shard any/3');
    expect([ended.code, ended.stderr]).toEqual([9, expect.stringContaining('--resend-absent')]);
    expect(states(ended)).toEqual({ created: size - 1, absent: 1 });
    expect(there(made)).toHaveLength(size - 1);
  });

  test('finds nothing left of a finished import, and sends rejected lines no second time.', async () => {
    const made = await exam();
    made.service.fault = ({ email }) =>
      email === addressOf(7) ? { done: 'never', answer: { status: 422, body: { error: 'no' } } } : undefined;
    await made.imports(roster, '--shard any/3');
    const posts = made.service.posts();
    const again = await made.imports(roster, '--shard any/3');
    expect([again.code, made.service.posts()]).toEqual([9, posts]);
    expect(states(again)).toEqual({ created: size - 1, rejected: 1 });
  });

  test('brings in again who was deleted since.', async () => {
    const made = await exam();
    await made.imports(roster, '--shard any/3');
    made.service.remove(Number(made.service.students()[5]?.id));
    const again = await made.imports(roster, '--shard any/3');
    expect(again.code).toBe(0);
    expect(there(made).sort()).toEqual(everyone);
  });

  test('leaves what others are at to them, and says who.', async () => {
    const made = await exam();
    const go = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    made.service.fault = ({ method, count }) => {
      if (method !== 'POST' || count > 1) return undefined;
      arrived.resolve();
      return { until: go.promise };
    };
    const first = made.imports(roster, '--shard any/1');
    await arrived.promise;
    const second = await made.imports(roster, '--shard any/1');
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is left here: Another proctor-cli (process') });
    expect(second.report).toMatchObject({ other_shard: size, verified: false, not_verified: 'other processes import the shares' });
    go.resolve();
    expect(isWhole(await first)).toBe(true);
  });

  test('takes the number of shares from CI where it is not given.', async () => {
    const made = await exam();
    const ended = await made.imports(roster, '--shard any', { env: { CI_NODE_TOTAL: '4' } });
    expect(ended.report.share_runs).toHaveLength(4);
    const { code, stderr } = await made.imports(roster, '--shard any');
    expect([code, stderr]).toEqual([3, expect.stringContaining('--shard any needs CI_NODE_TOTAL, which is not set.')]);
  });

  test('asks a person about each share.', async () => {
    const made = await exam();
    const ended = await made.imports(roster, '--shard any/2', { tty: true, answers: [true, true] });
    expect(ended.code).toBe(0);
    expect(ended.questions).toHaveLength(2);
    expect(there(made).sort()).toEqual(everyone);
  });
});

test.each(['any/0', 'any/x', '5/4'])('A share that makes no sense is refused in one sentence: %s', async (share) => {
  const { service, imports } = await exam();
  const { code, stderr } = await imports(roster, `--shard ${share}`);
  expect([code, JSON.parse(stderr).error.message]).toEqual([3, `"${share}" is not a share of the lines.`]);
  expect(service.requests).toEqual([]);
});

describe('A second import into an exam', () => {
  /** The first one waits at its first request until `go`. */
  const beginning = async () => {
    const made = await exam();
    const [go, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    made.service.fault = ({ method, count }) => {
      if (method !== 'POST' || count > 1) return undefined;
      arrived.resolve();
      return { until: go.promise };
    };
    const first = made.imports(roster);
    await arrived.promise;
    return { made, first, go: () => go.resolve() };
  };

  test('ends at once, and says who is at it.', async () => {
    const { made, first, go } = await beginning();
    const second = await made.imports(roster);
    expect(second).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Another proctor-cli \(process \d+ on test, since .*sessions import/),
    });
    go();
    expect((await first).code).toBe(0);
    expect(made.service.posts()).toBe(size);
  });

  test('waits with --wait, says once for whom, and then finds all of it there.', async () => {
    const { made, first, go } = await beginning();
    let waits = 0;
    const second = await made.imports(roster, '--wait 10m', {
      onSleep(milliseconds) {
        made.service.pass(milliseconds);
        if (milliseconds === 1000 && ++waits === 3) go();
      },
    });
    expect(second.code).toBe(0);
    expect(states(second)).toEqual({ unchanged: size });
    expect(second.stderr.match(/This waits for it, 10 min at most\./g)).toHaveLength(1);
    expect((await first).code).toBe(0);
    expect(made.service.posts()).toBe(size);
  });

  test('ends after the time of --wait, and at once when it is interrupted.', async () => {
    const { made, first, go } = await beginning();
    expect(await made.imports(roster, '--wait 3s')).toMatchObject({ code: 3, stderr: expect.stringContaining('holds the lock file') });
    const stop = new AbortController();
    const interrupted = await made.imports(roster, '--wait 10m', {
      interrupt: stop.signal,
      onSleep(milliseconds) {
        if (milliseconds === 1000) stop.abort(stopped);
      },
    });
    expect(interrupted.code).toBe(130);
    go();
    expect((await first).code).toBe(0);
  });
});
