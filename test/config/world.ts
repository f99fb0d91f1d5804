/** A world for the tests of settings: a folder of its own, and everything else made up. */
import { join } from 'node:path';
import type { Globals } from '../../src/command.ts';
import type { Host } from '../../src/host/host.ts';
import { temporaryFolder } from '../support/run.ts';

const unexpected = (what: string) => () => {
  throw new Error(`The test did not expect ${what}.`);
};

type Options = { env?: Record<string, string>; execute?: Host['execute'] };

/** A host without a terminal, whose configuration is in a fresh folder. */
export function world({ env = {}, execute = unexpected('a program') }: Options = {}): Host {
  const home = temporaryFolder();
  const stream = { isTTY: false, columns: undefined, write: async () => {} };
  return {
    argv: [],
    env: { PROCTOR_CONFIG_DIR: join(home, 'conf'), ...env },
    home,
    platform: 'linux',
    node: process.versions.node,
    pid: 1,
    machine: 'test',
    stdin: { isTTY: false, text: unexpected('stdin'), bytes: unexpected('stdin') },
    stdout: stream,
    stderr: stream,
    now: () => 0,
    zone: () => 'UTC',
    sleep: async () => {},
    random: () => 0,
    interrupted: new AbortController().signal,
    prompts: {} as never,
    plainPrompts: {} as never,
    screen: unexpected('a screen'),
    execute,
    onCrash() {},
  };
}

export const noGlobals: Globals = {
  yes: false,
  noInput: false,
  dryRun: false,
  quiet: false,
  debug: false,
  noColor: false,
  plain: false,
  showSecrets: false,
};
