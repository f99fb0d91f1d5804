/** What people are shown of the state, and when one that was restored is accepted. */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acceptState, openState, stateStatus } from '../../src/state/open-state.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { host, newRun, opened, steps } from './state-world.ts';

/** A folder whose database is from before its last commits. */
async function restored({ open = false } = {}) {
  const folder = temporaryFolder();
  const state = await opened(folder);
  const first = await state.begin(newRun, steps(1));
  await first.close(open ? 'open' : 'finished');
  await state.close();
  copyFileSync(join(folder, 'runs.sqlite'), join(folder, 'backup'));
  const later = await opened(folder);
  await (await later.begin(newRun, steps(1))).close('finished');
  await later.close();
  copyFileSync(join(folder, 'backup'), join(folder, 'runs.sqlite'));
  return { folder, id: first.run.id };
}

describe('the status', () => {
  test('makes nothing where there is nothing', async () => {
    const folder = temporaryFolder();
    const nothing = {
      place: join(folder, 'runs.sqlite'),
      standing: 'none',
      size: 0,
      schema: null,
      runs: 0,
      open: [],
      locks: [],
      movedTo: '',
    };
    expect(await stateStatus({ folder, host })).toEqual(nothing);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('names open runs, and locks with their holders', async () => {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const held = await state.begin(newRun, steps(1));
    await (await state.begin(newRun, steps(1))).close('finished');
    const status = await stateStatus({ folder, host });
    expect(status).toMatchObject({ standing: 'ready', schema: 1, runs: 2, open: [{ id: held.run.id }] });
    expect(status.size).toBeGreaterThan(4096);
    expect(status.locks).toEqual([
      {
        name: `run-${held.run.id}`,
        holder: { pid: process.pid, machine: 'build-7', since: expect.any(Number), command: 'sessions import', run: held.run.id },
      },
    ]);
  });
});

describe('a restored state', () => {
  test('is accepted with no open run in it; an older one is known again afterwards', async () => {
    const { folder } = await restored();
    expect(await stateStatus({ folder, host })).toMatchObject({ standing: 'restored', runs: 1 });
    expect(await acceptState({ folder, host })).toBe(true);
    expect(await acceptState({ folder, host })).toBe(false);
    await (await openState({ folder, host })).close();
    copyFileSync(join(folder, 'backup'), join(folder, 'runs.sqlite'));
    await expect(openState({ folder, host })).rejects.toMatchObject({ code: 'state_restored' });
  });

  test('is accepted once what can be seen of its open runs has been; what stays unknown keeps its run open', async () => {
    const { folder, id } = await restored({ open: true });
    const blind = acceptState({ folder, host }, () => Promise.reject(new Error('the service is away')));
    await expect(blind).rejects.toThrow('away');
    await expect(openState({ folder, host })).rejects.toMatchObject({ code: 'state_restored' });
    const seen = acceptState({ folder, host }, async (state) => {
      const held = await state.take(id, 'grace@build-8');
      held.record({ n: 1, event: 'unknown' });
      await held.close('open');
    });
    expect(await seen).toBe(true);
    const state = await openState({ folder, host });
    expect(await state.runs()).toMatchObject([{ id, state: 'open' }]);
    await state.close();
  });

  test('that is missing is begun anew once that is accepted', async () => {
    const { folder } = await restored();
    rmSync(join(folder, 'runs.sqlite'));
    expect(await stateStatus({ folder, host })).toMatchObject({ standing: 'missing', runs: 0 });
    expect(await acceptState({ folder, host })).toBe(true);
    expect(await stateStatus({ folder, host })).toMatchObject({ standing: 'none' });
    expect(await (await opened(folder)).runs()).toEqual([]);
  });
});

describe('the commands', () => {
  test.each([
    ['the key', 'runs.key', /its key \S+ is missing/],
    ['the content', 'runs.sqlite', /it is not a database/],
  ])('describe a state that has lost %s: place, size, what is wrong', async (_what, name, why) => {
    const { folder } = await restored();
    if (name === 'runs.key') rmSync(join(folder, name));
    else writeFileSync(join(folder, name), 'nothing '.repeat(2000));
    const env = { PROCTOR_STATE_DIR: folder };
    const { code, stdout, stderr } = await run(['state', 'status', '-o', 'json'], { env });
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({
      place: join(folder, 'runs.sqlite'),
      standing: 'damaged',
      runs: null,
      problem: expect.stringMatching(why),
    });
    expect(shown.size).toBeGreaterThan(4096);
    expect([code, stderr]).toEqual([3, expect.stringContaining('earlier runs, open ones included, are lost here')]);
  });

  test('show people sizes with their unit and the open runs by ID', async () => {
    const { folder, id } = await restored({ open: true });
    const { stdout } = await run(['state', 'status', '-o', 'table'], { env: { PROCTOR_STATE_DIR: folder } });
    expect(stdout).not.toContain('Problem');
    expect(stdout).toMatch(/^Size +\d+(\.\d)? kB$/m);
    expect(stdout).toMatch(new RegExp(`^Open +${id}$`, 'm'));
  });

  test('say of a new record that begins in place of a lost one what it does not know', async () => {
    const { folder } = await restored();
    rmSync(join(folder, 'runs.sqlite'));
    const { stderr } = await run(['state', 'accept'], { env: { PROCTOR_STATE_DIR: folder } });
    expect(stderr).toContain('Earlier runs, open ones included, are not known here.');
  });

  test('show the state as JSON, and accept a restored one', async () => {
    const home = temporaryFolder();
    const { folder } = await restored();
    const env = { PROCTOR_STATE_DIR: folder };
    const shown = await run(['state', 'status', '-o', 'json'], { home, env });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      place: join(folder, 'runs.sqlite'),
      standing: 'restored',
      runs: 1,
      open_runs: [],
      locks: [],
    });
    const accepted = await run(['state', 'accept', '-o', 'json'], { home, env });
    expect([accepted.code, JSON.parse(accepted.stdout).standing]).toEqual([0, 'ready']);
    expect(accepted.stderr).toContain('Accepted: commands record their runs here again.');
    expect((await run(['state', 'accept'], { home, env })).stderr).toContain('There was nothing to accept.');
  });

  test('name open runs and locks, and accept nothing while it cannot be seen what became of them', async () => {
    const { folder, id } = await restored({ open: true });
    const env = { PROCTOR_STATE_DIR: folder };
    const status = await run(['state', 'status'], { env });
    expect(status.stderr).toContain(`Open: run ${id} (sessions import --exam 42)`);
    const refused = await run(['state', 'accept'], { env });
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect((await stateStatus({ folder, host })).standing).toBe('restored');
    expect((await run(['state', 'status'], { env: { ...env, PROCTOR_STATE: 'none' } })).code).toBe(3);
  });
});
