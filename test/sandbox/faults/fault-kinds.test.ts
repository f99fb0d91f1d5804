/** Each kind of fault over plain HTTP: how the request ends, and whether it was carried out, seen by a second server without faults. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type FaultName, faultKind, faultNames } from '../../../src/sandbox/faults/fault-kinds.ts';
import { faultPlanOf } from '../../../src/sandbox/faults/fault-plan.ts';
import { outbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/run.ts';
import { type Item, newExam, now, type Send, serve } from '../harness.ts';

type End = { status?: number; headers: Record<string, unknown>; text: string; cut: boolean };

/** One for all tests, each of which has an exam of its own: seeding takes longer than a request. */
const folder = temporaryFolder();

async function faulty(...faults: string[]) {
  const plain = await serve({ folder });
  const lines: string[] = [];
  const plan = faultPlanOf({ faults });
  const service = await serve({ folder, ...(plan ? { faults: plan } : {}), onFault: (line) => void lines.push(line) });
  const { path } = await newExam(plain.send);
  return {
    ...service,
    plain: plain.send,
    lines,
    path,
    ask: (method: string, where = `${path}/student_sessions`, body?: object) =>
      ask(service, method, where, body, faults.some((fault) => fault.includes('silence')) ? 200 : 20_000),
    students: async () => (await plain.send<Item[]>('GET', `${path}/student_sessions`)).body.length,
  };
}

/** A request to whatever end it has; silence for so many milliseconds is one. */
async function ask(
  { baseUrl, token }: { baseUrl: string; token: string },
  method: string,
  path: string,
  body: object | undefined,
  patience: number,
): Promise<End> {
  const sent = httpRequest(baseUrl + path, { method, agent: false, headers: { authorization: `apiServiceToken ${token}` } });
  sent.setTimeout(patience, () => sent.destroy(new Error('silence')));
  sent.end(body && JSON.stringify(body));
  const end: End = { headers: {}, text: '', cut: true };
  try {
    const [answer] = await once(sent, 'response');
    Object.assign(end, { status: answer.statusCode, headers: answer.headers });
    for await (const chunk of answer) end.text += chunk;
    end.cut = false;
  } catch (error) {
    end.text ||= (error as Error).message;
  }
  return end;
}

const student = { email: 'Renée@example.org', name: 'Renée' };

/** What a POST of a student ends with, and how many students there are then. */
const posts: [fault: string, end: Partial<Record<keyof End, unknown>>, students: number][] = [
  ['latency=1,delay=20ms,spread=10ms', { status: 201, cut: false }, 1],
  ['lost-before=1', { text: expect.stringContaining('ECONNRESET'), cut: true }, 0],
  ['lost-before=1,how=silence', { text: 'silence', cut: true }, 0],
  ['lost-after=1', { text: expect.stringContaining('ECONNRESET'), cut: true }, 1],
  ['lost-after=1,how=silence', { text: 'silence', cut: true }, 1],
  ['cut-body=1', { status: 201, text: expect.stringMatching(/^\{"id":[^}]*$/), cut: true }, 1],
  ['slow-body=1,over=50ms', { status: 201, text: expect.stringMatching(/^\{.*\}$/), cut: false }, 1],
  ['401=1', { status: 401, text: expect.stringContaining('"unauthorized"') }, 0],
  [
    '409=1',
    { status: 409, text: expect.stringContaining('"conflict"'), headers: expect.objectContaining({ date: new Date(now).toUTCString() }) },
    0,
  ],
  ['409=1,work=done', { status: 409 }, 1],
  ['429=1', { status: 429, headers: expect.objectContaining({ 'retry-after': '1' }) }, 0],
  ['429=1,retry-after=none', { status: 429, headers: expect.not.objectContaining({ 'retry-after': expect.anything() }) }, 0],
  ['500=1,work=done', { status: 500 }, 1],
  ['502=1', { status: 502, text: expect.stringContaining('<title>502 Bad Gateway</title>') }, 0],
  [
    '503=1,retry-after=7',
    { status: 503, text: expect.stringContaining('<title>503'), headers: expect.objectContaining({ 'retry-after': '7' }) },
    0,
  ],
  ['504=1', { status: 504, headers: expect.objectContaining({ 'content-type': 'text/html' }) }, 1],
  ['list-lag=1', { status: 201 }, 1],
  ['wrong-clock=1,by=-10m', { status: 201, headers: expect.objectContaining({ date: new Date(now - 600_000).toUTCString() }) }, 1],
];

describe('A request that creates a student', () => {
  test.each(posts)('under %s ends as it should', async (fault, end, students) => {
    const { ask, students: count, lines } = await faulty(fault);
    expect(await ask('POST', undefined, student)).toMatchObject(end);
    await expect.poll(count, { timeout: 10_000 }).toBe(students);
    expect(lines).toHaveLength(fault.startsWith('list') ? 0 : 1);
  });

  test('late is carried out, or refused, after its answer', async () => {
    const { ask, path, students, lines } = await faulty('500=1,work=late');
    expect(await ask('POST', undefined, student)).toMatchObject({ status: 500 });
    await ask('POST', '/exams/none/student_sessions', student);
    expect(await students()).toBe(0);
    expect(lines[0]).toContain('carried out later, 500');
    await expect.poll(students, { timeout: 20_000, interval: 200 }).toBe(1);
    await expect
      .poll(() => lines.slice(2), { timeout: 20_000, interval: 200 })
      .toEqual([`#1 POST ${path}/student_sessions: carried out now`, '#2 POST /exams/none/student_sessions: refused (404) now']);
  });

  test.each([
    ['lost-after=1', 'refused (404), connection reset'],
    ['cut-body=1', 'refused (404), answer cut'],
    ['500=1,work=done', 'refused (404), 500'],
    ['lost-before=1', 'not carried out, connection reset'],
  ])('and is refused is not said to be carried out: %s', async (fault, said) => {
    const { ask, lines } = await faulty(fault);
    await ask('POST', '/exams/none/student_sessions', student);
    expect(lines).toEqual([`#1 POST /exams/none/student_sessions: ${said}`]);
  });

  test('without a body in its answer is cut as well', async () => {
    const { ask, path, plain } = await faulty('cut-body=1,on=DELETE');
    expect(await ask('DELETE', path)).toMatchObject({ cut: true, headers: {} });
    expect((await plain('GET', path)).status).toBe(404);
  });
});

describe('A list', () => {
  const shown = async (send: Send, path: string) => (await send<Item[]>('GET', `${path}/student_sessions`)).body;
  const three = async (...faults: string[]) => {
    const service = await faulty(...faults);
    for (const email of ['a@example.org', 'B@Example.org', 'renée@example.org'])
      await service.send('POST', `${service.path}/student_sessions`, { email });
    return service;
  };

  test('that lags leaves out what was created here a moment ago', async () => {
    let time = now;
    const faults = faultPlanOf({ faults: ['list-lag=1,by=5s'] });
    const { send } = await serve({ folder, now: () => time, ...(faults ? { faults } : {}) });
    const exams = async () => (await send<Item[]>('GET', '/exams')).body.length;
    const before = await exams();
    const { path } = await newExam(send);
    await send('POST', `${path}/student_sessions`, student);
    expect(await shown(send, path)).toEqual([]);
    expect(await exams()).toBe(before);
    time += 5000;
    expect(await shown(send, path)).toMatchObject([student]);
    expect(await exams()).toBe(before + 1);
  });

  test('that lags shows what was changed, mailed and deleted a moment ago as it was before, in its place', async () => {
    let time = now;
    const faults = faultPlanOf({ faults: ['list-lag=1,by=5s'] });
    const { send } = await serve({ folder, now: () => time, ...(faults ? { faults } : {}) });
    const { path } = await newExam(send);
    const other = await newExam(send);
    for (const email of ['a@example.org', 'b@example.org', 'c@example.org']) await send('POST', `${path}/student_sessions`, { email });
    time += 5000;
    const before = await shown(send, path);
    const [first, second] = before;
    await send('PATCH', `/student_sessions/${second?.id}`, { close_time: '2026-11-21T12:00:00Z' });
    await send('POST', `${path}/send_emails`);
    await send('DELETE', `/student_sessions/${first?.id}`);
    await send('PATCH', path, { name: 'Another name' });
    const nameOf = async () => (await send<Item[]>('GET', '/exams')).body.find(({ id }) => path === `/exams/${id}`)?.name;
    expect(await shown(send, path)).toEqual(before);
    expect(await shown(send, other.path)).toEqual([]);
    expect(await nameOf()).not.toBe('Another name');
    // One resource is shown as it is.
    expect((await send('GET', `/student_sessions/${second?.id}`)).body).toMatchObject({ close_time: '2026-11-21T12:00:00Z' });
    time += 5000;
    expect(await shown(send, path)).toMatchObject([
      { id: second?.id, close_time: '2026-11-21T12:00:00Z', status: 'mail_sent' },
      { email: 'c@example.org', status: 'mail_sent' },
    ]);
    expect(await nameOf()).toBe('Another name');
  });

  test('that is cut ends early and looks whole, also on pages', async () => {
    const { send, path } = await three('list-cut=1,keep=2');
    expect(await shown(send, path)).toHaveLength(2);
    const faults = faultPlanOf({ faults: ['list-cut=1,keep=3'] });
    const paged = await serve({ folder, pageSize: 2, ...(faults ? { faults } : {}) });
    const { headers, body } = await paged.send<Item[]>('GET', '/exams?page=2');
    expect([body.length, headers['x-pagination-total-count'], headers.link]).toEqual([1, '3', undefined]);
  });

  test('without addresses has all else', async () => {
    const { send, path } = await three('list-no-addresses');
    const items = await shown(send, path);
    expect(items).toHaveLength(3);
    for (const item of items) expect(item).not.toHaveProperty('email');
    expect((await send('GET', `/student_sessions/${items[0]?.id}`)).body).toMatchObject({ email: 'a@example.org' });
  });

  test('shows addresses in capitals', async () => {
    const { send, path } = await three('list-case');
    const addresses = (await shown(send, path)).map(({ email }) => email);
    expect(addresses).toEqual(['A@EXAMPLE.ORG', 'B@EXAMPLE.ORG', 'RENÉE@EXAMPLE.ORG']);
  });

  test('that an answer in its place does not show is not told of', async () => {
    const { ask, lines } = await faulty('list-cut=1', '503=1,for=1');
    await ask('GET');
    await ask('GET');
    expect(lines.map((line) => line.replace(/\/exams\/\d+/, ''))).toEqual([
      '#1 GET /student_sessions: 503',
      '#2 GET /student_sessions: list of 20 at most',
    ]);
  });
});

test('The clock that is wrong sets wrong times, too', async () => {
  const { send, plain, path } = await faulty('wrong-clock=1,by=+1h');
  await plain('POST', `${path}/student_sessions`, student);
  await plain('POST', `${path}/send_emails`);
  await send('POST', `${path}/send_emails`);
  const mails = outbox(folder, { exam: path.replace('/exams/', '') });
  expect(mails.map(({ sent_at }) => Date.parse(sent_at) - now)).toEqual([0, 3_600_000]);
  expect((await plain('GET', '/exams/1')).headers.date).toBe(new Date(now).toUTCString());
  expect((await send('GET', '/exams/1')).headers.date).toBe(new Date(now + 3_600_000).toUTCString());
});

test.each([
  ['wrong-clock=1,by=-25m', 'clock 25 min behind'],
  ['wrong-clock=1,by=1500ms', 'clock 1.5 s ahead'],
  ['list-lag=1,by=90s', 'list of 1 min 30 s ago'],
])('Times are told as people say them: %s', async (fault, said) => {
  const { ask, lines } = await faulty(fault);
  await ask('GET', '/exams');
  expect(lines).toEqual([`#1 GET /exams: ${said}`]);
});

test('Of several faults the first decides how the request ends, and delays add up', async () => {
  const { ask, lines } = await faulty('latency=1,delay=20ms,spread=0ms', 'latency=1,delay=10ms,spread=0ms', '503=1', '500=1');
  expect((await ask('POST', undefined, student)).status).toBe(503);
  expect(lines[0]).toMatch(/: 0\.02 s late; 0\.01 s late; not carried out, 503$/);
});

test('A request without a fault passes untouched, a body that is too large included', async () => {
  const { send, lines, path, tally } = await faulty('500=1,on=GET');
  expect((await send('POST', `${path}/student_sessions`, student)).body).toMatchObject(student);
  expect((await send('POST', '/exams', JSON.stringify({ note: 'x'.repeat(11 << 20) }))).status).toBe(413);
  expect((await send('GET', '/exams', undefined, { authorization: undefined })).status).toBe(500);
  expect([lines.length, tally()]).toEqual([1, { requests: 3, faulty: 1 }]);
});

test('A service without faults has no layer, and closing one ends all that waits', async () => {
  expect(faultPlanOf({ faults: [] })).toBeUndefined();
  const slow = await faulty('latency=1,delay=1h,spread=0ms', 'slow-body=1,over=1h');
  const waiting = slow.ask('GET', '/exams');
  await slow.close();
  expect((await waiting).cut).toBe(true);
});

test('Each kind of fault is tried here', () => {
  const tried = new Set(posts.map(([fault]) => fault.split('=')[0]));
  const lists = faultNames.filter((name) => faultKind(name).group === 'list');
  expect([...tried, ...lists]).toEqual(expect.arrayContaining(faultNames satisfies FaultName[]));
});
