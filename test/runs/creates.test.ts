/** Creates, whatever is answered: nobody is created twice, and 0 means that the one who was meant is shown. */
import { describe, expect, test } from 'vitest';
import { algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { told } from '../support/run.ts';
import { doneButReplies, lostAfter, lostBefore, type Reply, refused, reply, type Service } from '../support/service.ts';
import { done } from '../support/story.ts';
import { create, failureIn, holds, newExam, office } from './small-office.ts';

const lines: [line: string, post: string, another: object][] = [
  [create, 'POST /exams/1/student_sessions', bob],
  ['students add --exam 1 --email eve@example.org', 'POST /exams/1/add_student', bob],
  ['api POST /exams/1/student_sessions -F email=eve@example.org', 'POST /exams/1/student_sessions', bob],
  [newExam, 'POST /exams', { ...algebra, id: 2, name: 'Analysis' }],
];
const deep = `{"id":7,"extra":${'['.repeat(5000)}${']'.repeat(5000)}}`;
const made = ({ sessions, exams }: Service) => sessions.length + exams.length - 4;

/** What it ends with, what the same command ends with then, and how many requests were sent in all. */
const answers: [what: string, reply: (another: object) => Reply, first: number, second: number, posts: number][] = [
  ['2xx with a new ID', () => ({}), 0, 11, 1],
  ['2xx with an ID that was there before, and it is done', (another) => ({ ...refused(201, another), done: 'now' }), 0, 11, 1],
  ['2xx with an ID that was there before, and it is not done', (another) => refused(201, another), 10, 10, 1],
  ['2xx with an ID that no read shows', () => refused(201, { id: 77123 }), 10, 10, 1],
  ['2xx without an ID, and it is done', () => doneButReplies(201, {}), 0, 11, 1],
  ['2xx without a body, and it is done', () => ({ answer: 'empty' }), 0, 11, 1],
  ['2xx without an ID, and it is not done', () => refused(202, { message: 'queued' }), 10, 10, 1],
  ['2xx that says no, and it is not done', () => refused(200, { success: false }), 7, 0, 2],
  ['2xx with errors that may be those of a part, and it is not done', () => refused(200, { errors: ['x'] }), 7, 0, 2],
  ['2xx that says no, and it is done', () => doneButReplies(200, { success: false }), 0, 11, 1],
  ['lost, and not done', () => lostBefore, 8, 0, 2],
  ['lost, and done', () => lostAfter, 0, 11, 1],
  ['lost, and done later', () => ({ ...lostBefore, done: 25_000 }), 0, 11, 1],
  ['500, and not done', () => refused(500), 8, 0, 2],
  ['408, and done', () => doneButReplies(408), 0, 11, 1],
  ['409, and it is there', () => doneButReplies(409), 0, 11, 1],
  ['409, and it is not there', () => refused(409), 7, 0, 2],
  ['422, and it is there', () => doneButReplies(422), 0, 11, 1],
  ['422, and it is not there', () => refused(422), 7, 0, 2],
  ['400', () => refused(400), 7, 0, 2],
  ['422 with words that are cut short', () => ({ answer: { ...reply(422, { message: 'taken' }), isCut: true } }), 7, 0, 2],
  ['422 with words that are too deep', () => refused(422, deep), 7, 0, 2],
  ['201 that is too deep, and not done', () => refused(201, deep), 8, 0, 2],
  ['201 that is too deep, and done', () => doneButReplies(201, deep), 0, 11, 1],
  ['201 that is no UTF-8, and done', () => doneButReplies(201, Buffer.from('{"id":7,"name":"\xfc"}', 'latin1')), 0, 11, 1],
  ['429 once', () => refused(429), 0, 11, 2],
  ['401', () => refused(401), 4, 0, 2],
  ['403', () => refused(403), 4, 0, 2],
];

describe.each(lines)('%s', (line, post, another) => {
  test.each(answers)('nobody is created twice: %s', async (what, reply, first, second, posts) => {
    const service = office();
    service.next(post, reply(another));
    await done(service, line, first);
    expect(made(service)).toBe(first === 0 ? 1 : 0);
    await done(service, line, second);
    expect([service.writes().filter((each) => each === post).length, made(service)]).toEqual([posts, first === 10 ? 0 : 1]);
    if (what !== '2xx with an ID that no read shows') return;
    // What was acknowledged is found as soon as it is shown.
    service.truth.set('session', { ...bob, id: 77123, email: 'eve@example.org' });
    service.truth.set('exam', {
      ...algebra,
      id: 77123,
      name: 'Optics',
      start_time: '2127-05-01T08:00:00Z',
      end_time: '2127-05-01T10:00:00Z',
    });
    await done(service, line);
    expect(service.writes()).toEqual([post]);
  });
});

const dotted = create.replace('eve', 'eve+exam');

test('An address that the service rewrites is said, and the student is known under both.', async () => {
  const service = serviceWithExam({ habits: { kept: (address) => address.replace('+exam', '') } });
  const first = await service.run(`${dotted} -o json`);
  expect([first.code, told(first.stderr)]).toEqual([0, 'Stored as eve@example.org.\n']);
  for (const line of [dotted, create]) expect((await service.run(line)).code).toBe(11);
  expect([(await service.run(`${dotted} --if-not-exists`)).code, service.posts()]).toEqual([0, 1]);
});

test('A session that was created from here and is not listed is there, until it shows somebody else.', async () => {
  const { service } = await done(serviceWithExam(), create);
  service.next('GET /exams/1/student_sessions', refused(200, []));
  expect((await service.run(create)).code).toBe(11);
  service.change('session', 101, { email: 'stranger@example.org' });
  expect((await service.run(create)).code).toBe(0);
  expect(holds(service).who).toBe('stranger eve');
});

test('An ID that another run has created is nobody else’s, although no list shows it yet: two addresses are one student.', async () => {
  const { service } = await done(serviceWithExam(), dotted);
  service.fault = ({ line }) => (line === 'GET /exams/1/student_sessions' ? refused(200, []) : undefined);
  service.next('POST', refused(201, service.sessions[0]));
  await done(service, create, 10, 'session 101, which was there before');
});

test.each([true, false])('Another session of the same address that came meanwhile is named: 9 (the own ID is known: %s).', async (own) => {
  const service = serviceWithExam();
  service.next('POST', { done: 'twice', answer: own ? 'whole' : 'lost' });
  const outcome = await service.run(`${create} -o json`);
  expect([outcome.code, failureIn(outcome).message]).toEqual([9, expect.stringMatching(/101, 102/)]);
  // Only what is known to be ours can be taken back.
  expect(/proctor-cli runs undo \S+/.test(outcome.stderr)).toBe(own);
  expect([(await service.run(create)).code, service.posts()]).toEqual([11, 1]);
});

test('A new session of unknown origin may be the student: the create is unknown, never absent, and the run can be closed.', async () => {
  const service = serviceWithExam();
  service.next('POST', lostBefore);
  service.onArrival = ({ method }) => void (method === 'POST' && service.add({ email: null }));
  await done(service, create, 10, /101.*proctor-cli runs close /s);
  expect([(await service.run(create)).code, service.posts()]).toEqual([10, 1]);
});

test.each([
  ['--if-not-exists', 0, 1],
  ['--yes', 11, 1],
  ['--allow-duplicate', 0, 3],
])('Who is there already, in whatever spelling: %s', async (flag, code, posts) => {
  const { service } = await done(serviceWithExam(), create);
  for (const line of [create, create.replace('eve', 'EVE')]) expect((await service.run(`${line} ${flag}`)).code).toBe(code);
  expect(service.posts()).toBe(posts);
});

const others = [{ name: 'Bob' }, { email: 'bob@example.org' }, { name: null }];
test.each(others)('What is created and shows something else from then on is there, and differs: 9 (%j)', async (as) => {
  const service = serviceWithExam();
  service.onAnswer = ({ method }) => void (method === 'POST' && service.change('session', 101, as));
  await done(service, `${create} --name Eve`, 9, /Student session 101 .*differs from what was sent/);
});

test('Of two students whose answers were swapped, neither gets the time of the other: both are there once, as was asked.', async () => {
  const service = serviceWithExam();
  const [ann, eve] = ['ann', 'eve'].map((name, at) => ({ id: 101 + at, email: `${name}@example.org` }));
  service.next('POST', doneButReplies(201, eve), doneButReplies(201, ann));
  const stdin = 'email,open_time\nann@example.org,2127-02-01T08:30:00Z\neve@example.org,\n';
  const outcome = await service.run('sessions import - --exam 1 --yes -o json', { stdin });
  expect([outcome.code, holds(service).who], outcome.stderr).toEqual([0, 'ann eve']);
  expect(service.sessions.map(({ open_time = null }) => open_time)).toEqual(['2127-02-01T08:30:00Z', null]);
});
