/** A create is judged by the same comparison whether its answer came, was lost, or said no. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import type { World } from '../support/run.ts';
import { lostAfter, lostBefore, type Reply, refused, reply, type Service, type ServiceOptions, shown } from '../support/service.ts';
import { codesOf, done, first, inExam, latest, posts, timetable } from '../support/story.ts';

const close = '2127-02-01T09:00:00Z';
const create = `sessions create --exam 1 --email eve@example.org --close-time ${close}`;
const roster = { stdin: `email,close_time\neve@example.org,${close}\n` };

type Line = [what: string, line: string, world: World];
const lines: Line[] = [
  ['sessions create', create, {}],
  ['students add', `students add --exam 1 --email eve@example.org --close-time ${close}`, {}],
  ['sessions import', 'sessions import - --exam 1 --yes', roster],
  ['api POST', `api POST /exams/1/student_sessions -F email=eve@example.org -F close_time=${close}`, {}],
];

/** Keeps a new student without the close time, and says so in no answer. */
const forgetful = (reply: Reply): Service => {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada] });
  service.fault = ({ method, body }) => {
    if (method !== 'POST') return undefined;
    delete body.close_time;
    return reply;
  };
  return service;
};
const lost = (): Service => {
  const service = serviceWithExam({ sessions: [ada] });
  service.next('POST', lostAfter);
  return service;
};
const raced = (values: object): Service => {
  const service = serviceWithExam({ sessions: [ada] });
  service.fault = ({ method }) => {
    if (method !== 'POST') return undefined;
    service.add({ email: 'eve@example.org', ...values });
    return refused(409);
  };
  return service;
};
const addresses = (service: Service) => service.sessions.map(({ email }) => email).sort();

/** What becomes of the create, what the command ends with, and what it says. */
const ends: [what: string, () => Service, code: number, says: string][] = [
  ['story 1: its answer is lost, and a value was not kept', () => forgetful(lostAfter), 9, 'close_time'],
  ['story 1: it is answered, and a value was not kept', () => forgetful({}), 9, 'close_time'],
  ['story 1: its answer is lost, and all values are kept', () => lost(), 0, ''],
  ['story 2: a colleague was faster (409), with other values', () => raced({ close_time: null }), 11, 'close_time'],
  ['story 2: a colleague was faster (409), with the same values', () => raced({ close_time: close }), 0, ''],
];

describe.each(lines)('%s', (_what, line, world) => {
  test.each(ends)('%s', async (_end, made, code, says) => {
    const { service } = await done(made(), line, code, says, world);
    expect(posts(service)).toBe(1);
  });
});

test('story 1: an exam whose answer was lost and that lost a restriction is no success', async () => {
  const service = serviceWithExam();
  service.fault = ({ method, body }) => {
    if (method !== 'POST') return undefined;
    body.allow_headphones = false;
    return lostAfter;
  };
  const start = '--name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';
  const all = '--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';
  await done(service, `exams create ${start} ${all}`, 9, 'allow_headphones');
  expect(posts(service)).toBe(1);
});

test('story 2: after something was written, a student who is there with other values makes it 9', async () => {
  const service = serviceWithExam({ sessions: [ada] });
  service.fault = ({ method, body }) => {
    if (method !== 'POST' || body.email !== 'eve@example.org') return undefined;
    service.add({ email: 'eve@example.org' });
    return refused(409);
  };
  const stdin = `email,close_time\nzoe@example.org,${close}\neve@example.org,${close}\n`;
  await done(service, 'sessions import - --exam 1 --yes', 9, { stdin });
  expect(posts(service)).toBe(2);
});

describe('story 3: a second registration that is asked for', () => {
  const again = 'sessions create --exam 1 --email ada@example.org --allow-duplicate';

  test.each<Line>([
    ['sessions create', again, {}],
    ['students add', 'students add --exam 1 --email ada@example.org --allow-duplicate', {}],
    ['exams create', 'exams create --name Algebra --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z --allow-duplicate', {}],
    ['the yes at a question', 'sessions create --exam 1 --email ada@example.org', { tty: true, answers: [true] }],
  ])('story 3: of %s is not proven by what was there before', async (_what, line, world) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostBefore);
    await done(service, line, 8, world);
    expect([service.sessions.length, service.exams.length]).toEqual([1, 1]);
  });

  test('story 3: a 409 shows that there will be none', async () => {
    const { service } = await done(serviceWithExam({ sessions: [ada], taken: 409 }), again, 7);
    expect(service.sessions).toHaveLength(1);
  });

  test('story 3: it is found where its answer was lost', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostAfter);
    await done(service, again);
    expect(addresses(service)).toEqual(['ada@example.org', 'ada@example.org']);
  });

  test('story 3: `runs resume` of it sends it once more, and takes nobody else for it', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostBefore, lostBefore);
    await service.run(again);
    const resume = `runs resume ${await latest(service)} --yes`;
    await done(service, resume, 8);
    await done(service, resume);
    expect(addresses(service)).toEqual(['ada@example.org', 'ada@example.org']);
  });
});

describe('story 4: a service that keeps two addresses of a roster as one', () => {
  const both = { stdin: 'email\neve+exam@example.org\neve@example.org\n' };
  const stripping = (more: ServiceOptions = {}) =>
    serviceWithExam({ sessions: [ada, bob], habits: { kept: (address: string) => address.replace('+exam', '') }, ...more });
  const line = 'sessions import - --exam 1 --yes';

  test('story 4: each student is registered once, however often the import is run', async () => {
    const service = stripping();
    for (let times = 0; times < 4; times += 1) await service.run(line, both);
    expect(posts(service)).toBe(2);
    expect(addresses(service)).toEqual(['ada@example.org', 'bob@example.org', 'eve@example.org', 'eve@example.org']);
  });

  test('story 4: a check of it afterwards names no missing student', async () => {
    const { service } = await done(stripping(), line, 0, both);
    const check = await done(service, 'sessions import - --exam 1 --check --accept extra -o json', 0, both);
    expect(JSON.parse(check.stdout).lines.map(({ result }: { result: string }) => result)).toEqual(['unchanged', 'unchanged']);
  });

  test.each(['eve+exam@example.org', 'eve@example.org'])('story 4: with the answer for %s lost nobody is there thrice', async (address) => {
    const service = stripping();
    first(service, ({ method, body }) => method === 'POST' && body.email === address, lostAfter);
    for (let times = 0; times < 4; times += 1) await service.run(line, both);
    expect(posts(service)).toBe(2);
  });

  test('story 4: with both answers lost nobody is registered a third time', async () => {
    const service = stripping();
    service.next('POST', lostAfter, lostAfter);
    for (let times = 0; times < 4; times += 1) await service.run(line, both);
    expect(posts(service)).toBe(2);
  });

  test('story 4: a service that answers with the address as it was sent registers nobody twice either', async () => {
    const service = stripping();
    service.fault = ({ method, body: { email } }) => (method === 'POST' ? shown((whole) => ({ ...whole, email })) : undefined);
    const codes = [];
    for (let times = 0; times < 3; times += 1) codes.push((await service.run(line, both)).code);
    expect(codes).toEqual([9, 11, 11]);
    expect(posts(service)).toBe(2);
  });

  test('story 4: whom the list shows under an address is there already, whatever was typed', async () => {
    const service = stripping();
    const creates = ['eve+exam@example.org', 'eve@example.org'].map((address) => `sessions create --exam 1 --email ${address}`);
    expect(await codesOf(service, ...creates, ...creates)).toEqual([0, 11, 11, 11]);
    expect(posts(service)).toBe(1);
  });

  test('story 4: of a roster of a timetable are registered once each, however often it is applied', async () => {
    const service = stripping();
    const apply = `exams apply ${timetable(service, both.stdin)} --yes`;
    expect(await codesOf(service, apply, apply, apply)).toEqual([0, 0, 0]);
    expect(posts(service)).toBe(2);
  });

  test('story 4: are registered again once each after an undo', async () => {
    const { service } = await done(stripping(), line, 0, both);
    await service.run(`runs undo ${await latest(service)} --yes`);
    expect(service.sessions).toHaveLength(2);
    for (let times = 0; times < 3; times += 1) expect((await service.run(line, both)).code).toBe(0);
    expect(service.sessions).toHaveLength(4);
  });

  test.each([
    ['eve@example.org', both.stdin],
    ['eve+exam@example.org', both.stdin],
    ['eve+exam@example.org', 'email\neve@example.org\neve+exam@example.org\n'],
  ])('story 4: are registered once each where %s was there before from another file', async (email, stdin) => {
    const { service } = await done(stripping(), line, 0, { stdin: `email\n${email}\n` });
    for (let times = 0; times < 3; times += 1) expect((await service.run(line, { stdin })).code).toBe(0);
    expect(posts(service)).toBe(2);
  });

  test('story 4: have each their own values, and an update reaches the one of its line', async () => {
    const service = stripping();
    const roster = (one: string, other: string) => ({
      stdin: `email,close_time\neve+exam@example.org,2127-02-01T${one}:00Z\neve@example.org,2127-02-01T${other}:00Z\n`,
    });
    const closes = () => service.sessions.slice(2).map(({ close_time }) => close_time?.slice(11, 16));
    for (const [one, other] of [
      ['09:00', '09:30'],
      ['09:15', '09:30'],
      ['09:15', '09:45'],
    ] as const) {
      expect((await service.run(`${line} --update`, roster(one, other))).code).toBe(0);
      expect(closes()).toEqual([one, other]);
    }
  });

  test('story 4: where the service refuses the second one, nobody is lost or doubled, and it is never 0', async () => {
    const service = stripping({ taken: 409 });
    for (let times = 0; times < 3; times += 1) expect((await service.run(line, both)).code).not.toBe(0);
    expect(inExam(service, 1)).toEqual(['ada@example.org', 'bob@example.org', 'eve@example.org']);
  });

  test('story 4: where the service answers the second one with the first, nobody is lost in silence or doubled, and nothing is sent again', async () => {
    const service = stripping();
    service.next('POST', {}, { done: 'never', answer: () => reply(201, service.sessions.at(-1)) });
    for (let times = 0; times < 3; times += 1) await done(service, line, 10, 'eve+exam@example.org', both);
    expect([inExam(service, 1), posts(service)]).toEqual([['ada@example.org', 'bob@example.org', 'eve@example.org'], 2]);
  });
});
