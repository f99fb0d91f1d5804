/** Mails: at most one POST for each consent, whatever the answer; who has been mailed is mailed again by `--resend` alone. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { doneButReplies, ignored, lostAfter, lostBefore, type Reply, refused, type Service } from '../support/service.ts';

const exams = [1, 2, 3].map((id) => ({ ...algebra, id, name: `Exam ${id}` }));
const sessions = exams.flatMap(({ id }) => [ada, bob].map((of) => ({ ...of, id: 10 * id + of.id, exam_id: id })));
const office = () => serviceWithExam({ exams, sessions });
const post = (exam: number) => `POST /exams/${exam}/send_emails`;
const posts = (service: Service) => [1, 2, 3].map((id) => service.writes().filter((line) => line === post(id)).length);

const limits: [string, Reply][] = [
  ['429', refused(429)],
  ['429 with a Retry-After', refused(429, {}, { 'retry-after': '0' })],
  ['429 with two Retry-After', refused(429, {}, { 'retry-after': ['2', '2'] as never })],
];
/** What was answered, what one exam ends with, and what three end with if only the second is answered so. */
const answers: [what: string, reply: Reply, one: number, three: number][] = [
  ...limits.map(([what, reply]): [string, Reply, number, number] => [what, reply, 8, 9]),
  ['403', refused(403), 4, 9],
  ['422', refused(422), 7, 9],
  ['200 with errors', refused(200, { errors: ['x'] }), 10, 10],
  ['500', refused(500), 10, 10],
  ['a lost answer, not done', lostBefore, 10, 10],
  ['a lost answer, done', lostAfter, 0, 0],
  ['500, done', doneButReplies(500), 0, 0],
  ['200, and no student is shown as mailed', ignored, 0, 0],
];

describe.each(answers)('%s', (_what, reply, one, three) => {
  test.each(['exams send-emails 2 --yes', 'api POST /exams/2/send_emails --yes'])('is followed by no second POST: %s', async (line) => {
    const service = office();
    service.always(post(2), reply);
    const first = await service.run(line);
    expect([first.code, posts(service)], first.stderr).toEqual([one, [0, 1, 0]]);
    expect(first.stderr).not.toContain('Retrying');
    // Refused, the same command is a new consent; else, it is said what is known.
    const second = await service.run(line);
    const isRefused = [4, 7, 8].includes(one);
    expect([second.code, posts(service)], second.stderr).toEqual([isRefused ? one : 11, [0, isRefused ? 2 : 1, 0]]);
    if (one === 0 && line.startsWith('api')) expect(second.stderr).toContain('proctor-cli exams send-emails 2 --resend');
  });

  test('of one exam keeps no other exam from its mails, and --unless-mailed sends what was refused', async () => {
    const service = office();
    service.next(post(2), reply);
    const line = 'exams send-emails 1 2 3 --yes';
    const first = await service.run(line);
    expect([first.code, posts(service)], first.stderr).toEqual([three, [1, 1, 1]]);
    const again = await service.run(line);
    expect([again.code, posts(service)], again.stderr).toEqual([11, [1, 1, 1]]);
    const rest = await service.run(`${line} --unless-mailed`);
    const isRefused = three === 9;
    const isShown = service.truth.inExam(2).every(({ status }) => status === 'mail_sent');
    expect([rest.code, posts(service)], rest.stderr).toEqual([isRefused || isShown ? 0 : 11, [1, isRefused ? 2 : 1, 1]]);
    const all = await service.run(`${line} --resend`);
    expect([all.code, posts(service)], all.stderr).toEqual([0, [2, isRefused ? 3 : 2, 2]]);
  });
});

test.each([
  ['notified', 11],
  ['mail_send', 11],
  [undefined, 0],
])(
  'Who shows the status %s, on a machine that has mailed nobody: %i; a status of another kind may come after the mail.',
  async (status, code) => {
    const service = serviceWithExam({ exams, sessions: sessions.map((of) => ({ ...of, status })) });
    const { code: ended, stderr } = await service.run('exams send-emails 1 --yes');
    expect([ended, posts(service)], stderr).toEqual([code, [code === 0 ? 1 : 0, 0, 0]]);
    if (code !== 0) expect(stderr).toContain(`Exam 1 shows 2 of 2 students as mailed, if the status "${status}" says so.`);
    if (code !== 0) expect((await service.run('exams send-emails 1 --yes --resend')).code).toBe(0);
  },
);

describe('Who was mailed since the plan was read', () => {
  /** Each answer takes five seconds; at the first request, a colleague mails the student of the last exam. */
  const slow = () => {
    const ids = Array.from({ length: 6 }, (_, at) => at + 1);
    const service = serviceWithExam({
      exams: ids.map((id) => ({ ...algebra, id, name: `Exam ${id}` })),
      sessions: ids.map((id) => ({ ...ada, id: 100 + id, exam_id: id })),
    });
    service.always('POST', { takes: 5_000 });
    service.onArrival = ({ line }) => void (line === post(1) && service.change('session', 106, { status: 'mail_sent' }));
    return { service, line: `exams send-emails ${ids.join(' ')} --yes` };
  };

  test('is not mailed again, and the exam is named', async () => {
    const { service, line } = slow();
    const ended = await service.run(line);
    expect([ended.code, ended.stderr]).toEqual([9, expect.stringContaining('Exam 6 shows 1 of 1 student as mailed by now')]);
    expect(service.writes()).not.toContain(post(6));
    expect(service.writes()).toHaveLength(5);
  });

  test('is with --resend', async () => {
    const { service, line } = slow();
    expect((await service.run(`${line} --resend`)).code).toBe(0);
    expect(service.writes()).toHaveLength(6);
  });
});

describe('A list that is known to lack a student who was mailed', () => {
  const short = async () => {
    const service = office();
    await service.run('sessions import - --exam 1 --yes', { stdin: 'email\nzoe@example.org\n' });
    service.clock.set(new Date(service.clock.now() + 1_200_000).toISOString());
    service.always('GET /exams/1/student_sessions', { answer: (whole) => ({ ...whole, body: (whole.body as unknown[]).slice(0, 2) }) });
    return service;
  };

  const mailing = ['exams send-emails 1 --yes', 'exams send-emails 1 2 --yes --unless-mailed', 'api POST /exams/1/send_emails --yes'];
  test.each(mailing)('sends no mails: %s', async (line) => {
    const service = await short();
    const ended = await service.run(line);
    expect([ended.code, posts(service)], ended.stderr).toEqual([3, [0, 0, 0]]);
  });

  test('sends them with --resend', async () => {
    const service = await short();
    expect([(await service.run('exams send-emails 1 --yes --resend')).code, posts(service)]).toEqual([0, [1, 0, 0]]);
  });
});

test.each([
  ['0 where only some had been mailed before, and all are shown so afterwards', 'registered', 0],
  ['10 where all had been mailed before, as no read shows it', 'mail_sent', 10],
])('A lost answer to mails that were sent again ends with %s.', async (_what, status, code) => {
  const before = [ada, bob].map((of) => ({ ...of, status: of === ada ? 'mail_sent' : status }));
  const service = serviceWithExam({ sessions: before });
  service.next(post(1), lostAfter);
  const outcome = await service.run('exams send-emails 1 --yes --resend');
  expect([outcome.code, posts(service)], outcome.stderr).toEqual([code, [1, 0, 0]]);
});
