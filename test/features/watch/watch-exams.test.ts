/** `sessions watch` of several exams: a line for each, the problems of all, and its exam in each row. */
import { describe, expect, test } from 'vitest';
import { draw } from '../../../src/features/watch/exams-screen.ts';
import type { ExamsSnapshot } from '../../../src/features/watch/snapshot.ts';
import { type Canvas, widthOf } from '../../../src/output/canvas.ts';
import { painter } from '../../../src/output/colors.ts';
import { attempt } from '../../faults/outcome.ts';
import { answer, faultServer, type Reaction } from '../../faults/server.ts';
import { events, meanwhile, now, student, watched } from './watched.ts';

/** A service with two exams that run from 09:00 to 11:00, a student in each. */
const twoExams = () => watched([1, 'mail_sent'], [2, 'exam_started']);

const line = 'sessions watch --exam 1 --exam 2';

describe('a watch of several exams', () => {
  test('names the exam in each row, and the exams and their problems at the start', async () => {
    const service = twoExams();
    service.sessions({ level_of_suspicion: 3 }, 2);
    const world = meanwhile(
      () => service.sessions({ status: 'check_started' }),
      () => {},
    );
    const { stdout, stderr } = await service.run(`${line} -o ndjson --late 30s`, world);
    const rows = events(stdout);
    expect(rows[0]).toEqual({
      at: '2026-11-21T09:00:30.000Z',
      exam: 1,
      session: 1,
      field: 'status',
      from: 'mail_sent',
      to: 'check_started',
      email: 's1@example.org',
      name: null,
    });
    expect(rows.map(({ exam, field }) => [exam, field])).toEqual([
      [1, 'status'],
      [2, 'status'],
      [1, 'problem'],
      [2, 'problem'],
    ]);
    expect(stderr).toContain('Watching 2 exams with 2 students: mail_sent 1, exam_started 1. Updated every 30 s.');
    expect(stderr).toMatch(/^Exam 2, Organic Chemistry, has been running for 0 s, ends in 2 h: 1 student\.$/m);
    expect(stderr).toContain('Problem: exam 2, Organic Chemistry: s2@example.org: suspicion 3 of 3.');
  });

  test('without an exam on the line is of those that are running now; where none is, that is said and no error', async () => {
    const service = twoExams();
    const shown = await service.run('sessions watch', meanwhile());
    expect(shown.stderr).toContain('Watching 2 exams with 2 students');
    service.change('exams', { end_time: '2026-11-21T08:59:00Z' }, 2);
    const one = await service.run('sessions watch', meanwhile());
    expect(one.stderr).toMatch(/^Selected: exam 1 /m);
    service.change('exams', { end_time: '2026-11-21T08:59:00Z' });
    const none = await service.run('sessions watch -o json', { now });
    expect([none.code, none.stdout.trim(), none.stderr]).toEqual([0, '[]', expect.stringContaining('No exam is running now.')]);
  });

  test('prints a line for each change with its exam, in words', async () => {
    const service = twoExams();
    const world = meanwhile(
      () => service.sessions({ status: 'exam_finished' }, 2),
      () => {},
    );
    const { stdout } = await service.run(line, world);
    expect(stdout).toMatch(/2 .*s2@example\.org .*status .*exam_started .*exam_finished/);
  });

  test('ends with --stop-at all-finished once the students of all exams have finished', async () => {
    const service = twoExams();
    const world = meanwhile(
      () => service.sessions({ status: 'exam_finished' }, 1),
      () => service.sessions({ status: 'exam_finished' }),
    );
    const { code, stderr } = await service.run(`${line} --stop-at all-finished`, world);
    expect(code).toBe(0);
    expect(stderr).toContain('Watch finished: 2 students: exam_finished 2.');
  });

  test('goes on without an exam that is deleted, and ends with the last one', async () => {
    const service = twoExams();
    const world = meanwhile(
      () => service.store((store) => store.remove('exams', 1)),
      () => service.sessions({ status: 'exam_finished' }, 2),
      () => service.store((store) => store.remove('exams', 2)),
    );
    const { code, stdout, stderr } = await service.run(`${line} -o ndjson`, world);
    expect(code).toBe(6);
    expect(stderr).toContain('Exam 1 no longer exists: it was deleted during the watch.');
    expect(stderr).toContain('Exam 2 no longer exists: it was deleted during the watch.');
    expect(events(stdout).map(({ exam }) => exam)).toEqual([2]);
  });

  test('goes on where one exam cannot be read, which is said once, and takes it up again', async () => {
    const looks = new Map<string, number>();
    const reaction: Reaction = (socket, request) => {
      const [, id = '', list] = /^\/api\/v1\/exams\/(\d)(\/student_sessions)?/.exec(request.path) ?? [];
      const look = (looks.get(request.path) ?? 0) + 1;
      looks.set(request.path, look);
      const sessions = [{ id: 7, email: 'ada@example.org', status: look > 3 ? 'exam_finished' : 'exam_started' }];
      if (id === '2' && !list && [3, 4].includes(look)) return answer(422, { message: 'broken' })(socket, request);
      return answer(200, list ? sessions : { id: Number(id), name: `Exam ${id}` })(socket, request);
    };
    const server = await faultServer(Array.from({ length: 40 }, () => reaction));
    const wait = () => {};
    const { code, stdout, stderr } = await attempt(`${line} -o ndjson`, server.origin, meanwhile(wait, wait, wait, wait, wait));
    expect(code).toBe(130);
    expect(stderr.match(/^Exam 2, Exam 2: .*422.*$/gm)).toHaveLength(1);
    expect(events(stdout).map(({ exam, to }) => [exam, to])).toEqual([
      [1, 'exam_finished'],
      [2, 'exam_finished'],
    ]);
  });

  test('names ten problems at the start, and says how many more there are', async () => {
    const service = twoExams();
    const more = (students: number) => {
      const suspicious = { ...student(0, 'exam_started'), level_of_suspicion: 3 };
      for (let count = 0; count < students; count++) service.store((store) => store.insert('student_sessions', suspicious, 1));
    };
    more(10);
    const ten = (await service.run(line, meanwhile())).stderr;
    expect([ten.match(/^Problem: /gm)?.length, ten.includes('more problems')]).toEqual([10, false]);
    more(2);
    const twelve = (await service.run(line, meanwhile())).stderr;
    expect([twelve.match(/^Problem: /gm)?.length, twelve.includes('… and 2 more problems.')]).toEqual([10, true]);
  });
});

describe('its screen', () => {
  const exams = Array.from({ length: 40 }, (_, index) => ({
    id: String(index + 1),
    name: index === 3 ? '統計学入門統計学入門統計学入門' : `Exam with a rather long name ${index + 1}`,
    start: Date.parse(now) + index * 3_600_000,
    end: Date.parse(now) + (index + 2) * 3_600_000,
    students: 300,
    phases: { waiting: 200, checking: 50, writing: 40, finished: 10 },
    problems: index === 0 ? 2 : 0,
    trouble: index === 1 ? 'an answer of an unexpected shape' : undefined,
  }));
  const person = { email: 'somebody.with.a.long.address@students.example.org', name: null, status: 'mail_sent' };
  const snapshot: ExamsSnapshot = {
    origin: 'https://proctor.example',
    profile: 'default',
    exams,
    students: 12_000,
    problems: [
      { ...person, session: 7, exam: '1', problem: 'suspicion_3', since: undefined },
      { ...person, session: 8, exam: '1', problem: 'not_started', since: Date.parse(now) - 60_000 },
    ],
    changes: [{ ...person, session: 7, exam: '1', field: 'status', from: 'registered', to: 'mail_sent', at: Date.parse(now) }],
    updatedAt: Date.parse(now),
    nextAt: Date.parse(now) + 30_000,
    trouble: undefined,
  };
  const canvas = (columns: number, rows: number, scroll = 0): Canvas => ({
    columns,
    rows,
    scroll,
    now: Date.parse(now) + 1000,
    timeZone: 'UTC',
    paint: painter(false),
    redact: (text) => text,
  });
  const drawn = (columns: number, rows: number, scroll = 0) => draw({ rows: [], snapshot }, canvas(columns, rows, scroll));

  test.each([
    [80, 24],
    [200, 60],
    [44, 14],
    [20, 5],
    [8, 2],
    [1, 1],
  ])('fits %i columns and %i rows, wherever it is scrolled', (columns, rows) => {
    const { most } = drawn(columns, rows);
    for (const scroll of [0, 1, most, most + 100]) {
      const { lines } = drawn(columns, rows, scroll);
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    }
  });

  test('shows a line for each exam, marks numbers that are old, and reaches the last change by scrolling', () => {
    const { lines, most } = drawn(80, 24);
    expect(lines[0]).toMatch(/^40 exams, 12000 students +https:\/\/proctor\.example \(default\)$/);
    expect(lines[1]).toMatch(/^ +not started *$/);
    expect(lines[2]).toMatch(/^ID +Exam +yet check write +done probl$/);
    expect(lines[3]).toMatch(/^1 +Exam with a rat.* {2}ends in 1 h 59 min +200 +50 +40 +10 +2$/);
    expect(lines[4]).toMatch(/\?$/);
    expect(lines.at(-1)).toMatch(/^Updated 1 s ago, next update in 29 s +↑↓ scroll, q quits$/);
    const last = drawn(80, 24, most).lines;
    expect(last.at(-2)).toMatch(/^09:00:00 {2}1 {2}somebody\.with\..*registered → mail_sent$/);
    expect(last.join('\n')).toContain('Problems: 2');
  });
});
