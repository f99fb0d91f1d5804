/** The screen of a watch: what matters is on it at any size, the keys lead to each student, and nothing foreign commands it. */
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ExamView } from '../../../src/features/monitoring/exam-view.ts';
import { type WatchMoment, WatchScreen } from '../../../src/features/monitoring/watch-screen.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { type Canvas, painter } from '../../../src/output/canvas.ts';
import { sentence } from '../../../src/text/sentence.ts';
import { dangerous, nasty } from '../../output/paper.ts';
import { algebra, client, minute, start, view } from './view.ts';

const now = start + 47 * minute;
const hidden = { matriculation_number: '0417', api_token: 'abc' };
const students = [
  { id: 21, email: 'ada@example.org', name: 'Ada Example', status: 'exam_started', level_of_suspicion: 3, ...hidden },
  { id: 22, email: null, name: 'شهرزاد', status: 'check_started' },
  { id: 23, email: 'li@example.org', name: '王小明', status: 'mail_sent' },
  { id: 24, email: 'bo@example.org', name: 'Bo Calm', status: 'exam_started' },
];
const look = (sessions: JsonObject[] = students, exam = algebra) => view(sessions, { exam, minutes: 46 });

async function moment(views: Promise<ExamView>[] = [look()], given: Partial<WatchMoment> = {}): Promise<WatchMoment> {
  const seen = await Promise.all(views);
  const clock = { nextAt: now + 18_000, trouble: undefined };
  return { rows: [], views: seen, client: client([]), profile: 'default', ...clock, ...given };
}

const canvas = (columns = 80, rows = 18, given: Partial<Canvas> = {}): Canvas => {
  return { columns, rows, now, timeZone: 'Europe/Vienna', paint: painter(false), masked: (text) => text, ...given };
};
const shown = (screen: WatchScreen, given: WatchMoment, size = canvas()) => screen.draw(given, size).map((line) => line.trimEnd());
const press = (screen: WatchScreen, keys: string) => keys.split('').map((key) => screen.key(key));
const [up, down, end, escapeKey] = ['\u001b[A', '\u001b[B', '\u001b[F', '\u001b'];

test('shows the exam with its counts, and who needs help, the most urgent first', async () => {
  expect(shown(new WatchScreen(), await moment())).toEqual([
    'Exam 42, Algebra, 4 students, at https://proctor.example (default)',
    'HELP  EXAM                             ALL  WAIT  BUSY  DONE  LOST  STUCK',
    '3     42, Algebra  ends in 1 h 13 min  4    1     3     0     0     0',
    'Who needs help: 3',
    '>  suspicion 3          21  Ada Example  ada@example.org',
    '   check not completed  22  شهرزاد       -',
    '   not started          23  王小明       li@example.org',
    ...Array(10).fill(''),
    'Updated 1 min ago, next update in 18 s   ↑↓ Enter details, / filter, q quits',
  ]);
});

test('marks whom the arrows select, who stays selected wherever the list shows the student next', async () => {
  const screen = new WatchScreen();
  const marked = (given: WatchMoment) => shown(screen, given).find((line) => line.startsWith('> '));
  expect(marked(await moment())).toContain('Ada Example');
  screen.key(down);
  expect(marked(await moment())).toContain('شهرزاد');
  const suspicious = students.map((student) => (student.id === 23 ? { ...student, level_of_suspicion: 3 } : student));
  expect(marked(await moment([look(suspicious)]))).toContain('شهرزاد');
  screen.key(end);
  screen.key(down);
  screen.key(up);
  expect(marked(await moment([look(suspicious)]))).toContain('王小明');
});

test('Enter shows all of a student but secrets, with the commands to help, also when help is no longer needed; Escape leads back', async () => {
  const screen = new WatchScreen();
  shown(screen, await moment());
  screen.key('\r');
  const details = shown(screen, await moment());
  expect(details).toContain('Ada Example, ada@example.org');
  expect(details).toContainEqual(expect.stringMatching(/^in progress; suspicion 3$/));
  expect(details).toContainEqual(expect.stringMatching(/^start by +\(2027-02-01 11:00 \+01:00\)$/));
  expect(details).toContain('Show:       proctor-cli sessions get 21');
  expect(details).toContain('More time:  proctor-cli sessions extend 21 --by 15m');
  expect(details).toContainEqual(expect.stringMatching(/^matriculation number +0417$/));
  expect(details).toContainEqual(expect.stringMatching(/^api token +\*+$/));
  const calm = students.map((student) => ({ ...student, level_of_suspicion: 0 }));
  expect(shown(screen, await moment([look(calm)]))).toContainEqual(expect.stringMatching(/^in progress$/));
  screen.key(escapeKey);
  expect(shown(screen, await moment([look(calm)]))).toContain('Who needs help: 2');
  expect(screen.key('q')).toBe(true);
  expect(shown(new WatchScreen(), await moment([look([])]))).toContainEqual(expect.stringMatching(/^0 +42, Algebra /));
});

test('/ finds any student by letters, of which q is one; Enter keeps what was found, Escape clears it', async () => {
  const screen = new WatchScreen();
  expect(press(screen, '/boq\u007f')).not.toContain(true);
  expect(shown(screen, await moment())).toContain('Filter: bo_ (1)');
  press(screen, '\r');
  expect(shown(screen, await moment())).toContainEqual(expect.stringMatching(/^> +exam_started +24 +Bo Calm +bo@example\.org$/));
  press(screen, '\r');
  expect(shown(screen, await moment())).toContain('Bo Calm, bo@example.org');
  press(screen, `${escapeKey}${escapeKey}/0417`);
  expect(shown(screen, await moment())).toContain('Filter: 0417_ (1)');
  press(screen, escapeKey);
  expect(shown(screen, await moment())).toContain('Who needs help: 3');
});

test('of 40 exams those with the most urgent students are shown, and 3,000 students are reached by the keys', async () => {
  const exams = Array.from({ length: 40 }, (_, at) => ({ ...algebra, id: at + 100, name: `Exam of a rather long name ${at}` }));
  const many = (at: number) =>
    Array.from({ length: 75 }, (_, id) => ({
      id: at * 100 + id,
      name: `Student ${at * 100 + id}`,
      status: 'mail_sent',
      level_of_suspicion: at === 39 && id === 0 ? 3 : 0,
    }));
  const given = await moment(exams.map((exam, at) => look(many(at), exam)));
  const screen = new WatchScreen();
  const lines = shown(screen, given, canvas(80, 24));
  expect(lines[0]).toMatch(/^40 exams, 3000 students, at /);
  expect(lines[2]).toMatch(/^75 +139, Exam of .* ends in 1 h 13 min +75 +75 +0 +0 +0 +0$/);
  expect(lines).toContain('… and 33 more');
  expect(lines).toContain('Who needs help: 3000');
  expect(lines).toContainEqual(expect.stringMatching(/^> +suspicion 3 +3900 of exam 139 {2}Student 3900 +-$/));
  screen.key(end);
  expect(shown(screen, given, canvas(80, 24))).toContainEqual(expect.stringMatching(/^> +not started +3974 /));
});

describe('at any size', () => {
  const horrible = Object.values(nasty).map((text, id) => ({ id, email: text, name: text, status: text, level_of_suspicion: 2 }));
  const moments: [string, Promise<WatchMoment>][] = [
    ['an ordinary exam', moment()],
    [
      'two exams, and trouble',
      moment([look(), look(students, { id: 2 })], { trouble: sentence`No.${nasty['right-to-left override'] ?? ''}` }),
    ],
    ['nothing at all', moment([look([], { id: 1 })])],
    ['hostile names', moment([look(horrible, { ...algebra, name: nasty['escape sequence'] ?? '' })], { profile: nasty.long ?? '' })],
  ];
  test.each(moments)('%s keeps within the screen, and commands it nothing', async (_what, promised) => {
    const given = await promised;
    for (const columns of [7, 20, 21, 39, 63, 64, 80, 200])
      for (const rows of [1, 2, 3, 5, 6, 12, 24, 60]) {
        const screen = new WatchScreen();
        const lines = ['', '\r', escapeKey, '/', 'a'].flatMap((key) => {
          screen.key(key);
          const drawn = screen.draw(given, canvas(columns, rows));
          expect(drawn, `${columns} by ${rows}`).toHaveLength(rows);
          return drawn;
        });
        for (const line of lines) expect(stringWidth(line), `${columns} by ${rows}: ${line}`).toBeLessThanOrEqual(columns);
        expect(lines.join('\n')).not.toMatch(dangerous);
      }
  });

  test('20 by 5 says what matters most', async () => {
    expect(shown(new WatchScreen(), await moment(), canvas(20, 5))).toEqual([
      'Exam 42, Algebra, 4…',
      '3',
      'Who needs help: 3',
      '>  suspicion 3',
      'Updated 1 min ago, …',
    ]);
  });
});

test('trouble is said where it is seen, with the next look; a machine that slept makes no nonsense', async () => {
  const trouble = sentence`Could not show exam 42: the connection was refused.`;
  const lines = shown(new WatchScreen(), await moment([look()], { trouble }), canvas(80, 18, { now: now + 10_000 }));
  expect(lines[1]).toBe('Could not show exam 42: the connection was refused.');
  expect(lines.at(-1)).toMatch(/^Updated 1 min 10 s ago, next update in 8 s {3}↑↓/);
  const slept = shown(new WatchScreen(), await moment([look()], { nextAt: now - 60_000 }), canvas(80, 18, { now: now - 3 * minute }));
  expect(slept.at(-1)).toMatch(/^Updated 0 s ago/);
});

test('colours mark what alarms, and a secret never reaches the screen, also where it is cut', async () => {
  const secret = 'token-0123456789';
  const sessions = [{ id: 1, email: secret, name: secret, status: 'exam_started', level_of_suspicion: 3, seat: secret }];
  const masked = (text: string) => text.replaceAll(secret, '********');
  for (const columns of [24, 64, 80]) {
    const screen = new WatchScreen();
    const given = await moment([look(sessions, { ...algebra, name: secret })], { trouble: sentence`Refused ${secret}.` });
    const drawn = ['', '\r'].flatMap((key) => {
      screen.key(key);
      return screen.draw(given, canvas(columns, 30, { masked, paint: painter(true) }));
    });
    expect(drawn.join('\n')).not.toContain('token-');
    for (const red of ['1', 'suspicion 3']) expect(drawn.join('\n')).toContain(`\u001b[31m${red}\u001b`);
  }
});
