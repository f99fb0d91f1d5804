/** sessions extend: how much time a student gets, who is asked before, and that nobody gets the same minutes twice. */
import { describe, expect, test } from 'vitest';
import { amountInWords, parseExtension, parseShift } from '../../../src/features/times/amount.ts';
import type { World } from '../../support/run.ts';
import { refused, Service } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

const day = '2027-03-01';
const at = (time: string) => `${day}T${time}:00Z`;
const before = { now: '2027-02-20T09:00:00Z' };

/** Exam 6, from nine to eleven, with these students from session 100 on. */
function office(...students: Fields[]) {
  const service = new Service({ exams: [{ id: 6, name: 'Algebra', start_time: at('09:00'), end_time: at('11:00') }], gate: 'off' });
  for (const [n, student] of students.entries()) service.add({ email: `s${n}@example.org`, ...student });
  const run = (line: string, world: World = {}) => service.run(line, { ...before, ...world });
  return { service, run, closes: () => service.sessions.map(({ close_time }) => close_time), patches: () => service.written().length };
}

/** Ada and Bob close at ten, Cy with the exam; Dee has finished. */
const four = () =>
  office({ close_time: at('10:00') }, { close_time: at('10:00') }, {}, { status: 'exam_finished', close_time: at('10:00') });
const extendAll = 'sessions extend --exam 6 --by 30m';

describe('--by', () => {
  test.each([
    [parseExtension, ['30m', '+30m', ' 0h30m ', '30 min'], '30m'],
    [parseExtension, ['90m', '1h30m'], '1h30m'],
    [parseExtension, ['25%', '+25.0%', '25,0 %'], '25%'],
    [parseExtension, ['12.5%', '12,50%'], '12.5%'],
    [parseShift, ['1w2d90m', '+9d1h30m'], '9d1h30m'],
    [parseShift, ['-7d', '-1w'], '-7d'],
    [parseShift, ['-1d2h', '-1d120m'], '-1d2h'],
  ])('%o: %j are one amount', (parse, texts, means) => {
    for (const text of texts) expect(amountInWords(parse(text))).toBe(means);
  });

  const noAmounts = ['', '+', '30', '0m', '0%', '0.0%', '-30m', '-25%', '%', '25 percent', '1e3%', '30m25%', '18000h', '٣٠m', '1d', '250%'];
  test.each(noAmounts)('%j is refused, with what can be written', (text) => {
    const hint = expect.stringMatching(/15m|--close-time|--by 5h/);
    expect(() => parseExtension(text)).toThrow(expect.objectContaining({ name: 'InvalidValue', hint }));
  });
});

describe('The new close time', () => {
  test.each<[what: string, Fields, by: string, until: string, World?]>([
    ['has a share of the exam, in full minutes', { close_time: at('09:01') }, '33.3%', at('09:41')],
    ['has a share of the exam on top of a longer window', { open_time: at('09:00'), close_time: at('11:30') }, '25%', at('12:00')],
    [
      'counts from now where that has passed, in full minutes',
      { close_time: at('09:30') },
      '15m',
      at('10:16'),
      { now: `${day}T10:00:10Z` },
    ],
    ['and by a share of the exam', { close_time: at('09:30') }, '50%', at('11:00'), { now: at('10:00') }],
    ['and not where it is over in this minute', { close_time: at('10:00') }, '15m', at('10:15'), { now: at('10:00') }],
  ])('%s', async (_, student, by, until, world) => {
    const { run, closes, service } = office(student);
    const { code, stderr, questions } = await run(`sessions extend 100 --by ${by}`, { tty: true, ...world });
    expect({ code, questions, closes: closes() }, stderr).toEqual({ code: 0, questions: [], closes: [until] });
    expect(stderr.includes('1 session has passed; the minutes count from now.')).toBe(/passed|and by/.test(_));
    expect(service.exams[0]?.end_time).toBe(at('11:00'));
  });

  test.each<[what: string, exam: Fields, Fields, by: string, why: string]>([
    [
      'no end at all',
      { end_time: null },
      { open_time: at('08:00') },
      '30m',
      'neither the session nor its exam shows a close time that can be read',
    ],
    ['no beginning, for a share', { start_time: null }, {}, '25%', 'its exam shows no start and end to take a share of'],
    [
      'an exam that ends before it starts',
      { end_time: at('08:00') },
      { close_time: at('10:00') },
      '25%',
      'its exam shows no start and end',
    ],
    ['a finished session', {}, { status: 'exam_finished' }, '30m', 'it has finished the exam'],
  ])('is not made up for %s', async (_, exam, student, by, why) => {
    const { run, service, patches } = office({});
    service.showing.as = (record) => ({ ...record, ...('exam_id' in record ? student : exam) });
    const { code, stderr } = await run(`sessions extend 100 --by ${by}`);
    expect({ code, patches: patches() }).toEqual({ code: 3, patches: 0 });
    expect(stderr).toContain(`Cannot extend session 100 (${why}`);
    expect(stderr).toContain('proctor-cli sessions update 100 --close-time TIME');
  });

  test('counts elapsed time when the clocks change, is shown with the old one, and is a row with both', async () => {
    const { run } = office({ close_time: '2027-03-28T00:30:00Z' });
    const { stdout, stderr } = await run('sessions extend 100 --by 60m --timezone Europe/Vienna -o json');
    expect(stderr).toContain('session 100 s0@example.org: start by 2027-03-28 01:30 +01:00 → 2027-03-28 03:30 +02:00');
    const row = { exam: 6, session: 100, email: 's0@example.org', field: 'close_time', result: 'extended', reason: null };
    expect(JSON.parse(stdout)).toEqual([{ ...row, from: '2027-03-28T00:30:00Z', to: '2027-03-28T01:30:00Z' }]);
  });
});

const ofThreeWeeks = { end_time: '2027-03-22T09:00:00Z' };
const own = { open_time: at('09:00'), close_time: at('11:00') };
const bothReadings = "25% of the exam's 21d = 5d6h, or 25% of its own 2h = 30m";

describe('A share for a student whose own window is shorter than the exam', () => {
  test('can mean two things: a script is refused with both, and gives the time; nobody is extended', async () => {
    const { service, run, patches } = office({ close_time: at('10:00') }, own);
    service.change('exam', 6, ofThreeWeeks);
    const { code, stderr } = await run('sessions extend 100 101 --by 25% --yes');
    expect({ code, patches: patches() }).toEqual({ code: 2, patches: 0 });
    expect(stderr).toContain(`25% can mean two things for session 101: ${bothReadings}.`);
    expect(stderr).toContain('proctor-cli sessions extend 101 --by 126h');
  });

  test('is the command of before where only its own extension has made it mean two things', async () => {
    const { service, run, patches } = office({ open_time: at('09:12'), close_time: null });
    service.change('exam', 6, { end_time: at('09:32') });
    const line = 'sessions extend 100 --by 25% --yes';
    expect([(await run(line)).code, (await run(line)).code, patches()]).toEqual([0, 11, 1]);
  });

  test('is asked about on a terminal with both, adds the share of the exam after a yes, and says so in its row', async () => {
    const { service, run, closes } = office(own);
    service.change('exam', 6, ofThreeWeeks);
    const { code, questions, stdout } = await run('sessions extend 100 --by 25% -o json', { tty: true, answers: [true] });
    expect(questions).toEqual([expect.stringContaining(`by 25% (session 100: ${bothReadings})`)]);
    expect({ code, closes: closes() }).toEqual({ code: 0, closes: ['2027-03-06T17:00:00Z'] });
    expect(JSON.parse(stdout)).toMatchObject([{ result: 'extended', reason: '25% of 21d = 5d6h' }]);
  });
});

describe('It asks', () => {
  test.each<[what: string, line: string, World]>([
    ['for the sessions of an exam', extendAll, before],
    ['for more than a day', 'sessions extend 100 --by 24h1m', before],
    ['where the exam is over', 'sessions extend 100 --by 15m', { now: at('12:00') }],
  ])('%s, and needs --yes in a script', async (_, line, world) => {
    const { run, patches } = four();
    expect((await run(line, { ...world, tty: true, answers: [false] })).code).toBe(130);
    expect((await run(line, world)).code).toBe(2);
    expect(patches()).toBe(0);
    expect((await run(`${line} --yes`, world)).code).toBe(0);
    expect(patches()).toBeGreaterThan(0);
  });

  test('with who is extended and where, and leaves who has finished as they are', async () => {
    const { run, closes } = four();
    const { code, questions, stderr } = await run(extendAll, { tty: true, answers: [true] });
    expect(questions).toEqual([expect.stringContaining(`Extend 3 sessions of exam 6 (Algebra, ${day} 09:00 +00:00) by 30m at http`)]);
    expect(stderr).toContain('1 finished session will not be changed.');
    expect(stderr).toContain(`session 102 s2@example.org: start by (${day} 11:00 +00:00) → ${day} 11:30 +00:00`);
    expect({ code, closes: closes() }).toEqual({ code: 0, closes: [at('10:30'), at('10:30'), at('11:30'), at('10:00')] });
    const mailed = await office({ status: 'mail_sent', close_time: at('10:00') }).run(`${extendAll} --yes`);
    expect(mailed.stderr).toContain('Mailed with the old times: exam 6 (1 student).');
    const nobody = await office({ status: 'exam_finished' }).run(`${extendAll} -o json`, { tty: true });
    expect([nobody.code, nobody.stdout]).toEqual([0, '[]\n']);
  });

  test('once about what passes while the question is open: the minutes count from when it was shown', async () => {
    const { run, service, closes } = four();
    const waits = async () => {
      await service.clock.pass(3 * 60_000);
      return true;
    };
    const { code, questions } = await run('sessions extend --exam 6 --by 30m', { now: at('10:30'), tty: true, answers: [waits] });
    expect({ code, asked: questions.length, closes: closes().slice(0, 2) }).toEqual({
      code: 0,
      asked: 1,
      closes: [at('11:00'), at('11:00')],
    });
  });
});

test('Several sessions are all extended or none, and the error prints the command for the others', async () => {
  const { run, closes, patches } = four();
  const { code, stderr } = await run('sessions extend 999 103 101 --by 10m -o json');
  const { error } = JSON.parse(stderr);
  expect({ code, patches: patches() }).toEqual({ code: 6, patches: 0 });
  expect(error.message).toBe('Cannot extend session 999 (does not exist), session 103 (it has finished the exam).');
  expect(error.items).toMatchObject([
    { id: 999, code: 'not_found' },
    { id: 103, code: 'invalid_input' },
  ]);
  expect((await run(/proctor-cli (.*)$/.exec(error.hint)?.[1] ?? '')).code).toBe(0);
  expect(closes()).toEqual([at('10:00'), at('10:10'), null, at('10:00')]);
});

describe('A colleague', () => {
  const asked = 'sessions extend 102 --by 25h';

  test('who moves the end of the exam between question and yes costs no student a minute: it is shown and asked again', async () => {
    const { run, service, closes } = four();
    const moves = async () => {
      service.change('exam', 6, { end_time: at('12:00') }, 'colleague');
      return true;
    };
    const { code, questions, stderr } = await run(asked, { tty: true, answers: [moves, true] });
    expect({ code, asked: questions.length }, stderr).toEqual({ code: 0, asked: 2 });
    expect(closes()[2]).toBe('2027-03-02T13:00:00Z');
  });

  test.each<[what: string, kind: 'exam' | 'session', id: number, Fields, by: string]>([
    ['moves the end from which it counts', 'exam', 6, { end_time: at('12:00') }, '30m'],
    ['moves the start of the exam of which it is a share', 'exam', 6, { start_time: at('08:00') }, '25%'],
    ['gives it an opening of its own, which can make a share ambiguous', 'session', 102, { open_time: at('08:00') }, '25%'],
    ['gives the student another time', 'session', 102, { close_time: at('11:15') }, '30m'],
    ['sees the student finish', 'session', 102, { status: 'exam_finished' }, '30m'],
  ])('who %s while its request waits is left alone, by name', async (_, kind, id, fields, by) => {
    const { run, service } = four();
    service.next('PATCH', refused(429, {}, { 'retry-after': '20' }));
    service.onAnswer = ({ method }) => {
      if (method === 'PATCH' && service.written().length === 1) service.change(kind, id, fields, 'colleague');
    };
    const { code, stdout, stderr } = await run(`sessions extend 102 --by ${by} -o csv`);
    expect(code, stderr).toBe(11);
    expect(stderr).toContain('was changed meanwhile');
    expect(stdout).not.toContain('extended');
    expect(service.written()).toHaveLength(1);
  });

  test('who sets the amount at this machine while the question is open has it asked again, before it adds up', async () => {
    const { run, closes } = four();
    const during = async () => (await run('sessions extend 100 --by 30m')).code === 0;
    const { code, questions, stderr } = await run(extendAll, { tty: true, answers: [during, false] });
    expect({ code, again: questions[1], closes: closes()[0] }).toEqual({
      ...{ code: 130, closes: at('10:30') },
      again: expect.stringMatching(/^Run \S+ \(sessions extend 100 --by 30m\) has done the same .* Once more: Extend 3 sessions/),
    });
    // What is asked about is shown before it is asked.
    expect(stderr).toMatch(/session 100 .*10:30.*11:00/);
  });
});
