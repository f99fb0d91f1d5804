/** All commands, whatever they are given and whatever the service says: FUZZ_SEED draws others, and FUZZ_TIMES more. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { formats } from '../../src/output/formats.ts';
import { commandsByNoun } from '../cli/all-commands.ts';
import { wordsOf } from '../commands/embedded.ts';
import { type Draw, holds } from '../fuzz/draw.ts';
import { run, temporaryFolder, type World } from '../support/run.ts';
import type { Answer } from '../support/service.ts';
import { foundIn, type Kind, type Planted, plant } from './planted.ts';
import { brokenBy, brokenIn } from './promises.ts';
import { type Shape, shapes, sweptService } from './service.ts';

test('a planted secret is found again, also cut, escaped and in base64', async () => {
  await holds(5, async (draw) => {
    const { tokenVariable } = plant(draw);
    const { value, core } = tokenVariable;
    const inBase64 = Buffer.from(`jo:${value}`).toString('base64');
    for (const text of [value, core.slice(3, 12), JSON.stringify(value), encodeURIComponent(value), inBase64])
      expect(foundIn(`before ${text} after`, [tokenVariable])).toEqual(['tokenVariable']);
  });
});

const local = new Set(['sandbox serve', 'sandbox reset', 'auth token', 'auth logout']);
/** Lines that no example has: what writes files, and what comes to its end at this service, whose exam is 1 and whose sessions are 7 and 8. */
const further = [
  ...['api GET /exams/1', 'api POST /exams/1/add_student -F email=a@example.org'],
  ...['sessions import roster.csv --exam 1 --rejects rejects.csv', 'sessions import roster.csv --exam 1 --update'],
  ...['sessions import roster.csv --exam 1 --remove-missing 2', 'exams report 1 --html page.html', 'exams get 1 --columns help'],
  ...['__complete : exams get :', '__complete : sessions get :', 'accommodations apply accommodations.json --exam 1 --check'],
  ...['accommodations apply accommodations.json --exam 1', 'preflight --exam 1'],
  ...['preflight --exam 1 --exam 2 --strict --min-proctors 1/20', 'exams shift 1 --by 7d --timezone Europe/Vienna'],
  ...['exams delay 1 --by 15m', 'exams clone 1 --start 2027-09-01T09:00Z --with-students', 'sessions move 7 8 --exam 2'],
  ...['sessions extend --exam 1 --by 10m', 'sessions update 7 --close-time 2027-02-01T09:00Z --during-exam REASON'],
  'exams delete 1 --during-exam REASON',
];

function linesOf({ noun, commands }: (typeof commandsByNoun)[number]): [string, string[]] {
  const examples = commands.flatMap(({ name, examples }) => (local.has(name) ? [] : Object.keys(examples)));
  return [noun.name, examples.map((line) => line.replace('proctor-cli ', ''))];
}

const tokenOf = { variable: 'tokenVariable', file: 'tokenFile', stored: 'storedToken', command: 'commandToken' } as const;
type Source = keyof typeof tokenOf;
const given = ['config/config.json', 'token', 'printed', 'roster.csv', 'accommodations.json'];

/** Each noun's lines, and those that come to their end. */
const swept: [string, string[]][] = [...commandsByNoun.map(linesOf), ['any noun', further]];

test.each(swept.filter(([, each]) => each.length > 0))(
  'no command shows a secret, commands a terminal, or fails without a sentence: %s',
  async (_, each) => {
    let reached = 0;
    await holds(each === further ? 100 : 8 + each.length, async (draw) => {
      reached += await sweep(draw, draw.pick(each));
    });
    if (each === further) expect(reached).toBeGreaterThan(0);
  },
);

const words = [
  ...'1|0|-1|x|| |9;touch x|../1|1e400|9007199254740993|2026-11-21T09:00Z|+2h|25%|now|ndjson|a=b|email|true|{"a":1}|[|-|\u202e|\u001b[31m'.split(
    '|',
  ),
  ...'-o|--dry-run|--no-input|--quiet|--timezone|--timeout|--profile|--plain|-F|-f|--body|--exam|--by|--start|--status|--columns|--help'.split(
    '|',
  ),
];

/** A line with words that do not belong there, in any order, or one of its own changed. */
function spoiled(draw: Draw, argv: readonly string[]): string[] {
  const at = draw.below(argv.length + 1);
  const put = draw.several(0, 3, () => draw.pick(words));
  const own = put.length > 0 || argv[at] === undefined ? [] : [draw.mutated(argv[at]).slice(0, 2000).replaceAll('\0', '')];
  return argv.toSpliced(at, own.length, ...own, ...put);
}

/** Runs a line in a world with secrets in all places, and often one that takes it back or resumes it. Returns how many requests it made. */
async function sweep(draw: Draw, line: string): Promise<number> {
  const planted = plant(draw);
  const source = draw.pick(Object.keys(tokenOf) as Source[]);
  const home = temporaryFolder();
  // Mostly answers that lead on, so that commands come to their end.
  const among: readonly Shape[] = draw.pick([['whole', 'wrapped'], ['whole', 'odd'], shapes]);
  // A login runs no token command, so that its token is unknown there.
  const isUnknown = source === 'command' && line.startsWith('auth login');
  const service = sweptService(draw, { planted, echoed: [...(isUnknown ? [] : [tokenOf[source]]), 'otherToken'] }, among);
  const { argv, world } = prepared(draw, line, { planted, source, home, origin: service.origin });
  const judged = async (words: string[], secrets = Object.values(planted)) => {
    const ended = await run(words, { ...world, dispatcher: service.dispatcher });
    const said = service.arrived.map(({ reply }) => String((reply?.answer as Answer | undefined)?.body));
    const foreign = [...said, ...words].join('\n');
    const broken = brokenBy(ended, { argv: words, foreign, tty: world.tty === true, planted: secrets });
    expect([...broken, ...brokenIn(home, given, secrets)], `${source}: ${words.join(' ')}`).toEqual([]);
  };
  // What stands in a wrong place is no secret.
  const isSpoiled = draw.chance(0.2);
  await (isSpoiled ? judged(spoiled(draw, argv), []) : judged(argv));
  const next = isSpoiled ? undefined : await wayBack(draw, home, argv);
  if (next) await judged(next);
  rmSync(home, { recursive: true, force: true });
  return service.arrived.length;
}

/** A command for the record that a run has left, with the options of the first; undefined where there is none. */
async function wayBack(draw: Draw, home: string, argv: readonly string[]): Promise<string[] | undefined> {
  const { stdout } = await run(['runs', 'list', '-o', 'id'], { home });
  if (stdout === '') return undefined;
  const options = argv.slice(argv.findLastIndex((word) => word === '-o' || word === '--output'));
  const verb = draw.pick(['undo', 'undo', 'resume', 'show']);
  return ['runs', verb, stdout.trim(), ...options.filter((word) => !word.startsWith('--base-url')), '--yes'];
}

type Drawn = { planted: Record<Kind, Planted>; source: Source; home: string; origin: string };

function prepared(draw: Draw, line: string, { planted, source, home, origin }: Drawn): { argv: string[]; world: World } {
  const { otherToken, storedToken, commandToken, tokenVariable, tokenFile, proxyPassword, bodyKey } = planted;
  const config = join(home, 'config');
  mkdirSync(config, { mode: 0o700 });
  const ofProfile =
    source === 'stored' ? { token: storedToken.value } : source === 'command' ? { tokenCommand: `cat ${join(home, 'printed')}` } : {};
  const profiles = {
    default: { baseUrl: `${origin}/api/v1`, ...ofProfile },
    old: { baseUrl: 'https://old.example.org/api/v1', token: otherToken.value },
  };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'default', profiles }), { mode: 0o600 });
  writeFileSync(join(home, 'token'), `${tokenFile.value}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'printed'), `${commandToken.value}\n`, { mode: 0o600 });
  const secretCell = bodyKey.value.replace(/["',;]/g, '');
  const wrongRow = draw.chance(0.5) ? 'bad,B,x\n' : '';
  writeFileSync(join(home, 'roster.csv'), `email,name,password\nada7@example.org,Ada,${secretCell}\nnew@example.org,New,x\n${wrongRow}`);
  const list = listOfAccommodations(draw, secretCell);
  writeFileSync(join(home, 'accommodations.json'), list);
  const argv = wordsOf(line.replace(/ (\||<|>>?) .*/, '')).map((word) => {
    if (word === 'REASON') return `The hall is closed: password=${bodyKey.core}`;
    const [, name = ''] = /^(?:[\w-]+\/)*([\w-]+\.(?:csv|xlsx|json|html|xml|zip|txt))$/.exec(word) ?? [];
    if (name === '' || name === 'rejects.csv') return name === '' ? word : join(home, name);
    return join(home, name.replace(/^.*\.(csv|xlsx|zip|txt)$/, 'roster.csv'));
  });
  const tty = draw.chance(0.4);
  if (argv[0] !== '__complete') {
    if (!argv.includes('-o') && !argv.includes('--output')) argv.push('-o', draw.pick(formats));
    if (draw.chance(0.5)) argv.push('--debug');
    if (draw.chance(0.05)) argv.push('--show-secrets');
    if (!argv.includes('--yes')) argv.push('--yes');
    // Nobody is there to be asked about a column.
    const hasPasswords = argv.includes(join(home, 'accommodations.json')) && list.includes('password');
    if (hasPasswords || argv.includes(join(home, 'roster.csv'))) argv.push('--ignore-column', 'password');
    if (argv[1] === 'apply' && argv[0] === 'exams') argv.push('--ignore-column', 'email');
    if (draw.chance(0.1)) argv.push('--base-url', `https://ada:${proxyPassword.value}@example.org`);
    if (draw.chance(0.1) && argv.includes('exams')) argv.push('-F', `api_token=${bodyKey.core}`);
  }
  const env: Record<string, string> = {
    HTTPS_PROXY: `http://jo:${encodeURIComponent(proxyPassword.value)}@127.0.0.1:9`,
    PROCTOR_INSTITUTE: '3',
    NO_COLOR: '1',
    ...(source === 'variable' ? { PROCTOR_TOKEN: tokenVariable.value, PROCTOR_BASE_URL: origin } : {}),
    ...(source === 'file' ? { PROCTOR_TOKEN_FILE: join(home, 'token'), PROCTOR_BASE_URL: origin } : {}),
  };
  const stop = new AbortController();
  /** At a question that nobody answers, and after a while. */
  const interrupt = () => {
    stop.abort(new CliError('interrupted', 'Stopped by the sweep.'));
    return Promise.reject(stop.signal.reason);
  };
  let waits = 0;
  const world: World = {
    home,
    tty,
    // Before, during and after the exam of the service.
    now: draw.pick(['2027-01-20T08:00:00Z', '2027-02-01T09:00:00Z', '2027-02-02T08:00:00Z']),
    columns: draw.pick([40, 80, 120]),
    env,
    stdin: draw.pick(['', '7\n8\n', '{"name":"x"}']),
    interrupt: stop.signal,
    onSleep: () => (++waits > 6 ? interrupt().catch(() => {}) : undefined),
    answers: [origin, tokenVariable.value, ...Array(6).fill(interrupt)],
    execute: async () => commandToken.value,
  };
  return { argv, world };
}

/** A list as an office writes it, which may be wrong in one place: by its bytes, not its name, it is CSV or JSON. */
function listOfAccommodations(draw: Draw, secret: string): string {
  return draw.chance(0.5)
    ? `email,extra,password,reference\nada7@example.org,25%,${secret},DS-1\nada8@example.org,${draw.pick(['10%', 'x'])},,\n`
    : JSON.stringify([{ email: 'ada7@example.org', extra: '25%', ...(draw.chance(0.2) ? { password: secret } : {}) }]);
}
