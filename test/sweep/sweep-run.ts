/** One run of a sweep: a command of the table in a drawn world with secrets in all places, and what was found of them. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliError } from '../../src/errors.ts';
import { formats } from '../../src/model/format.ts';
import { allCommands } from '../cli/all-commands.ts';
import { wordsOf } from '../commands/embedded.ts';
import { Random } from '../fuzz/random.ts';
import { type Run, run, type World } from '../support/run.ts';
import { foundIn, type Kind, type Planted, plant } from './planted.ts';
import { type Shape, shapes, sweptService } from './service.ts';

/** A secret found in a forbidden place. */
export type Finding = { what: string; where: string; line: string };

const local = new Set(['sandbox serve', 'sandbox play', 'sandbox reset', 'auth token', 'auth logout', 'profiles remove']);
const lines = allCommands.flatMap(({ name, examples }) => (local.has(name) ? [] : examples.map(({ line }) => line)));
/** Lines that no example has. */
const further = [
  'proctor-cli api GET /exams/1',
  'proctor-cli api POST /exams/1/add_student -F email=a@example.org',
  'proctor-cli sessions import ROSTER --exam 1 --report REPORT --rejects REJECTS',
  'proctor-cli sessions import ROSTER --exam 1 --update',
  'proctor-cli exams report 1 --html PAGE',
  'proctor-cli exams get 1 --columns help',
  'proctor-cli __complete : exams get :',
];

const sources = ['variable', 'file', 'stored', 'command'] as const;
const tokenOf = { variable: 'tokenVariable', file: 'tokenFile', stored: 'storedToken', command: 'commandToken' } as const;

/** `requests`: how many the service got. */
export type Swept = { findings: Finding[]; requests: number };

/** Draws a run from a seed and makes it; `built`: by the built program, in a process of its own. */
export async function sweepRun(seed: number, index: number, { built }: { built: boolean }): Promise<Swept> {
  const random = new Random(seed * 7919 + index);
  const planted = plant(random);
  const source = random.pick(sources);
  const home = mkdtempSync(join(tmpdir(), 'proctor-cli-sweep-'));
  // Mostly answers that lead on, so that commands come to their end.
  const among: readonly Shape[] = random.chance(0.5) ? ['whole', 'listed', 'wrapped'] : shapes;
  const service = await sweptService(random, { planted, echoed: [tokenOf[source], 'otherToken'] }, among);
  try {
    const { argv, world } = prepared(random, { planted, source, home, origin: service.origin });
    const printed = built ? await inItsOwnProcess(argv, world) : await run(argv, world);
    const line = `${source}: ${argv.join(' ').replace(/\s+/g, ' ').slice(0, 200)}`;
    const found = [...judgedOutput(printed, planted, argv, world.tty === true && !built), ...judgedFiles(home, planted)];
    return { findings: found.map((finding) => ({ ...finding, line })), requests: service.requests() };
  } finally {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  }
}

type Drawn = { planted: Record<Kind, Planted>; source: (typeof sources)[number]; home: string; origin: string };

function prepared(random: Random, { planted, source, home, origin }: Drawn): { argv: string[]; world: World } {
  const { otherToken, storedToken, commandToken, tokenVariable, tokenFile, proxyPassword, bodyKey } = planted;
  const config = join(home, 'config');
  mkdirSync(config, { mode: 0o700 });
  const ofProfile =
    source === 'stored'
      ? { token: storedToken.value }
      : source === 'command'
        ? { tokenCommand: JSON.stringify(['cat', join(home, 'printed')]) }
        : {};
  const profiles = {
    default: { baseUrl: `${origin}/api/v1`, logFile: join(home, logName), ...ofProfile },
    old: { baseUrl: 'https://old.example.org/api/v1', token: otherToken.value },
  };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'default', profiles }), { mode: 0o600 });
  writeFileSync(join(home, 'token'), `${tokenFile.value}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'printed'), `${commandToken.value}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'roster.csv'), `email,name,password\nada@example.org,Ada,${bodyKey.value.replace(/["',;]/g, '')}\nbad,B,x\n`);
  const places: Record<string, string> = { ROSTER: 'roster.csv', REPORT: 'report.json', REJECTS: 'rejects.csv', PAGE: 'page.html' };
  const line = random.pick([...lines, ...further, ...further]).split(' | ')[0] ?? '';
  const [, ...words] = wordsOf(line.replace(/ (<|>>?) .*/, ''));
  const argv = words.map((word) =>
    places[word]
      ? join(home, places[word])
      : /^[\w-]+\.(csv|xlsx|json|html|zip|txt)$/.test(word)
        ? join(home, word.replace(/^.*\.(csv|xlsx|zip|txt)$/, 'roster.csv'))
        : word,
  );
  const tty = random.chance(0.4);
  if (argv[0] !== '__complete') {
    if (!argv.includes('-o') && !argv.includes('--output')) argv.push('-o', random.pick(formats));
    if (random.chance(0.5)) argv.push('--debug');
    if (!argv.includes('--yes')) argv.push('--yes');
    if (random.chance(0.1)) argv.push('--base-url', `https://ada:${proxyPassword.value}@example.org`);
    if (random.chance(0.1) && argv.includes('exams')) argv.push('-F', `api_token=${bodyKey.core}`);
  }
  const env: Record<string, string> = {
    HTTPS_PROXY: `http://jo:${encodeURIComponent(proxyPassword.value)}@127.0.0.1:9`,
    PROCTOR_INSTITUTE: '3',
    NO_COLOR: '1',
    ...(source === 'variable' ? { PROCTOR_TOKEN: tokenVariable.value, PROCTOR_BASE_URL: origin } : {}),
    ...(source === 'file' ? { PROCTOR_TOKEN_FILE: join(home, 'token'), PROCTOR_BASE_URL: origin } : {}),
  };
  const stop = new AbortController();
  let waits = 0;
  const world: World = {
    home,
    tty,
    columns: random.pick([40, 80, 120]),
    env,
    stdin: random.pick(['', '7\n8\n', '{"name":"x"}']),
    interrupt: stop.signal,
    onSleep() {
      waits += 1;
      if (waits > 6) stop.abort(new CliError('interrupted', 'Stopped by the sweep.'));
    },
    answers: [origin, tokenVariable.value],
    execute: async () => commandToken.value,
    shell: async () => {},
  };
  return { argv, world };
}

function inItsOwnProcess(argv: string[], { home = '', env, stdin = '' }: World): Promise<Run> {
  const folders = {
    HOME: home,
    PROCTOR_CONFIG_DIR: join(home, 'config'),
    PROCTOR_STATE_DIR: join(home, 'state'),
    XDG_CACHE_HOME: join(tmpdir(), 'proctor-cli-sweep-cache'),
  };
  const printed: Run = { code: -1, stdout: '', stderr: '', questions: [], refusals: [], offered: [] };
  return new Promise((done) => {
    const child = spawn(process.execPath, [resolve('bin/proctor-cli.js'), ...argv], {
      cwd: home,
      env: { PATH: process.env.PATH, ...folders, ...env },
    });
    const over = setTimeout(() => child.kill('SIGINT'), 8000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed.stderr += text;
    });
    child.stdin.on('error', () => {}).end(stdin);
    child.on('close', (code) => {
      clearTimeout(over);
      done({ ...printed, code: code ?? -1 });
    });
  });
}

/** What draws a watch on a whole screen; the service's own sequences stand beside its words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const drawing = /\u001b\[2J(?=\u001b)|\u001b\[\d+;1H\u001b\[2K/g;

function judgedOutput({ stdout, stderr, questions, offered, code }: Run, planted: Record<Kind, Planted>, argv: string[], tty: boolean) {
  const findings: Omit<Finding, 'line'>[] = [];
  const told = [stderr, ...questions, ...offered.flat()].join('\n');
  for (const [where, text] of Object.entries({ stdout, stderr: told })) {
    for (const kind of foundIn(text, Object.values(planted))) findings.push({ what: `secret ${kind}`, where });
  }
  if (code === 1) findings.push({ what: 'an internal fault', where: stderr.slice(0, 300) });
  // Data in a pipe keeps every character of CSV; everything else is fit for a terminal.
  const raw = !tty && /-o csv/.test(argv.join(' '));
  const screened = [told, raw ? '' : stdout]
    .join('\n')
    .replaceAll('\r\u001b[K', '')
    .replace(drawing, (each) => (tty && argv[1] === 'watch' ? '' : each))
    .replaceAll('\u0007', tty && argv.includes('--bell') ? '' : '\u0007')
    .replace(/\r\n/g, '\n');
  const command = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029\u200b\u00ad\u3164\u{e0041}]/u.exec(screened);
  if (command)
    findings.push({
      what: `U+${command[0].codePointAt(0)?.toString(16)}`,
      where: screened.slice(Math.max(0, command.index - 60), command.index + 20),
    });
  for (const line of told.split('\n'))
    if (/^\s*(hint: (Log in with: curl|LURE)|error: LURE)/.test(line))
      findings.push({ what: 'a line of the service', where: line.slice(0, 80) });
  return findings;
}

const logName = 'log.ndjson';

/** All that is left behind, but for the configuration, where tokens are kept, and what was there before. */
function judgedFiles(home: string, planted: Record<Kind, Planted>) {
  const given = new Set(['config/config.json', 'token', 'printed', 'roster.csv']);
  return (readdirSync(home, { recursive: true }) as string[]).flatMap((name) => {
    const path = join(home, name);
    if (given.has(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const text = readFileSync(path, 'latin1');
    const person = name === logName && /@|%40|example/i.test(text) ? [{ what: 'an address', where: name }] : [];
    return [...person, ...foundIn(text, Object.values(planted)).map((kind) => ({ what: `secret ${kind}`, where: name }))];
  });
}
