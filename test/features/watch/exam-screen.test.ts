/** The screen of a watched exam: whole, calm and within its bounds at any size. */
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { examScreen } from '../../../src/features/watch/exam-screen.ts';
import type { Snapshot } from '../../../src/features/watch/snapshot.ts';
import { painter } from '../../../src/output/colors.ts';
import { dangerous, nasty } from '../../output/paper.ts';

const minute = 60_000;
const now = Date.parse('2026-11-21T09:47:00Z');
const start = now - 47 * minute;

const snapshot: Snapshot = {
  exam: { id: '3', name: 'Introduction to Programming', start, end: start + 120 * minute },
  origin: 'https://proctor.example.org',
  profile: 'default',
  students: 8,
  counts: [
    { status: 'registered', count: 0 },
    { status: 'mail_sent', count: 1 },
    { status: 'check_started', count: 1 },
    { status: 'check_completed', count: 0 },
    { status: 'exam_session_opened', count: 0 },
    { status: 'exam_started', count: 6 },
    { status: 'exam_finished', count: 0 },
  ],
  problems: [
    { session: 21, email: 'ada@example.org', name: 'Ada Example', status: 'exam_started', problem: 'suspicion_3', since: now - 90_000 },
    { session: 22, email: null, name: 'شهرزاد', status: 'check_started', problem: 'check_not_completed', since: undefined },
    { session: 23, email: 'li@example.org', name: '王小明', status: 'mail_sent', problem: 'not_started', since: now - 37 * minute },
  ],
  changes: [
    { at: now - 90_000, session: 21, email: 'ada@example.org', name: 'Ada Example', field: 'problem', from: null, to: 'suspicion_3' },
    { at: now - 90_000, session: 21, email: 'ada@example.org', name: 'Ada Example', field: 'level_of_suspicion', from: 2, to: 3 },
    { at: now - 2 * 24 * 60 * minute, session: 24, email: null, name: null, field: 'status', from: 'mail_sent', to: 'exam_started' },
  ],
  updatedAt: now - 12_000,
  nextAt: now + 18_000,
  trouble: undefined,
};

const screen = (given: Partial<Snapshot> = {}, columns = 100, rows = 26) => drawn(given, columns, rows).lines;
const drawn = (given: Partial<Snapshot>, columns: number, rows: number, scroll = 0) =>
  examScreen(
    { ...snapshot, ...given },
    { columns, rows, now, timeZone: 'Europe/Vienna', paint: painter(false), redact: (text) => text, scroll },
  );

test('shows the exam, its clock, its counts, the problems first and the last changes', () => {
  expect(screen().map((line) => line.trimEnd())).toEqual([
    'Introduction to Programming, exam 3                            https://proctor.example.org (default)',
    'Running for 47 min, ends in 1 h 13 min  (2026-11-21 10:00 to 12:00 +01:00)',
    '',
    '0 registered',
    '1 mail_sent            █████',
    '1 check_started        █████',
    '0 check_completed',
    '0 exam_session_opened',
    '6 exam_started         ██████████████████████████████',
    '0 exam_finished',
    '',
    'Problems: 3',
    '21  ada@example.org  suspicion 3 of 3     since 10:45:30  Ada Example',
    '22  شهرزاد           check not completed',
    '23  li@example.org   not started          since 10:10:00  王小明',
    '',
    'Latest changes',
    '10:45:30  ada@example.org  problem: suspicion 3 of 3',
    '10:45:30  ada@example.org  suspicion 2 → 3',
    '2026-11-19  session 24       mail_sent → exam_started',
    '',
    '',
    '',
    '',
    '',
    'Updated 12 s ago, next update in 18 s                                                        q quits',
  ]);
});

test('leaves room for the replacement of an invisible character', () => {
  const [title = ''] = screen({ exam: { ...snapshot.exam, name: 'Al\u200bgebra\u202e' } });
  expect(title).toMatch(/^Al�gebra�, exam 3 .* https:\/\/proctor\.example\.org \(default\)$/);
});

describe('at any size', () => {
  const horrible = Object.values(nasty).map((text, session) => ({
    ...snapshot.problems[0],
    session,
    email: text,
    name: text,
    status: text,
    problem: 'suspicion_2' as const,
    since: undefined,
  }));
  const snapshots: [string, Partial<Snapshot>][] = [
    ['an ordinary exam', {}],
    [
      'nothing at all',
      { students: 0, counts: [], problems: [], changes: [], exam: { id: '1', name: undefined, start: undefined, end: undefined } },
    ],
    ['hostile names', { problems: horrible, exam: { ...snapshot.exam, name: nasty['escape sequence'] }, profile: nasty.long ?? '' }],
    ['hostile statuses', { counts: Object.values(nasty).map((status) => ({ status, count: 7 })), students: 7 }],
    ['trouble', { trouble: `Could not list the students.${nasty['right-to-left override']}` }],
  ];
  test.each(snapshots)('%s keeps within the screen, and commands it nothing', (_what, given) => {
    for (const columns of [1, 7, 20, 21, 39, 40, 63, 64, 80, 200]) {
      for (const rows of [1, 2, 3, 5, 6, 12, 24, 60]) {
        const lines = screen(given, columns, rows);
        expect(lines, `${columns} by ${rows}`).toHaveLength(rows);
        for (const line of lines) expect(stringWidth(line), `${columns} by ${rows}: ${line}`).toBeLessThanOrEqual(columns);
        expect(lines.join('\n')).not.toMatch(dangerous);
      }
    }
  });

  test('20 by 5 says what matters most', () => {
    expect(screen({}, 20, 5)).toEqual([
      'Introduction to Pro…',
      'Running for 47 min,…',
      '1 mail_sent, 1 chec…',
      'Problems: 3',
      '12 s ago, next 18 s',
    ]);
  });
});

describe('what finds no room is scrolled to', () => {
  const problem = snapshot.problems[2] as Snapshot['problems'][number];
  const problems = Array.from({ length: 30 }, (_, index) => ({ ...problem, session: 100 + index, email: `s${index}@example.org` }));

  test.each([5, 6, 7, 9, 12, 16, 24, 30, 45, 60])('on %i rows: each problem before the changes, and all of it', (rows) => {
    const seen: string[] = [];
    const { most } = drawn({ problems }, 80, rows);
    for (let scroll = 0; scroll <= most; scroll++) {
      const { lines } = drawn({ problems }, 80, rows, scroll);
      expect(lines).toHaveLength(rows);
      seen.push(...lines.filter((line) => /^1\d\d {2}|^Latest changes|→/.test(line)));
    }
    const told = [...new Set(seen)];
    if (rows === 5) return expect(told).toEqual([]);
    expect(told.slice(0, 30).map((line) => line.slice(0, 3))).toEqual(problems.map(({ session }) => String(session)));
    expect(told[30]).toBe('Latest changes');
    expect(told).toHaveLength(33);
  });

  test('and what is on the screen is counted, with the keys', () => {
    const { lines } = drawn({ problems }, 80, 24, 4);
    expect(lines).toContainEqual(expect.stringMatching(/^Problems: 30 \(5 to \d+ shown\)$/));
    expect(lines.at(-1)).toMatch(/ ↑↓ scroll, q quits$/);
  });

  test('and no further', () => {
    const { most } = drawn({ problems }, 80, 24);
    expect(drawn({ problems }, 80, 24, 1000)).toEqual(drawn({ problems }, 80, 24, most));
    expect(drawn({}, 80, 45).most).toBe(0);
  });
});

test('trouble is said where it is seen, with the next try', () => {
  const lines = screen({ trouble: 'Could not show exam 3: the connection was refused.', updatedAt: now - 200_000 });
  expect(lines[2]).toBe('Could not show exam 3: the connection was refused.');
  expect(lines.at(-1)).toMatch(/^Updated 3 min 20 s ago, next try in 18 s/);
});

test('a machine that slept, and clocks that were set, make no nonsense', () => {
  expect(screen({ updatedAt: now + 60_000, nextAt: now - 60_000 }).at(-1)).toMatch(/^Updated 0 s ago, updating now/);
  expect(screen({ exam: { ...snapshot.exam, end: start - minute } })[1]).toMatch(/^Ends before it starts/);
});

test('colours mark what alarms, and carry no meaning alone', () => {
  const coloured = examScreen(snapshot, {
    columns: 100,
    rows: 26,
    now,
    timeZone: 'UTC',
    paint: painter(true),
    redact: (text) => text,
  }).lines.join('\n');
  expect(coloured).toContain('\u001b[31msuspicion 3 of 3');
  expect(screen().join('\n')).not.toContain('\u001b');
});

test('a secret never reaches the screen, also where it is cut', () => {
  const secret = 'token-0123456789';
  const [problem] = snapshot.problems;
  const { lines } = examScreen(
    {
      ...snapshot,
      problems: [{ ...(problem as Snapshot['problems'][number]), email: secret, name: secret }],
      trouble: `Refused ${secret}.`,
    },
    { columns: 64, rows: 26, now, timeZone: 'UTC', paint: painter(false), redact: (text) => text.replaceAll(secret, '********') },
  );
  expect(lines.join('\n')).not.toContain('token-');
});
