/** Several machines of a team, each with a home of its own, import into one exam: processes that are killed, and that meet. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../support/clock.ts';
import { newDatabase, owner, whySkipped } from '../support/cluster.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Arrived, Service } from '../support/service.ts';
import { ended, launch, program } from './program.ts';

const size = 60;
/** Milliseconds. */
const lockLives = 500;
const skipped = whySkipped();

/** A database for a team, and machines with homes of their own. */
async function team() {
  const service = await new Service({ clock: realClock() }).listen();
  onTestFinished(() => service.close());
  service.truth.createExam({ name: 'Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' }, 'colleague', 6);
  const [database, shared] = [await newDatabase(), temporaryFolder()];
  await database.sql(`ALTER DATABASE ${database.name} SET proctor_cli.lock_lives = '${lockLives} milliseconds'`);
  const roster = join(shared, 'roster.csv');
  writeFileSync(roster, `email\n${Array.from({ length: size }, (_, at) => `student${at}@example.org\n`).join('')}`);
  const machine = (name: string) => {
    const home = join(shared, name);
    mkdirSync(home, { recursive: true });
    const env = {
      PROCTOR_BASE_URL: service.baseUrl,
      PROCTOR_TOKEN: 'a-token-of-the-tests-1',
      PROCTOR_STATE: database.url(),
      PROCTOR_STATE_KEY_FILE: join(shared, 'key'),
      PROCTOR_STATE_DIR: join(home, 'state'),
      PROCTOR_CONFIG_DIR: join(home, 'config'),
      PGPASSWORD: owner.password,
    };
    const words = ['sessions', 'import', roster, '--exam', '6', '--yes', '--settle', '1s'];
    return {
      options: { home, env },
      starts: (...more: string[]) => {
        const child = launch([...words, '-o', 'json', ...more], { home, env });
        onTestFinished(() => void child.kill('SIGKILL'));
        return { child, end: ended(child) };
      },
    };
  };
  const { code, stderr } = await program('state init', machine('first').options);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { service, machine };
}

const isCreate = ({ method, body }: Arrived) => method === 'POST' && String(body.email).startsWith('student');

/** Lets so many creates through, and holds the others until `release`; `held`: once so many have arrived. */
function holdAfter(service: Service, most: number, atOnce = 1) {
  const [released, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let arrived = 0;
  service.onArrival = async (request) => {
    if (!isCreate(request)) return;
    arrived += 1;
    if (arrived <= most) return;
    if (arrived === most + atOnce) held.resolve();
    await released.promise;
  };
  return { held: held.promise, release: released.resolve };
}

/** Each student of the exam, as often as it is there. */
const there = ({ truth }: Service) => truth.inExam(6).map(({ email }) => String(email));

describe.skipIf(skipped !== undefined)(`A team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  test('resumes an import of a killed machine on another one by the same command', async () => {
    const { service, machine } = await team();
    // None of its requests is still on its way to the service when it is killed: such a student would not be sent again without consent.
    const creates = holdAfter(service, 4, 5);
    const killed = machine('one').starts('--concurrency', '5');
    await creates.held;
    killed.child.kill('SIGKILL');
    await killed.end;
    creates.release();
    await pause(lockLives);
    const last = await machine('two').starts('--concurrency', '5').end;
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining(`Verified: all ${size} students of the file are in exam 6`)]);
    expect(JSON.parse(last.stdout)).toMatchObject({ lines: size, not_in_file: 0, verified: true });
    expect(there(service)).toHaveLength(size);
    expect(new Set(there(service)).size).toBe(size);
  });

  test('that starts two imports together has one of them import; the other says who does', async () => {
    const { service, machine } = await team();
    const creates = holdAfter(service, 4);
    const first = machine('one').starts();
    await creates.held;
    const refused = await machine('two').starts().end;
    expect(refused.code).toBe(8);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'already_running',
      message: expect.stringMatching(/Another proctor-cli \(.+, process \d+ on .+, since .+, sessions import .+\) is at it\./),
    });
    creates.release();
    expect((await first.end).code).toBe(0);
    const second = await machine('two').starts().end;
    expect([second.code, JSON.parse(second.stdout)]).toEqual([0, expect.objectContaining({ unchanged: size })]);
    expect(there(service)).toHaveLength(size);
  });
});
