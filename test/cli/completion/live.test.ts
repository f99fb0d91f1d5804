/** Requests to the service and to this machine: their input, their number, and the use of the answer. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Asked, cacheFile, removeExpired } from '../../../src/cli/complete/cache.ts';
import type { Candidate } from '../../../src/cli/complete/candidates.ts';
import type { Live } from '../../../src/cli/complete/completion-answer.ts';
import { liveCandidates } from '../../../src/cli/complete/live.ts';
import { removeLater } from '../../../src/cli/complete/remove-later.ts';
import type { Host } from '../../../src/host/host.ts';
import { embedded, seededExams, silent } from '../../commands/embedded.ts';
import { answer, faultServer } from '../../faults/server.ts';
import { temporaryFolder } from '../../support/run.ts';
import { completed, type Place, place } from './asking.ts';

const exams = [
  { value: '7', about: 'Linear Algebra, 2027-02-01 09:00 +01:00' },
  { value: '71', about: 'Organic Chemistry' },
  { value: '8', about: 'Organic Chemistry II' },
];

/** Answers with these candidates, and notes what was asked. */
function having(candidates: readonly Candidate[]): { live: Live; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    live: async (question) => {
      asked.push(question);
      return candidates;
    },
  };
}

describe('requests', () => {
  test.each<[string, Asked]>([
    ['exams get ', { what: 'exams', overrides: {} }],
    ['exams get --profile test ', { what: 'exams', overrides: { profile: 'test' } }],
    ['--profile=test --base-url x.example exams delete 1 ', { what: 'exams', overrides: { profile: 'test', baseUrl: 'x.example' } }],
    ['sessions list --exam ', { what: 'exams', overrides: {} }],
    ['sessions list --exam=', { what: 'exams', overrides: {} }],
    ['sessions get ', { what: 'sessions', overrides: {} }],
    ['students show --exam 7 --session ', { what: 'sessions', exam: '7', overrides: {} }],
    ['students show --session 4 --exam=', { what: 'exams', overrides: {} }],
    ['auth switch ', { what: 'profiles', overrides: {} }],
    ['exams list --profile ', { what: 'profiles', overrides: {} }],
    ['runs undo ', { what: 'runs', overrides: {} }],
  ])('"%s"', async (line, question) => {
    const { live, asked } = having([]);
    await completed(line, live);
    expect(asked).toEqual([question]);
  });
});

test.each(['sandbox outbox --exam ', 'runs list --exam '])('"%s" of this machine requests nothing', async (line) => {
  const { live, asked } = having(exams);
  expect((await completed(line, live)).values).toEqual([]);
  expect(asked).toEqual([]);
});

describe('the use of the answer', () => {
  const { live } = having(exams);

  test('IDs that begin with what was typed, each with its line', async () => {
    const { kind, values, about } = await completed('exams get 7', live);
    expect({ kind, values }).toEqual({ kind: 'words', values: ['7', '71'] });
    expect(about['7']).toBe('Linear Algebra, 2027-02-01 09:00 +01:00');
  });

  test('not those that the line has already', async () => {
    expect((await completed('exams delete 7 ', live)).values).toEqual(['71', '8']);
  });

  test('the only one whose line contains what was typed', async () => {
    expect(await completed('exams get linear', live)).toMatchObject({ kind: 'found', values: ['7'] });
    expect(await completed('exams get organic', live)).toMatchObject({ kind: 'words', values: [] });
  });

  test('text that would control a terminal or a shell is shown as a sign, or not offered', async () => {
    const nasty = [
      ...[
        '$(id)',
        '`id`',
        '-rf',
        'a b',
        "a'b",
        'a"b',
        'a;b',
        'a\nb',
        '~root',
        '!!',
        '*',
        'a/b',
        'a\\b',
        '$HOME',
        '',
        '{a,b}',
        '#',
        '\u202e1',
      ].map((value) => ({ value, about: '' })),
      { value: '1', about: 'tab\there\nline\u001b[31m\u202e\u0000' },
      { value: 'a:b', about: 'x'.repeat(1000) },
    ];
    const { values, about } = await completed('exams get ', having(nasty).live);
    expect(values).toEqual(['1', 'a:b']);
    expect(about['1']).toBe('tab␉here␊line␛[31m�␀');
    expect(about['a:b']?.length).toBeLessThan(200);
  });

  test('5,000 are all offered, because a shell puts in what all of them have in common; a million are not', async () => {
    const many = (count: number) =>
      having(Array.from({ length: count }, (_, index) => ({ value: String(1_000_000 + index), about: '' }))).live;
    expect((await completed('sessions get ', many(5000))).values).toHaveLength(5000);
    expect((await completed('sessions get ', many(50_000))).values).toEqual([]);
    expect((await completed('sessions get 100123', many(50_000))).values).toHaveLength(10);
  });
});

/** Forbidden actions of a completion. */
const refused: string[] = [];
afterEach(() => expect(refused.splice(0)).toEqual([]));

/** A world in which it cannot do it. */
function hostIn(where: Place, world: Partial<Host> = {}): Host {
  const refuse = (what: string) => async (): Promise<never> => {
    refused.push(what);
    throw new Error(`${what} in a completion`);
  };
  const stream = { isTTY: true, columns: 80, write: refuse('Something was printed') };
  return {
    ...where,
    argv: [],
    pid: 1,
    machine: 'test',
    stdin: { isTTY: true, text: refuse('stdin was read'), bytes: refuse('stdin was read') as never },
    stdout: stream,
    stderr: stream,
    zone: () => 'UTC',
    sleep: refuse('Something waited'),
    random: () => 0.5,
    interrupted: new AbortController().signal,
    prompts: new Proxy({} as Host['prompts'], { get: () => refuse('A question was asked') }),
    execute: refuse('A program was run'),
    ...world,
  } as Host;
}

describe('this machine', () => {
  test('profiles: those that are stored, and the built-in one', async () => {
    const where = place();
    const folder = where.env.PROCTOR_CONFIG_DIR ?? '';
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.json'), '{"profiles":{"work":{"baseUrl":"https://proctor.example/api/v1"},"test":{}}}');
    const { values, about } = await completed('--profile ', (asked) => liveCandidates(hostIn(where), asked), where);
    expect(values).toEqual(['work', 'test', 'sandbox']);
    expect(about.work).toBe('https://proctor.example/api/v1');
    expect(() => readdirSync(where.env.PROCTOR_STATE_DIR ?? '')).toThrow('ENOENT');
  });
});

describe('the embedded service', () => {
  test('exams with name and time; sessions of the exam in the line with address and status', async () => {
    const where = place({ PROCTOR_PROFILE: 'sandbox' }, () => Date.parse('2026-11-21T12:00:00Z'));
    const live: Live = (asked) => liveCandidates(hostIn(where), asked);
    const shown = await completed('exams get ', live, where);
    expect(shown.values).toEqual(seededExams.map(String));
    expect(shown.about['3']).toMatch(/^Introduction to Programming, 2026-11-21 \d\d:\d\d \+00:00$/);
    const students = await completed('students show --exam 3 --session ', live, where);
    expect(students.values).toHaveLength(12);
    expect(Object.values(students.about).every((about) => /@|exam_|check_|mail_sent/.test(about))).toBe(true);
    expect((await completed('sessions get ', live, where)).values.length).toBeGreaterThan(12);
  });
});

test('a full list of exams is offered without a second request, because an ID can be typed as well', async () => {
  const listed = Array.from({ length: 20 }, (_, id) => ({ id: 100 + id, name: 'Algebra' }));
  const server = await faultServer([answer(200, listed)]);
  const where = place({ PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: 'a-token-of-the-tests' });
  const { values } = await completed('exams get ', (asked) => liveCandidates(hostIn(where), asked), where);
  expect([values.length, server.requests()]).toEqual([20, ['GET /exams']]);
});

describe('the cache', () => {
  const never: Live = async () => {
    throw new Error('The service was asked again.');
  };
  const sandboxed = (now: () => number = Date.now) => place({ PROCTOR_PROFILE: 'sandbox' }, now);
  const ask = (where: Place, line = 'exams get '): ReturnType<typeof completed> =>
    completed(line, (asked) => liveCandidates(hostIn(where), asked), where);

  test('is there for a minute, and no longer', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z');
    const where = sandboxed(() => now);
    const first = await ask(where);
    now += 59_000;
    expect(await completed('exams get ', never, where)).toEqual(first);
    now += 2000;
    await expect(completed('exams get ', never, where)).rejects.toThrow('asked again');
    now -= 120_000;
    await expect(completed('exams get ', never, where)).rejects.toThrow('asked again');
  });

  test('is deleted after a minute, even without another completion', async () => {
    const where = sandboxed();
    const asked: [path: string, milliseconds: number][] = [];
    await completed('exams get ', (what) => liveCandidates(hostIn(where), what, (...words) => void asked.push(words)), where);
    const folder = join(where.env.PROCTOR_STATE_DIR ?? '', 'completion');
    const [name = ''] = readdirSync(folder);
    expect(asked).toEqual([[join(folder, name), 60_000]]);
    removeLater(join(folder, name), 0);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });

  test('is removed by the next command, where nothing else could', async () => {
    const where = sandboxed();
    await ask(where);
    const folder = join(where.env.PROCTOR_STATE_DIR ?? '', 'completion');
    expect(readdirSync(folder)).toHaveLength(1);
    removeExpired({ ...where, now: () => Date.now() + 61_000 });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is for its owner only, and holds IDs and lines only', async () => {
    const where = place({ PROCTOR_PROFILE: 'sandbox', PROCTOR_TOKEN: 'secret-of-the-tests' });
    await ask(where);
    const folder = join(where.env.PROCTOR_STATE_DIR ?? '', 'completion');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).not.toContain('secret');
    expect(Object.keys(JSON.parse(text).candidates[0])).toEqual(['value', 'about']);
  });

  test.each<[string, string, Record<string, string>]>([
    ['another profile', 'exams get --profile other ', {}],
    ['another address', 'exams get --base-url other.example ', {}],
    ['another address in the environment', 'exams get ', { PROCTOR_BASE_URL: 'https://other.example' }],
    ['another token', 'exams get ', { PROCTOR_TOKEN: 'another-token' }],
    ['another kind', 'sessions get ', {}],
    ['another exam', 'students show --exam 4 --session ', {}],
  ])('is not for %s', async (_what, line, env) => {
    const where = sandboxed();
    await ask(where);
    await ask(where, 'students show --exam 3 --session ');
    await expect(completed(line, never, { ...where, env: { ...where.env, ...env } })).rejects.toThrow('asked again');
  });

  test('is not for another configuration', async () => {
    const where = sandboxed();
    await ask(where);
    mkdirSync(where.env.PROCTOR_CONFIG_DIR ?? '');
    writeFileSync(join(where.env.PROCTOR_CONFIG_DIR ?? '', 'config.json'), '{"profiles":{"default":{"token":"one"}}}');
    await expect(completed('exams get ', never, where)).rejects.toThrow('asked again');
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"until":1e15,"candidates":[]}',
    '{"until":1790000000000,"candidates":[7]}',
    '{"until":1790000000000}',
  ])('is asked for again where its file is damaged: %s', async (content) => {
    const where = sandboxed(() => 1_790_000_000_000 - 30_000);
    await ask(where);
    writeFileSync(await cacheFile(where, { what: 'exams', overrides: {} }), content);
    expect((await ask(where)).values).toContain('1');
  });

  test('is nothing where it cannot be written: the answer comes all the same', async () => {
    const where = sandboxed();
    const folder = where.env.PROCTOR_STATE_DIR ?? '';
    mkdirSync(folder);
    writeFileSync(join(folder, 'completion'), 'a file in the place of the folder');
    expect((await ask(where)).values).toContain('1');
  });
});

describe('a failure is an empty answer, without a message', () => {
  const address = { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: 'a-token-of-the-tests' };
  const ask = async (where: Place, world: Partial<Host> = {}) =>
    completed('exams get ', (asked) => liveCandidates(hostIn(where, world), asked), where);

  const configured = (env: Record<string, string>, config: string) => {
    const where = place(env);
    mkdirSync(where.env.PROCTOR_CONFIG_DIR ?? '');
    writeFileSync(join(where.env.PROCTOR_CONFIG_DIR ?? '', 'config.json'), config);
    return where;
  };
  const tokenCommand = '{"profiles":{"default":{"baseUrl":"http://127.0.0.1:1","tokenCommand":"vault read token"}}}';

  test.each<[string, () => Place]>([
    ['without a token', () => place()],
    ['with a token and no address', () => place({ PROCTOR_TOKEN: 'a-token-of-the-tests' })],
    ['at a service that is gone', () => place(address)],
    ['with a broken configuration', () => configured(address, '{broken')],
    ['with a profile that is not there', () => place({ ...address, PROCTOR_PROFILE: 'nowhere' })],
    ['with a token command, which is not run', () => configured({}, tokenCommand)],
    ['with a token file that is not there', () => place({ PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN_FILE: '/nowhere' })],
    ['with a token that a pipe would give', () => place({ PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN_FILE: pipe() })],
    ['without a folder for anything', () => ({ ...place(), env: {}, home: '' })],
  ])('%s', async (_how, where) => {
    expect(await ask(where())).toMatchObject({ kind: 'words', values: [] });
  });

  test('at a service that refuses the token', async () => {
    const { env } = await embedded().under('401');
    expect((await ask(place(env))).values).toEqual([]);
  });

  test('at a service that never answers, as soon as patience is at its end', async () => {
    const patience = new AbortController();
    const { env } = await embedded().under(silent(() => patience.abort(new Error('enough'))));
    expect((await ask(place(env), { interrupted: patience.signal })).values).toEqual([]);
  });

  test('and the service is left in peace for ten seconds', async () => {
    let now = Date.now();
    const { env, tally } = await embedded().under('503');
    const where = place(env, () => now);
    for (const later of [0, 1000, 8000, 2000]) {
      now += later;
      expect((await ask(where)).values).toEqual([]);
    }
    expect(tally.requests).toBe(2);
  });
});

function pipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}
