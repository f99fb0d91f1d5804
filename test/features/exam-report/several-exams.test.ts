/** `exams report` of several exams: a row for each, one page for all of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Data, embedded } from '../../commands/embedded.ts';
import { temporaryFolder } from '../../support/run.ts';
import { refused, Service, said } from '../../support/service.ts';

const exams = [
  { id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' },
  { id: 2, name: 'Biology', start_time: '2027-02-03T08:00:00Z', end_time: '2027-02-03T10:00:00Z' },
];
const students: Record<string, unknown> = {
  1: [
    { id: 11, email: 'ada@example.org', status: 'exam_finished', level_of_suspicion: 3 },
    { id: 12, email: 'bob@example.org', status: 'registered' },
  ],
  2: [{ id: 21, email: 'ada@example.org', status: 'exam_finished' }],
};

async function reported(line: string, now = '2027-02-05T08:00:00Z', listed = students) {
  const service = new Service({ exams });
  for (const [id, list] of Object.entries(listed))
    service.always(`GET /exams/${id}/student_sessions`, list === 'gone' ? refused(404, { message: 'gone' }) : { answer: said(200, list) });
  return { ...(await service.run(`exams ${line}`, { now })), requests: service.requests() };
}

describe('the report on several exams', () => {
  test('has a row for each exam in the order of their starts, and the sums on stderr', async () => {
    const { code, stdout, stderr } = await reported(
      'report --from 2027-02-01T00:00Z --columns exam,students,present,no_shows,suspicious,not_rated',
    );
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
      'EXAM ALL PRESENT NO-SHOWS SUSPICION 2–3 NOT RATED',
      '1 2 1 1 1 1',
      '2 1 1 0 0 1',
      '',
    ]);
    expect(stderr).toContain(
      '2 exams, 2027-02-01 to 2027-02-03: 3 students, 2 present, 1 no-show, 0 stuck, 1 with suspicion 2–3, 2 not rated.\n',
    );
  });

  test('is for a program a list of the reports that each exam has alone', async () => {
    const { stdout } = await reported('report 1 2 -o json');
    const rows = JSON.parse(stdout) as Data[];
    const alone = JSON.parse((await reported('report 1 -o json')).stdout) as Data[];
    expect(rows.map(({ exam }) => exam)).toEqual([1, 2]);
    expect([{ ...rows[0], origin: '' }]).toEqual(alone.map((report) => ({ ...report, origin: '' })));
  });

  test('is a list of one where one exam was selected, by its time or by its ID', async () => {
    expect(JSON.parse((await reported('report --name biology -o json')).stdout)).toHaveLength(1);
    expect(JSON.parse((await reported('report --exam 2 -o json')).stdout)).toMatchObject([{ exam: 2 }]);
  });

  test('reads each listing once', async () => {
    const { requests } = await reported('report --name o');
    expect(requests.toSorted()).toEqual(['GET /exams', 'GET /exams/2/student_sessions']);
  });

  test('lists the students behind the numbers with their exams', async () => {
    const { stdout } = await reported('report 1 2 --list suspicious -o json');
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ exam: 1, exam_name: 'Algebra', id: 11, email: 'ada@example.org' })]);
  });

  test('names an exam that cannot be read, reports the others, and ends with 9', async () => {
    const page = join(temporaryFolder(), 'page.html');
    const { code, stdout, stderr } = await reported(`report 1 2 -o id --html ${page}`, undefined, { ...students, 2: 'gone' });
    expect({ code, stdout }).toEqual({ code: 9, stdout: '1\n' });
    expect(stderr).toMatch(/^Exam 2, Biology: .*404/m);
    expect(stderr).toContain('error: 1 of 2 exams could not be read.');
    expect(readFileSync(page, 'utf8')).toContain('<strong>Incomplete:</strong> these exams could not be read: 2, Biology.');
  });

  test('is preliminary as long as one of the exams is', async () => {
    expect((await reported('report 1 2', '2027-02-02T08:00:00Z')).stderr).toContain('The figures of 1 exam are not final: 2 (Biology).');
  });
});

describe('students whom nobody has rated', () => {
  const unrated = Array.from({ length: 30 }, (_, id) => ({ id, status: 'exam_finished', level_of_suspicion: 0 }));
  const listed = { 1: unrated, 2: unrated.map(({ id, status }) => ({ id, status })) };

  test.each([
    ['one exam', 'report 1'],
    ['several', 'report 1 2'],
  ])('are counted apart from those who raised no suspicion, in every report on %s', async (_what, line) => {
    const page = join(temporaryFolder(), 'page.html');
    const one = line === 'report 1';
    const { stdout, stderr } = await reported(`${line} --html ${page}`, undefined, listed);
    expect(stdout).toMatch(one ? /^suspicion +not rated +30 +100\.0 %$/m : /NOT RATED\n1 .* 0 +30\n2 .* 0 +30\n$/);
    if (!one) expect(stderr).toContain('60 students, 60 present, 0 no-shows, 0 stuck, 0 with suspicion 2–3, 60 not rated.');
    expect(readFileSync(page, 'utf8')).toContain('<th scope="row">suspicion: not rated</th><td>30</td><td>100.0 %</td>');
    const json = [JSON.parse((await reported(`${line} -o json`, undefined, listed)).stdout)].flat();
    for (const { counts } of json) expect(counts).toMatchObject({ finished: 30, suspicious: 0, not_rated: 30 });
    const csv = (await reported(`${line} -o csv`, undefined, listed)).stdout;
    expect(csv).toMatch(
      one ? /,not_rated,preliminary\r\n1,.*,0,30,false\r\n$/ : /,not_rated,preliminary\r\n1,.*,0,30,false\r\n2,.*,0,30,false\r\n$/,
    );
  });
});

describe('on a terminal of 80 columns', () => {
  test('no column of several exams is left out', async () => {
    const { stdout, stderr } = await embedded().run('exams report --from 2026-01-01T00:00Z --no-color', { tty: true, columns: 80 });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ +NO- +SUSPICION +NOT *$/),
      expect.stringMatching(/^EXAM +NAME +DAY +ALL +PRESENT +DONE +STUCK +SHOWS +2–3 +RATED$/),
    ]);
    expect(stderr).not.toContain('do not fit');
    // Whether an exam is final is said beside the table, in which each number has its column.
    expect(stderr).toMatch(
      /^The figures of 16 exams are not final: 4 \(.* and 11 more; --columns exam,name,preliminary shows them all\.$/m,
    );
    const { stdout: shown } = await embedded().run('exams report --from 2026-01-01T00:00Z --columns exam,name,preliminary');
    expect(shown.match(/ yes$/gm)).toHaveLength(16);
  });
});
