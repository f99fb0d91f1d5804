/** exams shift and exams delay: exams and the windows of their students, by the clocks of the zone or by elapsed time. */
import { describe, expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, office, patches } from './exams.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
/** In Vienna the clocks are set forward on 28 March 2027: a week later, 09:00 is an hour earlier in UTC. */
const [nineLater, elevenLater] = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'];

/** Exam 5 with a student without times (100), with a window (101) and with extra time (102); exam 7 with one without times. */
const period = () =>
  office(
    [exam(5, nine, eleven), exam(7, nine, eleven), exam(9, '2026-12-19T08:00:00Z', '2026-12-19T10:00:00Z')],
    [
      { exam_id: 5 },
      { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T11:00:00Z' },
      { exam_id: 5, close_time: '2027-03-22T10:30:00Z' },
      { exam_id: 7 },
    ],
  );

describe('exams shift', () => {
  test('keeps 09:00 at 09:00 when the clocks change, for exams and for windows of their own', async () => {
    const { rows, service } = period();
    const moved = await rows('exams shift --exam 5 --exam 7 --by 7d --yes');
    expect(moved[0]).toEqual({
      ...{ exam: 5, session: null, email: null, field: 'end_time', from: eleven, to: elevenLater },
      ...{ result: 'shifted', reason: null },
    });
    expect(moved.map(({ session, email, field, result }) => [session, email, field, result].join(' ').trim())).toEqual([
      'end_time shifted',
      ...['101 s2@example.org open_time shifted', '101 s2@example.org close_time shifted', '102 s3@example.org close_time shifted'],
      ...['start_time shifted', 'start_time shifted', 'end_time shifted'],
    ]);
    expect(service.exams.slice(0, 2)).toEqual([exam(5, nineLater, elevenLater), exam(7, nineLater, elevenLater)]);
  });

  test('asks one question, with how many exams and windows; selected by name and time', async () => {
    const { run } = period();
    const { questions, stderr, code } = await run('exams shift --name exam --from 2027-03-01 --by 7d', { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Shift 2 exams \(Exam 5, Exam 7\) by 7d, along with the windows of 2 students, at https:\S+ \(profile default\)\?$/,
      ),
    ]);
    expect(stderr).toContain('exam 7: start 2027-03-22 09:00 +01:00 → 2027-03-29 09:00 +02:00, end');
    expect(stderr.match(/Undo it with/g)).toHaveLength(1);
  });

  test.each<[what: string, code: number, ids: number[], change: (remove: () => void, own: Fields) => void]>([
    ['is gone: the exam moves', 9, [5, 102, 5], (remove) => remove()],
    ['has finished: the exam moves', 0, [5, 102, 5], (_, own) => Object.assign(own, { status: 'exam_finished' })],
    ['has begun: neither that window nor the start moves', 9, [5, 102], (_, own) => Object.assign(own, { status: 'exam_started' })],
  ])('where a student meanwhile %s', async (_, code, ids, change) => {
    const { run, service } = period();
    await run('config set protectRunningExams off');
    service.fault = ({ line, countOfMethod: count }) => {
      if (line === 'PATCH /exams/5' && count === 1) change(() => service.truth.remove('session', 101), service.sessions[1] ?? {});
      // What was read before is old by then.
      return line === 'PATCH /exams/5' && count === 1 ? { takes: 3000 } : undefined;
    };
    const ended = await run('exams shift --exam 5 --by 7d --yes');
    expect([ended.code, patches(service).map(([, id]) => id)]).toEqual([code, ids]);
    expect(service.exams[0]).toMatchObject({ start_time: ids.length === 3 ? nineLater : nine, end_time: elevenLater });
  });

  test('warns if no zone is set: then the clocks of this machine count the days', async () => {
    const { service } = period();
    const { stderr } = await service.run('exams shift --exam 7 --by 7d --yes', { zone: 'Europe/Vienna' });
    expect(stderr).toContain('warning: no time zone is set; days are counted by the clocks of this machine (Europe/Vienna).');
    expect(service.exams[1]).toMatchObject({ start_time: nineLater });
    expect((await service.run('exams shift --exam 7 --by 2h --yes')).stderr).not.toContain('time zone');
  });

  test.each([
    ['of an exam that students have taken', '2026-12-19T08:00:00Z', { status: 'exam_finished' }, /cannot be shifted: .* by 1 student/],
    ['with a window that cannot be read', nine, { close_time: 'soon' }, /The close_time of session 100 cannot .* "soon" is not a time/],
    ['of an exam without a start', null, {}, /Exam 5 shows no start_time/],
    ['of an exam whose start cannot be read', 'soon', {}, /Exam 5 shows no start_time that can be read \(soon\)/],
    ['to a time that the clocks skip', '2027-03-21T01:30:00Z', {}, /does not exist in Europe\/Vienna.*\n.*\n?/],
    [
      'of a window to such a time',
      '2027-03-20T22:00:00Z',
      { open_time: '2027-03-21T01:30:00Z' },
      /open_time of session 100 .* does not exist/,
    ],
  ])('is refused before anything is sent %s', async (_, start, student, why) => {
    const { run, service } = office([exam(5, nine, '2027-12-01T08:00:00Z', { start_time: start })], [{ exam_id: 5, ...student }]);
    expect(await run('exams shift --exam 5 --by 7d --yes')).toMatchObject({ code: 3, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });

  test('moves an exam that nobody came to', async () => {
    const { run, service } = period();
    expect((await run('exams shift 9 --by 7d --yes')).code).toBe(0);
    expect(service.exams[2]).toMatchObject({ start_time: '2026-12-26T08:00:00Z' });
  });
});

describe('exams delay', () => {
  const later = '2027-03-22T10:15:00Z';
  /** In exam 5, one without times (100), one with extra time (101), one who has finished (102); in exam 7, one with a close time (103). */
  const five = () =>
    office(
      [exam(5, nine, eleven), exam(7, nine, eleven)],
      [
        { exam_id: 5 },
        { exam_id: 5, close_time: '2027-03-22T10:30:00Z', status: 'exam_started' },
        { exam_id: 5, close_time: '2027-03-22T10:30:00Z', status: 'exam_finished' },
        { exam_id: 7, close_time: eleven },
      ],
    );
  const closeTimes = ({ service }: ReturnType<typeof five>) => service.sessions.map(({ close_time }) => close_time ?? null);

  test('gives everybody the same time on top, the exam first; accommodations are kept, and finished sessions', async () => {
    const made = five();
    const { code, questions, stderr } = await made.run('exams delay --name exam --by 15m', { tty: true, answers: [true] });
    expect(code, stderr).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(/^Delay the end of 2 exams \(Exam 5, Exam 7\) by 15m \(the start stays\), along with the windows of 2 stu/),
    ]);
    expect(patches(made.service).slice(0, 2)).toEqual([
      ['patch-exam', 5, { end_time: later }],
      ['patch-exam', 7, { end_time: later }],
    ]);
    expect(made.service.exams[0]).toEqual(exam(5, nine, later));
    expect(closeTimes(made)).toEqual([null, '2027-03-22T10:45:00Z', '2027-03-22T10:30:00Z', '2027-03-22T10:15:00Z']);
  });

  describe('of windows that are over', () => {
    /** It is 12:00; exam 5 runs until 14:00. By 15 minutes later, 100 is open again, and 101 is over all the same. */
    const noon = () =>
      office(
        [exam(5, '2026-12-20T11:00:00Z', '2026-12-20T14:00:00Z')],
        [
          { exam_id: 5, close_time: '2026-12-20T11:50:00Z' },
          { exam_id: 5, close_time: '2026-12-20T11:30:00Z' },
          { exam_id: 5, close_time: '2026-12-20T11:30:00Z', status: 'exam_finished' },
          { exam_id: 5, close_time: '2026-12-20T13:00:00Z' },
        ],
      );
    const closes = ({ service }: ReturnType<typeof noon>) => service.sessions.map(({ close_time }) => close_time?.slice(11, 16));

    test.each(['exams delay 5 --by 15m --yes', 'exams update 5 --end 2026-12-20T14:15:00Z --yes'])(
      'opens those that are then open again; the others stay, and are named with the command that extends them: %s',
      async (line) => {
        const made = noon();
        const { code, stderr, stdout } = await made.run(`${line} -o csv`);
        expect([code, closes(made)], stderr).toEqual([0, ['12:05', '11:30', '11:30', '13:15']]);
        expect(stderr).toContain('The window of 101 s2@example.org is over, and stays so: 15m more would end before now.');
        expect(stderr).toMatch(/: proctor-cli sessions extend 101 --by 15m$/m);
        if (line.includes('delay')) expect(stdout).toMatch(/5,100,.*,delayed,open again\r/);
        const undo = /runs undo \S+/.exec(stderr)?.[0] ?? (await made.run('runs list -o id')).stdout.trim().replace(/^/, 'runs undo ');
        expect((await made.run(`${undo} --yes --during-exam Wrong`)).code).toBe(0);
        expect(closes(made)).toEqual(['11:50', '11:30', '11:30', '13:00']);
      },
    );

    test('names those that stay by the line of a timetable, too', async () => {
      const made = noon();
      const { code, stderr } = await made.run('exams apply - --yes', { stdin: 'id,end\n5,2026-12-20T14:15:00Z\n' });
      expect([code, closes(made)], stderr).toEqual([0, ['12:05', '11:30', '11:30', '13:15']]);
      expect(stderr).toMatch(/The window of 101 s2@example\.org is over, .*: proctor-cli sessions extend 101 --by 15m$/m);
    });

    test('are named by the plan, too, before the question', async () => {
      const { questions, stderr } = await noon().run('exams delay 5 --by 15m', { tty: true, answers: [true] });
      expect(questions).toEqual([expect.stringContaining('along with the windows of 2 students')]);
      expect(stderr).toMatch(/session 100 s1@example\.org: start by .* → .* \(open again\)/);
    });
  });

  test('of an exam whose end a colleague moves while the service has it wait changes none of its students', async () => {
    const made = five();
    made.service.fault = ({ method, countOfMethod: count }) => {
      if (method !== 'PATCH' || count > 1) return undefined;
      Object.assign(made.service.exams[0] ?? {}, { end_time: '2027-03-22T10:20:00Z' });
      return refused(429, {}, { 'retry-after': '20' });
    };
    const { code, stdout } = await made.run('exams delay 5 --by 15m --yes -o csv', {});
    expect(code).toBe(11);
    expect(stdout).toMatch(/5,,,end_time,.*,changed,"Exam 5 was changed meanwhile: end_time is now 2027-03-22 11:20/);
    expect(stdout).toMatch(/5,101,.*,after_failed,/);
    expect(made.service.exams[0]?.end_time).toBe('2027-03-22T10:20:00Z');
    expect(closeTimes(made)[1]).toBe('2027-03-22T10:30:00Z');
  });

  test('tells of a service that resets a restriction with the times, with the line that sets it again', async () => {
    const { run, service } = five();
    service.fault = ({ line }) => {
      if (line === 'PATCH /exams/5') Object.assign(service.exams[0] ?? {}, { allow_headphones: false });
      return undefined;
    };
    const { code, stderr, stdout } = await run('exams delay 5 --by 15m --yes -o json');
    expect([code, stdout]).toEqual([9, expect.stringContaining('Exam 5 has its new times, but allow_headphones changed with them.')]);
    expect(stderr).toContain('proctor-cli exams update 5 --allow-headphones');
  });

  test('names each window that the service moves along once more, by itself, and that an undo does not find as it was', async () => {
    const window = { open_time: '2027-03-22T08:15:00Z', close_time: '2027-03-22T10:30:00Z' };
    const exams = [exam(5, '2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z')];
    const { run, rows, service } = office(
      exams,
      [100, 101].map(() => ({ exam_id: 5, ...window })),
    );
    const later = (time: unknown, by: number) => new Date(Date.parse(String(time)) + by).toISOString();
    service.fault = ({ line, body: { start_time: start, end_time: end } }) => {
      if (line !== 'PATCH /exams/5') return undefined;
      const [now] = service.exams;
      const by = (to: unknown, from: unknown) => (to === undefined ? 0 : Date.parse(String(to)) - Date.parse(String(from)));
      for (const { id, open_time, close_time } of service.sessions) {
        const [opens, closes] = [later(open_time, by(start, now?.start_time)), later(close_time, by(end, now?.end_time))];
        service.change('session', Number(id), { open_time: opens, close_time: closes });
      }
      return undefined;
    };
    const { code, stderr } = await run('exams shift --exam 5 --by 1d --yes');
    const named = /changed the window of session 100 \(open_time is 2027-03-24.*, session 101 \(open_time is 2027-03-24/;
    expect([code, stderr]).toEqual([9, expect.stringMatching(named)]);
    const undone = await run(`runs undo ${(await rows('runs list'))[0]?.run} --yes`);
    expect([undone.code, undone.stderr]).toEqual([9, expect.stringMatching(/session 10[01].*session 10[01]/)]);
  });
});

test.each([
  ['exams shift --exam 5 --by -200d --yes', 3, /which is in the past/],
  ['exams shift --exam 5 --by 0d --yes', 3, /change nothing/],
  ['exams shift --exam 5 --by 7 --yes', 3, /unit is missing/],
  ['exams shift --exam 5 --by 800d --yes', 3, /more than two years/],
  ['exams shift --exam 99 --by 7d --yes', 6, /99/],
  ['exams shift --exam 5 --by 7d', 2, /Confirmation required/],
  ['exams delay 5 --by -15m --yes', 3, /would take time away/],
  ['exams delay 5 --by 0m --yes', 3, /change nothing/],
  ['exams delay 5 --by 25% --yes', 3, /is not a duration/],
  ['exams delay 5 --by 18000h --yes', 3, /more than two years/],
  ['exams delay 5 --by 15m', 2, /Confirmation required/],
  ['sessions extend 100 --exam 5 --by 30m --yes', 2, /Give either ids or --exam, not both\./],
  ['sessions extend --exam 999 --by 30m --yes', 6, /999/],
])('Refused, and nothing is sent: %s', async (line, status, why) => {
  const { run, service } = period();
  expect(await run(line)).toMatchObject({ code: status, stdout: '', stderr: expect.stringMatching(why) });
  expect(patches(service)).toEqual([]);
});
