/** The column of proctors: the pools of the exams are as the timetable has them. */
import { describe, expect, test } from 'vitest';
import { type Office, office } from './office.ts';

const header = 'key,name,date,start,end,proctors';
const algebra = (proctors: string) => `A,Algebra,2027-02-08,09:00,11:00,${proctors}`;
/** The pool of the last exam that was created. */
const pool = ({ service: { truth } }: Office) => [...(truth.pools.get(Math.max(...truth.exams.keys())) ?? [])].sort();

describe('The column of proctors', () => {
  test('puts users into the pool of a new exam, by address, ID and name', async () => {
    const made = await office();
    made.timetable(header, algebra('PROCTOR1@example.org; 2;Proctor 3'));
    const { code, writes, stderr } = await made.apply();
    expect(code, stderr).toBe(0);
    expect(writes.map(({ method, path }) => `${method} ${path.replace(/\d+/, 'ID')}`)).toEqual([
      'POST /exams',
      'POST /exams/ID/proctor_pool',
    ]);
    expect(pool(made)).toEqual([1, 2, 3]);
    expect((await made.apply()).writes).toEqual([]);
    expect((await made.check()).code).toBe(0);
  });

  test('adds and removes what differs, leaves an empty cell alone, and empties the pool with none', async () => {
    const made = await office();
    made.timetable(header, algebra('1; 2'));
    await made.apply();
    made.timetable(header, algebra('2;3'));
    const changed = await made.apply();
    expect([changed.code, changed.writes.map(({ method, body }) => [method, body])]).toEqual([
      0,
      [
        ['POST', { proctors: [3] }],
        ['DELETE', { proctors: [1] }],
      ],
    ]);
    expect(changed.plan?.plan[0]).toMatchObject({ action: 'update', result: 'updated', detail: 'proctors 1, 2 → 2, 3' });
    made.timetable(header, algebra(''));
    expect((await made.apply()).writes).toEqual([]);
    expect(pool(made)).toEqual([2, 3]);
    made.timetable(header, algebra('none'));
    expect((await made.apply()).code).toBe(0);
    expect(pool(made)).toEqual([]);
  });

  test('that a colleague has changed too is a conflict', async () => {
    const made = await office();
    made.timetable(header, algebra('1'));
    await made.apply();
    made.service.truth.pool(Math.max(...made.service.truth.exams.keys()), [2], 'add');
    made.timetable(header, algebra('1;3'));
    const { code, error } = await made.apply();
    expect([code, error?.message]).toEqual([11, expect.stringContaining('proctors is 1, 2, in the timetable 1, 3')]);
  });

  test('with somebody whom nobody knows is told with line and column, all of them at once', async () => {
    const made = await office();
    made.timetable(header, algebra('proctor9@example.org'), 'B,Analysis,2027-02-09,09:00,11:00,Proctr 2');
    const { code, writes, error } = await made.apply();
    expect([code, writes]).toEqual([3, []]);
    expect(error?.items?.map(({ message }) => message)).toEqual([
      'period.csv, line 2, column 6 ("proctors"): No user of institute 1 has the address proctor9@example.org. Did you mean proctor1@example.org? No proctor was added or removed.',
      'period.csv, line 3, column 6 ("proctors"): No user of institute 1 has the ID or the name Proctr 2. Did you mean Proctor 2? No proctor was added or removed.',
    ]);
  });

  test('needs an institute for names and addresses', async () => {
    const made = await office();
    const path = made.timetable(header, algebra('Proctor 1'));
    const { code, stderr } = await made.machine.run(['exams', 'check', path], { env: { PROCTOR_INSTITUTE: '' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('no institute is set in which to look them up')]);
  });
});
