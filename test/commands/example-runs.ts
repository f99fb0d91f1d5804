/**
 * Runs the examples of the table, each in a home of its own: on the embedded service, where it needs
 * one, logged in to another, for what shows runs or mails, with some behind it, and with a new
 * database of a team, where it makes one. A command that lasts is interrupted.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Command } from '../../src/command.ts';
import { CliError, errorTable } from '../../src/errors.ts';
import { newExecution, rowOf } from '../../src/runs/execution.ts';
import { nobody, nothingRequired, StepList } from '../../src/runs/steps/step.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { allCommands } from '../cli/all-commands.ts';
import { openAt } from '../record/plain-record.ts';
import { type Run, run, temporaryFolder, type World } from '../support/run.ts';
import { freshHome, withSamples, wordsOf } from './embedded.ts';

export const examples = allCommands.flatMap((command) => Object.keys(command.examples).map((line) => [line, command] as const));
/** The first example of each command. */
export const firstExamples = examples.filter(([line, command]) => line === Object.keys(command.examples)[0]);

/** Commands that print nothing. */
export const silent = new Set(['auth login', 'auth logout', 'auth switch', 'config set', 'config unset']);
/** Commands that print one thing, or whatever the service answers. */
const notLists = new Set([
  ...['exams get', 'sessions get', 'sessions import', 'students show', 'api', 'runs show', 'runs close'],
  ...['auth token', 'config get', 'sandbox reset', 'completion'],
]);
/** Commands that run until they are stopped. */
export const lasting = new Set(['sandbox serve', 'sessions watch']);

/** Checks, whose status is 11 if they find differences: the embedded service has some. */
const finding = new Set(['accommodations apply', 'exams apply', 'preflight']);

/** The statuses that an example may end with. */
export function statusesOf({ name }: Command, lasts = false): number[] {
  return [0, ...(lasts ? [130] : []), ...(finding.has(name) ? [errorTable.differences.exit] : [])];
}

/** The first example of each command that lists, and changes nothing. */
export const listExamples = firstExamples.filter(
  ([line, { name, effect }]) =>
    !silent.has(name) &&
    !notLists.has(name) &&
    !lasting.has(name) &&
    (effect === 'read' || effect === 'local' || line.includes('--dry-run')),
);

/** So often may an example wait before it counts as one that lasts. */
const waitsAtMost = 25;

/** The differences from the example: more options, other words, and a world. */
type Otherwise = Pick<World, 'env' | 'tty' | 'columns'> & { options?: readonly string[]; words?(words: string[]): string[] };

export type ExampleRuns = {
  /** `lasts`: the command would have run forever, and was interrupted. */
  run(line: string, command: Command, otherwise?: Otherwise): Promise<Run & { lasts: boolean }>;
  close(): Promise<void>;
};

/** `runner` takes each line to its end; by itself, in process. */
export async function startExamples(runner = run): Promise<ExampleRuns> {
  const sandbox = await startSandbox({ folder: temporaryFolder() });
  const loggedIn = temporaryFolder();
  const login = await run(['auth', 'login', '--base-url', sandbox.baseUrl, '--with-token'], { home: loggedIn, stdin: sandbox.token });
  if (login.code !== 0) throw new Error(login.stderr);
  let made: ReturnType<typeof homeWithRecords> | undefined;
  const recorded = () => {
    made ??= homeWithRecords();
    return made;
  };
  return {
    close: () => sandbox.close(),
    async run(line, command, { options = [], words = (same: string[]) => same, ...otherwise } = {}) {
      const [first = ''] = line.replace(/^source <\((.*)\)$/, '$1').split(' | ');
      const [program, ...argv] = withSamples(wordsOf(first.replace(/ (<|>>?) .*/, '')));
      if (program !== 'proctor-cli') throw new Error(`Not a line of this program: ${line}`);
      const noun = command.name.split(' ')[0];
      const records = noun === 'runs' || command.name === 'sandbox outbox' ? await recorded() : undefined;
      const home = records ? temporaryFolder() : freshHome();
      if (records) cpSync(records.home, home, { recursive: true });
      cpSync(loggedIn, home, { recursive: true });
      // A missing file named in an example is one that it writes.
      for (const [index, word] of argv.entries()) {
        if (/^[\w-]+\.(html|csv|json|xml)$/.test(word) && !existsSync(word)) argv[index] = join(home, word);
      }
      const stop = new AbortController();
      const interrupt = () => stop.abort(new CliError('interrupted', 'Stopped by the test.'));
      if (command.name === 'sandbox serve') interrupt();
      const profile = ['auth', 'config'].includes(argv[0] ?? '') ? [] : ['--profile', 'sandbox'];
      const address = line.includes('--with-token') ? ['--base-url', sandbox.baseUrl] : [];
      const port = command.name === 'sandbox serve' ? ['--port', '0'] : [];
      const name = argv.findIndex((word) => /^\d{8}T\d{6}-/.test(word));
      if (name >= 0) argv[name] = records?.runs[command.name] ?? '';
      let waits = 0;
      const world: World = {
        ...otherwise,
        home,
        interrupt: stop.signal,
        onSleep() {
          waits += 1;
          if (waits > waitsAtMost) interrupt();
        },
        ...(line === 'proctor-cli auth login'
          ? { tty: true, answers: [sandbox.baseUrl, sandbox.token, '', ''] }
          : { stdin: line.includes('import - ') ? 'email\nada@example.org\n' : sandbox.token }),
      };
      const typed = [profile, address, port, ...optionsIn(options)].reduce(withOption, words(argv));
      const printed = await runner(typed, world);
      return { ...printed, lasts: waits > waitsAtMost };
    },
  };
}

/** The same for all tests of a file. */
export function examplesOfFile(): Pick<ExampleRuns, 'run'> {
  let started: ExampleRuns | undefined;
  beforeAll(async () => {
    started = await startExamples();
  });
  afterAll(() => started?.close());
  return { run: (...given) => (started as ExampleRuns).run(...given) };
}

type Records = {
  home: string;
  /** The run that the example of each command is about. */
  runs: Readonly<Record<string, string>>;
};

/**
 * A home with the mails of an exam and runs: a change that is finished; one that was killed before its first request; and an import of
 * which lines 3 and 4 are open: their sessions show other addresses, so that only a person can see what became of them.
 */
async function homeWithRecords(): Promise<Records> {
  const home = freshHome();
  const done = async (line: string, stdin?: string): Promise<Record<string, unknown>[]> => {
    const argv = ['--profile', 'sandbox', ...line.split(' '), '-o', 'json'];
    const { code, stdout, stderr } = await run(argv, { home, ...(stdin ? { stdin } : {}) });
    if (code !== 0) throw new Error(stderr);
    return [JSON.parse(stdout)].flat();
  };
  await done('sessions import - --exam 6 --yes', 'email\numa@example.org\nvic@example.org\nwim@example.org\n');
  await done('exams send-emails 2 --resend --yes');
  await done('sessions extend --exam 5 --by +30m --yes');
  const listed = await done('runs list');
  const [extended, imported] = ['sessions extend', 'sessions import'].map(
    (kind) => listed.find((row) => String(row.command).startsWith(kind))?.run,
  );
  const sessions = await done('sessions list --exam 6');
  const [session, next] = ['vic', 'wim'].map((name) => sessions.find(({ email }) => email === `${name}@example.org`)?.id);
  await done(`sessions update ${session} --email vic@example.net`);
  await done(`sessions update ${next} --email wim@example.net`);
  if (typeof extended !== 'string' || typeof imported !== 'string' || session === undefined)
    throw new Error('The import, the change or the session is missing.');
  const killed = await openRuns(home, imported, [3, 4]);
  return { home, runs: { 'runs show': imported, 'runs close': imported, 'runs undo': extended, 'runs resume': killed } };
}

/** Opens lines of an import again, and records a run that is killed before it sends anything; the ID of the latter. */
async function openRuns(home: string, imported: string, lines: readonly number[]): Promise<string> {
  const record = await openAt({ folder: join(home, 'state') });
  try {
    const held = await record.take(await record.run(imported));
    const rows = (await record.steps(imported)).filter(({ line }) => lines.includes(line ?? 0));
    // Long ago: nothing of them can come late.
    const open = { state: 'unknown', reason: null, seen: false, id: null, ours: false };
    await held.save(rows.map((row) => ({ ...row, ...open, at: row.at - 600_000 })));
    await held.close('open');
    const closing = { close_time: '2127-02-01T10:00:00Z' };
    const steps = new StepList();
    const previous = { close_time: null };
    const requires = { ...nothingRequired, target: previous };
    const draft = { kind: 'update', resource: 'session', id: '7', exam: undefined, method: 'PATCH', student: nobody } as const;
    steps.add({ ...draft, body: closing, requires, previous });
    const header = { origin: 'sandbox', profile: 'sandbox', kind: 'sessions times', who: 'ada@desk', undoOf: null, more: {} };
    const killed = await record.startRun({ ...header, command: 'sessions update 7', digest: 'killed' }, [
      ...steps.all.map((step) => rowOf(newExecution(step, 0), record)),
    ]);
    await killed.close('open');
    return killed.run.id;
  } finally {
    await record.close();
  }
}

/** Each option with its value, if it has one. */
function optionsIn(words: readonly string[]): string[][] {
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    return word.startsWith('-') ? [next === undefined || next.startsWith('-') ? [word] : [word, next]] : [];
  });
}

/** A line with this option: in place of the value that it has there, or after all else. */
function withOption(argv: string[], [option, value]: string[]): string[] {
  const at = argv.indexOf(option ?? '');
  if (option === undefined || (at >= 0 && value === undefined)) return argv;
  return at < 0 ? [...argv, option, ...(value === undefined ? [] : [value])] : argv.with(at + 1, value ?? '');
}
