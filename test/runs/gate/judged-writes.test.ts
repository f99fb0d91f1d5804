/**
 * Every way to write, while an exam runs: what takes something from its students is refused before anything is
 * sent, and what gives something is free.
 */
import { describe, expect, test } from 'vitest';
import { type Operation, operations } from '../../../src/api/operations.ts';
import { mayTake, writeOf } from '../../../src/runs-before/gate/losses.ts';
import { allCommands } from '../../cli/all-commands.ts';
import { at, failureIn, Served } from './gate-service.ts';

const open = '--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';

/** Lines whose one write would take something from a student of an exam that runs. */
const refused: Record<string, readonly string[]> = {
  deleteExam: [
    'exams delete 3 --yes',
    'exams delete 4 --yes',
    'exams delete 6 --yes',
    'exams delete 7 --yes',
    'api DELETE /exams/3 --yes',
    'api DELETE /exams/3?force=1 --yes',
    'api DELETE /api/v1/exams/3 --yes',
  ],
  patchExam: [
    `exams update 3 --end ${at(59)}`,
    `exams update 3 --start ${at(-59)}`,
    `exams update 3 --start ${at(10)} --end ${at(240)}`,
    `exams update 6 --start ${at(30)}`,
    `exams update 4 --end ${at(-11)}`,
    `exams update 7 --end ${at(600)}`,
    'exams update 3 --no-allow-headphones',
    'exams update 3 -F end_time=null',
    'exams update 3 -F start_time=null',
    'api PATCH /exams/3 -F end_time=soon',
    `api PATCH /exams/3 -F end_time=${at(1)}`,
    `api PATCH /exams/3?end_time=${at(1)}`,
    `api PATCH /exams/3?exam[end_time]=${at(1)}`,
    'api PATCH /exams/3 -F allow_headphones=false -F allow_whiteboard=true -F allow_leave_room=true -F allow_pen_paper=true',
    'api PATCH /exams/3 -F end_time={}',
  ],
  // What a PUT leaves out counts as lost.
  putExam: [
    `exams update 3 --put --end ${at(59)}`,
    `exams update 3 --put --end ${at(61)}`,
    `exams update 3 --put ${open}`,
    `api PUT /exams/3 -F end_time=${at(59)}`,
    'exams update 3 --put --no-allow-whiteboard',
  ],
  sendEmails: [
    'exams send-emails 3 --yes --resend',
    'exams send-emails 6 --yes',
    'exams send-emails 7 --yes --resend',
    'api POST /exams/3/send_emails --yes',
  ],
  // A deletion always takes, whatever the student has done so far.
  deleteSession: [
    'sessions delete 31 --yes',
    'sessions delete 32 --yes',
    'sessions delete 33 --yes',
    'sessions delete 41 --yes',
    'sessions delete 61 --yes',
    'sessions delete 71 --yes',
    'api DELETE /student_sessions/31 --yes',
  ],
  patchSession: [
    `sessions update 31 --close-time ${at(59)}`,
    `sessions update 32 --close-time ${at(29)}`,
    `sessions update 41 --close-time ${at(19)}`,
    'sessions update 41 -F close_time=null',
    `sessions update 32 --open-time ${at(1)}`,
    `sessions update 33 --open-time ${at(1)}`,
    `sessions update 62 --open-time ${at(30)}`,
    `sessions update 62 --open-time ${at(30)} --close-time ${at(141)}`,
    'api PATCH /student_sessions/32 -F close_time=later',
    `api PATCH /student_sessions/32 -F close_time=${at(29)}`,
  ],
  putSession: [
    `sessions update 32 --put --close-time ${at(29)}`,
    `sessions update 32 --put --close-time ${at(31)}`,
    `api PUT /student_sessions/32 -F close_time=${at(29)}`,
  ],
  'no operation': [
    'api POST /exams/3/cancel',
    'api POST /exams/3',
    'api PUT /exams/3/students',
    'api DELETE /exams/3/student_sessions/32 --yes',
    'api POST /student_sessions/31/pause',
    'api DELETE /exams --yes',
    'api POST /exams/bulk_delete',
    'api PATCH /student_sessions',
    'api POST /institutes/1/close',
  ],
};

/** Lines whose one write gives something, or is about an exam that does not run. */
const free: Record<string, readonly string[]> = {
  createExam: [`exams create --start ${at(-10)} --end ${at(10)}`],
  addStudent: ['students add --exam 3 --email late@example.org'],
  createSession: ['sessions create --exam 3 --email late@example.org', 'api POST /exams/3/student_sessions -F email=late@example.org'],
  addProctors: ['proctors add 4 --exam 3'],
  // A proctor is nothing that a student has.
  removeProctors: ['proctors remove 4 --exam 3 --yes'],
  deleteExam: ['exams delete 5 --yes', 'exams delete 2 --yes', 'api DELETE /exams/5 --yes'],
  sendEmails: ['exams send-emails 5 --yes', 'exams send-emails 2 --yes --resend'],
  patchExam: [
    `exams update 3 --end ${at(61)}`,
    `exams update 3 --start ${at(-61)}`,
    'exams update 3 --name Better',
    'exams update 3 --no-save-recording',
    'exams update 3 --allow-leave-room',
    `api PATCH /exams/3 -F end_time=${at(75)}`,
    `exams update 6 --start ${at(10)}`,
    `exams update 5 --end ${at(1500)}`,
    `exams update 5 --start ${at(1450)} --no-allow-headphones`,
    `exams update 2 --end ${at(-1400)}`,
    'api PATCH /exams/3 -F allow_headphones=true -F allow_whiteboard=true -F allow_leave_room=true -F allow_pen_paper=true',
  ],
  putExam: [`exams update 3 --put --start ${at(-60)} --end ${at(61)} ${open}`, `exams update 5 --put --end ${at(1500)}`],
  deleteSession: ['sessions delete 51 --yes', 'sessions delete 21 --yes'],
  patchSession: [
    `sessions update 31 --close-time ${at(61)}`,
    `sessions update 32 --close-time ${at(31)}`,
    `sessions update 51 --close-time ${at(1500)}`,
    `sessions update 51 --open-time ${at(1500)}`,
    `sessions update 32 --open-time ${at(-61)}`,
    `sessions update 33 --open-time ${at(-61)}`,
    // It opens with its exam then, which is as early.
    'sessions update 32 -F open_time=null',
    'sessions update 31 --name Ada',
    'sessions update 32 --email ada@example.org',
  ],
  putSession: [`sessions update 32 --put --open-time ${at(-60)} --close-time ${at(31)}`],
};

const lines = (table: Record<string, readonly string[]>) =>
  Object.entries(table).flatMap(([what, each]) => each.map((line) => [what, line] as const));
const written = Object.values<Operation>(operations).filter(({ method }) => method !== 'GET');

describe('a write that takes something from students whose exam runs is refused, and nothing is sent', () => {
  test.each(lines(refused))('%s: %s', async (_what, line) => {
    const service = new Served();
    const printed = await service.run([...line.split(' '), '-o', 'json']);
    expect(service.writes()).toEqual([]);
    expect(printed.code, printed.stderr).toBe(12);
    expect(failureIn(printed)).toMatchObject({ code: 'exam_running', exit: 12, hint: expect.stringContaining('--during-exam') });
  });
});

test.each([
  ['/exams/3', { exam: { end_time: at(1) } }],
  ['/exams/3', { data: { attributes: { endTime: at(1) } } }],
  ['/student_sessions/32', { student: { close_time: at(29) } }],
])('the fields of a body count wherever they are in it: %s %j', async (path, body) => {
  const service = new Served();
  const printed = await service.run(['api', 'PATCH', path, '--body', '-'], { stdin: JSON.stringify(body) });
  expect([printed.code, service.writes()]).toEqual([12, []]);
});

describe('a request that a service may take for another method is refused, and nothing is sent', () => {
  test.each([
    'api GET /exams/3?_method=DELETE',
    'api GET /exams/3 -F _method=DELETE',
    'api GET /exams/3?%5fMethod=delete',
    'api GET /exams/3?x-http-method-override=PATCH&end_time=1',
    'api POST /exams?_method=delete',
    'api POST /exams/3/proctor_pool -F _method=delete',
    'api POST /exams?X-HTTP-Method-Override=delete',
  ])('%s', async (line) => {
    const service = new Served();
    const printed = await service.run([...line.split(' '), '-o', 'json']);
    expect(service.requests()).toEqual([]);
    expect(failureIn(printed)).toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('api DELETE') });
  });
});

describe('a write that gives something, or is about an exam that does not run, is sent', () => {
  test.each(lines(free))('%s: %s', async (_what, line) => {
    const service = new Served();
    const printed = await service.run(line);
    expect(printed.code, printed.stderr).toBe(0);
    expect(service.writes()).toHaveLength(1);
  });
});

test('a command that takes nothing is carried out also with --during-exam, before and behind it, and says that it has no effect', async () => {
  const service = new Served();
  const reason = ['--during-exam', 'Fire alarm'];
  for (const line of [
    [...reason, 'proctors', 'add', '4', '--exam', '3'],
    ['exams', 'list', ...reason],
  ]) {
    const { code, stderr } = await service.run(line);
    expect(stderr).toMatch(/^note: "(proctors add|exams list)" takes nothing from students, so --during-exam has no effect\.$/m);
    expect(code).toBe(0);
  }
  expect(service.writes()).toEqual(['POST /exams/3/proctor_pool']);
});

describe('no operation is without a judgement', () => {
  test.each(written.map(({ id }) => id))('%s has lines that show it', (id) => {
    const operation = operations[id as keyof typeof operations];
    expect(free[id]?.length).toBeGreaterThan(0);
    expect((refused[id] ?? []).length > 0).toBe(mayTake(writeOf(operation, { id: '3', exam_id: '3' }, undefined)));
  });

  test('nor is a command that writes: what may take something from students has --during-exam, and nothing else does', () => {
    const writing = allCommands.filter(({ effect }) => effect === 'write' || effect === 'destroy' || effect === 'send');
    const [takes, gives] = [true, undefined].map((which) => writing.filter((command) => command.takes === which).map(({ name }) => name));
    expect(takes).toEqual([
      'exams update',
      'exams shift',
      'exams delay',
      'exams apply',
      'exams delete',
      'exams send-emails',
      'sessions update',
      'sessions extend',
      'sessions move',
      'sessions delete',
      'sessions import',
      'accommodations apply',
      'api',
      'runs resume',
      'runs undo',
    ]);
    // Of this machine, or never sent.
    const local = ['runs forget', 'sessions end'];
    const creating = ['exams clone', 'exams create', 'proctors add', 'proctors remove', 'sessions create', 'students add'];
    expect(gives?.sort()).toEqual([...creating, ...local].sort());
    expect(allCommands.filter((command) => command.takes && !writing.includes(command))).toEqual([]);
  });
});
