/** What the record of runs promises, whatever keeps it: each case once, over SQLite and over PostgreSQL. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { LockHeld, type Run, type RunFilter, type RunState, type StepFilter } from '../../src/record/index.ts';
import { countsOf, eachKind, filesWith, lookedAt, newRun, opened, sqlOf, step, steps, takesOver, worker } from './record-world.ts';

const isHeld = { code: 'already_running', exit: 8 };

eachKind((newPlace) => {
  /** A new record whose locks of these names are held. */
  const locked = async (...names: string[]) => {
    const place = await newPlace();
    const record = await opened(place);
    return { place, record, lock: await record.lock(names, 'import') };
  };

  test('a run is read by another process as it was recorded', async () => {
    const place = await newPlace();
    const child = worker(
      place,
      `const record = await open();
       await record.lock(['d'], 'import');
       const run = await record.startRun(newRun, steps(3));
       await run.save([step(2, { state: 'done', id: '41', ours: true, seen: true }), step(3, { state: 'failed', reason: 'rejected' })]);
       await run.close('partial');
       await record.close();
       say('id', run.run.id);`,
    );
    const [id = ''] = await child.said('id');
    await child.ended;
    const record = await opened(place);
    const [run] = await record.runs();
    expect(run).toMatchObject({ ...newRun, id, state: 'partial', steps: 3 });
    expect(await record.run(id)).toEqual(run);
    expect(await record.steps(id)).toMatchObject([
      step(1),
      step(2, { state: 'done', id: '41', ours: true, seen: true }),
      step(3, { state: 'failed', reason: 'rejected' }),
    ]);
    expect(await countsOf(record, { run: { id } })).toEqual({ planned: 1, done: 1, 'failed rejected': 1 });
    await expect(record.run('none')).rejects.toMatchObject({ code: 'not_found', exit: 6, hint: expect.stringContaining('runs list') });
  });

  test('runs and steps are found by what is asked about them, the latest first', async () => {
    const { record } = await locked('d', 'e');
    const first = await record.startRun(newRun, [step(1, { exam: '42', id: '7' }), step(2, { exam: '43', op: 'sendMails', at: 1 })]);
    const second = await record.startRun({ ...newRun, digest: 'e', origin: 'https://other.example' }, [
      step(1, { exam: '44', student: 'ada' }),
    ]);
    await second.close('finished');
    const ids = async (filter: RunFilter) => (await record.runs(filter)).map(({ id }) => id);
    expect(new Set(await ids({}))).toEqual(new Set([second.run.id, first.run.id]));
    expect(await ids({ digest: 'd' })).toEqual([first.run.id]);
    expect(await ids({ exam: '44', states: ['finished', 'partial'] })).toEqual([second.run.id]);
    expect(await ids({ exam: '44', states: ['open'] })).toEqual([]);
    expect(await ids({ since: Date.now() + 60_000 })).toEqual([]);
    const found = async (filter: StepFilter) => (await record.find(newRun.origin, filter)).map(({ n }) => n);
    expect(await found({})).toEqual([1, 2]);
    expect(await found({ exams: ['43', '44'] })).toEqual([2]);
    expect(await found({ exams: [] })).toEqual([]);
    expect(await found({ exams: ['42'], states: ['planned'], ops: ['createSession'] })).toEqual([1]);
    expect(await record.find('https://other.example', {})).toMatchObject([{ run: second.run.id, plan: step(1).plan }]);
  });

  test('what a run was recorded with is read again, whatever it says and however deep it is', async () => {
    const { record } = await locked('d');
    const deep = JSON.parse('{"a":['.repeat(100) + '"[["'.padEnd(204, ']}'));
    const run = await record.startRun({ ...newRun, more: { reason: '['.repeat(101) } }, [step(1, { plan: deep })]);
    expect((await record.run(run.run.id)).more).toEqual({ reason: '['.repeat(101) });
    expect(await record.steps(run.run.id)).toMatchObject([{ plan: deep }]);
  });

  test('also where an ID of the service has a character that no database can hold', async () => {
    const { record } = await locked('d');
    const odd = '41\0\ud800';
    const run = await record.startRun(newRun, [step(1, { exam: odd })]);
    await run.save([step(1, { exam: odd, state: 'done', id: odd, ours: true })]);
    await run.close('finished');
    const steps = await record.steps(run.run.id);
    expect(steps).toMatchObject([{ state: 'done', ours: true, plan: step(1).plan }]);
    expect(await record.find(newRun.origin, { exams: [odd], ids: [odd] })).toMatchObject(steps);
    expect(await record.forget({ origin: newRun.origin, exam: odd })).toMatchObject({ runs: 1 });
  });

  test.each([
    [`UPDATE steps SET sealed = 'x' WHERE n = 2`, [2]],
    [`UPDATE steps SET id = '42' WHERE n = 3`, [3]],
    [`UPDATE runs SET sealed = 'x' WHERE digest = 'd'`, [1, 2, 3]],
    ['DELETE FROM steps WHERE n = 2', [1, 3]],
  ])('a value that changed by itself concerns its own run alone, of which nothing is taken as recorded: %s', async (statement, damaged) => {
    const { place, record } = await locked('d', 'e');
    const run = await record.startRun(newRun, steps(3));
    const other = await record.startRun({ ...newRun, digest: 'e' }, [step(9)]);
    await sqlOf(place, statement);
    const read = await record.steps(run.run.id);
    expect(read.filter(({ plan }) => plan.forgotten).map(({ n }) => n)).toEqual(damaged);
    // Whether it was sent is not known, and whom it is about.
    for (const { n, ...more } of read) if (damaged.includes(n)) expect(more).toMatchObject({ state: 'unknown', id: null, ours: false });
    expect(await record.steps(other.run.id)).toMatchObject([{ plan: step(9).plan }]);
    expect([(await record.runs()).length, (await record.find(newRun.origin, {})).length]).toEqual([2, read.length + 1]);
    await run.close('partial');
    await other.close('finished');
    expect(await record.forget({ origin: newRun.origin, exam: '42' })).toMatchObject({ runs: 2 });
    expect(await record.runs()).toEqual([]);
  });

  test('a lock is held by one process, which is named, until it is killed', async () => {
    const place = await newPlace();
    const child = worker(
      place,
      `const record = await open(); await record.lock(['exam 42', 'x'], 'exams shift'); say('held'); await pause(60_000);`,
    );
    await child.said('held');
    const record = await opened(place);
    const refusal = await record.lock(['exam 41', 'exam 42'], 'mine').catch((error) => error);
    expect(refusal).toBeInstanceOf(LockHeld);
    expect(refusal).toMatchObject({ ...isHeld, lock: { name: 'exam 42', who: 'grace@build-8', command: 'exams shift' } });
    expect(refusal.message).toMatch(/^Another proctor-cli is at work: exams shift \(grace@build-8, process \d+, since 20[^)]+\)\.$/);
    const free = await record.lock(['exam 41'], 'mine');
    const other = await opened(place);
    for (const name of ['exam 41', 'x']) await expect(other.lock([name], 'theirs')).rejects.toMatchObject({ ...isHeld, lock: { name } });
    await free.release();
    child.kill('SIGKILL');
    await child.ended;
    await vi.waitFor(() => record.lock(['exam 42'], 'mine'), 300_000);
    // What a process has already it need not take again, nor give back with what it takes besides.
    await (await record.lock(['exam 42', 'exam 43'], 'mine')).release();
    await other.lock(['exam 41', 'exam 43', 'x'], 'theirs');
    await expect(other.lock(['exam 42'], 'theirs')).rejects.toMatchObject({ ...isHeld, lock: { who: 'ada@build-7' } });
  });

  test('of six who take a lock at the same moment one has it, also where nothing was recorded before', async () => {
    const place = await newPlace();
    const children = Array.from({ length: 6 }, () =>
      worker(
        place,
        `const record = await open();
         say('end', await record.lock(['exam 42'], 'import').then(() => 'has', (error) => error.code));
         await pause(60_000);`,
      ),
    );
    const ends = await Promise.all(children.map((child) => child.said('end')));
    expect(ends.flat().sort()).toEqual([...Array(5).fill('already_running'), 'has']);
  });

  test('what another process has taken over is refused to the one before, for good', async () => {
    const { place, record } = await locked('d', 'exam 42');
    const run = await record.startRun(newRun, steps(3));
    await run.save([step(1, { state: 'sending' })]);
    await sqlOf(place, `UPDATE locks SET holder = '1-another' WHERE name = 'exam 42' RETURNING 1`);
    await expect(run.save([step(2, { state: 'sending' })])).rejects.toThrow('taken this run over');
    await sqlOf(place, `DELETE FROM locks RETURNING 1`);
    await expect(run.save([step(3, { state: 'sending' })])).rejects.toMatchObject(isHeld);
    await expect(run.close('finished')).rejects.toMatchObject(isHeld);
    await expect(record.startRun(newRun, steps(1))).rejects.toMatchObject(isHeld);
    expect((await record.steps(run.run.id)).map(({ state }) => state)).toEqual(['sending', 'planned', 'planned']);
    expect(await record.runs()).toMatchObject([{ id: run.run.id, state: 'open' }]);
  });

  test('a run that has ended in part is taken, is open again, and ends', async () => {
    const { place, record, lock } = await locked('d');
    await (await record.startRun(newRun, steps(2))).close('partial');
    await lock.release();
    const other = await opened(place);
    await other.lock(['d'], 'resume');
    const [run] = await other.runs({ digest: 'd', states: ['partial'] });
    const taken = await other.take(run as Run);
    expect(await record.runs()).toMatchObject([{ state: 'open', more: newRun.more }]);
    await taken.save([step(3, { state: 'done' })]);
    await taken.close('finished');
    expect(await record.runs()).toMatchObject([{ state: 'finished', steps: 3 }]);
  });

  test('a run of which nothing was begun is dropped, any other is kept', async () => {
    const { record } = await locked('d');
    const [untouched, begun] = [await record.startRun(newRun, steps(2)), await record.startRun(newRun, steps(2))];
    await begun.save([step(1, { state: 'unknown' })]);
    for (const { run } of [untouched, begun]) await record.drop(run.id);
    expect((await record.runs()).map(({ id }) => id)).toEqual([begun.run.id]);
    expect(await record.steps(untouched.run.id)).toEqual([]);
  });

  test('forgetting a student leaves nothing of them in the bytes but the numbers of their steps; a living run keeps what it needs', async () => {
    const { place, record, lock } = await locked('d', 'e');
    const ada = record.keys.studentKey('Ada@Example.org');
    const plan = { body: { email: 'ada@example.org' } };
    const run = await record.startRun(newRun, [
      step(1, { student: ada, id: '41-of-ada', plan }),
      step(2),
      step(3, { op: 'updateSession', target: '41-of-ada', student: null }),
      step(4, { op: 'updateSession', exam: '43', target: '41-of-ada', student: null }),
    ]);
    const only = await record.startRun({ ...newRun, digest: 'e', kind: 'of-ada-only' }, [step(1, { student: ada })]);
    await only.close('finished');
    const whole = `${ada} 41-of-ada of-ada-only`.split(' ');
    for (const text of whole) expect(await filesWith(place, text)).not.toEqual([]);
    expect(await filesWith(place, 'ada@example.org')).toEqual([]);
    await expect(record.forget({ student: 'ada@example.org' })).rejects.toMatchObject(isHeld);
    await run.save([step(4, { state: 'done', exam: '43', target: '9', student: null })]);
    await run.close('partial');
    const colleague = await lookedAt(place);
    const [forgotten] = await Promise.all([record.forget({ student: ' ada@example.ORG' }), pause(60).then(() => colleague.end())]);
    expect(forgotten).toEqual({ runs: 2, steps: 3 });
    for (const text of whole) expect([text, await filesWith(place, text)]).toEqual([text, []]);
    expect((await record.steps(run.run.id)).map(({ n, plan }) => `${n}${plan.forgotten ? ' forgotten' : ''}`)).toEqual([
      '1 forgotten',
      '2',
      '3 forgotten',
      '4',
    ]);
    expect(await record.runs()).toMatchObject([{ id: run.run.id, steps: 4 }]);
    await lock.release();
    expect(await record.forget({ origin: newRun.origin, exam: '42' })).toEqual({ runs: 1, steps: 1 });
    expect(await record.forget({ origin: newRun.origin, exam: '43' })).toEqual({ runs: 1, steps: 1 });
    expect(await record.runs()).toEqual([]);
  });

  test('runs that ended long ago are pruned, open ones never', async () => {
    const { record } = await locked('d');
    const [open, ended] = [await record.startRun(newRun, steps(2)), await record.startRun(newRun, steps(2))];
    await ended.close('partial');
    await record.prune(Date.now() - 1000);
    const all: RunState[] = ['open', 'partial'];
    expect((await record.runs({ states: all })).length).toBe(2);
    await record.prune(Date.now() + 1000);
    expect((await record.runs()).map(({ id }) => id)).toEqual([open.run.id]);
    expect(await record.steps(ended.run.id)).toEqual([]);
  });

  test('a process that is killed at any moment has recorded what it was promised', async () => {
    const place = await newPlace();
    for (let trial = 0; trial < 3; trial += 1) {
      const child = worker(
        place,
        `const record = await open();
         await record.lock(['d'], 'import');
         const run = await record.startRun(newRun, steps(500));
         say('id', run.run.id);
         let next = 1;
         const work = async () => {
           while (next <= 500) {
             const n = next++;
             await run.save([step(n, { state: 'sending' })]);
             say('sent', n);
             void run.save([step(n, { state: 'done' })]);
           }
         };
         await Promise.all(Array.from({ length: 8 }, work));
         await pause(60_000);`,
      );
      const [id = ''] = await child.said('id');
      await pause(5 + 40 * Math.random());
      child.kill('SIGKILL');
      await child.ended;
      const record = await opened(place);
      await takesOver(record);
      const promised = child.lines.filter((line) => line.startsWith('sent ')).map((line) => Number(line.slice(5)));
      const states = new Map((await record.steps(id)).map(({ n, state }) => [n, state]));
      expect([states.size, promised.filter((n) => states.get(n) === 'planned')]).toEqual([500, []]);
      await record.close();
    }
  });

  test('5,000 steps are recorded at once, and 500 of them change through 64 hands', async () => {
    const { record } = await locked('d');
    const run = await record.startRun(newRun, steps(5000));
    let next = 1;
    const work = async () => {
      while (next <= 500) {
        const n = next++;
        await run.save([step(n, { state: 'sending' })]);
        await pause(1);
        void run.save([step(n, { state: 'done', id: String(n) })]);
      }
    };
    await Promise.all(Array.from({ length: 64 }, work));
    await run.close('partial');
    expect(await countsOf(record, run)).toEqual({ done: 500, planned: 4500 });
  });
});
