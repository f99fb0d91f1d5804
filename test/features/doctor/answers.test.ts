/** What doctor finds in the service's answers: rights, lists, fields, clock, each in its good and its bad state. */
import { describe, expect, test } from 'vitest';
import { answer, faultServer, type Reaction } from '../../faults/server.ts';
import { run, temporaryFolder } from '../../support/run.ts';
import { examined, goodExam, goodSession, homeWith, token, withAnswers } from './examined.ts';

test('a service as expected: nothing failed, after three requests', async () => {
  const { code, found, requests } = await withAnswers({});
  expect(code).toBe(0);
  // Once as it is, once as commands read it.
  expect(requests).toEqual(['GET /exams', 'GET /exams', 'GET /student_sessions']);
  for (const name of ['service', 'exams', 'sessions', 'paging']) expect(found[name]).toMatchObject({ state: 'ok' });
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
    expect(found.service).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/^(?!.*doctor)./) });
    expect(found.exams).toMatchObject({ state: 'skipped', detail: 'needs: service' });
    expect(new Set(requests)).toEqual(new Set(['GET /exams']));
    expect(requests.length > 1).toBe([500, 429].includes(status));
  });

  test.each([429, 503])('that answers %i at first is requested again, as for any other command', async (status) => {
    const busy = answer(status, {}, { 'retry-after': '1' });
    const server = await faultServer([busy, ...Array.from({ length: 5 }, () => answer(200, [goodExam]))]);
    const { code, found } = await examined([], { env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
    expect([code, found.service?.state]).toEqual([0, 'ok']);
  });

  test('that is not there has a remedy for the current profile', async () => {
    const home = temporaryFolder();
    await run(['config', 'set', 'timezone', 'UTC', '--profile', 'test'], { home });
    const { found } = await withAnswers({ status: 404 }, { home, env: { PROCTOR_PROFILE: 'test' } });
    expect(found.service?.remedy).toMatch(/: proctor-cli config get baseUrl --profile test$/);
  });

  test('that is a web page is not the service', async () => {
    const { code, found } = await withAnswers({ exams: '<html><title>Welcome</title></html>', headers: { 'content-type': 'text/html' } });
    expect(code).toBe(8);
    expect(found.service).toMatchObject({ state: 'failed', detail: expect.stringContaining('HTML instead of JSON') });
  });
});

describe('the rights', () => {
  test('a token that the service refuses: the remedy logs in', async () => {
    const { code, found, stdout, requests } = await withAnswers({ status: 401, exams: { message: `unknown token ${token}` } });
    expect(code).toBe(4);
    expect(found.service).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('other words than "apiServiceToken"'),
      remedy: 'The token comes from PROCTOR_TOKEN; set a token there that the service accepts.',
    });
    expect(Object.values(found).filter(({ state }) => state === 'failed')).toHaveLength(1);
    // As it is, and behind the two other usual words.
    expect(requests).toHaveLength(3);
    expect(stdout).not.toContain(token);
  });

  test.each(['Bearer', 'Token'])('a token that it takes with another usual word before it: %s is proposed, and works', async (word) => {
    const react: Reaction = (socket, request) =>
      (request.headers.authorization === `${word} ${token}` ? answer(200, []) : answer(401, {}))(socket, request);
    const server = await faultServer(Array.from({ length: 10 }, () => react));
    const world = { home: await homeWith(), env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } };
    const { code, found } = await examined([], world);
    expect(code).toBe(4);
    expect(found.service?.remedy).toBe(`Set it: proctor-cli config set authPrefix ${word}`);
    await run(['config', 'set', 'authPrefix', word], world);
    expect((await examined([], world)).code).toBe(0);
  });

  test('a token that may not read exams is known to the service', async () => {
    const { code, found } = await withAnswers({ status: 403, exams: { message: 'not yours' } });
    expect(code).toBe(4);
    expect(found.service?.state).toBe('ok');
    expect(found.exams).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining('The token comes from PROCTOR_TOKEN'),
    });
    expect(found.sessions?.state).toBe('ok');
  });

  test.each([404, 500])('sessions that are answered with %i have a remedy that does not lead back here', async (sessionStatus) => {
    const { found } = await withAnswers({ sessionStatus, sessions: { message: 'no' } });
    expect(found.sessions).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/^(?!.*doctor)./) });
  });

  test('a token that may read exams and no sessions', async () => {
    const { code, found } = await withAnswers({ sessionStatus: 403, sessions: { message: 'not yours' } });
    expect(code).toBe(4);
    expect(found.exams?.state).toBe('ok');
    expect(found.sessions).toMatchObject({ state: 'failed', detail: expect.stringContaining('403') });
    expect(found.paging?.state).toBe('ok');
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
    ['Mon, 01 Feb 2027 09:01:00 GMT', '1 min ahead of'],
    ['Mon, 01 Feb 2027 08:59:00 GMT', '59 s behind'],
    ['Mon, 01 Feb 2027 10:00:00 GMT', '1 h ahead of'],
    ['Tue, 02 Feb 2027 09:00:00 GMT', '24 h ahead of'],
  ])("%s is the time of a service whose clock is %s this machine's", async (date, words) => {
    expect(await at(date)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(words),
      remedy: 'Set the clock of this machine: timedatectl set-ntp true',
    });
  });

  test.each([undefined, 'yesterday'])('is not judged by %j', async (date) => {
    expect(await at(date)).toMatchObject({ state: 'skipped' });
  });

  test('is named in its row alone', async () => {
    const { stderr } = await withAnswers({ headers: { date: 'Mon, 01 Feb 2027 10:00:00 GMT' } }, { now: '2027-02-01T09:00:00Z' });
    expect(stderr).not.toContain('warning');
  });
});

describe('the list', () => {
  test('that stands in an unknown field fails as it does for every command, and the remedy works', async () => {
    const react: Reaction = (socket, request) => answer(200, { entries: [goodExam] })(socket, request);
    const server = await faultServer(Array.from({ length: 20 }, () => react));
    const world = { home: await homeWith(), env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } };
    const { code, found } = await examined([], world);
    expect(code).toBe(8);
    expect(found.paging).toMatchObject({ state: 'skipped', detail: 'needs: exams' });
    const [, line = ''] = /set: proctor-cli (config set \S+ \S+)$/.exec(found.exams?.remedy ?? '') ?? [];
    await run(line.split(' '), world);
    expect((await examined([], world)).found.exams).toMatchObject({ state: 'ok' });
  });

  test('that is beside a failure is none', async () => {
    const { found } = await withAnswers({ exams: { exams: [goodExam], success: false } });
    expect(found.exams?.state).toBe('failed');
  });
});

describe('the fields', () => {
  const without = (record: Record<string, unknown>, ...keys: string[]) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

  test('of an exam are shown as they came, those of a session without its values', async () => {
    const { found } = await withAnswers({ exams: [{ ...goodExam, room: 'B 12', token: 'k-0123456789' }] });
    expect(found.exams).toMatchObject({ state: 'ok', detail: expect.stringContaining('"room":"B 12"') });
    expect(found.exams?.detail).not.toContain('k-0123456789');
    expect(found.sessions).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(
        /^id, exam_id, name, email, status, close_time\. .+whether that also ends a running exam is not documented/,
      ),
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['id', { ...without(goodExam, 'id'), uuid: 'x' }, 'dialect.idKey NAME'],
    ['name', { ...without(goodExam, 'name'), title: 'Algebra' }, 'dialect.examNameKey NAME'],
  ])('without "%s" name the setting', async (field, exam, setting) => {
    const { code, found } = await withAnswers({ exams: [exam] });
    expect(code).toBe(0);
    expect(found.exams).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(`no exam has the field "${field}"`),
      remedy: expect.stringContaining(`: proctor-cli config set ${setting}`),
    });
  });

  test('without a restriction say that all four must be given', async () => {
    const { found } = await withAnswers({ exams: [without(goodExam, 'allow_pen_paper')] });
    expect(found.exams).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('no exam has the field allow_pen_paper'),
      remedy: expect.stringContaining('--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper'),
    });
  });

  test('that nothing holds have no setting', async () => {
    const { found } = await withAnswers({ sessions: [without(goodSession, 'status')] });
    expect(found.sessions?.remedy).toContain('no setting names this field');
  });

  test('follow the settings', async () => {
    const home = await homeWith(['dialect.sessionExamKey', 'exam.id']);
    const session = { ...without(goodSession, 'exam_id'), exam: { id: 1 } };
    expect((await withAnswers({ sessions: [session] })).found.sessions?.remedy).toContain('dialect.sessionExamKey NAME');
    expect((await withAnswers({ sessions: [session] }, { home })).found.sessions?.state).toBe('ok');
  });

  test('of what is more than one list are not judged', async () => {
    const { found } = await withAnswers({ sessions: { students: [goodSession], student_sessions: [goodSession] } });
    expect([found.paging?.state, found.sessions?.state]).toEqual(['ok', 'skipped']);
  });

  test('of empty lists are not judged', async () => {
    const { found } = await withAnswers({ exams: [], sessions: [] });
    for (const noun of ['exam', 'session'])
      expect(found[`${noun}s`]).toMatchObject({ state: 'ok', detail: `there is no ${noun} whose fields could be checked` });
  });
});
