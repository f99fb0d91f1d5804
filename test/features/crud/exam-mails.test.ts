/** Mails over a selection of exams: nobody is mailed twice, whatever was done before, and nobody is left out without a word. */
import { expect, test } from 'vitest';
import { begins, ends, stage } from '../../support/stage.ts';
import { mailsOf } from '../../support/story.ts';

/** Exams 6, 7 and 8 with two students each, and one that has none. */
async function four() {
  const made = await stage();
  const { truth } = made.service;
  for (const id of [7, 8, 9]) truth.createExam({ name: `Exam ${id}`, start_time: begins, end_time: ends }, 'colleague', id);
  for (const exam of [6, 7, 8])
    for (const who of ['ann', 'bob']) truth.createSession(exam, { email: `${who}${exam}@example.org`, status: 'registered' });
  return { ...made, truth, mailed: () => mailsOf(made.service) };
}

test('The students of all exams of a selection are mailed once, after a question that counts the students, with each exam above it.', async () => {
  const { run, mailed } = await four();
  const { code, stdout, stderr, questions } = await run('exams send-emails --from 2027-01-01 --until 2027-12-31 -o csv', {
    tty: true,
    answers: [async () => true],
  });
  expect(code).toBe(0);
  expect(questions).toEqual([expect.stringMatching(/^Send the exam mails of 3 exams to 6 students at /)]);
  expect(stderr).toMatch(/^(Will mail: exam [678] .* to its \d students?\n){3}/m);
  expect(stdout).toBe('exam,result,reason\r\n6,sent,to 2 students\r\n7,sent,to 2 students\r\n8,sent,to 2 students\r\n');
  expect(mailed().toSorted()).toEqual([6, 7, 8]);
});

test('Exams whose students have all been mailed are left out with --unless-mailed, and named; the others are mailed.', async () => {
  const { run, mailed } = await four();
  expect((await run('exams send-emails 7')).code).toBe(0);
  const refused = await run('exams send-emails 6 7 8');
  expect(refused).toMatchObject({ code: 11, stderr: expect.stringContaining('Students of 1 of the 3 exams have been mailed already: 7.') });
  const { code, stderr } = await run('exams send-emails 6 7 8 9 --unless-mailed');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Not mailed: Exam 7 shows 2 of 2 students as mailed.')]);
  expect(stderr).toContain('Not mailed: Exam 9 has no students.');
  expect(mailed().toSorted()).toEqual([6, 7, 8]);
});

test('With --unless-mailed, an exam in which only some were mailed is left out with its counts, and the others are mailed.', async () => {
  const { run, truth, mailed } = await four();
  expect((await run('exams send-emails 6')).code).toBe(0);
  truth.createSession(6, { email: 'late@example.org', status: 'registered' });
  const refused = await run('exams send-emails 6 7');
  expect([refused.code, refused.stderr, mailed()]).toEqual([11, expect.stringContaining('--unless-mailed leaves out'), [6]]);
  const { code, stdout, stderr } = await run('exams send-emails 6 7 --unless-mailed -o csv');
  expect([code, stdout]).toEqual([9, 'exam,result,reason\r\n7,sent,to 2 students\r\n']);
  expect(stderr).toContain('shows 2 of 3 students as mailed.');
  expect(stderr).toMatch(
    /1 of 2 sent, 1 left out\.\nhint: .* mails all students of an exam, never single ones\. .* exams send-emails 6 --resend$/m,
  );
  expect(mailed()).toEqual([6, 7]);
  // Nobody is left who was never mailed.
  const again = await run('exams send-emails 6 7 --unless-mailed');
  expect([again.code, mailed()]).toEqual([11, [6, 7]]);
  expect(again.stderr, 'no option is advised that was given').not.toMatch(/hint: .*--unless-mailed/);
  expect(again.stderr).toMatch(/never single ones\. .*: proctor-cli exams send-emails 6 --resend$/m);
  expect((await run('exams send-emails 6 7 --resend')).code).toBe(0);
  expect(mailed().toSorted()).toEqual([6, 6, 7, 7]);
});

test('Who has no address is counted apart, and does not keep an exam from being mailed whole.', async () => {
  const { run, truth, mailed, service } = await four();
  truth.createSession(6, { name: 'Cy', status: 'registered' });
  const { questions, stdout } = await run('exams send-emails 6 -o csv', { tty: true, answers: [true] });
  expect(questions).toEqual([expect.stringMatching(/to its 2 students \(1 more has no address\) at /)]);
  expect(stdout).toBe('exam,result,reason\r\n6,sent,to 2 students (1 more has no address)\r\n');
  const again = await run('exams send-emails 6', { tty: true, answers: [false] });
  const words = 'Exam 6 shows 2 of 2 students as mailed (1 more has no address). Mail all 2 students again at http';
  expect(again.questions).toEqual([expect.stringContaining(words)]);
  const agreed = await run('exams send-emails 6', { tty: true, answers: [true] });
  expect([agreed.code, agreed.questions.length, mailed()], 'one consent, one question').toEqual([0, 1, [6, 6]]);
  const unless = await run('exams send-emails 6 --unless-mailed', { tty: true });
  expect([unless.code, unless.stderr]).toEqual([0, expect.stringContaining('Nothing was sent: Exam 6 shows 2 of 2')]);
  expect(unless.stderr, 'one sentence').not.toContain('Nothing found');
  expect(mailed()).toEqual([6, 6]);
  // Where no address is shown at all, nobody is known to have none.
  service.showing.as = ({ email: _, ...record }) => record;
  const hidden = await run('exams send-emails 7', { tty: true, answers: [true] });
  expect([hidden.code, hidden.questions]).toEqual([0, [expect.stringContaining('to its 2 students at')]]);
});

test('An exam that a colleague mails while the question is open is not mailed again; alone it is asked about once more.', async () => {
  const { run, truth, mailed } = await four();
  const whileOpen = async () => {
    truth.mail(7);
    return true;
  };
  expect((await run('exams send-emails 6 7 --unless-mailed', { tty: true, answers: [whileOpen] })).code).toBe(0);
  expect(mailed().toSorted()).toEqual([6, 7]);
  const mails = async () => truth.mail(8) === undefined;
  const { code, questions } = await run('exams send-emails 8', { tty: true, answers: [mails, false] });
  expect([code, questions[1]]).toEqual([130, expect.stringContaining('as mailed. Mail all 2 students again at http')]);
});

test('Mails that the service refuses are not sent again while those of other exams are settled.', async () => {
  for (const status of [403, 429]) {
    const { run, service, mailed } = await four();
    const posts: string[] = [];
    service.fault = ({ method, path }) => {
      if (method !== 'POST') return undefined;
      posts.push(path);
      if (path === '/exams/6/send_emails') return { answer: { status, body: {}, headers: { 'retry-after': '0' } } };
      return path === '/exams/7/send_emails' ? { answer: 'lost' } : undefined;
    };
    expect((await run('exams send-emails 6 7 8')).code).toBe(9);
    expect(posts.toSorted()).toEqual(['/exams/6/send_emails', '/exams/7/send_emails', '/exams/8/send_emails']);
    expect(mailed().toSorted()).toEqual([7, 8]);
  }
});
