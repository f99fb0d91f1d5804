/** What destroys or sends asks first: what, how many, where. Where nobody can answer it fails at once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../cli/all-commands.ts';
import { temporaryFolder } from '../support/run.ts';
import { embedded, requestsIn } from './embedded.ts';

const where = String.raw`at http://127\.0\.0\.1:\d+ \(profile sandbox\)\?`;
const place = `${where}$`;

/**
 * Each line, the question that it asks, and what has to be typed where a yes will not do; typed by
 * hand from the data that the service begins with.
 */
const about = (id: number) => String.raw`exam ${id} \(.+, \d{4}-\d\d-\d\d \d\d:\d\d \+00:00\)`;
const session = (id: number) => String.raw`student session ${id} \((\S+@\S+|no address), \w+[^)]*\)`;
const asking: readonly (readonly [line: string, question: RegExp, typed?: string])[] = [
  ['exams delete 3', new RegExp(`^Delete ${about(3)} with 12 students ${where} Type 3 to confirm:$`), '3'],
  [
    'exams delete 3 5',
    new RegExp(`^Delete 2 exams: ${about(3)} with 12 students; ${about(5)} with 5 students, ${where} Type delete 2 exams to confirm:$`),
    'delete 2 exams',
  ],
  [
    'exams send-emails 5',
    new RegExp(
      `^Send the exam mails of ${about(5)} to its 5 students \\(4 of them were mailed before and will be mailed again\\) ${place}`,
    ),
  ],
  ['sessions delete 7', new RegExp(`^Delete ${session(7)} ${place}`)],
  ['sessions delete 7 8 8', new RegExp(`^Delete 2 student sessions: ${session(7)}; ${session(8)}, ${place}`)],
  ['api DELETE /exams/3', new RegExp(`^Delete ${about(3)} with 12 students ${where} Type 3 to confirm:$`), '3'],
  ['api DELETE /student_sessions/7', new RegExp(`^Delete ${session(7)} ${place}`)],
  [
    'api POST /exams/5/send_emails',
    new RegExp(
      `^Send the exam mails of ${about(5)} to its 5 students \\(4 of them were mailed before and will be mailed again\\) ${place}`,
    ),
  ],
  [
    'api POST exams/5/SEND_emails',
    new RegExp(
      `^Send the exam mails of ${about(5)} to its 5 students \\(4 of them were mailed before and will be mailed again\\) ${place}`,
    ),
  ],
  ['api DELETE /anything/1', new RegExp(`^DELETE /anything/1 ${place}`)],
  ['sandbox reset', /^Throw away all exams, students and mails of the embedded service in .*sandbox\?$/],
];

describe.each(asking.map(([line, question, typed]) => ({ line, question, typed })))('$line', ({ line, question, typed }) => {
  test('asks on a terminal, and does it after a yes', async () => {
    const service = embedded();
    const { code, questions } = await service.run(line, { tty: true, answers: [typed ?? true] });
    expect(questions).toEqual([expect.stringMatching(question)]);
    expect(code).toBe(line.includes('anything') ? 6 : line.includes('SEND') ? 6 : 0);
  });

  test('changes nothing after a no, and sends nothing that writes', async () => {
    const service = embedded();
    await service.run('sessions create --exam 5 --email added@example.org');
    const before = service.everything();
    const { code, stdout, stderr } = await service.run(`${line} --debug`, { tty: true, answers: [typed === undefined ? false : ''] });
    expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual([]);
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain('Nothing was changed.');
    expect(service.everything()).toEqual(before);
  });

  test.each([
    ['off a terminal', [], {}],
    ['in CI', [], { tty: true, env: { CI: 'true' } }],
    ['with --no-input', ['--no-input'], { tty: true }],
  ] as const)('fails at once %s, and names --yes', async (_where, options, world) => {
    const service = embedded();
    const { code, stdout, stderr, questions } = await service.run([...line.split(' '), ...options, '--debug'], world);
    expect(requestsIn(stderr)).toEqual([]);
    expect({ code, stdout, questions }).toEqual({ code: 2, stdout: '', questions: [] });
    expect(stderr).toContain('--yes');
  });

  test('is not asked with --yes', async () => {
    const { code, questions } = await embedded().run(`${line} --yes`, { tty: true });
    expect(questions).toEqual([]);
    expect([0, 6]).toContain(code);
  });
});

test('every command that destroys or sends is among them', () => {
  const names = allCommands.filter(({ effect }) => effect === 'destroy' || effect === 'send').map(({ name }) => name);
  const asked = asking.map(([line]) => line.split(' ').slice(0, 2).join(' '));
  // Removing a profile is a matter of the configuration, and an undo one of the journal: tested there.
  expect(names.filter((name) => !asked.includes(name))).toEqual(['imports undo', 'profiles remove']);
});

test('only the ID itself deletes an exam: a yes, or another ID, is refused in place', async () => {
  const service = embedded();
  const { code, refusals } = await service.run('exams delete 3', { tty: true, answers: ['y', '5', '33', ' 3 '] });
  expect(code).toBe(0);
  expect(refusals).toEqual(Array(3).fill('Type 3 to go ahead; Enter alone leaves everything as it is.'));
  expect(await service.json('exams list --columns id')).toEqual([1, 2, 4, 5, 6].map((id) => ({ id })));
});

test('an exam that is not there is not asked about', async () => {
  const { code, questions } = await embedded().run('exams delete 999', { tty: true });
  expect({ code, questions }).toEqual({ code: 6, questions: [] });
});

test('nor what a file might do, which is asked about', async () => {
  const file = join(temporaryFolder(), 'roster.csv');
  writeFileSync(file, Buffer.from('email,name\na@example.org,\u001b[2JZo\u00eb\n', 'latin1'));
  const { questions } = await embedded().run(['sessions', 'import', file, '--exam', '6'], { tty: true, answers: [false, false] });
  expect(questions[0]).toContain('␛[2JZoë');
});

test('what an ID might do to the terminal is not shown in the question', async () => {
  const { questions } = await embedded().run(['sessions', 'delete', '7\u202e8'], { tty: true, answers: [false] });
  expect(questions[0]).not.toContain('\u202e');
});

test('A student who is taking the exam, and one who would get a second mail, are named as such', async () => {
  const service = embedded();
  const writing = await service.run('sessions delete 21', { tty: true, answers: [false] });
  expect(writing.questions).toEqual([
    expect.stringMatching(/^Delete student session 21 \(\S+@\S+, exam_started: is taking the exam now\) at/),
  ]);
  await service.run('exams send-emails 5 --yes');
  await service.run('sessions create --exam 5 --email new@example.org');
  const again = await service.run('exams send-emails 5', { tty: true, answers: [false] });
  expect(again.questions).toEqual([
    expect.stringMatching(/to its 6 students \(5 of them were mailed before and will be mailed again\) at/),
  ]);
});

test('A question that cannot be made better by reading is asked all the same', async () => {
  const { questions } = await embedded().run('sessions delete 999', { tty: true, answers: [false] });
  expect(questions).toEqual([expect.stringMatching(/^Delete student session 999 at/)]);
});
