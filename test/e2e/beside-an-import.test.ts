/** An import in a process of its own: others work beside it, it is killed, its terminal goes away. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { realClock } from '../support/clock.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { type Arrived, Service } from '../support/service.ts';
import { command, ended, launch, program } from './program.ts';
import { onTerminal, withoutTerminal } from './screen.ts';

const ends = '2127-02-01T10:00:00Z';

async function place() {
  const service = await new Service({ clock: realClock() }).listen();
  onTestFinished(() => service.close());
  service.truth.createExam({ name: 'Algebra', start_time: '2127-02-01T08:00:00Z', end_time: ends }, 'colleague', 6);
  const home = temporaryFolder();
  const env = {
    PROCTOR_BASE_URL: service.baseUrl,
    PROCTOR_TOKEN: 'a-token-of-the-tests-1',
    PROCTOR_STATE_DIR: join(home, 'state'),
    PROCTOR_CONFIG_DIR: join(home, 'config'),
  };
  return {
    service,
    home,
    env,
    /** The import of so many lines. */
    lineOf(lines: number) {
      const roster = join(home, 'roster.csv');
      writeFileSync(roster, `email\n${Array.from({ length: lines }, (_, at) => `student${at}@example.org\n`).join('')}`);
      return ['sessions', 'import', roster, '--exam', '6', '--yes'];
    },
    /** How many lines of the latest import have which result. */
    async results() {
      const json = async (words: string[]) => JSON.parse((await program([...words, '-o', 'json'], { home, env })).stdout);
      const [{ run }] = await json(['runs', 'list']);
      const { steps } = (await json(['runs', 'show', run])) as { steps: { result: string }[] };
      const numberOf = (...words: string[]) => steps.filter(({ result }) => words.includes(result)).length;
      return { lines: steps.length, planned: numberOf('planned'), unknown: numberOf('unknown'), sent: numberOf('done', 'unknown') };
    },
  };
}

const isCreate = ({ method, body }: Arrived) => method === 'POST' && String(body.email).startsWith('student');

/** Lets so many creates of the import through, and holds the others until `release`. */
function holdAfter(service: Service, most: number) {
  const released = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const held = { count: 0, first: first.promise, release: released.resolve };
  let arrived = 0;
  service.onArrival = async (request) => {
    if (!isCreate(request)) return;
    arrived += 1;
    if (arrived <= most) return;
    held.count += 1;
    first.resolve();
    await released.promise;
  };
  return held;
}

/** Waits until a number stays the same. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); ) {
    before = count();
    await pause(150);
  }
  return count();
}

test('while an import runs into an exam, more time is free there; what creates or mails students waits for its end: 8', async () => {
  const { service, home, env, lineOf } = await place();
  const zoe = service.truth.createSession(6, { email: 'zoe@example.org', close_time: ends });
  const held = holdAfter(service, 20);
  const line = lineOf(100);
  const child = launch(line, { home, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const end = ended(child);
  await held.first;
  // In this process, where waiting takes no time.
  const beside = (words: readonly string[]) => run(words, { home, env });
  expect((await beside(['sessions', 'extend', String(zoe.id), '--by', '15m'])).code).toBe(0);
  expect(service.truth.sessions.get(zoe.id)?.close_time).toBe(ends.replace('10:00', '10:15'));
  const [create, mail] = ['sessions create --exam 6 --email late@example.org', 'exams send-emails 6 --yes'].map((words) =>
    words.split(' '),
  );
  for (const words of [create, mail, [...line, '--update'], line]) {
    const { code, stderr } = await beside(words ?? []);
    expect([code, stderr]).toEqual([8, expect.stringMatching(/sessions import/)]);
  }
  // The import has not moved on meanwhile.
  expect(service.truth.inExam(6)).toHaveLength(21);
  expect(service.truth.record.some(({ kind }) => kind === 'mails')).toBe(false);
  child.kill('SIGKILL');
  await end;
  held.release();
  const { code, stderr } = await beside(mail ?? []);
  expect([code, stderr]).toEqual([11, expect.stringMatching(/runs resume|sessions import/)]);
});

test('an import that is killed leaves no line unknown but those sent, each of the others planned, and the same command brings each in once', async () => {
  const { service, home, env, lineOf, results } = await place();
  const held = holdAfter(service, 60);
  const child = launch(lineOf(200), { home, env });
  const end = ended(child);
  await held.first;
  const inFlight = await settled(() => held.count);
  child.kill('SIGKILL');
  await end;
  const { lines, unknown, planned } = await results();
  expect([lines, planned]).toEqual([200, 200 - 60 - inFlight]);
  expect(inFlight).toBeGreaterThan(1);
  // An answer alone is no proof: what no read had shown yet is unknown too.
  expect(unknown).toBeLessThanOrEqual(60 + inFlight);
  held.release();
  const again = await program([...lineOf(200), '--timeout', '700ms'], { home, env });
  expect(again.code, again.stderr).toBe(0);
  expect(new Set(service.truth.inExam(6).map(({ email }) => email)).size).toBe(200);
  expect(service.truth.inExam(6)).toHaveLength(200);
});

test.skipIf(withoutTerminal)('its terminal goes: requests in flight are finished and recorded, and the same command resumes', async () => {
  const { service, home, env, lineOf, results } = await place();
  service.fault = ({ method }) => (method === 'POST' ? { takes: 200 } : undefined);
  const words = lineOf(40);
  const line = `echo pid $$; exec ${command} ${words.join(' ')}`;
  const terminal = onTerminal(line, { home, env });
  const pid = Number(await terminal.sees(/pid (\d+)/));
  while (service.posts() < 5) await pause(2);
  // Its other end has no reader or writer any more, as when a connection breaks.
  terminal.kill();
  while (isRunning(pid)) await pause(5);
  const sent = service.posts();
  expect(sent).toBeLessThan(40);
  // Answered, and unknown until a read shows them.
  expect(await results()).toMatchObject({ sent, planned: 40 - sent });
  const again = await program(words, { home, env });
  expect(again.code, again.stderr).toBe(0);
  expect([service.posts(), service.sessions.length]).toEqual([40, 40]);
});

function isRunning(pid: number): boolean {
  // A process without a waiting parent stays in the list until init has reaped it.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
