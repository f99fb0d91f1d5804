/** The settings say where the record is: each command opens it from them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createContext } from '../../src/cli/run/context.ts';
import { owner } from '../support/cluster.ts';
import { hostOf, temporaryFolder } from '../support/run.ts';
import { newTeam, skipped } from './record-world.ts';

const noFlags = { force: false, yes: false, noInput: false, dryRun: false, quiet: false, debug: false, noColor: false, plain: false };

/** Where it is, what it is made with, and whether anything is in the state folder. */
async function recordOf(env: Record<string, string>) {
  const host = hostOf({ env: { PROCTOR_STATE_DIR: '', ...env } });
  const context = await createContext(host, { ...noFlags, showSecrets: false });
  const record = await context.record();
  expect(await context.record()).toBe(record);
  const [place, key] = [record.place, record.keys.studentKey('ada@example.org')];
  await context.close();
  const folder = join(host.home, '.local', 'state', 'proctor-cli');
  return { place, key, folder, hasFolder: existsSync(folder), keyFile: join(folder, 'runs.key') };
}

test('on this machine, in the folder that is named, with a key of its own or the one that is named; or nowhere', async () => {
  const local = await recordOf({});
  expect(local.place).toBe(join(local.folder, 'record.sqlite'));
  const other = await recordOf({ PROCTOR_STATE_KEY_FILE: local.keyFile });
  expect([other.key, existsSync(other.keyFile)]).toEqual([local.key, false]);
  const chosen = join(temporaryFolder(), 'runs');
  expect(await recordOf({ PROCTOR_STATE: chosen })).toMatchObject({ place: join(chosen, 'record.sqlite'), hasFolder: false });
  expect(await recordOf({ PROCTOR_STATE: 'none' })).toMatchObject({ place: 'none', hasFolder: false });
});

test.skipIf(skipped !== undefined)('in a team’s database, with the environment’s password and the key of another machine', async () => {
  const { url = '' } = await newTeam();
  const first = await recordOf({ PROCTOR_STATE: url, PGPASSWORD: owner.password });
  expect(first).toMatchObject({ place: url, hasFolder: true });
  const second = await recordOf({ PROCTOR_STATE: url, PGPASSWORD: owner.password, PROCTOR_STATE_KEY_FILE: first.keyFile });
  expect([second.key, second.hasFolder]).toEqual([first.key, false]);
});
