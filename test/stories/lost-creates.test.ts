/** A create is judged by the same comparison whether its answer came, was lost, or said no. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostAfter, lostBefore, type Reply, refused, type Service, shown } from '../support/service.ts';

const close = '2127-02-01T09:00:00Z';
const create = `sessions create --exam 1 --email eve@example.org --close-time ${close}`;
const roster = { stdin: `email,close_time\neve@example.org,${close}\n` };

type Line = [what: string, line: string, world: { stdin?: string }];
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
const posts = (service: Service) => service.writes().filter((line) => line.startsWith('POST')).length;
const addresses = (service: Service) => service.sessions.map(({ email }) => email).sort();

describe.each([
  ['lost', lostAfter],
  ['answered', {}],
] as const)('story 1: the answer is %s, and a value was not kept', (_, reply) => {
  test.each(lines)('story 1: %s does not end with 0', async (_what, line, world) => {
    const service = forgetful(reply);
    const ended = await service.run(line, world);
    expect(ended.code, ended.stderr).toBe(9);
    expect(ended.stderr).toContain('close_time');
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
  const ended = await service.run(`exams create ${start} ${all}`);
  expect(ended.code, ended.stderr).toBe(9);
  expect(ended.stderr).toContain('allow_headphones');
  expect(posts(service)).toBe(1);
});

test.each(lines)('story 1: %s whose answer was lost ends with 0 where all values are kept', async (_what, line, world) => {
  const service = serviceWithExam({ sessions: [ada] });
  service.next('POST', lostAfter);
  const ended = await service.run(line, world);
  expect(ended.code, ended.stderr).toBe(0);
  expect(posts(service)).toBe(1);
});

describe.each(lines)('story 2: %s is refused with 409, as a colleague was faster', (_what, line, world) => {
  const raced = (values: object) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.fault = ({ method }) => {
      if (method !== 'POST') return undefined;
      service.add({ email: 'eve@example.org', ...values });
      return refused(409);
    };
    return service;
  };

  test('story 2: with other values it is 11, and nothing is sent again', async () => {
    const service = raced({ close_time: null });
    const ended = await service.run(line, world);
    expect(ended.code, ended.stderr).toBe(11);
    expect(ended.stderr).toContain('close_time');
    expect(posts(service)).toBe(1);
  });

  test('story 2: with the same values it is what was asked for', async () => {
    const service = raced({ close_time: close });
    const ended = await service.run(line, world);
    expect(ended.code, ended.stderr).toBe(0);
    expect(posts(service)).toBe(1);
  });
});

test('story 2: after something was written, a student who is there with other values makes it 9', async () => {
  const service = serviceWithExam({ sessions: [ada] });
  service.fault = ({ method, body }) => {
    if (method !== 'POST' || body.email !== 'eve@example.org') return undefined;
    service.add({ email: 'eve@example.org' });
    return refused(409);
  };
  const stdin = `email,close_time\nzoe@example.org,${close}\neve@example.org,${close}\n`;
  const ended = await service.run('sessions import - --exam 1 --yes', { stdin });
  expect(ended.code, ended.stderr).toBe(9);
  expect(posts(service)).toBe(2);
});

describe('story 3: a second registration that is asked for', () => {
  const again = 'sessions create --exam 1 --email ada@example.org --allow-duplicate';

  test.each([
    ['sessions create', again],
    ['students add', 'students add --exam 1 --email ada@example.org --allow-duplicate'],
    ['exams create', 'exams create --name Algebra --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z --allow-duplicate'],
  ])('story 3: %s is not proven by what was there before', async (_what, line) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostBefore);
    const ended = await service.run(line);
    expect(ended.code, ended.stderr).toBe(8);
    expect([service.sessions.length, service.exams.length]).toEqual([1, 1]);
  });

  test('story 3: it is not proven by the yes at a question either', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostBefore);
    const ended = await service.run('sessions create --exam 1 --email ada@example.org', { tty: true, answers: [true] });
    expect(ended.code, ended.stderr).toBe(8);
  });

  test('story 3: a 409 shows that there will be none', async () => {
    const service = serviceWithExam({ sessions: [ada], taken: 409 });
    const ended = await service.run(again);
    expect(ended.code, ended.stderr).toBe(7);
    expect(service.sessions).toHaveLength(1);
  });

  test('story 3: it is found where its answer was lost', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostAfter);
    const ended = await service.run(again);
    expect(ended.code, ended.stderr).toBe(0);
    expect(addresses(service)).toEqual(['ada@example.org', 'ada@example.org']);
  });

  test('story 3: `runs resume` of it sends it once more, and takes nobody else for it', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', lostBefore, lostBefore);
    await service.run(again);
    const listed = JSON.parse((await service.run('runs list -o json')).stdout) as { run: string }[];
    const resumed = await service.run(`runs resume ${listed[0]?.run} --yes`);
    expect(resumed.code, resumed.stderr).toBe(8);
    const last = await service.run(`runs resume ${listed[0]?.run} --yes`);
    expect(last.code, last.stderr).toBe(0);
    expect(addresses(service)).toEqual(['ada@example.org', 'ada@example.org']);
  });
});

describe('story 4: a service that keeps two addresses of a roster as one', () => {
  const both = { stdin: 'email\neve+exam@example.org\neve@example.org\n' };
  const stripping = () => serviceWithExam({ sessions: [ada, bob], habits: { kept: (address: string) => address.replace('+exam', '') } });
  const line = 'sessions import - --exam 1 --yes';

  test('story 4: each student is registered once, however often the import is run', async () => {
    const service = stripping();
    for (let times = 0; times < 4; times += 1) await service.run(line, both);
    expect(posts(service)).toBe(2);
    expect(addresses(service)).toEqual(['ada@example.org', 'bob@example.org', 'eve@example.org', 'eve@example.org']);
  });

  test('story 4: a check of it afterwards names no missing student', async () => {
    const service = stripping();
    const first = await service.run(line, both);
    expect(first.code, first.stderr).toBe(0);
    const check = await service.run('sessions import - --exam 1 --check --accept extra -o json', both);
    expect(check.code, check.stderr).toBe(0);
    expect(JSON.parse(check.stdout).lines.map(({ result }: { result: string }) => result)).toEqual(['unchanged', 'unchanged']);
  });

  test.each(['eve+exam@example.org', 'eve@example.org'])(
    'story 4: with the answer for %s lost nobody is registered a third time',
    async (address) => {
      const service = stripping();
      let left = 1;
      service.fault = ({ method, body }) => {
        if (method !== 'POST' || body.email !== address || left === 0) return undefined;
        left -= 1;
        return lostAfter;
      };
      for (let times = 0; times < 4; times += 1) await service.run(line, both);
      expect(posts(service)).toBe(2);
    },
  );

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
    const codes = [];
    for (const each of [...creates, ...creates]) codes.push((await service.run(each)).code);
    expect(codes).toEqual([0, 11, 11, 11]);
    expect(posts(service)).toBe(1);
  });
});
