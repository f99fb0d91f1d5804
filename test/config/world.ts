/** A world for the tests of this room: a folder of its own, and everything else made up. */
import { join } from 'node:path';
import type { Client } from '../../src/api/client.ts';
import type { Context, Globals } from '../../src/command.ts';
import { resolveSettings, type Settings } from '../../src/config/settings.ts';
import type { Host } from '../../src/host/host.ts';
import { Secrets } from '../../src/model/secrets.ts';
import { temporaryFolder } from '../support/run.ts';

const unexpected = (what: string) => () => {
  throw new Error(`The test did not expect ${what}.`);
};

type Options = { env?: Record<string, string>; terminal?: boolean; stdin?: string; answers?: string[]; execute?: Host['execute'] };

/** A host whose configuration is in a fresh folder, and whose terminal types `answers`. */
export function world({
  env = {},
  terminal = false,
  stdin = '',
  answers = [],
  execute = unexpected('a program'),
}: Options = {}): Host & { questions: string[] } {
  const home = temporaryFolder();
  const questions: string[] = [];
  const answer = (message: string) => {
    questions.push(message);
    return answers.shift() ?? unexpected(`the question "${message}"`)();
  };
  const stream = { isTTY: terminal, columns: undefined, write: async () => {} };
  return {
    argv: [],
    env: { PROCTOR_CONFIG_DIR: join(home, 'conf'), ...env },
    home,
    platform: 'linux',
    node: process.versions.node,
    pid: 1,
    machine: 'test',
    stdin: { isTTY: terminal, text: async () => stdin, bytes: unexpected('the bytes of stdin') },
    stdout: stream,
    stderr: stream,
    now: () => 0,
    zone: () => 'UTC',
    sleep: async () => {},
    random: () => 0,
    interrupted: new AbortController().signal,
    prompts: {
      confirm: async (message) => answer(message) === 'yes',
      text: async (message, options) => {
        const text = answer(message);
        const problem = await options?.check?.(text);
        if (problem) throw new Error(problem);
        return text;
      },
      password: async (message) => answer(message),
      search: unexpected('a picker'),
      tick: unexpected('a list to tick'),
    },
    plainPrompts: unexpected('a plain question') as never,
    screen: unexpected('a screen'),
    execute,
    onCrash() {},
    questions,
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

/** A context whose client answers every list as `exams` does; `said` is what a person was told. */
export function contextOf(host: Host, given: Partial<Globals> = {}, exams: (settings: Settings) => AsyncGenerator<never> = nothing) {
  const globals = { ...noGlobals, ...given };
  const said: string[] = [];
  const connected: Settings[] = [];
  const context: Context = {
    host,
    globals,
    settings: () => resolveSettings(host, globals),
    place: unexpected('a place'),
    zone: unexpected('a zone'),
    client: unexpected('a client'),
    say: (text) => void said.push(text),
    warn: (text) => void said.push(text),
    secrets: new Secrets(),
    progress: unexpected('progress'),
    whileWaiting: (work) => work(),
    uninterruptedClient: unexpected('a client'),
    record: unexpected('the record'),
    recorded: unexpected('a recorded command'),
    format: 'table',
    connect: async (settings) => {
      connected.push(settings);
      const none = { status: 200, headers: {}, data: [], sent: 0, received: 0 };
      return { pages: () => exams(settings), read: async () => none } as unknown as Client;
    },
    confirm: async (question) => {
      if (!globals.yes && !(await host.prompts.confirm(await question()))) throw new Error('refused');
    },
    read: unexpected('a file'),
    outputRule: unexpected('the rule for files'),
    time: unexpected('a time'),
  };
  return { context, said, connected };
}

async function* nothing(): AsyncGenerator<never> {}
