/** Commands that destroy or send ask first: what, how many, where. Without a terminal they fail at once. */
import { describe, expect, test } from 'vitest';
import { allCommands } from '../cli/all-commands.ts';
import { ada, serviceWithExam } from '../support/algebra.ts';
import { embedded, requestsIn, seededExams, ungated } from './embedded.ts';

const where = String.raw`at the embedded service\?`;
const place = `${where}$`;

/**
 * Each line, its question, and the text to type if "yes" is not enough; typed by hand from the initial data of
 * the service.
 */
const about = (id: number) => String.raw`exam ${id} \(.+, \d{4}-\d\d-\d\d \d\d:\d\d \+00:00\)`;
const session = (id: number) => String.raw`${id} \([^)]+, \w+\)`;
const running = String.raw`${about(3)} with 12 students \(10 of them have started\)`;
const again = String.raw`5 students \(4 of them were mailed before and will be mailed again\)`;
const forGood = ', which cannot be undone,';
const asking: [line: string, question: string, typed?: string][] = [
  ['exams delete 3', `Delete ${running}${forGood} ${where} Type 3 to confirm:$`, '3'],
  ['exams delete 3 5', `Delete 2 exams${forGood} ${where} Type delete 2 exams to confirm:$`, 'delete 2 exams'],
  ['exams send-emails 5 --resend', `Send the exam mails of ${about(5)} to its ${again} ${place}`],
  ['sessions delete 7', `Delete student session ${session(7)} of ${about(1)}${forGood} ${place}`],
  ['sessions delete 7 8 8', `Delete 2 student sessions of ${about(1)}${forGood} ${place}`],
  ['api DELETE /exams/3', `Delete ${running}${forGood} ${where} Type 3 to confirm:$`, '3'],
  ['api DELETE /student_sessions/7', `Delete student session ${session(7)} of ${about(1)}${forGood} ${place}`],
  ['api POST /exams/6/send_emails', `Send the exam mails of ${about(6)} to its \\d+ students ${place}`],
  ['api DELETE /anything/1', `DELETE /anything/1 ${place}`],
  ['sandbox reset', String.raw`Delete all exams, students, mails and runs of the embedded service in .*sandbox\?$`],
];

test('A deletion asks about what is there: of two, one is missing', async () => {
  const { code, questions, stderr } = await ungated().run('exams delete 5 99', { tty: true, answers: ['5'] });
  const question = new RegExp(`^Delete ${about(5)} with \\d+ students${forGood} ${where} Type 5 to confirm:$`);
  expect([code, questions, stderr]).toEqual([9, [expect.stringMatching(question)], expect.stringContaining('99 (missing)')]);
});

describe.each(asking)('%s', (line, question, typed) => {
  test('asks on a terminal, and acts after "yes"', async () => {
    const { code, questions } = await ungated().run(line, { tty: true, answers: [typed ?? true] });
    expect(questions).toEqual([expect.stringMatching(`^${question}`)]);
    expect(code).toBe(line.includes('anything') ? 6 : 0);
  });

  test('changes nothing after "no", and sends no write', async () => {
    const service = ungated();
    await service.run('sessions create --exam 5 --email added@example.org');
    const before = service.everything();
    const { code, stdout, stderr } = await service.run(`${line} --debug`, { tty: true, answers: [typed === undefined ? false : ''] });
    expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual([]);
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('Nothing was changed.');
    expect(service.everything()).toEqual(before);
  });

  test.each([
    ['off a terminal', [], {}],
    ['in CI', [], { tty: true, env: { CI: 'true' } }],
    ['with --no-input', ['--no-input'], { tty: true }],
  ] as const)('fails at once without a terminal, and names --yes: %s', async (_where, options, world) => {
    const { code, stdout, stderr, questions } = await embedded().run([...line.split(' '), ...options, '--debug'], world);
    expect(requestsIn(stderr)).toEqual([]);
    expect({ code, stdout, questions }).toEqual({ code: 2, stdout: '', questions: [] });
    expect(stderr).toContain('--yes');
  });

  test('with --dry-run asks nothing and writes nothing', async () => {
    const { code, questions, stderr } = await ungated().run(`${line} --dry-run --debug`, { tty: true });
    expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual([]);
    expect([questions, code]).toEqual([[], line === 'sandbox reset' ? 2 : 0]);
  });

  test('is not asked with --yes', async () => {
    const { code, questions, stderr } = await ungated().run(`${line} --yes`, { tty: true });
    expect(questions).toEqual([]);
    expect(stderr).not.toContain('Undo it with');
    expect([0, 6]).toContain(code);
  });
});

test('every command that destroys or sends is among them', () => {
  const names = allCommands.filter(({ effect }) => effect === 'destroy' || effect === 'send').map(({ name }) => name);
  const asked = asking.map(([line]) => line.split(' ').slice(0, 2).join(' '));
  // Runs are tested in their folder.
  expect(names.filter((name) => !asked.includes(name) && !name.startsWith('runs '))).toEqual([]);
});

test('only its ID deletes an exam: "yes", or another ID, is refused in place', async () => {
  const service = ungated();
  const { code, refusals } = await service.run('exams delete 3', { tty: true, answers: ['y', '5', '33', ' 3 '] });
  expect([code, refusals]).toEqual([0, Array(3).fill('Type 3 to confirm, or press Enter to cancel.')]);
  expect(await service.json('exams list --columns id')).toEqual(seededExams.filter((id) => id !== 3).map((id) => ({ id })));
});

test.each(['exams', 'sessions'])('there is no question about what is missing: %s', async (noun) => {
  const { code, questions } = await embedded().run(`${noun} delete 999`, { tty: true });
  expect({ code, questions }).toEqual({ code: 6, questions: [] });
});

test('what an ID might do to the terminal is refused, and not shown', async () => {
  const { code, questions, stderr } = await ungated().run(['api', 'DELETE', '/things/7\u202e8'], { tty: true, answers: [false] });
  expect({ code, questions }).toEqual({ code: 3, questions: [] });
  expect(stderr).not.toContain('\u202e');
});

test('A student who is taking the exam, and one who would get a second mail, are named as such', async () => {
  const service = ungated();
  const writing = await service.run('sessions delete 21', { tty: true, answers: [false] });
  expect(writing.questions).toEqual([
    expect.stringMatching(
      /^Delete student session 21 \(\S+@\S+, Anneliese [^,]+, exam_started, taking the exam now\) of exam 3 \(.*\), which cannot be undone, at/,
    ),
  ]);
  await service.run('exams send-emails 5 --resend --yes');
  await service.run('sessions create --exam 5 --email new@example.org');
  const again = await service.run('exams send-emails 5 --resend', { tty: true, answers: [false] });
  expect(again.questions).toEqual([
    expect.stringMatching(/to its 6 students \(5 of them were mailed before and will be mailed again\) at/),
  ]);
});

test('Of many sessions the first are named before the question, and the others counted.', async () => {
  const sessions = Array.from({ length: 24 }, (_, at) => ({ ...ada, id: 100 + at, email: `s${at}@example.org` }));
  const ids = sessions.map(({ id }) => String(id));
  const { questions, stderr } = await serviceWithExam({ sessions }).run(['sessions', 'delete', ...ids], { tty: true, answers: [false] });
  expect(questions[0]).toMatch(/^Delete 24 student sessions of exam 1 \(.*\), which cannot be undone, at/);
  expect(stderr).toMatch(/^Will delete: 100 \(s0@.*\)\n(Will delete: .*\n){19}… and 4 more\.\n/);
});

test.each([
  ['is away', undefined],
  ['says that it is away', { status: 503 }],
])('A service that %s is not asked for each of 500 sessions.', async (_, said) => {
  const service = serviceWithExam();
  if (said) service.always('GET', { answer: said });
  service.isAway = !said;
  const ids = Array.from({ length: 500 }, (_, at) => String(at + 1));
  const { code, stdout } = await service.run(['sessions', 'delete', ...ids, '--yes', '-o', 'json']);
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(service.requests().length).toBeLessThan(50);
});
