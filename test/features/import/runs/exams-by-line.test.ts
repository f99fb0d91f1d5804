/** One roster for many exams: each line goes into the exam that it names, as one run with one question. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../support/run.ts';
import type { ServiceOptions } from '../../../support/service.ts';
import { exam, type Imported, lastRun, showing, states } from './importing.ts';

const at = (day: number) => ({ start_time: `2127-02-0${day}T08:00:00Z`, end_time: `2127-02-0${day}T10:00:00Z` });
const term = [
  { id: 1, name: 'Lineare Algebra', ...at(1) },
  { id: 2, name: 'Makroökonomik', ...at(2) },
  { id: 3, name: 'Physik', ...at(3) },
  { id: 4, name: 'Statistik', ...at(4) },
];
const byLine = '--map exam=Prüfung';

function office(options: ServiceOptions = {}) {
  const made = exam({ exams: term, ...options });
  const there = (id: number) =>
    made.service.sessions.filter(({ exam_id }) => exam_id === id).map(({ email }) => String(email).split('@')[0]);
  const writes = () => made.service.requests().filter((request) => !request.startsWith('GET'));
  return { ...made, there, writes };
}

const roster = (...lines: readonly (readonly [who: string, exam: string])[]) =>
  `email,Prüfung\n${lines.map(([who, exam]) => `${who}@example.org,${exam}`).join('\n')}\n`;
/** Thirty lines: eight students in three exams each, and six in the fourth alone. */
const thirty = roster(
  ...['1', 'MAKROOKONOMIK', ' physik '].flatMap((exam) => Array.from({ length: 8 }, (_, n) => [`s${n + 1}`, exam] as const)),
  ...Array.from({ length: 6 }, (_, n) => [`t${n + 1}`, 'Statistik'] as const),
);
const eight = Array.from({ length: 8 }, (_, n) => `s${n + 1}`);

function examsOf({ report }: Imported): Record<string, unknown>[] {
  return report.by_exam as Record<string, unknown>[];
}

describe('Each line goes into the exam that it names', () => {
  test('by its ID or by its whole name, without case, accents and runs of blanks; run twice, nothing is sent.', async () => {
    const { imports, there, writes, service } = office();
    const ended = await imports(thirty, byLine);
    expect([ended.code, states(ended)]).toEqual([0, { created: 30 }]);
    expect([there(1), there(2), there(3), there(4).length]).toEqual([eight, eight, eight, 6]);
    expect(ended.report).toMatchObject({ exam: null, lines: 30, verified: true });
    expect(examsOf(ended).map(({ exam, name, lines, created }) => [exam, name, lines, created])).toEqual([
      [1, 'Lineare Algebra', 8, 8],
      [2, 'Makroökonomik', 8, 8],
      [3, 'Physik', 8, 8],
      [4, 'Statistik', 6, 6],
    ]);
    const sent = writes().length;
    const again = await imports(thirty, byLine);
    expect([again.code, states(again), writes().length]).toEqual([0, { unchanged: 30 }, sent]);
    expect(again.report.verified).toBe(true);
    expect(service.requests().filter((request) => request === 'GET /exams')).toHaveLength(2);
  });

  test('is asked about once, with the number of students of each exam.', async () => {
    const { imports, writes } = office();
    const ended = await imports(thirty, byLine, { tty: true, answers: [false] });
    expect(ended.questions).toEqual([
      expect.stringMatching(
        /^Import 30 students into 4 exams: 8 into exam 1 \(Lineare Algebra, 2127-02-01 08:00.*\), 8 into exam 2 \(.*\), .*, 6 into exam 4 \(Statistik, .*\) at http/,
      ),
    ]);
    expect(writes()).toEqual([]);
  });

  test('and is known there by what an earlier import has created, whatever address the list shows.', async () => {
    const { imports, writes } = office({ habits: { kept: (email) => email.replace('@', '@students.') } });
    const lines = roster(['ann', '1'], ['bob', '2'], ['ann', '2'], ['cy', '3']);
    expect(states(await imports(lines, byLine))).toEqual({ created: 4 });
    const sent = writes().length;
    expect(states(await imports(lines, byLine))).toEqual({ unchanged: 4 });
    expect(writes()).toHaveLength(sent);
  });

  test('of a selection, whose other exams are neither read nor named.', async () => {
    const { imports, service } = office({ exams: [...term, { id: 5, name: 'Physik', ...at(9) }] });
    const lines = roster(['ann', 'Physik']);
    const both = await imports(lines, byLine);
    expect(both.code).toBe(3);
    expect(both.stderr).toContain(
      'line 2, column 2 (\\"Prüfung\\"): \\"Physik\\": 2 exams of the selection have this ID or name: 3 (2127-02-03 08:00 +00:00), 5 (2127-02-09 08:00 +00:00)',
    );
    const one = await imports(lines, `${byLine} --until 2127-02-05T00:00Z`);
    expect([one.code, examsOf(one).map(({ exam }) => exam)]).toEqual([0, [3]]);
    expect(service.requests().filter((request) => /exams\/[1245]\//.test(request))).toEqual([]);
  });

  test('as a dry run shows it, line by line.', async () => {
    const { imports, writes } = office();
    const ended = await imports(roster(['ann', '1'], ['ann', 'Physik']), `${byLine} --dry-run`);
    expect(JSON.parse(ended.stdout)).toMatchObject([
      { line: 2, exam: 1, action: 'create' },
      { line: 3, exam: 3, action: 'create' },
    ]);
    expect(writes()).toEqual([]);
  });

  test('as the table shows it: a row for each exam, and one for all.', async () => {
    const { imports } = office();
    const { stdout } = await imports(roster(['ann', '1'], ['bob', '1'], ['ann', 'Physik']), `${byLine} -o table`);
    expect(stdout.split('\n').map((line) => line.split(/\s{2,}/))).toMatchObject([
      ['EXAM', 'NAME', 'STARTS', 'LINES', 'CREATED'],
      ['1', 'Lineare Algebra', expect.anything(), '2', '2'],
      ['3', 'Physik', expect.anything(), '1', '1'],
      ['all', '-', '-', '3', '3'],
      [''],
    ]);
  });
});

describe('A line that names no exam, or more than one,', () => {
  test('is a problem of its line, told with all others, and the nearest name.', async () => {
    const { imports, writes } = office();
    const lines = roster(['ann', 'Statistick'], ['bob', '9'], ['cy', ''], ['dan', '1'], ['dan', 'lineare algebra'], ['dan', '2']);
    const ended = await imports(lines, `${byLine} -o table`);
    expect(ended.code).toBe(3);
    expect(ended.stderr.split('\n').filter((line) => /^line \d+,/.test(line))).toEqual([
      'line 2, column 2 ("Prüfung"): "Statistick": no exam of the selection has this ID or name; the nearest name is "Statistik" (exam 4).',
      'line 3, column 2 ("Prüfung"): "9": no exam of the selection has this ID or name.',
      'line 4, column 2 ("Prüfung"): the exam is missing.',
      'line 6, column 1 ("email"): "dan@example.org": same exam and address as line 5.',
    ]);
    expect(writes()).toEqual([]);
  });

  test('is left out with --skip-invalid.', async () => {
    const { imports, there } = office();
    const ended = await imports(roster(['ann', 'Statistick'], ['bob', '1']), `${byLine} --skip-invalid`);
    expect([ended.code, states(ended)]).toEqual([9, { created: 1, invalid: 1 }]);
    expect(ended.report.problems).toMatchObject([{ line: 2, exam: null, state: 'invalid' }]);
    expect(there(1)).toEqual(['bob']);
  });

  test('is no line, if all of them are such.', async () => {
    const { imports, service } = office();
    const ended = await imports(roster(['ann', 'Statistick']), `${byLine} --skip-invalid`);
    expect([ended.code, states(ended)]).toEqual([9, { invalid: 1 }]);
    expect(service.requests()).toEqual(['GET /exams']);
  });
});

describe('An import that was stopped', () => {
  test('is resumed by the same command: nobody is sent twice, the same address in two exams is two students.', async () => {
    const { imports, posts, there, service, home } = office();
    posts({ 12: { answer: { status: 401 } } });
    const stopped = await imports(thirty, `${byLine} --concurrency 1`);
    expect(states(stopped)).toEqual({ created: 11, not_sent: 19 });
    const ended = await imports(thirty, byLine);
    expect([ended.code, states(ended)]).toEqual([0, { created: 30 }]);
    expect([there(1), there(2), there(3), there(4).length]).toEqual([eight, eight, eight, 6]);
    expect(service.posts('s1@example.org')).toBe(3);
    expect(await lastRun({ home })).toMatchObject({ run: stopped.report.run, state: 'finished' });
  });

  test('is resumed by a file whose lines are in another order.', async () => {
    const { imports, posts, there, service } = office();
    posts({ 12: { answer: { status: 401 } } });
    await imports(thirty, `${byLine} --concurrency 1`);
    const [header, ...lines] = thirty.trim().split('\n');
    const ended = await imports(`${[header, ...lines.reverse()].join('\n')}\n`, byLine);
    expect([ended.code, states(ended), service.posts()]).toEqual([0, { created: 30 }, 31]);
    expect([there(1), there(2).toSorted(), there(3).toSorted()]).toEqual([eight, eight, eight]);
  });

  test('with another selection is another import.', async () => {
    const { imports, posts, home } = office();
    posts({ 1: { answer: { status: 401 } } });
    await imports(roster(['ann', '1']), byLine);
    await imports(roster(['bob', '2']), `${byLine} --until 2127-02-05T00:00Z`);
    expect(JSON.parse((await run(['runs', 'list', '-o', 'json'], { home })).stdout)).toHaveLength(2);
  });

  test('and whose file has another exam for a line by now sends it to that one.', async () => {
    const { imports, posts, there } = office();
    posts({ 2: { answer: { status: 401 } } });
    await imports(roster(['ann', '1'], ['bob', '1']), `${byLine} --concurrency 1`);
    const ended = await imports(roster(['ann', '1'], ['bob', '2']), byLine);
    expect([ended.code, there(1), there(2)]).toEqual([0, ['ann'], ['bob']]);
  });
});

describe('--remove-missing', () => {
  const nine = (id: number) => Array.from({ length: 10 }, (_, n) => ({ email: `x${id}${n}@example.org`, exam_id: id }));
  const but = (id: number, from: number) =>
    nine(id)
      .slice(from)
      .map(({ email }) => [email.split('@')[0] ?? '', String(id)] as const);

  test('deletes from the exams that the file names, and from no other; each has its own limit.', async () => {
    const { imports, service, there } = office();
    for (const id of [1, 2, 3]) for (const student of nine(id)) service.add(student);
    const ended = await imports(roster(...but(1, 1), ...but(2, 1)), `${byLine} --remove-missing`);
    expect(ended).toMatchObject({ code: 0, report: { removed: 2, unchanged: 18 } });
    expect(examsOf(ended).map(({ exam, removed }) => [exam, removed])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect([there(1).length, there(2).length, there(3).length]).toEqual([9, 9, 10]);
  });

  test('is refused as a whole where one exam would lose more than a tenth; the hint leads on.', async () => {
    const { imports, service, writes } = office();
    for (const id of [1, 2]) for (const student of nine(id)) service.add(student);
    const lines = roster(...but(1, 1), ...but(2, 3));
    const ended = await imports(lines, `${byLine} --remove-missing`);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error.message).toBe(
      '--remove-missing would delete 3 of the 10 students of exam 2, and the limit is 10 % of the exam, 1. Nothing was sent.',
    );
    expect(writes()).toEqual([]);
    expect(await imports(lines, `${byLine} --remove-missing --max-removals 3`)).toMatchObject({ code: 0, report: { removed: 4 } });
  });

  test('wants the number of all deletions typed.', async () => {
    const { imports, service } = office();
    for (const id of [1, 2]) for (const student of nine(id)) service.add(student);
    const ended = await imports(roster(...but(1, 1), ...but(2, 1), ['new', '2']), `${byLine} --remove-missing`, {
      tty: true,
      answers: ['2'],
    });
    expect(ended.code).toBe(0);
    expect(ended.questions).toEqual([
      expect.stringMatching(
        /^Import 1 student into exam 2 \(.*\), then delete 2 students of 2 exams \(1 of exam 1 \(.*\), 1 of exam 2 \(.*\)\) that are missing from the file, at .*Type 2 to confirm:$/,
      ),
    ]);
  });

  test('sends nothing at all while one of the exams is running.', async () => {
    const { imports, service, writes } = office();
    for (const student of nine(2)) service.add(student);
    service.add({ email: 'zoe@example.org', exam_id: 2, status: 'exam_started' });
    const ended = await imports(roster(['new', '1'], ...but(2, 2), ['zoe', '2']), `${byLine} --remove-missing --max-removals 2`);
    expect([ended.code, writes()]).toEqual([12, []]);
    expect(ended.stderr).toContain('Exam 2 (Makroökonomik');
  });

  test('deletes nobody of an exam that the file no longer names when the import is resumed.', async () => {
    const { imports, service, there } = office();
    for (const id of [1, 2]) for (const student of nine(id)) service.add(student);
    service.fault = ({ method }) => (method === 'DELETE' ? { answer: { status: 401 } } : undefined);
    const command = `${byLine} --remove-missing`;
    expect((await imports(roster(...but(1, 1), ...but(2, 1)), command)).code).not.toBe(0);
    service.fault = () => undefined;
    await imports(roster(...but(1, 1)), command);
    expect(there(2)).toHaveLength(10);
  });
});

describe('While it is at work', () => {
  test('an import into one of its exams is refused, by name; one into another exam is not.', async () => {
    const { home, imports, service } = office();
    const file = join(home, 'other.csv');
    writeFileSync(file, 'email\nzoe@example.org\n');
    const codes: [number, string][] = [];
    const other = async (id: string) => {
      const { code, stderr } = await service.run(['sessions', 'import', file, '--exam', id, '--yes']);
      codes.push([code, stderr]);
    };
    const ended = await imports(roster(['ann', '1'], ['bob', '2']), byLine, {
      tty: true,
      answers: [
        async () => {
          await other('2');
          await other('4');
          return true;
        },
      ],
    });
    expect(ended.code).toBe(0);
    expect(codes.map(([code]) => code)).toEqual([8, 0]);
    expect(codes[0]?.[1]).toMatch(/sessions import/);
  });

  test("a colleague's import of one of its exams is noticed, and the run stops.", async () => {
    const { imports, service } = office();
    service.onArrival = ({ method, count }) => {
      if (method === 'POST' && count === 1)
        for (const name of ['t3', 't4', 't5', 't6']) service.add({ email: `${name}@example.org`, exam_id: 4 });
    };
    const many = roster(
      ...Array.from({ length: 12 }, (_, n) => [`t${n + 1}`, 'Statistik'] as const),
      ...Array.from({ length: 40 }, (_, n) => [`s${n + 1}`, '1'] as const),
    );
    const ended = await imports(many, `${byLine} --concurrency 1`);
    expect(ended.code).toBe(9);
    expect(ended.stderr).toContain('Another import is working on exam 4');
  });
});

describe('What goes wrong in one exam', () => {
  test('leaves the others as they are wanted: a token that may not change it stops only this one.', async () => {
    const { imports, service, there } = office();
    service.fault = ({ method, path }) => (method === 'POST' && path.startsWith('/exams/2/') ? { answer: { status: 403 } } : undefined);
    const ended = await imports(roster(['ann', '1'], ['bob', '2'], ['cy', '2'], ['dan', '3']), `${byLine} --concurrency 1`);
    expect([ended.code, states(ended), there(1), there(3)]).toEqual([9, { created: 2, not_sent: 2 }, ['ann'], ['dan']]);
    expect(examsOf(ended).map(({ exam, created, not_sent }) => [exam, created, not_sent])).toEqual([
      [1, 1, 0],
      [2, 0, 2],
      [3, 1, 0],
    ]);
    service.fault = () => undefined;
    expect((await imports(roster(['ann', '1'], ['bob', '2'], ['cy', '2'], ['dan', '3']), byLine)).code).toBe(0);
    expect(there(2)).toEqual(['bob', 'cy']);
  });

  test('is named where the list hides addresses, and nothing is sent.', async () => {
    const { imports, service, writes } = office({
      showing: showing({ listed: (email) => (email === 'x@example.org' ? 'x***@example.org' : email) }),
    });
    service.add({ email: 'x@example.org', exam_id: 2 });
    const lines = roster(['ann', '1'], ['xa', '2']);
    const ended = await imports(lines, byLine);
    expect([ended.code, writes()]).toEqual([3, []]);
    expect(ended.stderr).toContain('The list of exam 2 shows no address of 1 student');
    expect((await imports(lines, `${byLine} --unmatched`)).code).toBe(0);
  });
});

describe('The command line', () => {
  test.each([
    [`${byLine} --exam 1`, 'The exam is given twice: by --exam and by the column "Prüfung".'],
    ['--map email=email --exam 1 --from 2127-02-01T00:00Z', '--from is for --map exam=HEADER, where lines name their exams.'],
  ])('with %s is refused before anything is read.', async (args, message) => {
    const { imports, service } = office();
    const ended = await imports(roster(['ann', '1']), `${args} -o table`, {}, []);
    expect([ended.code, ended.stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
    expect(service.requests()).toEqual([]);
  });

  test('without a column for the exam asks for it on a terminal, whatever else is mapped.', async () => {
    const { home, service } = office();
    const file = join(home, 'one.csv');
    writeFileSync(file, 'Mail,name\nann@example.org,Ann\n');
    const asked = await service.run(['sessions', 'import', file, '--map', 'email=Mail'], { tty: true, answers: ['2', true] });
    expect(asked).toMatchObject({ code: 0, questions: ['ID of the exam (--exam):', expect.stringContaining('into exam 2')] });
  });
});
