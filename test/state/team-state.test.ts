/** A team's state: one process has what it has taken, and what was recorded is recorded once, whatever the network and the server do. */
import { spawnSync } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { copyState, initState } from '../../src/state/open-state.ts';
import type { StateOptions } from '../../src/state/options.ts';
import { type State, TakenOver } from '../../src/state/state.ts';
import { killCluster, owner, runCluster, sqlAt, startCluster, stopCluster } from '../support/cluster.ts';
import { type Loss, proxyTo, type Wire } from '../support/proxy.ts';
import { temporaryFolder } from '../support/run.ts';
import { host, kinds, newRun, opened, origin, sqlOf, step, steps, teamFolder, teamOf, worker } from './state-world.ts';

const [, { isSkipped, kind, has }] = kinds as [unknown, (typeof kinds)[number]];
const claim = (key: string) => ({ scope: 'exam:42', key, number: 1 });
/** Longer than a lock lives in these tests. */
const longer = () => pause(700);

/** The state of a folder's team behind a proxy of its own. */
async function behindProxy(folder: string, more: Partial<StateOptions> = {}): Promise<{ state: State; proxy: Wire }> {
  const team = teamOf(folder);
  const proxy = await proxyTo(team.place.port);
  return { proxy, state: await opened(folder, { team: { ...team, place: { ...team.place, port: proxy.port } }, ...more }) };
}

/** The files of the server in which a text is: those of the database, and the logs. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  await sqlOf(folder, 'CHECKPOINT');
  const [[database] = []] = await sqlOf(folder, 'SELECT oid::text FROM pg_database WHERE datname = current_database()');
  const places = [`base/${database}`, 'pg_wal', 'log'].map((place) => join(process.env.PROCTOR_TEST_CLUSTER ?? '', 'data', place));
  const { stdout } = spawnSync('grep', ['-raFl', '--', text, ...places], { encoding: 'utf8' });
  return stdout.split('\n').filter((file) => file !== '');
}

/** Whoever has the run has given no sign of life for so long. */
async function fallSilent(folder: string, run: string, since: string): Promise<void> {
  await sqlOf(
    folder,
    `UPDATE proctor_cli.processes SET until = clock_timestamp() - interval '${since}'
       WHERE id = (SELECT process FROM proctor_cli.locks WHERE name = 'run-${run}')`,
  );
}

async function intents(state: State, run: string): Promise<number[]> {
  return (await state.events(run)).filter(({ event }) => event === 'sending').map(({ n }) => n);
}

describe.skipIf(isSkipped)(`with ${kind}`, () => {
  describe('what another process has', () => {
    test('is refused, and the error says who has it, where, since when, and for which command and run', async () => {
      const folder = await teamFolder();
      const child = worker(
        folder,
        `const state = await openState({ ...options, who: 'ada@build-7' });
         const run = await state.begin(newRun, steps(1));
         say('held', run.run.id); setInterval(() => {}, 1000);`,
      );
      const [id = ''] = await child.said('held');
      const state = await opened(folder);
      await expect(state.take(id, 'grace@build-8')).rejects.toMatchObject({
        code: 'already_running',
        message: expect.stringMatching(
          new RegExp(`^Another proctor-cli \\(ada@build-7, process ${child.pid} on build-7, since 20[^,]+, sessions import, run ${id}\\)`),
        ),
        hint: 'Nothing was sent. Wait until it has ended; if its process or machine is gone, for 0.5 s.',
      });
    });

    test('is taken once it has given no sign of life for long enough; what it does when it wakes up is refused', async () => {
      const folder = await teamFolder();
      const child = worker(
        folder,
        `const state = await openState(options);
         const run = await state.begin(newRun, steps(2));
         await run.intend(1, 'sending', [{ scope: 'exam:42', key: 'ada', number: 1 }]);
         say('stopping', run.run.id);
         process.kill(process.pid, 'SIGSTOP');
         const refusal = (act) => act.then(() => 'none', (error) => error.constructor.name);
         say('refused', await refusal(run.intend(2, 'sending')));
         say('also', await refusal(state.begin(newRun, steps(1))));`,
      );
      const [id = ''] = await child.said('stopping');
      const state = await opened(folder);
      const taking = () => state.take(id, 'grace@build-8').catch(() => undefined);
      await expect.poll(taking, { timeout: 20_000 }).toMatchObject({ run: { epoch: 2 } });
      child.kill('SIGCONT');
      expect([await child.said('refused'), await child.said('also')]).toEqual([['TakenOver'], ['TakenOver']]);
      expect(await intents(state, id)).toEqual([1]);
    });

    test('is taken by one of many who try at the same moment', async () => {
      const folder = await teamFolder();
      const others = await Promise.all(Array.from({ length: 6 }, () => opened(folder)));
      await Promise.all(others.map(async (other, at) => (await other.lock(`of ${at}`, 'test')).release()));
      for (let round = 0; round < 4; round += 1) {
        const run = await (await opened(folder)).begin(newRun, steps(1));
        let refusals: string[] = [];
        // The one that has it may give a sign of life meanwhile; then all are refused.
        do {
          await fallSilent(folder, run.run.id, '1 second');
          const taken = await Promise.allSettled(others.map((other) => other.take(run.run.id, 'grace@build-8')));
          refusals = taken.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
        } while (refusals.length === others.length);
        expect(refusals).toEqual(others.slice(1).map(() => 'already_running'));
      }
    });

    test('is not taken while a single commit of it takes longer than a lock lives', async () => {
      const folder = await teamFolder();
      const state = await opened(folder);
      await state.lock('imports into 42', 'sessions import');
      const child = worker(
        folder,
        `const state = await openState(options);
         const refusals = new Set();
         for (const end = Date.now() + 1500; Date.now() < end;) {
           say('trying');
           refusals.add(await state.lock('imports into 42', 'test').then(() => 'none', ({ code }) => code));
         }
         say('end', ...refusals);
         await state.close();`,
      );
      await child.said('trying');
      const run = await state.begin(
        newRun,
        (function* () {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
          yield* steps(1);
        })(),
      );
      expect(await child.said('end')).toEqual(['already_running']);
      await run.intend(1, 'sending');
    });

    test('stays its own while it has nothing to record, because it gives signs of life; it is free once that has closed it', async () => {
      const folder = await teamFolder();
      const [state, other] = [await opened(folder), await opened(folder)];
      const run = await state.begin(newRun, steps(1));
      const until = async () => String(await sqlOf(folder, 'SELECT max(until)::text FROM proctor_cli.processes'));
      const first = await until();
      await expect.poll(until).not.toBe(first);
      await run.close('finished');
      const epoch = () =>
        other.take(run.run.id, 'grace@build-8').then(
          (taken) => taken.run.epoch,
          ({ code }) => code,
        );
      await expect.poll(epoch).toBe(2);
    });
  });

  test('who reads while another writes sees one moment of it, and does not keep it from writing', async () => {
    const folder = await teamFolder();
    const [state, other] = [await opened(folder), await opened(folder)];
    const run = await state.begin(newRun, steps(1));
    let isWriting = true;
    const writing = (async () => {
      for (let n = 2; n <= 60; n += 1) {
        await run.addSteps([step(n)]);
        await run.intend(n, 'sending');
      }
      isWriting = false;
    })();
    let seen = 0;
    for (; isWriting; seen += 1) {
      const { length } = await other.steps(run.run.id);
      expect((await other.runs())[0]?.steps).toBeGreaterThanOrEqual(length);
      await other.events(run.run.id);
    }
    await writing;
    expect([seen > 1, (await other.steps(run.run.id)).length]).toEqual([true, 60]);
  });

  describe('a connection that is cut', () => {
    const moments = ['BEGIN', 'UPDATE proctor_cli.processes', 'INSERT INTO proctor_cli.events', 'COMMIT'];
    const losses: Loss[] = ['unsent', 'unanswered'];
    test.each(moments.flatMap((moment) => losses.map((loss) => [moment, loss] as const)))(
      'at %s, %s: an intent is recorded once all the same',
      async (moment, loss) => {
        const { state, proxy } = await behindProxy(await teamFolder());
        const run = await state.begin(newRun, steps(2));
        const cut = proxy.cutAt(moment, loss);
        await run.intend(1, 'sending', [claim('ada')]);
        await cut;
        run.record({ n: 1, event: 'done' });
        await run.intend(2, 'sending');
        expect((await state.events(run.run.id)).map(({ n, event }) => [n, event])).toEqual([
          [1, 'sending'],
          [1, 'done'],
          [2, 'sending'],
        ]);
        expect(await state.claims(origin, 'exam:42')).toHaveLength(1);
      },
    );

    test('at the answer to a commit, and again while that is looked up: it is done once', async () => {
      const { state, proxy } = await behindProxy(await teamFolder());
      const run = await state.begin(newRun, steps(1));
      const cuts = proxy.cutAt('COMMIT', 'unanswered').then(() => proxy.cutAt('SELECT attempt', 'unanswered'));
      await run.intend(1, 'sending', [claim('ada')]);
      await cuts;
      expect(await intents(state, run.run.id)).toEqual([1]);
    });

    test.each(['INSERT INTO proctor_cli.steps', 'COMMIT'].flatMap((moment) => losses.map((loss) => [moment, loss] as const)))(
      'at %s, %s: a run has begun, or it is said that it has not',
      async (moment, loss) => {
        const folder = await teamFolder();
        const { state, proxy } = await behindProxy(folder);
        // The lock of the run is taken in a commit of its own, before.
        const plan = function* () {
          void proxy.cutAt(moment, loss);
          yield* steps(3);
        };
        const end = await state.begin(newRun, plan()).then(
          () => 'begun',
          ({ code }) => code,
        );
        const recorded = (await (await opened(folder)).runs()).map((run) => run.steps);
        // The bytes with the steps may be those with the end as well.
        if (loss === 'unanswered' && recorded.length > 0) expect([end, recorded]).toEqual(['begun', [3]]);
        else expect([end, recorded, moment === 'COMMIT' && loss === 'unanswered']).toEqual(['state_unavailable', [], false]);
      },
    );

    test('for longer than a lock lives: whoever was away finds that another has taken over, and records nothing', async () => {
      const folder = await teamFolder();
      const { state, proxy } = await behindProxy(folder);
      const run = await state.begin(newRun, steps(2));
      await proxy.leave();
      const intent = run.intend(1, 'sending', [claim('ada')]);
      await longer();
      const other = await opened(folder);
      await other.take(run.run.id, 'grace@build-8');
      await proxy.back();
      await expect(intent).rejects.toEqual(expect.any(TakenOver));
      expect([await intents(other, run.run.id), await other.claims(origin, 'exam:42')]).toEqual([[], []]);
    });

    test('and slow in between: what is recorded comes in its order', async () => {
      const { state, proxy } = await behindProxy(await teamFolder());
      const run = await state.begin(newRun, steps(10));
      proxy.delay = 2;
      for (let n = 1; n <= 6; n += 1) {
        const cutting = pause(4 * n).then(() => proxy.cut());
        await run.intend(n, 'sending', [claim(`student ${n}`)]);
        await cutting;
      }
      expect(await intents(state, run.run.id)).toEqual([1, 2, 3, 4, 5, 6]);
    });
  });

  describe('a server that is away', () => {
    test('for longer than half a minute: it is said, nothing more is recorded, and the end comes at once', async () => {
      const said: string[] = [];
      const { state, proxy } = await behindProxy(await teamFolder(), {
        host: { ...host, sleep: async () => {} },
        say: (text) => void said.push(text),
      });
      const run = await state.begin(newRun, steps(2));
      await proxy.leave();
      const refused = { code: 'state_unavailable', exit: 8, message: expect.stringContaining('nothing answers at this address and port') };
      await expect(run.intend(1, 'sending')).rejects.toMatchObject(refused);
      await expect((async () => run.intend(2, 'sending'))()).rejects.toMatchObject(refused);
      expect(said).toEqual([expect.stringMatching(/Nothing more is sent until it answers; it is tried for 30 s\.$/)]);
      await proxy.back();
      expect(await intents(state, run.run.id)).toEqual([]);
      await proxy.leave();
      const began = performance.now();
      await state.close().catch(() => {});
      expect(performance.now() - began).toBeLessThan(1000);
    });

    test('because it was killed: it is waited for, and everything is there once', async () => {
      const [folder, machine] = [temporaryFolder(), temporaryFolder()];
      const { port } = await startCluster(folder);
      onTestFinished(() => stopCluster(folder, 'immediate'));
      const place = parseTeamPlace(`postgres://${owner.user}@127.0.0.1:${port}/postgres`);
      const team = { place, password: async () => owner.password };
      await initState({ folder: machine, host, team });
      const state = await opened(machine, { team });
      const run = await state.begin(newRun, steps(300));
      const killing = pause(100).then(async () => {
        await killCluster(folder);
        runCluster(folder);
      });
      let isBack = false;
      void killing.then(() => {
        isBack = true;
      });
      const numbers: number[] = [];
      while (!isBack || numbers.length < 300) {
        numbers.push(numbers.length + 1);
        await run.intend(numbers.length, 'sending', [claim(`student ${numbers.length}`)]);
      }
      expect(await intents(state, run.run.id)).toEqual(numbers);
      expect(await state.claims(origin, 'exam:42')).toHaveLength(numbers.length);
      await state.close();
    });
  });

  describe('a network that is silent', () => {
    /** The time after which a silent network is given up, shortened. */
    const hurried = () => {
      const { setTimeout: set } = Socket.prototype;
      const spy = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, timeout, ...rest) {
        return set.call(this, timeout / 50, ...rest);
      });
      onTestFinished(() => spy.mockRestore());
    };

    test.each(['answers', 'both'] as const)(
      'is given up, and what was lost on it (%s) is recorded once by another way',
      async (direction) => {
        hurried();
        const { state, proxy } = await behindProxy(await teamFolder());
        const run = await state.begin(newRun, steps(1));
        proxy.swallow(direction);
        await run.intend(1, 'sending', [claim('ada')]);
        expect(await intents(state, run.run.id)).toEqual([1]);
      },
    );

    test('does not keep a process from ending', async () => {
      const folder = await teamFolder();
      const { state, proxy } = await behindProxy(folder);
      await state.begin(newRun, steps(1));
      proxy.swallow('both');
      const began = performance.now();
      await state.close();
      expect(performance.now() - began).toBeLessThan(5000);
    });
  });

  describe('a database that is another one now', () => {
    test('because it was moved: nothing more is recorded, and the error says where it is', async () => {
      const folder = await teamFolder();
      const state = await opened(folder);
      const run = await state.begin(newRun, steps(1));
      await sqlOf(folder, `UPDATE proctor_cli.meta SET moved_to = 'postgres://new@db.example.org/exams'`);
      await expect(run.intend(1, 'sending')).rejects.toMatchObject({
        ...{ code: 'state_failed', exit: 3, message: expect.stringContaining('was moved to postgres://new@db.example.org/exams.') },
        hint: expect.stringContaining('Nothing more was sent. Name that database in the setting state, with your own user:'),
      });
      expect(await intents(state, run.run.id)).toEqual([]);
    });

    test('because it is being moved: what is recorded at that moment is refused, or moved as well', async () => {
      const [folder, local] = [await teamFolder(), temporaryFolder()];
      const { state, proxy } = await behindProxy(folder);
      const run = await state.begin(newRun, steps(1));
      // Between what the commit reads first and its end there is time for the whole copy.
      proxy.delay = 600;
      const intent = run.intend(1, 'sending').then(
        () => [1],
        () => [],
      );
      await pause(700);
      await Promise.all([copyState({ folder, host, team: teamOf(folder) }, { folder: local, host }), intent]);
      proxy.delay = 0;
      expect(await intents(await opened(local), run.run.id)).toEqual(await intent);
      await expect((async () => run.intend(2, 'sending'))()).rejects.toMatchObject({ code: 'state_failed' });
    });

    test('because a newer version has changed it: nothing more is recorded, and it is not opened again', async () => {
      const folder = await teamFolder();
      const state = await opened(folder);
      const run = await state.begin(newRun, steps(1));
      await sqlOf(folder, 'UPDATE proctor_cli.meta SET schema_version = 2');
      const refused = { code: 'state_failed', exit: 3, hint: expect.stringContaining('Update proctor-cli on this machine.') };
      await expect(run.intend(1, 'sending')).rejects.toMatchObject(refused);
      await expect(opened(folder)).rejects.toMatchObject(refused);
      expect(await intents(state, run.run.id)).toEqual([]);
    });

    test('because another record is there when it is back: nothing is recorded in that', async () => {
      const folder = await teamFolder();
      const { state, proxy } = await behindProxy(folder);
      const run = await state.begin(newRun, steps(1));
      await sqlOf(folder, `UPDATE proctor_cli.meta SET id = 'restored'`);
      proxy.cut();
      await expect(run.intend(1, 'sending')).rejects.toMatchObject({
        ...{ code: 'state_failed', message: expect.stringContaining('another record is there now') },
      });
      expect(
        await sqlOf(folder, `SELECT 1 FROM pg_stat_activity WHERE application_name = 'proctor-cli' AND datname = current_database()`),
      ).toEqual([]);
    });
  });

  describe('a role with no more than the grants that are printed', () => {
    async function asImporter(folder: string) {
      const team = teamOf(folder);
      const { grants } = await initState({ folder, host, team });
      const role = `importer_of_${team.place.database}`;
      for (const grant of grants) await sqlOf(folder, grant.replace('proctor_importer', role));
      await sqlOf(folder, `ALTER ROLE ${role} LOGIN PASSWORD '${owner.password}'`);
      const state = await opened(folder, { team: { ...team, place: { ...team.place, user: role } } });
      return { state, sql: (text: string) => sqlAt(team.place.port, team.place.database, text, role) };
    }

    test('does all that an import needs, and can neither change nor delete what was recorded', async () => {
      const folder = await teamFolder();
      const { state, sql } = await asImporter(folder);
      const run = await state.begin({ ...newRun, reason: 'alarm' }, steps(2), ['7']);
      const lock = await state.lock('imports into 42', 'sessions import');
      await run.intend(1, 'sending', [claim('ada')]);
      run.record({ n: 1, event: 'done', session: '77', ours: true });
      run.settleClaim(claim('ada'), 1, { session: '77', shownKey: null });
      await run.intend(2, 'sending', [claim('bob')]);
      run.endClaim(claim('bob'), 2);
      await run.addSteps([step(3)]);
      await run.close('open');
      lock.release();
      const taken = await state.take(run.run.id, 'grace@build-8');
      await taken.close('finished');
      expect([(await state.claims(origin, 'exam:42')).length, (await state.listed(run.run.id)).size]).toEqual([1, 0]);
      expect(await state.run(run.run.id)).toMatchObject({ state: 'finished', epoch: 2, steps: 3 });
      for (const table of ['runs', 'steps', 'events'])
        for (const text of [
          `UPDATE proctor_cli.${table} SET record = ''`,
          `DELETE FROM proctor_cli.${table}`,
          `TRUNCATE proctor_cli.${table}`,
        ])
          await expect(sql(text), text).rejects.toMatchObject({ code: '42501' });
      await expect(sql(`UPDATE proctor_cli.meta SET moved_to = 'x'`)).rejects.toMatchObject({ code: '42501' });
      expect(await sql('SELECT count(*)::int FROM proctor_cli.steps')).toEqual([[3]]);
    });

    test('erases nothing: it is told whom to ask; where there is nothing to erase, that is no failure', async () => {
      const folder = await teamFolder();
      const { state } = await asImporter(folder);
      const run = await state.begin(newRun, steps(1));
      await run.close('finished');
      expect(await state.forget({ exam: '41' })).toEqual({ runs: 0, steps: 0 });
      await expect(state.forget({ origin })).rejects.toMatchObject({
        ...{ code: 'state_failed', exit: 3 },
        hint: expect.stringContaining('proctor-cli state init'),
      });
      expect(await (await opened(folder)).runs()).toHaveLength(1);
    });
  });

  test('erasing deletes free locks, and processes that nobody has heard of for a month; one that comes back has nothing', async () => {
    const folder = await teamFolder();
    const [state, gone, busy] = [await opened(folder), await behindProxy(folder), await opened(folder)];
    const run = await gone.state.begin(newRun, steps(1));
    const held = await busy.begin(newRun, steps(1));
    (await state.lock('free', 'test')).release();
    await gone.proxy.leave();
    await fallSilent(folder, run.run.id, '31 days');
    await state.forget({ exam: '41' });
    expect(await sqlOf(folder, 'SELECT name FROM proctor_cli.locks')).toEqual([[`run-${held.run.id}`]]);
    expect(await sqlOf(folder, 'SELECT count(*)::int FROM proctor_cli.processes')).toEqual([[2]]);
    await held.intend(1, 'sending');
    await gone.proxy.back();
    await expect(run.intend(1, 'sending')).rejects.toEqual(expect.any(TakenOver));
    expect((await state.take(run.run.id, 'grace@build-8')).run.epoch).toBe(2);
  });

  test('no name and no address is in the database in clear, nor in any file of the server', async () => {
    const folder = await teamFolder();
    const { state } = await behindProxy(folder);
    const planted = ['Planted-Lovelace', 'planted.ada@example.org', 'planted note', 'planted reason'];
    const [name = '', address = '', note = '', reason = ''] = planted;
    const run = await state.begin(
      { ...newRun, reason },
      [step(1, { exam: 'exam-in-clear', sentKey: state.studentKey(address), personal: { name, email: address, note } })],
      ['7'],
    );
    await run.intend(1, 'sending', [claim(state.studentKey(address))]);
    run.record({ n: 1, event: 'done', session: '77', shownKey: state.studentKey(address), ours: true });
    await run.close('finished');
    const there = async (text: string) => [await has(folder, text), (await filesWith(folder, text)).length > 0];
    for (const text of planted) expect(await there(text), text).toEqual([false, false]);
    expect(await there('exam-in-clear')).toEqual([true, true]);
  });

  test('a student who is forgotten is in no file of the database any more, though its server keeps a log of all changes for a while', async () => {
    const folder = await teamFolder();
    const state = await opened(folder);
    const students = Array.from({ length: 100 }, (_, index) => state.studentKey(`student ${index}`));
    const run = await state.begin(
      newRun,
      students.map((sentKey, index) => step(index + 1, { sentKey })),
    );
    await run.close('finished');
    expect((await filesWith(folder, students.at(-1) ?? '')).join()).toContain('/base/');
    await state.forget({ student: 'student 99' });
    expect((await filesWith(folder, students.at(-1) ?? '')).join()).not.toContain('/base/');
    expect((await filesWith(folder, students[0] ?? '')).join()).toContain('/base/');
  });
});
