/** What doctor reads out of the service's answers: rights, clock, dialect, each in its good and its bad state. */
import { describe, expect, test } from 'vitest';
import { answer, faultServer, type Reaction } from '../../faults/server.ts';
import { examined, goodExam, goodSession, homeWith, token, withAnswers } from './examined.ts';

const without = (record: Record<string, unknown>, ...keys: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

test('a service as expected: nothing failed, and each list and object was asked for once', async () => {
  const { code, found, requests } = await withAnswers({});
  expect(code).toBe(0);
  expect(requests).toEqual([
    'GET /exams',
    'GET /student_sessions',
    'GET /exams/1/student_sessions',
    'GET /exams/1/proctor_pool',
    'GET /exams/1',
    'GET /student_sessions/5',
  ]);
  const states = Object.values(found).filter(({ check }) => /^(service|rights|dialect)/.test(check));
  expect(states.map(({ check, state }) => `${check}: ${state}`)).toEqual([
    'service: ok',
    'rights: exams: ok',
    'rights: sessions: ok',
    'dialect: lists: ok',
    'dialect: IDs: ok',
    'dialect: pages: ok',
    'dialect: objects: ok',
    'dialect: fields: ok',
    'dialect: times: ok',
    'dialect: restrictions: ok',
    'dialect: exams: ok',
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
    expect(found['rights: exams']).toMatchObject({ state: 'skipped', detail: 'needs: service' });
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

  test.each([
    ['a scheme that the service names', 'Basic realm="x", Exam-Token realm="y"', 'Exam-Token'],
    ['a usual one that it does not name', undefined, 'Bearer'],
  ])('a token that it takes with another word before it: %s is proposed', async (_, challenge, word) => {
    const react: Reaction = (socket, request) =>
      request.headers.authorization === `${word} ${token}`
        ? answer(200, [])(socket, request)
        : answer(401, {}, challenge === undefined ? {} : { 'www-authenticate': challenge })(socket, request);
    const server = await faultServer(Array.from({ length: 10 }, () => react));
    const { code, found } = await examined([], { env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
    expect(code).toBe(4);
    expect(found['rights: exams']?.remedy).toBe(`Set it: proctor-cli config set authPrefix ${word}`);
    expect(server.received.map(({ headers }) => headers.authorization?.split(' ')[0])).not.toContain('Basic');
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
  ])('against %s, the clock of this machine is %s', async (date, words) => {
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
    expect(await lists({ status: 'fine' })).toMatchObject({ state: 'failed', remedy: 'Show it: proctor-cli api GET /exams' });
  });

  const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ ...goodExam, id: from + index }));
  const pages = async (answers: Parameters<typeof withAnswers>[0], home?: string) =>
    (await withAnswers({ sessions: [], ...answers }, home === undefined ? {} : { home })).found['dialect: pages'];

  test('pages: those that are shown are followed', async () => {
    const exams = [goodExam];
    const headers = { link: '</api/v1/exams?page=2>; rel="next"' };
    expect(await pages({ exams, headers, furtherPage: () => answer(200, many(2, 3)) })).toMatchObject({
      state: 'ok',
      detail: 'several, all of them followed; one',
    });
  });

  test('pages: one that comes again is a failure', async () => {
    expect(await pages({ exams: [goodExam], headers: { 'x-total-pages': '2' } })).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('but the same page came again, or none'),
      remedy: expect.stringContaining('dialect.pageParameter NAME'),
    });
  });

  test.each<[string, string, Record<string, string>]>([
    ['page_number', 'dialect.pageParameter page_number', { 'x-total-count': '3' }],
    ['offset', 'dialect.paging counted-offset', { 'x-total-count': '3' }],
    ['skip', 'dialect.offsetParameter skip', { 'x-total-count': '3' }],
    ['page', 'dialect.paging page', { 'x-list-range': '1-1/3' }],
  ])('pages: those that "%s" asks for are found, and the remedy is %s', async (parameter, setting, headers) => {
    const furtherPage = (path: string) => {
      const value = new URL(path, 'http://x').searchParams.get(parameter);
      return answer(200, value === null || (parameter.startsWith('page') && value === '1') ? [goodExam] : many(2, 4));
    };
    expect(await pages({ exams: [goodExam], headers, furtherPage })).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining(`: proctor-cli config set ${setting}`),
    });
  });

  test('pages: a list of round length with a silent second page is found', async () => {
    const furtherPage = (path: string) => answer(200, path.endsWith('page=2') ? many(101, 150) : many(1, 101));
    expect(await pages({ exams: many(1, 101), furtherPage })).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining('dialect.paging page'),
    });
    expect(await pages({ exams: many(1, 101) })).toMatchObject({ state: 'ok' });
  });

  test('pages: a total is enough where the next one comes by its number', async () => {
    const furtherPage = (path: string) => answer(200, path.endsWith('page=2') ? many(2, 4) : [goodExam]);
    expect(await pages({ exams: [goodExam], headers: { 'x-total-count': '3' }, furtherPage })).toMatchObject({
      state: 'ok',
      detail: 'several, all of them followed; one',
    });
  });

  test('pages: page 1 that is another than the first one counts from 0', async () => {
    const furtherPage = (path: string) => answer(200, path.endsWith('page=1') ? many(2, 3) : [goodExam]);
    expect((await pages({ exams: [goodExam], headers: { 'x-total-count': '2' }, furtherPage }))?.remedy).toContain('dialect.firstPage 0');
  });

  test.each([
    ['the students of an exam', '/exams/1/student_sessions', 'students of exam 1'],
    ['the proctor pool', '/exams/1/proctor_pool', 'proctors of exam 1'],
    ['the users', '/institutes/3/users', 'users of institute 3'],
  ])('pages: those of %s alone are found', async (_, path, words) => {
    const people = Array.from({ length: 6 }, (_, id) => ({ ...goodSession, id }));
    const react: Reaction = (socket, request) => {
      const url = new URL(request.path, 'http://x');
      const number = Number(url.searchParams.get('page_number') ?? 1);
      const shown = url.pathname.endsWith(path)
        ? people.slice(number * 2 - 2, number * 2)
        : url.pathname.endsWith('/exams')
          ? [goodExam]
          : [];
      answer(200, shown, url.pathname.endsWith(path) ? { 'x-total-count': '6' } : {})(socket, request);
    };
    const server = await faultServer(Array.from({ length: 40 }, () => react));
    const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token, PROCTOR_INSTITUTE: '3' };
    expect((await examined([], { env })).found['dialect: pages']).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining(`the list of ${words} has a second page ("page_number=2")`),
      remedy: expect.stringContaining('dialect.pageParameter page_number'),
    });
  });

  test('lists: a proctor pool that cannot be read is told, and harms nothing', async () => {
    const react: Reaction = (socket, request) => {
      const { path } = request;
      const shown = path.endsWith('/exams')
        ? [goodExam]
        : path.endsWith('/1')
          ? goodExam
          : path.endsWith('/5')
            ? goodSession
            : [goodSession];
      (path.endsWith('proctor_pool') ? answer(404, {}) : answer(200, shown))(socket, request);
    };
    const server = await faultServer(Array.from({ length: 20 }, () => react));
    const { code, found } = await examined([], { env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
    expect(code).toBe(0);
    expect(found['dialect: lists']).toMatchObject({ state: 'ok', detail: 'bare, not read: proctors of exam 1 (404)' });
  });

  test.each<[string, unknown, string]>([
    ['a map by ID', { 1: without(goodExam, 'id') }, 'dialect.listForm map'],
    ['a map by ID in a wrapper', { exams: { 'a-1': { ...goodExam, id: 'a-1' } }, total: 1 }, 'dialect.listForm map'],
    ['JSON:API', { data: [{ id: '1', type: 'exams', attributes: without(goodExam, 'id') }] }, 'dialect.recordKeys attributes'],
  ])('lists: %s is recognised, and the remedy sets it', async (_, exams, setting) => {
    const { found } = await withAnswers({ exams, sessions: [] });
    expect(found['dialect: lists']).toMatchObject({ state: 'failed', remedy: `Set it: proctor-cli config set ${setting}` });
    expect(found['dialect: restrictions']).toMatchObject({ state: 'skipped', detail: 'needs: dialect: lists' });
  });

  const objects = async (shown: unknown, status = 200) =>
    (await withAnswers({ sessions: [], one: () => answer(status, shown) })).found['dialect: objects'];

  test.each<[string, unknown, string]>([
    ['bare', goodExam, 'exam: bare'],
    ['in a known wrapper', { data: goodExam }, 'exam: bare'],
    ['as the only item of a list', [goodExam], 'exam: bare'],
    ['in its own name', { exam: goodExam }, 'exam: under "exam" (sent bare; if the service refuses that, set dialect.examWrapper to exam)'],
  ])('objects: one that is shown %s is read', async (_, shown, detail) => {
    expect(await objects(shown)).toMatchObject({ state: 'ok', detail });
  });

  test('objects: an unknown wrapper is a failure, and its remedy sets it', async () => {
    expect(await objects({ result: { exam: goodExam } })).toMatchObject({
      state: 'failed',
      remedy: 'Set it: proctor-cli config set dialect.objectKeys data,result',
    });
  });

  test.each<[unknown, number, string, string]>([
    [{ fine: true }, 200, 'failed', 'no setting finds one'],
    [{ ...goodExam, id: 2 }, 200, 'failed', 'no setting finds one'],
    [[goodExam, goodExam], 200, 'failed', 'no setting finds one'],
    [{ message: 'no' }, 404, 'warning', 'exam 1 is listed, but cannot be shown'],
  ])('objects: %j with %i is %s', async (shown, status, state, detail) => {
    expect(await objects(shown, status)).toMatchObject({ state, detail: expect.stringContaining(detail) });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ ...without(goodExam, 'start_time'), startTime: '2027-02-01T08:00:00Z' }, '"startTime" instead of "start_time"'],
    [{ ...without(goodExam, 'allow_pen_paper'), paper_allowed: true }, '"paper_allowed" instead of "allow_pen_paper"'],
  ])('fields: what the specification names otherwise is told, and nothing is proposed: %j', async (exam, detail) => {
    const { found } = await withAnswers({ exams: [exam] });
    expect(found['dialect: fields']).toMatchObject({ state: 'warning', detail: expect.stringContaining(detail) });
    expect(found['dialect: fields']?.remedy).not.toContain('config set');
  });

  test('exams: without the field that --name sets, that is said', async () => {
    const { found } = await withAnswers({ exams: [without(goodExam, 'name')] });
    expect(found['dialect: exams']).toMatchObject({ state: 'warning', detail: expect.stringContaining('may not keep what --name sets') });
    const { found: named } = await withAnswers({ exams: [{ ...without(goodExam, 'name'), title: 'Algebra' }] });
    expect(named['dialect: exams']?.remedy).toContain('dialect.examNameKey title');
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
    const exams = [{ ...without(goodExam, 'id'), uuid: 'x' }];
    const both = await withAnswers({ exams, sessions: [{ ...without(goodSession, 'id'), uuid: 'y' }] });
    expect(both.found['dialect: IDs']).toMatchObject({
      state: 'warning',
      remedy: expect.stringMatching(/: proctor-cli config set dialect\.idKey uuid$/),
    });
    const one = await withAnswers({ exams });
    expect(one.found['dialect: IDs']?.remedy).toMatch(/: proctor-cli config set dialect\.examIdKey uuid$/);
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
    ['2027-02-01T09:00:00+00:00', 'note', 'dialect.timeFormat iso-offset'],
    ['2027-02-01T09:00:00.000Z', 'note', 'dialect.timeFormat iso-utc-ms'],
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
