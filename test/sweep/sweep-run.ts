/** One run of a sweep: a command of the table in a drawn world with secrets in all places, and what was found of them. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const local = new Set(['sandbox serve', 'sandbox reset', 'auth token', 'auth logout']);
/** The longest first: one is the beginning of another. */
const names = allCommands.map(({ name }) => name).sort((one, other) => other.length - one.length);
const lines = allCommands.flatMap(({ name, examples }) => (local.has(name) ? [] : examples.map(({ line }) => line)));
/** Lines that no example has: what writes files, and what comes to its end at this service, whose exam is 1 and whose sessions are 7 and 8. */
const further = [
  'proctor-cli api GET /exams/1',
  'proctor-cli api POST /exams/1/add_student -F email=a@example.org',
  'proctor-cli sessions import roster.csv --exam 1 --result report.json --rejects rejects.csv',
  'proctor-cli sessions import roster.csv --exam 1 --update',
  'proctor-cli sessions import roster.csv --exam 1 --remove-missing --max-removals 2',
  'proctor-cli exams report 1 --html page.html',
  'proctor-cli exams get 1 --columns help',
  'proctor-cli __complete : exams get :',
  'proctor-cli __complete : sessions get :',
  'proctor-cli accommodations check accommodations.json --exam 1',
  'proctor-cli accommodations apply accommodations.json --exam 1',
  'proctor-cli preflight --exam 1',
  'proctor-cli preflight --exam 1 --exam 2 --strict --min-proctors 1/20',
  'proctor-cli exams shift 1 --by 7d --timezone Europe/Vienna',
  'proctor-cli exams delay 1 --by 15m',
  'proctor-cli exams clone 1 --start 2027-09-01T09:00Z --with-students',
  'proctor-cli sessions move 7 8 --exam 2',
  'proctor-cli sessions extend --exam 1 --by 10m',
  'proctor-cli sessions update 7 --close-time 2027-02-01T09:00Z --during-exam REASON',
  'proctor-cli exams delete 1 --during-exam REASON',
];

const sources = ['variable', 'file', 'stored', 'command'] as const;
const tokenOf = { variable: 'tokenVariable', file: 'tokenFile', stored: 'storedToken', command: 'commandToken' } as const;

/** `requests`: how many the service got. */
export type Swept = { findings: Finding[]; requests: number; command: string; code: number };

/** Draws a run from a seed and makes it, and often one that takes it back or resumes it. */
export async function sweepRun(seed: number, index: number): Promise<Swept[]> {
  const random = new Random(seed * 7919 + index);
  const planted = plant(random);
  const source = random.pick(sources);
  const home = mkdtempSync(join(tmpdir(), 'proctor-cli-sweep-'));
  // Mostly answers that lead on, so that commands come to their end.
  const among: readonly Shape[] = random.chance(0.5) ? ['whole', 'listed', 'wrapped'] : shapes;
  const service = sweptService(random, { planted, echoed: [tokenOf[source], 'otherToken'] }, among);
  try {
    const { argv, world } = prepared(random, { planted, source, home, origin: service.origin });
    const swept = async (words: string[]): Promise<Swept> => {
      const before = service.arrived.length;
      const printed = await run(words, { ...world, dispatcher: service.dispatcher });
      const line = `${source}: ${words.join(' ').replace(/\s+/g, ' ').slice(0, 200)}`;
      const requests = service.arrived.length - before;
      const found = [...judgedOutput(printed, planted, words, world.tty === true), ...judgedFiles(home, planted)];
      const command = names.find((name) => words.join(' ').startsWith(name)) ?? words[0] ?? '';
      return { findings: found.map((finding) => ({ ...finding, line })), requests, command, code: printed.code };
    };
    const first = await swept(argv);
    const next = wayBack(random, home, argv);
    return next === undefined ? [first] : [first, await swept(next)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A command for the record that a run has left, with the options of the first; undefined where there is none. */
function wayBack(random: Random, home: string, argv: readonly string[]): string[] | undefined {
  const kind = random.pick(['changes', 'imports'] as const);
  const folder = join(home, 'state', kind);
  const runs = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
  const [id] = runs.flatMap((name) => /\d{8}T\d{6}-[\da-f]{6}(?=\.ndjson$)/.exec(name)?.[0] ?? []);
  if (id === undefined) return undefined;
  const verb = random.pick(kind === 'changes' ? ['undo', 'undo', 'resume', 'show'] : ['undo', 'undo', 'show']);
  const options = argv
    .slice(argv.findLastIndex((word) => word === '-o' || word === '--output'))
    .filter((word) => !word.startsWith('--base-url'));
  return [kind, verb, id, ...options, ...(options.includes('--yes') ? [] : ['--yes'])];
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
    default: { baseUrl: `${origin}/api/v1`, ...ofProfile },
    old: { baseUrl: 'https://old.example.org/api/v1', token: otherToken.value },
  };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'default', profiles }), { mode: 0o600 });
  writeFileSync(join(home, 'token'), `${tokenFile.value}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'printed'), `${commandToken.value}\n`, { mode: 0o600 });
  const secretCell = bodyKey.value.replace(/["',;]/g, '');
  const wrongRow = random.chance(0.5) ? 'bad,B,x\n' : '';
  writeFileSync(join(home, 'roster.csv'), `email,name,password\nada7@example.org,Ada,${secretCell}\nnew@example.org,New,x\n${wrongRow}`);
  writeFileSync(join(home, 'accommodations.json'), listOfAccommodations(random, secretCell));
  const line = random.pick([...lines, ...further, ...further]).split(' | ')[0] ?? '';
  const [, ...words] = wordsOf(line.replace(/ (<|>>?) .*/, ''));
  const argv = words.map((word) => {
    if (word === 'REASON') return `The hall is closed: password=${bodyKey.core}`;
    const [, name = ''] = /^(?:[\w-]+\/)*([\w-]+\.(?:csv|xlsx|json|html|xml|zip|txt))$/.exec(word) ?? [];
    if (name === '' || name === 'rejects.csv') return name === '' ? word : join(home, name);
    return join(home, name.replace(/^.*\.(csv|xlsx|zip|txt)$/, 'roster.csv'));
  });
  const tty = random.chance(0.4);
  if (argv[0] !== '__complete') {
    if (!argv.includes('-o') && !argv.includes('--output')) argv.push('-o', random.pick(formats));
    if (random.chance(0.5)) argv.push('--debug');
    if (random.chance(0.05)) argv.push('--show-secrets');
    if (!argv.includes('--yes')) argv.push('--yes');
    // Nobody is there to be asked about a column.
    if (argv.includes(join(home, 'roster.csv'))) argv.push('--ignore-column', 'password');
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
    // Before, during and after the exam of the service.
    now: random.pick(['2027-01-20T08:00:00Z', '2027-02-01T09:00:00Z', '2027-02-02T08:00:00Z']),
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
  };
  return { argv, world };
}

/** A list as an office writes it, which may be wrong in one place: by its bytes, not its name, it is CSV or JSON. */
function listOfAccommodations(random: Random, secret: string): string {
  return random.chance(0.5)
    ? `email,extra,password,reference\nada7@example.org,25%,${secret},DS-1\nada8@example.org,${random.pick(['10%', 'x'])},,\n`
    : JSON.stringify([{ email: 'ada7@example.org', extra: '25%', ...(random.chance(0.2) ? { password: secret } : {}) }]);
}

const commanding = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029\u200b\u00ad\u3164\u{e0041}]/u;

/** What draws a watch on a whole screen; the service's own sequences stand beside its words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const drawing = /\u001b\[2J(?=\u001b)|\u001b\[\d+;1H\u001b\[2K/g;

function judgedOutput({ stdout, stderr, questions, offered, code }: Run, planted: Record<Kind, Planted>, argv: string[], tty: boolean) {
  const findings: Omit<Finding, 'line'>[] = [];
  const told = [stderr, ...questions, ...offered.flat()].join('\n');
  for (const [where, text] of Object.entries({ stdout, stderr: told })) {
    if (where === 'stdout' && argv.includes('--show-secrets')) continue;
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
  const command = commanding.exec(screened);
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

/**
 * All that is left behind, but for the configuration, where tokens are kept, and what was there before. Pages and XML are
 * read by programs that a control character stops, and by people.
 */
function judgedFiles(home: string, planted: Record<Kind, Planted>) {
  const given = new Set(['config/config.json', 'token', 'printed', 'roster.csv', 'accommodations.json']);
  return (readdirSync(home, { recursive: true }) as string[]).flatMap((name) => {
    const path = join(home, name);
    if (given.has(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const text = readFileSync(path, 'latin1');
    const [command] = /\.(html|xml)$/.test(name) ? (commanding.exec(readFileSync(path, 'utf8')) ?? []) : [];
    const control = command === undefined ? [] : [{ what: `U+${command.codePointAt(0)?.toString(16)}`, where: name }];
    return [...control, ...foundIn(text, Object.values(planted)).map((kind) => ({ what: `secret ${kind}`, where: name }))];
  });
}
