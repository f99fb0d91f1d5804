/**
 * Bytes that changed on the disk by themselves: what is read is what was recorded, or the state is refused; never
 * anything else. `STATE_TRIALS` and `STATE_SEED` draw more damages than the suite has time for.
 */
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import { temporaryFolder } from '../support/run.ts';
import { host, newRun, opened, origin, step } from './state-world.ts';

const trials = Number(process.env.STATE_TRIALS ?? 200);
const seed = Number(process.env.STATE_SEED ?? 20261121);

/** The same numbers for the same seed (mulberry32). */
function numbers(from: number): (below: number) => number {
  let a = from;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Three runs with steps, events, claims and listed IDs, on some twenty pages. */
async function recorded(folder: string) {
  const state = await opened(folder);
  for (let each = 1; each <= 3; each += 1) {
    const plan = Array.from({ length: 40 }, (_, n) =>
      step(n + 1, {
        line: n + 2,
        exam: '42',
        sentKey: state.studentKey(`${n}@example.org`),
        values: { n },
        personal: { name: `Name ${n}` },
      }),
    );
    const run = await state.begin({ ...newRun, reason: 'alarm', identity: `${each}` }, plan, ['7', '8', '9']);
    for (let n = 1; n <= 40; n += 1) {
      void run.intend(n, 'sending', [{ scope: 'exam:42', key: state.studentKey(`${n}@example.org`), number: each }]);
      run.record({ n, event: 'done', session: `${each}${n}`, ours: true });
    }
    await run.flush();
  }
  await state.close();
}

/** All that can be read. */
async function everything(folder: string): Promise<unknown> {
  const state = await openState({ folder, host });
  try {
    const runs = await state.runs();
    const of = (id: string) => Promise.all([state.steps(id), state.events(id), state.listed(id), state.run(id)]);
    return [runs, await Promise.all(runs.map(({ id }) => of(id))), await state.claims(origin, 'exam:42')];
  } finally {
    await state.close();
  }
}

test(`${trials} times a few bits, a run of bytes or a page has changed: what was recorded is read, or the state is refused`, async () => {
  const whole = temporaryFolder();
  await recorded(whole);
  const expected = await everything(whole);
  const bytes = readFileSync(join(whole, 'runs.sqlite'));
  const draw = numbers(seed);
  const folder = temporaryFolder();
  cpSync(whole, folder, { recursive: true });
  const ends = { read: 0, state_damaged: 0, state_failed: 0, state_restored: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    const hurt = Buffer.from(bytes);
    const at = draw(hurt.length);
    const kind = trial % 4;
    if (kind === 3) hurt.fill(draw(256), at - (at % 4096), at - (at % 4096) + 4096);
    else
      for (let i = 0; i < (kind === 2 ? 16 : 1); i += 1)
        if (at + i < hurt.length) hurt[at + i] = (hurt[at + i] ?? 0) ^ (kind === 2 ? draw(256) : 1 << draw(8));
    for (const name of ['runs.last', 'runs.key']) copyFileSync(join(whole, name), join(folder, name));
    writeFileSync(join(folder, 'runs.sqlite'), hurt);
    const end = await everything(folder).then(
      (read) => {
        expect(read, `trial ${trial}, seed ${seed}`).toEqual(expected);
        return 'read' as const;
      },
      (error) => {
        if (!(error.code in ends)) throw error;
        expect(error.exit).toBe(3);
        return error.code as keyof typeof ends;
      },
    );
    ends[end] += 1;
  }
  // Both happen: bytes that nobody uses, and bytes that are.
  expect(ends.read).toBeGreaterThan(0);
  expect(ends.state_damaged).toBeGreaterThan(trials / 2);
});

test('a page that has lost its last row is noticed, on whichever page', async () => {
  const whole = temporaryFolder();
  await recorded(whole);
  const bytes = readFileSync(join(whole, 'runs.sqlite'));
  for (let page = 0; page < bytes.length / 4096; page += 1) {
    const folder = temporaryFolder();
    cpSync(whole, folder, { recursive: true });
    // The header of a page of a tree, whose fourth and fifth byte count its rows.
    const at = page * 4096 + (page === 0 ? 100 : 0);
    const hurt = Buffer.from(bytes);
    const rows = hurt.readUInt16BE(at + 3);
    if (![2, 5, 10, 13].includes(hurt[at] ?? 0) || rows === 0) continue;
    hurt.writeUInt16BE(rows - 1, at + 3);
    writeFileSync(join(folder, 'runs.sqlite'), hurt);
    await expect(openState({ folder, host }), `page ${page + 1}`).rejects.toMatchObject({
      code: expect.stringMatching(/^state_(damaged|failed)$/),
      exit: 3,
    });
  }
});

test('a log of commits that has changed has its last commits missing, which is noticed', async () => {
  const folder = temporaryFolder();
  const state = await opened(folder);
  const run = await state.begin(newRun, [step(1)]);
  await run.intend(1, 'sending');
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  const log = readFileSync(join(copy, 'runs.sqlite-wal'));
  log[log.length - 100] = (log[log.length - 100] ?? 0) ^ 1;
  writeFileSync(join(copy, 'runs.sqlite-wal'), log);
  await expect(openState({ folder: copy, host })).rejects.toMatchObject({ code: 'state_restored' });
});
