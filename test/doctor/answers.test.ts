/** What doctor reads out of the service's answers: rights, clock, dialect, each in its good and its bad state. */
import { describe, expect, test } from 'vitest';
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
    [[], 'bare, on one page'],
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

  test('lists: pages that are shown are followed', async () => {
    expect(await lists([goodExam], { link: '</api/v1/exams?page=2>; rel="next"' })).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('pages that are followed'),
    });
  });

  test('lists: more that nobody knows how to ask for is a failure', async () => {
    expect(await lists({ data: [goodExam], has_more: true })).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('has_more'),
    });
  });

  test('lists: a field that sounds like more is a warning', async () => {
    expect(await lists({ data: [goodExam], next_token: 'x' })).toMatchObject({
      state: 'warning',
      remedy: expect.stringMatching(/: proctor-cli config set dialect\.moreKeys next,.*,next_token$/),
    });
    expect(await lists({ data: [goodExam], item_count: 900 })).toMatchObject({
      remedy: expect.stringContaining('dialect.totalKeys total,'),
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
