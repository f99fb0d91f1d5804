/** What doctor finds on this machine, on the way to the service, and in its answers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded, freshHome, silent } from '../../commands/embedded.ts';
import { closedPort } from '../../faults/server.ts';
import { interruption } from '../../runs/small-office.ts';
import { run, temporaryFolder } from '../../support/run.ts';
import { type Reply, refused, Service } from '../../support/service.ts';
import { examined, goodExam, goodSession, homeWith, token, withReplies } from './examined.ts';

const exams = (...given: Parameters<typeof refused>) => ({ 'GET /exams': refused(...given) });
const connection = { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: token };

test('on the embedded service nothing fails, and each read operation is requested once', async () => {
  const { code, found } = await examined(['--profile', 'sandbox', '--timezone', 'UTC'], { home: freshHome() });
  expect(code).toBe(0);
  expect(Object.values(found).filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(found.settings?.detail).toMatch(/^proctor-cli \d+\.\d+\.\d+ on Node \d+\./);
  const { code: other, requests } = await withReplies({});
  expect([other, requests]).toEqual([
    0,
    [
      ...['GET /exams', 'GET /student_sessions', 'GET /exams/1', 'GET /exams/1/student_sessions'],
      'GET /exams/1/show_student?student_session_id=5',
      ...['GET /student_sessions/5', 'GET /exams/1/proctor_pool', 'GET /institutes/3/users'],
    ],
  ]);
});

test('a person reads a table, and below it what to do about each thing', async () => {
  const { code, stdout, stderr } = await run(['doctor', '--no-color'], { tty: true, columns: 80 });
  expect([code, stdout]).toEqual([4, expect.stringMatching(/^CHECK +STATE +DETAIL\n/)]);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('settings: Set the zone of your exams: proctor-cli config set timezone UTC ');
  expect(stderr).toMatch(/error: token: .*\nhint: Set PROCTOR_TOKEN, or log in with: proctor-cli auth login\n$/s);
  expect(stderr.match(/log in with/g)).toHaveLength(1);
});

describe('this machine', () => {
  test('a broken configuration is the finding, and not the end', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'config'));
    writeFileSync(join(home, 'config', 'config.json'), '{"profiles":\n oops}');
    const { code, found, failure } = await examined([], { home });
    expect([code, failure?.code]).toEqual([3, 'invalid_config']);
    expect(found.settings?.detail).toContain('config.json');
    for (const name of ['record', 'token', 'service', 'clock']) expect(found[name]?.state).toBe('skipped');
  });

  test.each([
    [['--profile', 'nowhere'], {}, 'profile'],
    [[], { PROCTOR_TIMEZONE: 'Europe/Wien' }, 'PROCTOR_TIMEZONE'],
    [['--base-url', 'ftp://x'], {}, '--base-url'],
  ])('so is a setting that will not do: %j %j', async (argv, env, named) => {
    const { code, found } = await examined(argv, { env });
    expect([code, found.settings]).toMatchObject([3, { state: 'failed', detail: expect.stringContaining(named) }]);
  });

  test('each setting is shown with where it comes from, and the record of a team by its address', async () => {
    const place = 'postgres://proctor@127.0.0.1:1/proctor';
    const { found } = await examined([], { env: { ...connection, PROCTOR_STATE: place } });
    expect(found.settings?.detail).toMatch(/; baseUrl from: PROCTOR_BASE_URL; .*state from: PROCTOR_STATE/);
    expect(found.record).toMatchObject({ state: 'failed', detail: expect.stringContaining('127.0.0.1:1') });
  });

  test('a record that cannot be written, or has no place', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const { code, found } = await examined([], { env: { ...connection, PROCTOR_STATE_DIR: join(file, 'state') } });
    expect([code, found.record?.remedy]).toEqual([3, 'Choose another folder: export PROCTOR_STATE_DIR=FOLDER']);
    const none = await examined([], { env: { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '' }, home: 'nowhere' });
    expect([none.code, none.found.settings?.state]).toEqual([3, 'warning']);
    expect(none.found.record).toMatchObject({ state: 'failed', remedy: expect.stringContaining('PROCTOR_STATE_DIR') });
  });
});

describe('the way to the service', () => {
  const at = (origin: string, env: Record<string, string> = {}) =>
    examined(['--timeout', '10s'], { env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...env } });
  const local = async () => `http://127.0.0.1:${await closedPort()}`;

  test.each<[string, () => Promise<[origin: string, proxy?: string]>, string, RegExp]>([
    ['a closed port', async () => [await local()], '', /^Check the .*(PROCTOR_BASE_URL|: proctor-cli)/],
    ['a proxy that is missing', async () => ['https://proctor.example', await local()], 'proxy', /HTTPS_PROXY.* NO_PROXY/],
  ])('%s', async (_what, place, detail, remedy) => {
    const [origin, proxy] = await place();
    const { code, found, stdout } = await at(origin, proxy === undefined ? {} : { https_proxy: proxy });
    expect(code).toBe(8);
    expect(found.service).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining(detail),
      remedy: expect.stringMatching(remedy),
    });
    expect(found.exams).toMatchObject({ state: 'skipped', detail: 'needs: service' });
    expect([found.token?.detail, stdout]).toEqual(['from PROCTOR_TOKEN', expect.not.stringContaining(token)]);
  });

  test('Ctrl-C ends it while a service keeps it waiting', async () => {
    const stop = new AbortController();
    const service = await embedded().under(silent(() => stop.abort(interruption)));
    expect(await service.run('doctor', { interrupt: stop.signal })).toMatchObject({ code: 130, stdout: '' });
  });
});

describe('the service', () => {
  test.each([
    [500, 8, 'unavailable'],
    [404, 6, 'not_found'],
    [302, 8, 'redirected'],
    [429, 8, 'rate_limited'],
  ])('that answers %i is status %i, with a remedy for the profile that does not lead back here', async (status, exit, code) => {
    const home = temporaryFolder();
    await run(['config', 'set', 'timezone', 'UTC', '--profile', 'test'], { home });
    const world = { home, env: { PROCTOR_PROFILE: 'test' } };
    const { found, requests, ...ended } = await withReplies(exams(status, { message: 'no' }), world);
    expect([ended.code, ended.failure?.code, new Set(requests)]).toEqual([exit, code, new Set(['GET /exams'])]);
    expect(found.service).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/^(?!.*doctor)./) });
    if (status === 404) expect(found.service?.remedy).toMatch(/: proctor-cli config get baseUrl$/);
  });

  test('that is a web page is not the service', async () => {
    const { code, found } = await withReplies(exams(200, '<html><title>Welcome</title></html>'));
    expect([code, found.service]).toMatchObject([8, { state: 'failed', detail: expect.stringContaining('HTML instead of JSON') }]);
  });

  test('that refuses the token: the remedy is about where it comes from, and the word before it', async () => {
    const { code, found, stdout, requests } = await withReplies(exams(401, { message: `unknown token ${token}` }));
    expect(code).toBe(4);
    expect(found.service?.remedy).toBe(
      'The token comes from PROCTOR_TOKEN; set a token there that the service accepts. If the service has another word than "apiServiceToken" before the token: export PROCTOR_AUTH_PREFIX=WORD',
    );
    expect(Object.values(found).filter(({ state }) => state === 'failed')).toHaveLength(1);
    expect(requests).toHaveLength(1);
    expect(stdout).not.toContain(token);
  });

  test.each([
    ['exams', 'GET /exams', 'sessions'],
    ['sessions', 'GET /student_sessions', 'exams'],
  ])('whose token may not read %s: the rest is looked at', async (failing, line, other) => {
    const { code, found } = await withReplies({ [line]: refused(403, { message: 'not yours' }) });
    expect([code, found.service?.state, found[other]?.state]).toEqual([4, 'ok', 'ok']);
    expect(found[failing]).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/token that may list /) });
  });
});

test.each<[date: string | undefined, state: string, detail: string, age?: string]>([
  ['Mon, 01 Feb 2027 08:59:55 GMT', 'ok', ''],
  ['Mon, 01 Feb 2027 09:01:00 GMT', 'warning', '1 min ahead of'],
  ['Mon, 01 Feb 2027 08:59:00 GMT', 'warning', '59 s behind'],
  [undefined, 'skipped', ''],
  ['yesterday', 'skipped', ''],
  // A copy from a cache does not tell the time.
  ['Mon, 01 Feb 2027 07:00:00 GMT', 'skipped', '', '7200'],
])('the clock %j is %s, and said in its row alone', async (date, state, detail, age) => {
  const headers = { ...(date === undefined ? {} : { date }), ...(age === undefined ? {} : { age }) };
  const { found, stderr } = await withReplies(exams(200, [goodExam], headers), { now: '2027-02-01T09:00:00Z' });
  expect(found.clock).toMatchObject({ state, detail: expect.stringContaining(detail) });
  if (state === 'warning') expect(found.clock?.remedy).toBe('Have the system set the clock of this machine from the network.');
  expect(stderr).not.toContain('warning');
});

describe('the fields', () => {
  const without = (record: Record<string, unknown>, ...keys: string[]) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

  test('are named without their values', async () => {
    const { found, stdout } = await withReplies(exams(200, [{ ...goodExam, room: 'B 12' }]));
    expect(found.exams?.detail).toMatch(/^fields: id, name, .*, room$/);
    expect(found.students?.detail).toMatch(/whether it also ends a running exam; fields: id, exam_id, /);
    expect(stdout).not.toMatch(/B 12|ada@example/);
  });

  const sessions = (...shown: unknown[]) => ({ 'GET /student_sessions': refused(200, shown) });
  test.each<[field: string, replies: Record<string, Reply>, row: string, remedy: string]>([
    ['id', exams(200, [{ ...without(goodExam, 'id'), uuid: 'x' }]), 'exams', ': proctor-cli config set dialect.idKey NAME'],
    ['name', exams(200, [without(goodExam, 'name')]), 'exams', ': proctor-cli config set dialect.examNameKey NAME'],
    ['exam_id', sessions(without(goodSession, 'exam_id')), 'sessions', ': proctor-cli config set dialect.sessionExamKey NAME'],
    ['allow_pen_paper', { 'GET /exams/1': refused(200, without(goodExam, 'allow_pen_paper')) }, 'exam', 'no setting names it'],
    ['status', sessions(without(goodSession, 'status')), 'sessions', 'no setting names it'],
  ])('without "%s" have a remedy', async (field, replies, row, remedy) => {
    const { code, found } = await withReplies(replies);
    expect(code).toBe(0);
    expect(found[row]).toMatchObject({ state: 'warning', detail: expect.stringContaining(`no ${field}`) });
    expect(found[row]?.remedy).toContain(remedy);
  });

  test('follow the settings', async () => {
    const home = await homeWith(['dialect.sessionExamKey', 'exam.id']);
    const shown = sessions({ ...without(goodSession, 'exam_id'), exam: { id: 1 } });
    expect((await withReplies(shown, { home })).found.sessions?.state).toBe('ok');
  });

  const skipped = { state: 'skipped', detail: 'no list has shown an ID to ask for' };
  test('of empty lists are not judged, and there is nobody to ask for', async () => {
    const { code, found } = await withReplies({ ...exams(200, []), ...sessions() });
    expect([code, found.exams?.detail]).toEqual([0, 'there is no exam whose fields could be checked']);
    expect([found.exam, found.student]).toMatchObject(Array(2).fill(skipped));
    const beforeTheFirst = await examined([], {}, new Service({ exams: [goodExam], sessions: [] }));
    expect([beforeTheFirst.code, beforeTheFirst.found.student]).toMatchObject([0, skipped]);
  });

  test('stand in a list that is found as every command finds it, or the remedy works', async () => {
    const service = new Service();
    service.fault = () => refused(200, { entries: [goodExam] });
    const { code, found } = await examined([], {}, service);
    expect([code, found.paging?.detail]).toEqual([8, 'needs: exams']);
    const [, line = ''] = /set: proctor-cli (config set \S+ \S+)$/.exec(found.exams?.remedy ?? '') ?? [];
    await service.run(line);
    expect((await examined([], {}, service)).found.exams).toMatchObject({ state: 'ok' });
    expect((await withReplies(exams(200, { exams: [goodExam], success: false }))).found.exams?.state).toBe('failed');
  });
});
