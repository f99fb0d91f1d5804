/** A service that refuses what it has carried out, or shows a record in its list otherwise than by its ID, and values that it resets unseen. */
import { describe, expect, test } from 'vitest';
import { killed } from '../runs/small-office.ts';
import { ada, algebra, bob } from '../support/algebra.ts';
import { doneButReplies, refused, type Service, type ServiceOptions } from '../support/service.ts';
import { latest, where } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { done, move, office, undo, window } from './attacked-office.ts';

const closes = ({ exams, sessions }: Service) => [exams[0]?.end_time, sessions[0]?.close_time].map((at) => at?.slice(8, 16)).join(' ');
const shift = 'exams shift 1 --by 1d --yes';
const printedIn = (stderr: string) => /proctor-cli (runs \S+ \S+)/.exec(stderr)?.[1] ?? '';
const inList = (as: (record: Fields) => Fields): NonNullable<ServiceOptions['showing']> => ({
  dated: true,
  as: (record, { method, path }) => (method === 'GET' && path.endsWith('student_sessions') ? as(record) : record),
});

describe.each([400, 404, 410, 422])('A change that is done, and answered with %i,', (status) => {
  const line = 'PATCH /exams/1';
  const delay = 'exams delay 1 --by 15m --yes';

  test.each([line, 'PATCH /student_sessions/7'])('is done: %s', async (request) => {
    const service = office();
    service.next(request, doneButReplies(status));
    await done(service, delay, 0, 'The answer says that nothing was done, but');
    expect(closes(service)).toBe('01T10:15 01T10:45');
    await undo(service);
    expect(closes(service)).toBe('01T10:00 01T10:30');
  });

  test('is named as what may be done where a colleague has changed another value before any look', async () => {
    const service = office({ sessions: [{ ...ada, seat: 'A' }] });
    service.next('PATCH', doneButReplies(status, { error: 'no' }));
    service.onAnswer = ({ method }) => void (method === 'PATCH' && service.change('session', 7, { name: 'Renamed' }));
    const { stderr } = await done(service, 'sessions update 7 -f name=Zoe -f seat=B --yes', 9);
    expect(stderr).toContain('name is "Renamed", not "Zoe"');
  });

  test('does not leave the windows behind, where a timetable is applied again', async () => {
    const service = office();
    service.next(line, doneButReplies(status));
    const stdin = 'id,start,end\n1,2127-02-01T08:00:00Z,2127-02-01T11:00:00Z\n';
    for (const _ of [1, 2]) await done(service, 'exams apply - --yes', 0, { stdin });
    expect(closes(service)).toBe('01T11:00 01T11:30');
  });

  test.each(['POST', 'PATCH', 'DELETE'])('moves a student once: the %s of a move', async (method) => {
    const service = office();
    service.next(method, doneButReplies(status));
    const { code } = await service.run(move);
    // Whom a 422 refuses, somebody else may have registered; whom a 404 does not delete, somebody else has deleted.
    if (status === 422 && method === 'POST') expect([where(service), code]).toEqual(['ada 1, ada 2', 9]);
    else expect([where(service), code]).toEqual(['ada 2', status === 404 && method === 'DELETE' ? 9 : 0]);
  });
});

test('A request that was refused, and was under way again when its process was killed, is not taken for refused', async () => {
  const service = office();
  const create = 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';
  service.next('POST', refused(422));
  await done(service, create, 7);
  const resume = `runs resume ${await latest(service)} --yes`;
  service.fault = ({ method }) => (method === 'POST' ? { answer: 'lost', done: 20_000 } : undefined);
  const home = await killed(service, resume, { writes: 1 });
  service.fault = () => undefined;
  await service.run(create, { home });
  await service.clock.pass(60_000);
  expect(service.exams.filter(({ name }) => name === 'Optics')).toHaveLength(1);
});

describe('A list that shows less than the record itself', () => {
  const short: [what: string, as: (record: Fields) => Fields][] = [
    ['no times', ({ open_time: _, close_time: _close, ...others }) => others],
    ['a part of the name', (record) => ({ ...record, name: 'A***' })],
  ];
  const cleo = { ...bob, id: 9, email: 'cleo@example.org' };
  const cases = short.flatMap(([what, as]) => [[], [bob], [bob, cleo]].map((others) => [what, others.length, as, others] as const));
  test.each(cases)('does not contradict it: %s, beside %i others', async (_what, _count, as, others) => {
    const sessions = [ada, ...others].map((each) => ({ ...each, ...window }));
    const service = office({ sessions, showing: inList(as) });
    for (const line of [shift, 'exams delay 1 --by 15m --yes', 'sessions extend --exam 1 --by 10m --yes']) await done(service, line);
    expect(closes(service)).toBe('02T10:15 02T10:55');
    await undo(service);
    expect(closes(service)).toBe('02T10:15 02T10:45');
  });
});

describe('A value that is reset with an update, and not shown any more,', () => {
  const set = (record: Fields) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== false));
  const resets = (path: string, fields: Fields) => {
    const exams = [
      { ...algebra, allow_leave_room: true },
      { ...algebra, id: 2, name: 'Other' },
    ];
    const service = office({ exams, showing: { dated: true, as: set } });
    service.onArrival = ({ method, path: to }) => {
      if (method === 'PATCH' && to === path)
        service.change(path.startsWith('/exams') ? 'exam' : 'session', Number(path.split('/')[2]), fields);
    };
    return service;
  };

  test.each([
    ['exams update 1 --name New', 'allow_leave_room'],
    ['exams delay 1 --by 15m --yes', 'allow_leave_room'],
    ['api PATCH /exams/1 -F name=New', 'allow_leave_room'],
  ])('is named: a yes of an exam, by %s', async (line, field) => {
    await done(resets('/exams/1', { [field]: false }), line, 9, `but ${field} changed with them`);
  });

  test('is named: the address of a student', async () => {
    const service = resets('/student_sessions/7', { email: null });
    await done(service, 'sessions update 7 --close-time 2127-02-01T10:45:00Z', 9, 'but email changed with them');
  });

  test.each([
    ['is empty, and nothing afterwards', { name: '' }, { name: null }],
    ['is no, and nothing afterwards', { skip_requirements: false }, { skip_requirements: null }],
  ])('is not one that %s', async (_what, before, after) => {
    const service = office();
    service.change('session', 7, before);
    service.onArrival = ({ method }) => {
      if (method === 'PATCH') service.change('session', 7, after as Fields);
    };
    await done(service, 'sessions update 7 --close-time 2127-02-01T10:45:00Z');
  });

  test('does not keep a move from being undone, whose run has named it', async () => {
    const { service, stderr } = await done(resets('/student_sessions/101', { close_time: null }), move, 9, 'close_time changed with them');
    await done(service, `${printedIn(stderr)} --yes`);
    expect(where(service)).toBe('ada 1');
  });
});

describe('A PUT of a service that replaces the whole record', () => {
  const replaces = () => {
    const service = office({ exams: [{ ...algebra, allow_pen_paper: true, save_recording: false }] });
    service.onArrival = ({ method, path }) => {
      const times = { open_time: null, close_time: null };
      if (method === 'PUT' && path === '/student_sessions/7')
        service.change('session', 7, { email: null, skip_requirements: false, ...times });
      if (method === 'PUT' && path === '/exams/1')
        service.change('exam', 1, { end_time: null, allow_pen_paper: false, save_recording: true });
    };
    return service;
  };

  test('of a student is undone whole, and what no update can set is named', async () => {
    const { service } = await done(replaces(), 'sessions update 7 --put --name Eve');
    const { stderr } = await undo(service, 9);
    expect(stderr).toContain('no update can set its skip_requirements again');
    expect(service.sessions).toEqual([{ ...ada, ...window, skip_requirements: false }]);
  });

  test('of an exam is undone whole, but for what a colleague has set since', async () => {
    const { service } = await done(replaces(), 'exams update 1 --put --name New', 9);
    service.change('exam', 1, { end_time: '2127-02-01T12:00:00Z' });
    await undo(service);
    expect(service.exams).toMatchObject([
      { name: algebra.name, allow_pen_paper: true, save_recording: false, end_time: '2127-02-01T12:00:00Z' },
    ]);
  });
});

test('A student whom a colleague has moved to a third exam at the same moment is looked for, not put back', async () => {
  const service = office();
  service.onArrival = ({ method, path }) => {
    if (method !== 'DELETE') return;
    service.add({ ...ada, id: 50, exam_id: 3 });
    service.truth.remove('session', Number(path.split('/')[2]));
  };
  await done(service, move, 9, 'proctor-cli sessions find ada@example.org');
});
