/** The whole program in process, against answers that never touch a network: what it printed, and its exit status. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { exitStatuses } from '../../src/cli/help/topics/exit-status-topic.ts';
import { CliError } from '../../src/errors.ts';
import type { Host } from '../../src/host/host.ts';
import { main } from '../../src/main.ts';

export type Printed = { code: number; stdout: string; stderr: string };

/**
 * A folder for all inputs of a process. Files of one input may be found by the next, so each target that
 * writes has a folder of its own in it.
 */
export const home = mkdtempSync(join(tmpdir(), 'proctor-cli-fuzz-'));
/** A script ends with its process; vitest kills its own. */
export const removeHome = () => rmSync(home, { recursive: true, force: true });
process.on('exit', removeHome);
for (const folder of ['config', 'nothing']) mkdirSync(join(home, folder), { mode: 0o700 });

/** Files that lines of commands name: two to read, and what is written where a line says. */
export const written = {
  accommodations: join(home, 'list.csv'),
  roster: join(home, 'roster.csv'),
  page: join(home, 'page.html'),
  report: join(home, 'report.json'),
};
export const sampleList = 'email,extra\na@example.org,25%\nb@example.org,10m\n';
export const sampleRoster = 'email,name\na@example.org,Ada\nnew@example.org,New\n';
writeFileSync(written.accommodations, sampleList);
writeFileSync(written.roster, sampleRoster);

/** Each input begins without the files, records and locks of those before it. */
export function removeWritten(): void {
  for (const path of [written.page, written.report, join(home, 'state')]) rmSync(path, { recursive: true, force: true });
}

/** Which promise the files that a run has written break; undefined for none. */
export function brokenFiles(): string | undefined {
  const text = contentOf(written.page);
  if (control.test(text.replaceAll('\n', '')))
    return `a control character is in ${written.page}: ${control.exec(text)?.[0].codePointAt(0)?.toString(16)}`;
  if (contentOf(written.report) !== '' && !isJson(contentOf(written.report))) return 'the report is not JSON';
  return undefined;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** No command of an input may take longer: then it is told to stop, as Ctrl-C does. Milliseconds. */
const patience = 60_000;

export async function run(argv: readonly string[], dispatcher: Dispatcher, stdin = '', env: Record<string, string> = {}): Promise<Printed> {
  const printed: Printed = { code: -1, stdout: '', stderr: '' };
  const stopped = new AbortController();
  const stop = () => stopped.abort(new CliError('interrupted', 'Stopped by Ctrl-C.'));
  const timer = setTimeout(stop, patience);
  const tooLong = Promise.withResolvers<never>();
  const end = setTimeout(() => tooLong.reject(new Error('it did not end when it was told to stop')), 2 * patience);
  let sleeps = 0;
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: false,
    columns: undefined,
    async write(text: string) {
      printed[name] += text;
    },
  });
  const refused = () => Promise.reject(new Error('nothing is run here'));
  const noPrompts = { confirm: refused, text: refused, password: refused, search: refused, tick: refused } as unknown as Host['prompts'];
  const bytes = Buffer.from(stdin, 'latin1');
  const host: Host = {
    argv,
    env: {
      PROCTOR_CONFIG_DIR: join(home, 'nothing'),
      PROCTOR_STATE_DIR: join(home, 'state'),
      PROCTOR_BASE_URL: 'http://127.0.0.1:9/api/v1',
      PROCTOR_TOKEN: 'a-token-of-the-fuzz',
      PROCTOR_INSTITUTE: '7',
      ...env,
    },
    home,
    platform: 'linux',
    node: process.versions.node,
    pid: process.pid,
    machine: 'fuzz',
    stdin: {
      isTTY: false,
      text: async () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      bytes: () => Readable.from([bytes]),
    },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    now: () => Date.UTC(2026, 10, 21, 9),
    zone: () => 'Europe/Vienna',
    async sleep() {
      if (sleeps++ > 200) stop();
      await new Promise(setImmediate);
      stopped.signal.throwIfAborted();
    },
    random: () => 0.5,
    interrupted: stopped.signal,
    onCrash() {},
    prompts: noPrompts,
    plainPrompts: noPrompts,
    screen: () => {
      throw new Error('there is no screen here');
    },
    execute: refused,
    dispatcher: () => dispatcher,
  };
  try {
    printed.code = await Promise.race([main(host), tooLong.promise]);
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
  }
  if (stopped.signal.aborted && sleeps <= 200) throw new Error(`it took longer than ${patience / 1000} s`);
  return printed;
}

/** A stack, a path into the program, or an unintended value. */
const internals = /\n\s+at .*:\d+|node:internal|\/dist\/|\[object Object\]|RangeError|TypeError|ReferenceError|SyntaxError/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Which promise of every command what was printed breaks; undefined for none. `foreign`: texts of the input, which may look like anything. */
export function broken({ code, stdout, stderr }: Printed, line: readonly string[], foreign: string): string | undefined {
  if (code === 1) return `it ended with 1: ${stderr.slice(0, 200)}`;
  if (!Object.hasOwn(exitStatuses, code)) return `it ended with ${code}, which nobody has heard of`;
  const format = line[line.indexOf('-o') + 1];
  const inside = internals.exec(stderr);
  if (inside && !foreign.includes(inside[0].trim())) return `it printed what is inside of it: ${inside[0]}`;
  const forProgram = line.includes('-o') && ['json', 'ndjson'].includes(format ?? '');
  if (!forProgram && control.test(stderr))
    return `a control character reached stderr: ${control.exec(stderr)?.[0].codePointAt(0)?.toString(16)}`;
  if (code !== 0 && stderr.trim() === '') return `it ended with ${code} and said nothing`;
  // Help is text, whatever the format.
  const helps = line.includes('--help') || line.includes('-h');
  if (line.includes('-o') && format === 'json' && stdout !== '' && code === 0 && !helps && !isJson(stdout))
    return 'what it printed with -o json is not JSON';
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
