/**
 * A process that imports is killed at a point of its way, or its machine loses power, or its disk
 * fails; then the same command runs to its end. In every case each student is there once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Ended,
  email,
  type Home,
  home,
  importWords,
  rosterOf,
  runUnharmed,
  startImport,
  type Workshop,
  workshop,
} from '../../../campaign/importer.ts';
import type { Injury, Point } from '../../../campaign/injury.ts';
import { brokenFlight, brokenReport, brokenResends, watchIntents } from '../../../campaign/oracle.ts';
import { saysWhoWorks, tell } from '../../../campaign/scenario.ts';
import { type ExamService, examService, type Fault } from '../../../campaign/service.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await workshop();
});
afterAll(() => shop.remove());

const rows = 20;

/** Tells the story of an import that comes to this harm, and is then run to its end. */
const storyOf = (injury: Injury) => tell(shop, { rows, concurrency: 4, actions: [{ do: 'import', injury }] }, 'here');

/** The sync of the folder that has got the journal: those of all folders above it come before. */
const newFile = join(tmpdir(), 'bundle', 'home', 'state', 'imports', 'exam').split(sep).length;

/** Each point early and late, before the act and after it; `npm run campaign` draws many more. */
const points: [Point, number[]][] = [
  ['makeFolder', [1]],
  ['create', [1]],
  ['syncFolder', [newFile]],
  ['write', [1, 2, 7]],
  ['sync', [2, 5]],
  ['headers', [3, 20]],
  ['sent', [3, 20]],
  ['answer', [3, 12]],
  ['answered', [3, 12]],
];
const kills = points.flatMap(([point, all]) => all.map((at) => ({ point, at })));

describe.concurrent('A process that is killed', () => {
  test.each(kills)('at $point $at leaves an import that the same command finishes.', async ({ point, at }) => {
    const told = await storyOf({ point, at, how: 'killed', when: at % 2 === 0 ? 'after' : 'before' });
    expect(told).toMatchObject({ landed: 1, broken: [] });
  });

  test.each([2, 7])('within write %i leaves a torn line, which costs nothing.', async (at) => {
    const told = await storyOf({ point: 'write', at, how: 'killed', when: 'within', tail: 60 });
    expect(told).toMatchObject({ landed: 1, broken: [] });
  });
});

describe.concurrent('A refusal that came before the kill', () => {
  /**
   * One request at a time; the second and third POST end so, and the importer is killed at the sixth. Then the same command runs
   * to its end: resolves to its status and report, and to the service, which is left open.
   */
  async function resumedAfter(fault: Fault, settings: string[] = []) {
    const { service, own, broken } = await machine();
    const args = ['-o', 'json', '--settle', '250ms', '--concurrency', '1'];
    if (settings.length > 0) expect((await runUnharmed(shop, service, own, ['config', 'set', ...settings], 'here')).code).toBe(0);
    service.fault = ({ method, count }) => {
      if (method !== 'POST') return undefined;
      return count === 6 ? { until: new Promise(() => {}), done: 'never' } : count === 2 || count === 3 ? fault : undefined;
    };
    const { child, ended } = startImport(shop, service, own, args);
    while (service.posts() < 6) await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill('SIGKILL');
    await ended;
    expect(brokenFlight(own, 1)).toEqual([]);
    service.fault = () => undefined;
    const { code, stdout } = await runUnharmed(shop, service, own, importWords(own, [...args, '--resend-absent']), 'here');
    expect([...broken, ...brokenResends(service.log)]).toEqual([]);
    return { service, own, code, report: JSON.parse(stdout) };
  }

  test('leaves only the request in flight in doubt, and a student of another client stays theirs.', async () => {
    const { service, own, code, report } = await resumedAfter({ answer: { status: 409 }, done: 'now' });
    expect(code).toBe(0);
    expect(report).toMatchObject({ created: rows - 2, unchanged: 2 });
    const undone = await runUnharmed(shop, service, own, ['imports', 'undo', report.run, '--yes', '-o', 'json'], 'here');
    expect(undone.code).toBe(0);
    expect(service.students().map((student) => student.email)).toEqual([email(2), email(3)]);
    service.close();
  });

  test('stays a refusal where no listing shows the student, and is not sent again.', async () => {
    const { service, code, report } = await resumedAfter({ answer: { status: 409 }, done: 'never' });
    expect(code).toBe(9);
    expect(report).toMatchObject({ created: rows - 2, rejected: 2 });
    const there = service.students().map((student) => student.email);
    expect([there.includes(email(2)), there.includes(email(3))]).toEqual([false, false]);
    service.close();
  });

  test.each(['now', 'never'] as const)(
    'for too many requests is looked up where it may have been obeyed (%s), and sent once.',
    async (done) => {
      const fault: Fault = { answer: { status: 429, headers: { 'retry-after': '0' } }, done };
      const { service, code, report } = await resumedAfter(fault, ['dialect.limitedMeans', 'unknown']);
      expect(code).toBe(0);
      expect(report).toMatchObject({ created: rows });
      service.close();
    },
  );
});

describe.concurrent('A power cut', () => {
  const cuts = [
    { point: 'create', at: 1 },
    { point: 'write', at: 1 },
    { point: 'write', at: 6 },
    { point: 'sync', at: 2 },
    { point: 'answer', at: 12 },
    { point: 'answered', at: 20 },
  ] as const;

  test.each(cuts)('at $point $at takes what was not synced, and no student twice.', async (place) => {
    const told = await storyOf({ ...place, how: 'power-cut', when: 'after', tail: place.at * 7 });
    expect(told).toMatchObject({ landed: 1, broken: [] });
  });
});

describe.concurrent('A disk', () => {
  const faults = [
    { point: 'create', at: 1, how: 'fails', code: 'ENOSPC' },
    { point: 'syncFolder', at: newFile, how: 'fails', code: 'EIO' },
    { point: 'write', at: 1, how: 'fails', code: 'ENOSPC' },
    { point: 'write', at: 6, how: 'fails', code: 'ENOSPC' },
    { point: 'write', at: 6, how: 'full' },
    { point: 'sync', at: 1, how: 'fails', code: 'EIO' },
    // Only once: what the system calls clean after a failed sync may be gone.
    { point: 'sync', at: 6, how: 'fails', code: 'EIO' },
    { point: 'sync', at: 5, how: 'fails', code: 'EDQUOT' },
  ] as const satisfies Injury[];

  test.each(faults)('that fails at $point $at ($how) stops the import before its next request.', async (injury) => {
    const { service, own, broken } = await machine();
    const ended = await importing(service, own, [], injury).ended;
    const sent = service.posts();
    const { code, message, hint } = JSON.parse(ended.stderr).error;
    expect([ended.code, code]).toEqual(sent > 0 ? [10, 'outcome_unknown'] : [3, 'journal_failed']);
    expect(message).toMatch(/^The journal \S+ cannot be written: /);
    expect(hint).toContain('it resumes from the journal');
    expect(sent).toBeLessThan(rows);
    // The known states of the rows are shown all the same; before the first request there are none.
    expect(brokenReport(ended.stdout, ended.code, rows)).toEqual([]);
    if (sent > 0) {
      const { created, partial, not_sent, unknown } = JSON.parse(ended.stdout);
      expect({ there: created + partial, not_sent, unknown }).toEqual({ there: sent, not_sent: rows - sent, unknown: 0 });
    }
    expect((await again(service, own, '--resend-absent')).code).toBe(0);
    expect(service.students()).toHaveLength(rows);
    expect([...broken, ...brokenResends(service.log)]).toEqual([]);
    service.close();
  });

  test('that writes less than it is given, each time, is no harm.', async () => {
    const { service, own, broken } = await machine();
    const ended = await importing(service, own, [], { point: 'write', at: 1, on: true, how: 'short' }).ended;
    expect(ended.code).toBe(0);
    expect(service.students()).toHaveLength(rows);
    expect(broken).toEqual([]);
    service.close();
  });
});

describe.concurrent('A state folder that cannot be written', () => {
  test.each(['/proc/nowhere', '/sys/nowhere', '/dev/null/nowhere'])('is found before the first request: %s.', async (state) => {
    const { service, own } = await machine();
    const { child, ended } = importing(service, { ...own, state });
    const tooLong = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const { code, stdout, stderr } = await ended;
    clearTimeout(tooLong);
    expect({ code, stdout, requests: service.requests }).toEqual({ code: 3, stdout: '', requests: [] });
    const { message, hint } = JSON.parse(stderr).error;
    expect(message).toMatch(/^Could not use the lock file .*: the folder .* cannot be created \([A-Z]+\)\.$/);
    expect(hint).toContain('is writable');
    service.close();
  });
});

describe.concurrent('An --update that is killed', () => {
  test.each([
    { point: 'sync', at: 2, how: 'killed', when: 'after' },
    { point: 'headers', at: 3, how: 'killed', when: 'before' },
    { point: 'answer', at: 3, how: 'killed', when: 'after' },
  ] as const)('at $point is brought to its end by the same command.', async (injury) => {
    const { service, own } = await machine();
    for (let row = 1; row <= rows; row += 1) service.add({ email: email(row), name: 'Before' });
    expect((await importing(service, own, ['--update'], injury).ended).signal).toBe('SIGKILL');
    const ended = await again(service, own, '--update');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ duplicate: 0, unknown: 0 });
    expect(service.posts()).toBe(0);
    expect(service.students().map(({ name }) => name)).toEqual(Array.from({ length: rows }, (_, at) => `Student ${at + 1}`));
    service.close();
  });
});

describe('A second importer', () => {
  test('is refused, and told which process is at work.', async () => {
    const { service, own } = await machine();
    // The first one waits for its answers until the second one has ended, however slow this machine is.
    const refused = Promise.withResolvers<void>();
    service.fault = () => ({ until: refused.promise });
    const first = importing(service, own);
    while (!saysWhoWorks(own, first.child.pid)) await new Promise((resolve) => setTimeout(resolve, 2));
    const second = await importing(service, own).ended;
    refused.resolve();
    expect(second.code).toBe(3);
    expect(JSON.parse(second.stderr).error).toMatchObject({ code: 'already_running' });
    expect(second.stderr).toContain(`process ${first.child.pid}`);
    expect((await first.ended).code).toBe(0);
    expect(service.posts()).toBe(rows);
    service.close();
  });
});

describe.concurrent('A signal', () => {
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const;

  /** An import whose requests take a while, with the fifth POST in flight. */
  async function withRequestsInFlight() {
    const { service, own, broken } = await machine();
    service.fault = ({ method }) => (method === 'POST' ? { takes: 200 } : undefined);
    const { child, ended } = importing(service, own);
    while (service.posts() < 5) await new Promise((resolve) => setTimeout(resolve, 2));
    return { service, own, broken, child, ended };
  }

  test.each(signals)('%s lets requests in flight finish, and names the command to resume.', async (signal, code) => {
    const { service, own, child, ended } = await withRequestsInFlight();
    child.kill(signal);
    const { stdout, stderr, ...end } = await ended;
    expect(end).toEqual({ code, signal: null });
    const report = JSON.parse(stdout);
    expect(report.unknown).toBe(0);
    // All that was sent is known, each with the PATCH that belongs to it.
    expect(report.created).toBe(service.posts());
    expect(report.created + report.not_sent).toBe(rows);
    expect(stderr).toContain('Run the same command again');
    expect((await again(service, own)).code).toBe(0);
    expect(service.posts()).toBe(rows);
    expect(service.students()).toHaveLength(rows);
    service.close();
  });

  test.each(signals)('%s twice stops at once, and the same command resumes the run.', async (signal, code) => {
    const { service, own, broken, child, ended } = await withRequestsInFlight();
    child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 30));
    child.kill(signal);
    expect((await ended).code).toBe(code);
    // What was written down and had not left yet is looked up, and sent then.
    expect((await again(service, own, '--resend-absent')).code).toBe(0);
    expect(service.posts()).toBe(rows);
    expect(
      service
        .students()
        .map((student) => student.email)
        .sort(),
    ).toEqual(Array.from({ length: rows }, (_, at) => email(at + 1)).sort());
    expect(broken).toEqual([]);
    service.close();
  });
});

async function machine(): Promise<{ service: ExamService; own: Home; broken: string[] }> {
  const service = await examService();
  const own = home(shop, rosterOf(rows, true));
  return { service, own, broken: watchIntents(service, own) };
}

const usual = ['-o', 'json', '--settle', '250ms', '--concurrency', '4'];

function importing(service: ExamService, own: Home, args: string[] = [], injury?: Injury) {
  return startImport(shop, service, own, [...usual, ...args], injury);
}

/** The same command once more, in this process. */
function again(service: ExamService, own: Home, ...args: string[]): Promise<Ended> {
  return runUnharmed(shop, service, own, importWords(own, [...usual, ...args]), 'here');
}

test('A POST that a busy service reads only after the importer has given it up had a durable intent, and is not sent again.', async () => {
  const service = await examService();
  const own = home(shop, rosterOf(12));
  const broken = watchIntents(service, own);
  let lateReads = 0;
  const watch = service.onPost;
  service.onPost = (address) => {
    watch(address);
    const folder = join(own.state, 'imports');
    const journals = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));
    const hasGivenUp = () => journals.some((name) => readFileSync(join(folder, name), 'utf8').includes('"outcome":"unknown"'));
    if (hasGivenUp()) lateReads += 1;
    // Busy with something else, until the importer no longer waits.
    const tooLong = performance.now() + 60_000;
    while (service.posts() === 1 && !hasGivenUp() && performance.now() < tooLong);
  };
  await startImport(shop, service, own, ['--timeout', '300ms', '--settle', '300ms', '--concurrency', '2', '-o', 'json']).ended;
  expect(broken).toEqual([]);
  expect(lateReads).toBeGreaterThan(0);
  expect(brokenResends(service.log)).toEqual([]);
  service.close();
});
