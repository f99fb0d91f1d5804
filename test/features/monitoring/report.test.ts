/** `exams report`: a row for each exam, the students of a list, and one page that is nothing but text. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageOf } from '../../../src/features/monitoring/report-page.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { embedded } from '../../commands/embedded.ts';
import { temporaryFolder, type World } from '../../support/run.ts';
import { Service } from '../../support/service.ts';
import { algebra, view } from './view.ts';

const exams = [
  { id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' },
  { id: 2, name: 'Biology', start_time: '2027-02-03T08:00:00Z', end_time: '2027-02-03T10:00:00Z' },
];
const sessions = [
  { id: 12, exam_id: 1, email: 'bob@example.org', name: 'Bob', status: 'registered' },
  { id: 11, exam_id: 1, email: 'ada@example.org', status: 'exam_finished', level_of_suspicion: 3 },
  { id: 13, exam_id: 1, email: 'eve@example.org', status: 'exam_finished', level_of_suspicion: 0 },
  { id: 21, exam_id: 2, email: 'ada@example.org', status: 'exam_started' },
];
const service = () => new Service({ exams, sessions });
const afterwards = '2027-02-05T08:00:00Z';
const reported = (line: string, world: World = {}, given = service()) => given.run(`exams report ${line}`, { now: afterwards, ...world });

describe('the report', () => {
  test('has a row for each exam in the order of their starts, the sums on stderr, and reads each list once', async () => {
    const given = service();
    const { code, stdout, stderr } = await reported('--from 2027-02-01T00:00Z', {}, given);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, '|'))).toEqual([
      'EXAM|NAME|ALL|PROBLEMS|PRESENT|DONE|NO-SHOWS|SUSPICION|STUCK|NOT RATED|DAY',
      '1|Algebra|3|2|2|2|1|1|0|2|2027-02-01',
      '2|Biology|1|0|1|0|0|0|1|1|2027-02-03',
      '',
    ]);
    expect(stderr).toContain(
      '2 exams: students 4, problems 2, present 3, finished 2, no shows 1, stuck 1, suspicion 1, not rated 3, not mailed 1.\n',
    );
    expect(given.requests().toSorted()).toEqual(['GET /exams', 'GET /exams/1/student_sessions', 'GET /exams/2/student_sessions']);
  });

  test('of several exams names the problems of each, those that are over too, below one heading', async () => {
    const { stderr } = await reported('1 2', { tty: true });
    expect(stderr).toMatch(/Problems of 2 exams:\nExam 1, Algebra: .*\nExam 1, Algebra: /);
    const { stdout } = await reported('1 --list finished -o csv');
    expect(stdout).toMatch(/^exam,session,name,problem,outcome,status,level_of_suspicion/);
    expect(stdout).toMatch(/^1,13,[^,]*,,finished,exam_finished,,/m);
  });

  test('is for a program a list with every number', async () => {
    const [row, ...others] = JSON.parse((await reported('1 -o json')).stdout);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ exam: 1, name: 'Algebra', at: '2027-02-05T08:00:00.000Z', standing: 'over', preliminary: false });
    expect(row).toMatchObject({ students: 3, present: 2, finished: 2, no_shows: 1, stuck: 0, suspicion: 1, not_rated: 2, not_mailed: 1 });
    expect((await reported('1 2 -o id')).stdout).toBe('1\n2\n');
  });

  test.each([
    ['problems', [11, 12]],
    ['suspicion', [11]],
    ['no-shows', [12]],
    ['absent', [12]],
    ['stuck', [21]],
    ['finished', [11, 13]],
    ['in-progress', []],
  ])('lists the students of %s with their exams, the most urgent first', async (list, ids) => {
    const rows = JSON.parse((await reported(`1 2 --list ${list} -o json`)).stdout);
    expect(rows.map(({ session }: { session: number }) => session)).toEqual(ids);
    if (list === 'no-shows')
      expect(rows[0]).toMatchObject({ exam: 1, exam_name: 'Algebra', email: 'bob@example.org', name: 'Bob', problem: 'no_show' });
  });

  test('names who needs help now, the most urgent first, while an exam is not over', async () => {
    const { stderr } = await reported('1 2', { now: '2027-02-01T08:30:00Z' });
    expect(stderr).toContain('Exam 1, Algebra: ada@example.org: suspicion 3\nExam 1, Algebra: Bob, bob@example.org: not started\n');
  });

  test('calls who has not started by then a problem (--late)', async () => {
    const late = async (given: string) =>
      (await reported(`1 --list problems -o id --late ${given}`, { now: '2027-02-01T08:30:00Z' })).stdout;
    expect([await late('31m'), await late('30m')]).toEqual(['11\n', '11\n12\n']);
  });

  test.each([
    ['2027-02-01T07:00:00Z', 'exam 1, Algebra, has not started, exam 2, Biology, has not started.'],
    ['2027-02-01T09:00:00Z', 'exam 1, Algebra, is not over, exam 2, Biology, has not started.'],
    ['2027-02-03T10:01:00Z', 'exam 1, Algebra, is over, but not for Bob, bob@example.org.'],
  ])('says at %s that it is preliminary and why, also with --quiet', async (now, words) => {
    const given = service();
    given.change('session', 12, { close_time: '2027-02-04T08:00:00Z' });
    expect((await reported('1 2 --quiet', { now }, given)).stderr).toBe(`Preliminary: ${words}\n`);
    expect((await reported('1 2 --quiet', {}, given)).stderr).toBe('');
  });

  test('of 40 exams at 80 ms takes no more than 1.3 times what their lists take, 16 at a time', async () => {
    const given = new Service({ exams: Array.from({ length: 40 }, (_, id) => ({ ...exams[0], id: id + 1 })) });
    given.fault = () => ({ takes: 80 });
    const begun = given.clock.now();
    expect((await reported('--name algebra', { now: () => given.clock.wall() }, given)).code).toBe(0);
    expect(given.clock.now() - begun).toBeLessThanOrEqual(1.3 * 80 * (1 + Math.ceil(40 / 16)));
  });
});

describe('the file of a page', () => {
  const there = () => {
    const page = join(temporaryFolder(), 'report.html');
    writeFileSync(page, 'precious');
    return page;
  };

  test('replaces another in a script only with --force, and is refused before anything is asked', async () => {
    const [page, given] = [there(), service()];
    const { code, stderr } = await reported(`1 --html ${page}`, {}, given);
    expect([code, stderr, given.requests()]).toEqual([2, expect.stringContaining('already exists'), []]);
    expect(readFileSync(page, 'utf8')).toBe('precious');
    expect((await reported(`1 --html ${page} --force`)).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  });

  test.each([true, false])('is asked about on a terminal, and replaced after a yes only (%s)', async (answer) => {
    const page = there();
    const { code, questions } = await reported(`1 --html ${page}`, { tty: true, answers: [answer] });
    expect([code, questions]).toEqual([answer ? 0 : 130, [expect.stringContaining(`Replace ${page}?`)]]);
    expect(readFileSync(page, 'utf8').startsWith('precious')).toBe(!answer);
  });

  test('is not written where no exam is selected, which is said', async () => {
    const page = join(temporaryFolder(), 'report.html');
    const { code, stderr } = await reported(`--name nothing --html ${page}`);
    expect([code, stderr, existsSync(page)]).toEqual([0, expect.stringContaining(`No page was written to ${page}`), false]);
  });
});

test('a page does not hold the token, however its characters are written in HTML', async () => {
  const page = join(temporaryFolder(), 'report.html');
  const token = `quoted'token&0123456789`;
  const given = new Service({
    exams: [{ ...exams[0], name: token }],
    sessions: [{ ...sessions[0], name: `Bearer ${token}`, email: token }],
  });
  expect((await reported(`1 --html ${page}`, { env: { PROCTOR_TOKEN: token } }, given)).code).toBe(0);
  expect(readFileSync(page, 'utf8')).toContain('Bearer ********');
  expect(readFileSync(page, 'utf8')).not.toMatch(/quoted|token&/);
});

describe('the page', () => {
  const setting = { zone: 'Europe/Vienna', place: 'at https://proctor.example (profile test)', number: 'matriculation_number' };
  const page = async (students: JsonObject[], exam = algebra, minutes = 24 * 60) =>
    pageOf([await view(students, { exam, minutes })], setting);
  /** Every tag, in order, without the texts. */
  const tags = (text: string) =>
    (text.replace(/<style>.*?<\/style>/s, '<style></style>').match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/ content="[^"]*"/g, ''));

  test('takes a name for text, whatever is in it', async () => {
    const plain = tags(await page([{ id: 1, status: 'registered', name: 'Ada' }]));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('<script>', '"><img src=x onerror=1>', '</style>', "'&lt;"),
        async (text, bad) => {
          const nasty = text + bad;
          expect(tags(await page([{ status: 'registered', name: nasty, email: nasty, id: nasty }], { ...algebra, name: nasty }))).toEqual(
            plain,
          );
        },
      ),
      { numRuns: 50 },
    );
    expect(await page([{ id: 1, status: 'registered', name: 'gpj.\u202eexe\u200b\u0007' }])).toContain(
      '<bdi>gpj.\ufffdexe\ufffd\u2407</bdi>',
    );
  });

  test('has a policy that lets in its own style sheet and nothing else', async () => {
    const text = await page([], { ...algebra, name: '"}</style>\\' });
    const hash = createHash('sha256')
      .update(/<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '')
      .digest('base64');
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#39;', "'");
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
    expect(text).not.toMatch(/<(script|link|iframe|img|a|form)\b|\b(src|href|style|on\w+)=|@import/);
  });

  test('says of which exam and service it is, of when, and whether it is preliminary, and why', async () => {
    const text = await page([{ id: 1, status: 'mail_sent', name: 'Ada', close_time: '2027-02-03T00:00:00Z' }]);
    expect(text).toContain('@page{size:A4;');
    expect(text).toContain('<title>Report on exam 42, Algebra, 2027-02-02 09:00 +01:00</title>');
    expect(text).toContain('As of 2027-02-02 09:00 +01:00 (Europe/Vienna), at https://proctor.example (profile test).');
    expect(text).toContain('<p>2027-02-01 09:00 +01:00 to 2027-02-01 11:00 +01:00</p>');
    expect(text).toContain('<strong>Preliminary:</strong> this exam is over, but not for Ada.');
    expect(await page([{ id: 1, status: 'exam_finished' }])).not.toContain('Preliminary');
  });

  test('lists who the lists of a terminal have, under their names: who has not come and still can, too', async () => {
    const waiting = { status: 'mail_sent', close_time: '2027-02-03T00:00:00Z' };
    const text = await page([
      { id: 1, name: 'Ada', ...waiting },
      { id: 2, name: 'Bob', status: 'mail_sent' },
    ]);
    const lists = text.split('<h3>').slice(1);
    const listed = lists.map((each) => [each.split('<')[0], [...each.matchAll(/row"><bdi>(\w+)/g)].map(([, name]) => name)].flat());
    expect(listed).toEqual([
      ['Problems (2)', 'Ada', 'Bob'],
      ['No-shows (1)', 'Bob'],
      ['Not-started (1)', 'Ada'],
      ['Stuck (0)'],
      ['Suspicion (0)'],
    ]);
  });

  test('has a bar for each number, a section for each exam, and headings for rows and columns', async () => {
    const students = ['registered', 'exam_finished', 'exam_finished', 'exam_finished'].map((status, id) => ({ id, status }));
    expect(await page(students)).toMatch(/no shows.*<bdi>1<.*25\.0 %.*<rect width="25\.0%"/);
    const two = await Promise.all([1, 2].map((id) => view(students, { exam: { ...algebra, id, name: `Exam "${id}" <b>` } })));
    const text = pageOf(two, setting);
    expect(text).toContain('<h1>Report on 2 exams</h1>');
    expect(text).toMatch(/<a href="#exam-1">1, Exam .*<section id="exam-1">/s);
    const headings = [...text.matchAll(/<h2><bdi>(.*?)<\/bdi>/g)].map(([, name]) => name);
    expect(headings).toEqual([1, 2].map((id) => `Exam ${id}, Exam &#34;${id}&#34; &#60;b&#62;`));
    expect(text.match(/<th(?!ead| scope)/g)).toBe(null);
  });
});

test('shows who came on a terminal of 80 columns, with names that can be read beside the numbers', async () => {
  const { stdout } = await embedded().run('exams report --from 2026-01-01T00:00Z --no-color', { tty: true, columns: 80 });
  expect(stdout).toMatch(/^EXAM +NAME +ALL +PROBLEMS +PRESENT +DONE +\+5$/m);
  expect(stdout).toMatch(/^3 +Introduction to Programming +12 +8 /m);
});

test('an exam without a name that is not over is named by its ID alone', async () => {
  const given = new Service({ exams: exams.map((exam) => ({ ...exam, name: null })), sessions });
  expect((await reported('1', { now: '2027-02-01T09:00:00Z' }, given)).stderr).toContain('Preliminary: exam 1 is not over.');
});
