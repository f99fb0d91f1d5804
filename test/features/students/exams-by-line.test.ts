/** One roster for several exams: each line goes into the exam that it names, as one run with one question. */
import { expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import { counted, exam } from './importing.ts';

const at = (day: number) => ({ start_time: `2127-02-0${day}T08:00:00Z`, end_time: `2127-02-0${day}T10:00:00Z` });
const term = [
  { id: 1, name: 'Lineare Algebra', ...at(1) },
  { id: 2, name: 'Makroökonomik', ...at(2) },
  { id: 3, name: 'Physik', ...at(3) },
];
const byLine = '--map exam=Prüfung';

function office(more: readonly Record<string, unknown>[] = []) {
  const made = exam({ exams: [...term, ...more] });
  const there = (id: number) =>
    made.service.sessions.filter(({ exam_id }) => exam_id === id).map(({ email }) => String(email).split('@')[0]);
  return { ...made, there };
}

const roster = (...lines: readonly (readonly [who: string, exam: string])[]) =>
  `email,Prüfung\n${lines.map(([who, exam]) => `${who}@example.org,${exam}\n`).join('')}`;

test('A line names its exam by ID, or by name without case, accents and runs of blanks; run twice, nothing is sent.', async () => {
  const { service, imports, there } = office();
  const lines = roster(['ann', '1'], ['bob', 'MAKROOKONOMIK'], ['ann', ' physik '], ['cy', 'lineare  algebra']);
  const ended = await imports(lines, byLine);
  expect([ended.code, counted(ended), ended.report.exam]).toEqual([0, { created: 4 }, null]);
  expect([there(1), there(2), there(3)]).toEqual([['ann', 'cy'], ['bob'], ['ann']]);
  expect(ended.report.lines.map((line) => line.exam)).toEqual([1, 2, 3, 1]);
  const again = await imports(lines, byLine);
  expect([again.code, counted(again), service.posts()]).toEqual([0, { unchanged: 4 }, 4]);
});

test('One question names the number of students of each exam.', async () => {
  const { service, imports } = office();
  const ended = await imports(roster(['ann', '1'], ['bob', '1'], ['ann', 'Physik']), `${byLine} -o table`, { tty: true, answers: [false] });
  expect(ended.questions).toEqual([
    expect.stringMatching(/^Import 3 students: 2 into exam 1 \(Lineare Algebra, .*\), 1 into exam 3 \(Physik, .*\) at http/),
  ]);
  expect(service.writes()).toEqual([]);
});

test('The selection says which exams may be named; the others are neither read nor meant.', async () => {
  const { service, imports } = office([{ id: 5, name: 'Physik', ...at(9) }]);
  const both = await imports(roster(['ann', 'Physik']), byLine);
  expect([both.code, both.report.problems]).toMatchObject([
    3,
    [{ line: 2, reason: expect.stringContaining('2 exams of the selection are called "Physik": exam 3 (') }],
  ]);
  expect((await imports(roster(['ann', 'Physik']), `${byLine} --until 2127-02-05T00:00Z`)).code).toBe(0);
  expect(service.requests().filter((request) => /exams\/[125]\//.test(request))).toEqual([]);
});

test('Who names no exam is a problem of the line; --skip-invalid imports the others.', async () => {
  const { imports, there } = office();
  const lines = roster(['ann', 'Phisik'], ['bob', ''], ['cy', '1'], ['cy', 'lineare algebra'], ['cy', '2']);
  const ended = await imports(lines, byLine);
  expect([ended.code, ended.report.problems.map(({ line, reason }) => [line, reason])]).toEqual([
    3,
    [
      [2, 'No exam of the selection has the ID or name "Phisik".'],
      [3, 'The exam is missing.'],
      [5, '"cy@example.org" is in line 4, too.'],
    ],
  ]);
  expect((await imports(lines, `${byLine} --skip-invalid`)).code).toBe(9);
  expect([there(1), there(2), there(3)]).toEqual([['cy'], ['cy'], []]);
});

test('--remove-missing counts in each exam, concerns the exams that the file names, and no other.', async () => {
  const { service, imports, there } = office();
  for (const id of [1, 2, 3]) for (const name of ['yan', 'zoe']) service.add({ email: `${name}@example.org`, exam_id: id });
  expect((await imports(roster(['yan', '1'], ['new', '2']), `${byLine} --remove-missing 1`)).code).toBe(3);
  const ended = await imports(roster(['yan', '1'], ['zoe', '2']), `${byLine} --remove-missing 1`);
  expect([ended.code, counted(ended).removed, there(1), there(2), there(3)]).toEqual([0, 2, ['yan'], ['zoe'], ['yan', 'zoe']]);
});

test('A token that may not change one exam stops only that one; the same command goes on.', async () => {
  const { service, imports, there } = office();
  service.always('POST /exams/2/student_sessions', refused(403));
  const lines = roster(['ann', '1'], ['bob', '2'], ['cy', '2'], ['dan', '3']);
  const ended = await imports(lines, byLine);
  expect([ended.code, counted(ended), there(1), there(3)]).toEqual([9, { created: 2, not_sent: 2 }, ['ann'], ['dan']]);
  expect(ended.stderr).toMatch(/2 not sent: The service does not allow this token to add the student to exam 2 \(403\)/);
  expect(ended.stderr).toMatch(/Ask the operator of the service for a token that may add the student to exam 2\./);
  service.fault = () => ({});
  expect([(await imports(lines, byLine)).code, there(2)]).toEqual([0, ['bob', 'cy']]);
});

test('After an interruption a line that names another exam by now goes there, and nobody is sent twice.', async () => {
  const { service, imports, there } = office();
  service.next('POST', undefined, refused(401));
  await imports(roster(['ann', '1'], ['bob', '1']), byLine);
  const ended = await imports(roster(['bob', '2'], ['ann', '1']), byLine);
  expect([ended.code, there(1), there(2)]).toEqual([0, ['ann'], ['bob']]);
});

test('Without a column for the exam it is asked for on a terminal, and required off one.', async () => {
  const { service } = office();
  const stdin = 'email\nann@example.org\n';
  const off = await service.run('sessions import - --yes', { stdin });
  expect([off.code, off.stderr]).toEqual([2, expect.stringContaining('--exam')]);
  expect((await service.run(`sessions import - ${byLine} --exam 1 --yes`, { stdin })).code).toBe(2);
});
