/** What a shell is offered at Tab: from the table of commands, from this machine, and from the service. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { completed } from '../../src/cli/complete/complete.ts';
import { commandOptions } from '../../src/cli/parse/options.ts';
import { nouns } from '../../src/commands/index.ts';
import type { World } from '../../src/host/host.ts';
import { sessionStatuses } from '../../src/model/status.ts';
import { faultKinds } from '../../src/sandbox/faults.ts';
import { embedded, freshHome, seededExams, silent } from '../commands/embedded.ts';
import { answer, faultServer } from '../faults/server.ts';
import { hostOf, temporaryFolder } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';

/** What a completion must not do. */
const refused: string[] = [];
afterEach(() => expect(refused.splice(0)).toEqual([]));

type Where = { home?: string; env?: Record<string, string | undefined>; world?: Partial<World> };

function hostIn({ home = temporaryFolder(), env = {}, world = {} }: Where): World {
  const refuse = (what: string) => async (): Promise<never> => {
    refused.push(what);
    throw new Error(`${what} in a completion`);
  };
  const host = hostOf({ home, now: '2026-11-21T12:00:00Z' });
  const stream = { isTTY: true, columns: 80, write: refuse('Something was printed') };
  return {
    ...host,
    env: { ...host.env, ...env },
    stdin: { isTTY: true, bytes: refuse('stdin was read') as never },
    stdout: stream,
    stderr: stream,
    sleep: refuse('Something waited'),
    questions: refuse('A question was asked'),
    execute: refuse('A program was run'),
    ...world,
  };
}

/** Completes the last word of a line after "proctor-cli "; words are divided by one space. */
async function tab(line: string, where: Where = {}) {
  const words = line.split(' ');
  const text = await completed(hostIn(where), [...words.slice(0, -1), `:${words.at(-1)}`]);
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n');
  const [kind = '', from = ''] = head.split(' ');
  const pairs = lines.map((each) => each.split('\t') as [string, string]);
  return { kind, from: Number(from), values: pairs.map(([value]) => value), about: Object.fromEntries(pairs) };
}
const values = async (line: string, where?: Where) => (await tab(line, where)).values;

describe('commands and options', () => {
  test('a noun, with what it is for', async () => {
    const { values: names, about } = await tab('');
    expect(names).toEqual(nouns.map(({ name }) => name));
    for (const { name, summary } of nouns) expect(about[name]).toBe(summary);
  });

  test.each(commandsByNoun.filter(({ commands }) => commands.length > 1))('a verb of $noun.name, with what it does', async (each) => {
    const verbs = each.commands.map(({ name, summary }) => [name.split(' ')[1], summary]);
    expect(Object.entries((await tab(`${each.noun.name} `)).about)).toEqual(verbs);
  });

  test.each([
    ['EX', ['exams']],
    ['xams', []],
    ['help exa', ['exams']],
    ['help exams cre', ['create']],
    ['help exit', ['exit-status']],
    ['exmas list ', []],
    ['exams lst ', []],
    ['exams lst 4 ', []],
    ['auth token x ', []],
    ['students show ', ['--exam', '--session']],
    ['--output json exams li', ['list']],
    ['-o json exams li', ['list']],
    ['exams list -- --out', []],
    ['config get -- timez', ['timezone']],
    ['--prof', ['--profile']],
    ['exams --prof', ['--profile']],
    ['--quiet exams list --prof', ['--profile']],
    ['exams update 4 --allow-h', ['--allow-headphones']],
    ['exams update 4 --no-allow-h', ['--no-allow-headphones']],
    ['exams list --allow', []],
    ['exams list --he', ['--help']],
  ])('%s', async (line, offered) => {
    expect(await values(line)).toEqual(offered);
  });

  test.each(allCommands)('of $name: all that it takes, but none that is refused or has no effect', async (command) => {
    const offered = await values(`${command.name} --`);
    for (const { long = '', hidden, negate } of commandOptions(command)) expect(offered.includes(long), long).toBe(!hidden || negate);
    expect(offered.includes('--dry-run')).toBe(command.effect !== 'local' && command.effect !== 'read');
    expect(offered).toEqual(expect.arrayContaining(['--output', '--profile', '--help', '--yes']));
    expect(new Set(offered).size).toBe(offered.length);
  });
});

describe('values', () => {
  test.each([
    ['exams list --output j', 'words', 0, ['json']],
    ['exams list --output=j', 'words', 9, ['json']],
    ['exams list -oj', 'words', 2, ['json']],
    ['exams list --sort sta', 'open', 0, ['start_time']],
    ['exams list --sort=-sta', 'open', 8, ['start_time']],
    ['exams list --sort -name,end', 'open', 6, ['end_time']],
    ['exams list --columns id,na', 'open', 3, ['name']],
    ['exams list --columns=id,i', 'open', 13, []],
    ['exams list --columns he', 'open', 0, ['help']],
    ['sessions update 5 --columns sta', 'open', 0, []],
    ['sessions list --status ', 'words', 0, [...sessionStatuses]],
    ['sandbox serve --fault 429=10 --fault ', 'words', 0, [...faultKinds]],
    ['--timezone Europe/Vien', 'words', 0, ['Europe/Vienna']],
    ['--timezone vienn', 'found', 0, ['Europe/Vienna']],
    ['--timezone Vien', 'words', 0, []],
    ['sessions import x --encoding windows-1252', 'words', 0, ['windows-1252']],
    ['completion ', 'words', 0, ['bash', 'zsh', 'fish', 'powershell']],
    ['config get timez', 'words', 0, ['timezone']],
    ['config get tok', 'words', 0, ['tokenCommand']],
    ['config set timezone Europe/Vien', 'words', 0, ['Europe/Vienna']],
    ['config set dialect.proctorValues ', 'words', 0, ['auto', 'string', 'address']],
    ['config set plain ', 'words', 0, ['yes', 'no']],
    ['config set institute ', 'words', 0, []],
    ['config set dialect.proctorsK', 'words', 0, ['dialect.proctorsKey']],
    ['sessions import ', 'files', 0, []],
    ['exams create --body ', 'files', 0, []],
    ['sessions import x --rejects=/tmp/', 'files', 10, []],
    ['sandbox reset --folder ', 'folders', 0, []],
    ['api ', 'words', 0, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']],
  ])('%s', async (line, kind, from, offered) => {
    expect(await tab(line)).toMatchObject({ kind, from, values: offered });
  });

  test('profiles: those that are stored, and the built-in one', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'config'));
    writeFileSync(join(home, 'config', 'config.json'), '{"profiles":{"work":{"baseUrl":"https://proctor.example/api/v1"},"test":{}}}');
    expect((await tab('--profile ', { home })).about).toMatchObject({ work: 'https://proctor.example/api/v1', test: '', sandbox: /./ });
    expect(readdirSync(home)).toEqual(['config']);
  });
});

describe('IDs of the service', () => {
  const exams = [
    { id: 8, name: 'Organic Chemistry II', start_time: '2027-02-01T08:00:00Z' },
    { id: 7, name: 'Linear Algebra', start_time: '2026-11-21T18:00:00Z' },
    { id: 71, name: 'Organic Chemistry', start_time: '2026-11-21T11:00:00Z', end_time: '2026-11-21T13:00:00Z' },
  ];
  const serving = async (...records: unknown[]) => {
    const server = await faultServer([answer(200, records)]);
    return { server, where: { env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: 'a-token' } } };
  };

  test.each([
    ['exams get ', 'words', ['71', '7', '8']],
    ['exams get 7', 'words', ['71', '7']],
    ['exams delete 7 ', 'words', ['71', '8']],
    ['exams report --exam 8 --exam ', 'words', ['71', '7']],
    ['sessions list --exam=', 'words', ['71', '7', '8']],
    ['exams get linear', 'found', ['7']],
    ['exams get organic', 'words', []],
  ])('"%s": with one request, running exams first, then those of today', async (line, kind, offered) => {
    const { server, where } = await serving(...exams);
    expect(await tab(line, where)).toMatchObject({ kind, values: offered });
    expect(server.requests()).toEqual(['GET /exams']);
  });

  test.each(['sandbox outbox --exam ', 'runs list --exam ', 'runs forget --exam '])('"%s" is local: no service is asked', async (line) => {
    const { server, where } = await serving(...exams);
    expect(await values(line, where)).toEqual([]);
    expect(server.requests()).toEqual([]);
  });

  test('the embedded service: exams with name and time, the sessions of the exam in the line', async () => {
    const where = { home: freshHome(), env: { PROCTOR_PROFILE: 'sandbox' } };
    const shown = await tab('exams get ', where);
    expect(shown.values.map(Number).sort((a, b) => a - b)).toEqual([...seededExams]);
    expect(shown.about['3']).toMatch(/^Introduction to Programming, \d{4}-\d\d-\d\d \d\d:\d\d \+00:00$/);
    const students = await tab('students show --exam 3 --session ', where);
    expect(students.values).toHaveLength(12);
    expect(Object.values(students.about).every((about) => /@|exam_|check_|mail_sent/.test(about))).toBe(true);
    expect((await tab('sessions get ', where)).values.length).toBeGreaterThan(12);
  });

  test('text that would control a terminal or a shell is shown as a sign, or not offered', async () => {
    const nasty = '$(id)§`id`§-rf§a b§a\'b§a"b§a;b§a\nb§~root§!!§*§a/b§a\\b§$HOME§{a,b}§#§\u202e1'.split('§');
    const named = [
      { id: 1, name: 'tab\there\nline\u001b[31m\u202e\u0000' },
      { id: 'a:b', name: 'x'.repeat(1000) },
    ];
    const { where } = await serving(...nasty.map((id) => ({ id })), ...named);
    const { values: offered, about } = await tab('exams get ', where);
    expect(offered).toEqual(['1', 'a:b']);
    expect(about['1']).toBe('tab␉here␊line␛[31m�␀');
    expect(about['a:b']?.length).toBeLessThan(200);
  });

  test('all of many are offered, because a shell puts in what they have in common', async () => {
    const many = (count: number) => serving(...Array.from({ length: count }, (_, index) => ({ id: 1_000_000 + index })));
    expect(await values('exams get ', (await many(5000)).where)).toHaveLength(5000);
    expect(await values('exams get 100123', (await many(50_000)).where)).toHaveLength(10);
  });

  const address = { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: 'a-token' };
  const tokenCommand = '{"profiles":{"default":{"baseUrl":"http://127.0.0.1:1","tokenCommand":"vault read token"}}}';

  test.each<[string, Where, string?]>([
    ['without a token', {}],
    ['with a token and no address', { env: { PROCTOR_TOKEN: 'a-token' } }],
    ['at a service that is gone', { env: address, world: { sleep: async () => {} } }],
    ['with a broken configuration', { env: address }, '{broken'],
    ['with a profile that is not there', { env: { ...address, PROCTOR_PROFILE: 'nowhere' } }],
    ['with a token command, which is not run', {}, tokenCommand],
    ['with a token file that is not there', { env: { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN_FILE: '/nowhere' } }],
    ['without a folder for anything', { env: { PROCTOR_CONFIG_DIR: undefined, PROCTOR_STATE_DIR: undefined }, home: '' }],
  ])('a failure says nothing: %s', async (_how, where, config) => {
    const home = where.home ?? temporaryFolder();
    if (config) mkdirSync(join(home, 'config'));
    if (config) writeFileSync(join(home, 'config', 'config.json'), config);
    const words = ['exams', 'get', ':'];
    const text = await completed(hostIn({ ...where, home }), words).catch(() => 'words 0\n');
    expect(text).toBe('words 0\n');
  });

  test('a service that never answers ends with the patience of the shell', async () => {
    const patience = new AbortController();
    const { env } = await embedded().under(silent(() => patience.abort(new Error('enough'))));
    await expect(tab('exams get ', { env, world: { interrupted: patience.signal } })).rejects.toThrow();
  });
});
