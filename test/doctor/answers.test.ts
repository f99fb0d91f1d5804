/** What doctor reads out of the service's answers: rights, clock, dialect, each in its good and its bad state. */
import { describe, expect, test } from 'vitest';
import { answer } from '../faults/server.ts';
import { goodExam, goodSession, homeWith, token, withAnswers } from './examined.ts';

const without = (record: Record<string, unknown>, ...keys: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

test('a service as expected: nothing failed, and two lists were all that was asked for', async () => {
  const { code, found, requests } = await withAnswers({});
  expect(code).toBe(0);
  expect(requests).toEqual(['GET /exams', 'GET /student_sessions']);
  const states = Object.values(found).filter(({ check }) => /^(service|rights|dialect)/.test(check));
  expect(states.map(({ check, state }) => `${check}: ${state}`)).toEqual([
    'service: ok',
    'rights: exams: ok',
    'rights: sessions: ok',
    'dialect: lists: ok',
    'dialect: pages: ok',
    'dialect: IDs: ok',
    'dialect: times: ok',
    'dialect: restrictions: ok',
    'dialect: sessions: ok',
  ]);
});

describe('the service', () => {
  test.each([
    [500, 8, 'unavailable'],
    [404, 6, 'not_found'],
    [302, 8, 'redirected'],
    [429, 8, 'rate_limited'],
  ])('that answers %i is status %i', async (status, exit, code) => {
    const { code: ended, found, failure, requests } = await withAnswers({ status, exams: { message: 'no' } });
    expect([ended, failure?.code]).toEqual([exit, code]);
    expect(found.service).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/./) });
    expect(found['rights: exams']).toMatchObject({ state: 'skipped', detail: 'waits for: service' });
    expect(requests).toEqual(['GET /exams']);
  });

  test('that is a web page is not the service', async () => {
    const { code, found } = await withAnswers({ exams: '<html><title>Welcome</title></html>', headers: { 'content-type': 'text/html' } });
    expect(code).toBe(8);
    expect(found.service).toMatchObject({ state: 'failed', detail: expect.stringContaining('Welcome') });
  });
});

describe('the rights', () => {
  test('a token that the service refuses: the remedy logs in', async () => {
    const { code, found, stdout } = await withAnswers({ status: 401, exams: { message: `unknown token ${token}` } });
    expect(code).toBe(4);
    expect(found.service?.state).toBe('ok');
    expect(found['rights: exams']).toMatchObject({
      state: 'failed',
      remedy: expect.stringMatching(/apiServiceToken.*: proctor-cli auth login$/),
    });
    expect(found['dialect: lists']?.state).toBe('skipped');
    expect(stdout).not.toContain(token);
  });

  test('a token that may read exams and no sessions', async () => {
    const { code, found } = await withAnswers({ sessionStatus: 403, sessions: { message: 'not yours' } });
    expect(code).toBe(4);
    expect(found['rights: exams']?.state).toBe('ok');
    expect(found['rights: sessions']).toMatchObject({ state: 'failed', detail: expect.stringContaining('403') });
    expect(found['dialect: sessions']?.state).toBe('skipped');
    expect(found['dialect: IDs']?.state).toBe('ok');
  });
});

describe('the clock', () => {
  const at = async (date: string | undefined) => {
    const headers = date === undefined ? {} : { date };
    return (await withAnswers({ headers }, { now: '2027-02-01T09:00:00Z' })).found.clock;
  };

  test.each(['Mon, 01 Feb 2027 09:00:00 GMT', 'Mon, 01 Feb 2027 09:00:04 GMT', 'Mon, 01 Feb 2027 08:59:55 GMT'])(
    'agrees with %s',
    async (date) => {
      expect(await at(date)).toMatchObject({ state: 'ok' });
    },
  );

  test.each([
    ['Mon, 01 Feb 2027 09:01:00 GMT', '61 s behind'],
    ['Mon, 01 Feb 2027 08:59:00 GMT', '60 s ahead of'],
    ['Mon, 01 Feb 2027 10:00:00 GMT', '60 min behind'],
    ['Tue, 02 Feb 2027 09:00:00 GMT', '24 h behind'],
  ])('against %s, this machine is %s', async (date, words) => {
    expect(await at(date)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(words),
      remedy: 'Set the clock: timedatectl set-ntp true',
    });
  });

  test.each([undefined, 'yesterday'])('is not judged by %j', async (date) => {
    expect(await at(date)).toMatchObject({ state: 'skipped' });
  });
});

describe('the dialect', () => {
  const lists = async (exams: unknown, headers = {}) => (await withAnswers({ exams, headers })).found['dialect: lists'];

  test.each([
    [{ exams: [goodExam] }, 'under "exams"'],
    [{ data: [goodExam], total: 1 }, 'under "data"'],
    [[], 'bare'],
  ])('lists: %j is known', async (exams, detail) => {
    expect(await lists(exams)).toMatchObject({ state: 'ok', detail: expect.stringContaining(detail) });
  });

  test('lists: an unknown wrapper is a failure, and its remedy sets it', async () => {
    expect(await lists({ entries: [goodExam] })).toMatchObject({
      state: 'failed',
      remedy: 'Set it: proctor-cli config set dialect.listKeys data,items,results,entries',
    });
  });

  test('lists: no list at all', async () => {
    expect(await lists({ status: 'fine' })).toMatchObject({ state: 'failed', remedy: 'Look at it: proctor-cli api GET /exams' });
  });

  const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ ...goodExam, id: from + index }));
  const pages = async (answers: Parameters<typeof withAnswers>[0], home?: string) =>
    (await withAnswers({ sessions: [], ...answers }, home === undefined ? {} : { home })).found['dialect: pages'];

  test('pages: those that are shown are followed', async () => {
    const exams = [goodExam];
    const headers = { link: '</api/v1/exams?page=2>; rel="next"' };
    expect(await pages({ exams, headers, furtherPage: () => answer(200, many(2, 3)) })).toMatchObject({
      state: 'ok',
      detail: 'several, which are followed; one',
    });
  });

  test('pages: one that comes again is a failure', async () => {
    expect(await pages({ exams: [goodExam], headers: { 'x-total-pages': '2' } })).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('the same or nothing came'),
      remedy: expect.stringContaining('dialect.pageParameter NAME'),
    });
  });

  test.each<[string, string, Record<string, string>]>([
    ['page', 'dialect.paging page', { 'x-total-count': '3' }],
    ['page_number', 'dialect.pageParameter page_number', { 'x-total-count': '3' }],
    ['offset', 'dialect.paging offset', { 'x-total-count': '3' }],
    ['skip', 'dialect.offsetParameter skip', { 'x-total-count': '3' }],
    ['page', 'dialect.paging page', { 'x-list-range': '1-1/3' }],
  ])('pages: those that "%s" asks for are found, and the remedy is %s', async (parameter, setting, headers) => {
    const furtherPage = (path: string) => answer(200, new URL(path, 'http://x').searchParams.has(parameter) ? many(2, 4) : [goodExam]);
    expect(await pages({ exams: [goodExam], headers, furtherPage })).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining(`: proctor-cli config set ${setting}`),
    });
  });

  test('pages: a list of a round number that goes on without a word is found', async () => {
    const furtherPage = (path: string) => answer(200, path.endsWith('page=2') ? many(101, 150) : many(1, 101));
    expect(await pages({ exams: many(1, 101), furtherPage })).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining('dialect.paging page'),
    });
    expect(await pages({ exams: many(1, 101) })).toMatchObject({ state: 'ok' });
  });

  test('pages: more that cannot be asked for is a failure', async () => {
    expect(await pages({ exams: { data: [goodExam], has_more: true } })).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('has_more'),
    });
  });

  test('pages: what sounds like paging and is none can be passed over', async () => {
    expect(await pages({ exams: { data: [goodExam], batch_range: '1 to 5' } })).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('dialect.ignoredKeys batch_range'),
    });
  });

  test('IDs: another field is found and proposed', async () => {
    const { found } = await withAnswers({ exams: [{ ...without(goodExam, 'id'), uuid: 'x' }] });
    expect(found['dialect: IDs']).toMatchObject({
      state: 'warning',
      remedy: expect.stringMatching(/: proctor-cli config set dialect\.idKey uuid$/),
    });
  });

  test('IDs: the setting is what counts', async () => {
    const home = await homeWith(['dialect.idKey', 'uuid']);
    const { found } = await withAnswers({ exams: [{ ...without(goodExam, 'id'), uuid: 'x' }], sessions: [] }, { home });
    expect(found['dialect: IDs']).toMatchObject({ state: 'ok' });
  });

  test.each([
    [1801468800, 'warning', 'epoch-s'],
    [1801468800000, 'warning', 'epoch-ms'],
    ['2027-02-01 09:00:00+00:00', 'warning', 'iso-space'],
    ['2027-02-01T09:00:00+00:00', 'ok', null],
    ['2027-02-01T09:00:00+01:00', 'ok', null],
    ['2027-02-01 09:00:00', 'warning', 'exams list'],
  ])('times: %j is a matter for %s', async (time, state, remedy) => {
    const { found } = await withAnswers({ exams: [{ ...goodExam, start_time: time }], sessions: [] });
    expect(found['dialect: times']?.state).toBe(state);
    if (remedy !== null) expect(found['dialect: times']?.remedy).toContain(remedy);
  });

  test('restrictions: those that are hidden are named, and the remedy gives all four', async () => {
    const { found, code } = await withAnswers({ exams: [without(goodExam, 'allow_pen_paper')] });
    expect(code).toBe(0);
    expect(found['dialect: restrictions']).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('allow_pen_paper'),
      remedy: expect.stringContaining('--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper'),
    });
  });

  test.each([
    [{ ...without(goodSession, 'exam_id'), exam: 1 }, 'dialect.sessionExamKey exam'],
    [{ ...without(goodSession, 'name'), full_name: 'Ada' }, 'dialect.sessionNameKey full_name'],
    [{ ...goodSession, status: 'mail_send' }, 'sessions list'],
  ])('sessions: %j', async (session, remedy) => {
    const { found } = await withAnswers({ sessions: [session] });
    expect(found['dialect: sessions']).toMatchObject({ state: 'warning', remedy: expect.stringContaining(remedy) });
  });

  test('without an exam or a session there is nothing to judge', async () => {
    const { found } = await withAnswers({ exams: [], sessions: [] });
    for (const name of ['IDs', 'times', 'restrictions', 'sessions']) expect(found[`dialect: ${name}`]?.state).toBe('skipped');
  });

  test('a name that a service chose is quoted for the shell', async () => {
    const { found } = await withAnswers({ exams: { "it's; rm": [goodExam] } });
    expect(found['dialect: lists']?.remedy).toContain(`'data,items,results,it'\\''s; rm'`);
  });
});
