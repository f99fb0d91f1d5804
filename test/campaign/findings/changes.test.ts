/**
 * Findings 4, 6, 7, 10, 11 and 14: changes of many records, interrupted and resumed, computed from what a colleague moves meanwhile,
 * refused as a whole, and undone.
 */
import { expect, test } from 'vitest';
import { after, begins, ends, minute, type Stage, stage } from '../story/stage.ts';
import { commandsIn } from '../story/way-on.ts';

const closing = { close_time: ends };

test('4: an extension that is resumed does not extend the stranger who has got the ID', async () => {
  const made = await stage();
  const { service, clock, run } = made;
  const sessions = ['ann', 'bob', 'cy'].map((name) => service.truth.createSession(6, { email: `${name}@example.org`, ...closing }));
  const line = 'sessions extend --exam 6 --by 15m';
  // The others are refused until the run gives up.
  service.fault = ({ method, path }) =>
    method === 'PATCH' && path !== `/student_sessions/${sessions[0]?.id}` ? { answer: { status: 429 } } : undefined;
  expect((await run(line)).code).not.toBe(0);
  service.truth.change('session', sessions[2]?.id ?? 0, { email: 'stranger@example.org' });
  service.fault = () => undefined;
  await clock.pass(10 * minute);
  const again = await run(line);
  const closes = sessions.map(({ id }) => service.truth.sessions.get(id)?.close_time);
  expect(closes).toEqual([after(ends, 15), after(ends, 15), ends]);
  expect(again.code).not.toBe(0);
});

test('4: a move that is resumed does not move the stranger who has got the ID', async () => {
  const made = await stage();
  const { service, clock, run } = made;
  service.truth.createExam({ name: 'Second date', start_time: after(begins, 1440), end_time: after(ends, 1440) }, 'colleague', 7);
  const sessions = made.students('ann', 'bob');
  const line = `sessions move ${sessions.map(({ id }) => id).join(' ')} --exam 7`;
  service.fault = ({ method, body }) => (method === 'POST' && body.email === 'bob@example.org' ? { answer: { status: 429 } } : undefined);
  const refused = await run(line);
  expect(refused.code).toBe(9);
  expect(refused.stderr).toContain('1 of 2 moved, 1 failed');
  service.truth.change('session', sessions[1]?.id ?? 0, { email: 'stranger@example.org' });
  service.fault = () => undefined;
  await clock.pass(10 * minute);
  const again = await run(line);
  expect(made.named('stranger@example.org')).toMatchObject([{ exam_id: 6 }]);
  expect(made.named('ann@example.org')).toMatchObject([{ exam_id: 7 }]);
  expect(again.code).not.toBe(0);
});

test.each(['exams delay 6 --by 15m', 'accommodations apply LIST --exam 6', 'sessions extend --exam 6 --by 25%'])(
  '6: %s: an end that moves between question and yes costs nobody a minute',
  async (command) => {
    const { service, machine, clock, run, students } = await stage();
    const [ann] = students('ann');
    const list = machine.file('list.csv', 'email,extra\nann@example.org,25%\n');
    const colleague = async () => {
      service.truth.change('exam', 6, { end_time: after(ends, 60) });
      await clock.pass(minute);
      return true;
    };
    const { code } = await run(command.replace('LIST', list), { tty: true, answers: [colleague, false, false, false] });
    const end = service.truth.exams.get(6)?.end_time ?? '';
    const close = ann?.close_time ?? end;
    expect([end >= after(ends, 60), close >= after(ends, 60)]).toEqual([true, true]);
    if (code === 0) expect(close > after(ends, 60)).toBe(true);
  },
);

test('7: an exam that begins while it is shifted is not left with an end that has moved and a start that has not', async () => {
  const { service, clock, run } = await stage({
    exam: { start_time: after('2027-01-04T09:00:00Z', 40), end_time: after('2027-01-04T09:00:00Z', 100) },
  });
  const [start, end] = [service.truth.exams.get(6)?.start_time, service.truth.exams.get(6)?.end_time];
  service.truth.createSession(6, { email: 'ann@example.org', open_time: start, close_time: end });
  const begin = async () => {
    await clock.pass(30 * minute);
    return true;
  };
  const { code } = await run('exams shift 6 --by 7d', { tty: true, answers: [begin, true, true] });
  const { start_time, end_time } = service.truth.exams.get(6) ?? {};
  expect([start_time, end_time]).toEqual([start, end]);
  expect([11, 12]).toContain(code);
});

test('10: the students of a clone are created several at a time', async () => {
  const { service, run, students } = await stage();
  students(...Array.from({ length: 40 }, (_, at) => `student${at}`));
  let [inFlight, most] = [0, 0];
  const isCreate = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/student_sessions');
  service.fault = (request) => (isCreate(request) ? { takes: 40 } : undefined);
  service.onArrival = (request) => {
    if (isCreate(request)) most = Math.max(most, ++inFlight);
  };
  service.onAnswer = (request) => {
    if (isCreate(request)) inFlight -= 1;
  };
  expect((await run('exams clone 6 --start 2027-03-01T08:00:00Z --with-students')).code).toBe(0);
  expect(most).toBeGreaterThan(3);
});

/** The ID of the latest run. */
async function latest({ run }: Stage): Promise<string> {
  const listed = JSON.parse((await run('runs list -o json')).stdout || '[]') as Record<string, unknown>[];
  return String(listed[0]?.run ?? listed[0]?.id);
}

test('11: an undo that keeps something ends with 9, as often as it is asked for', async () => {
  const made = await stage();
  const { service, machine, run, named } = made;
  const file = machine.file('roster.csv', 'email,name\nann@example.org,Ann\nbob@example.org,Bob\n');
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(0);
  service.truth.change('session', named('ann@example.org')[0]?.id ?? 0, { email: 'stranger@example.org' });
  await made.clock.pass(minute);
  const id = await latest(made);
  expect((await run(`runs undo ${id}`)).code).toBe(9);
  expect(named('stranger@example.org')).toHaveLength(1);
  expect(named('bob@example.org')).toHaveLength(0);
  expect((await run(`runs undo ${id}`)).code).toBe(9);
});

test('11: an undo does not delete the student of a colleague whom a late list hid', async () => {
  const made = await stage({ showing: { lag: 60 * minute } });
  const { service, machine, clock, run, students, named } = made;
  students('ann');
  const file = machine.file('roster.csv', 'email,name\nann@example.org,ann\nbob@example.org,bob\n');
  service.fault = ({ method, body }) =>
    method === 'POST' && body.email === 'ann@example.org' ? { done: 'never', answer: 'lost' } : undefined;
  await run(`sessions import ${file} --exam 6`);
  service.fault = () => undefined;
  service.showing = {};
  await clock.pass(120 * minute);
  await run(`sessions import ${file} --exam 6`);
  const { code } = await run(`runs undo ${await latest(made)}`);
  expect(named('ann@example.org')).toHaveLength(1);
  expect(code).not.toBe(1);
});

test('11: a PATCH whose outcome is unknown is settled by the way on that is printed', async () => {
  const { service, clock, run, machine } = await stage();
  const ann = service.truth.createSession(6, { email: 'ann@example.org', ...closing });
  const line = 'sessions extend --exam 6 --by 15m';
  let sent = false;
  service.fault = ({ method }) => {
    sent ||= method === 'PATCH';
    return method === 'PATCH' ? { answer: 'lost' } : sent ? { answer: { status: 503 } } : undefined;
  };
  let last = await run(line);
  expect(last.code).toBe(10);
  service.fault = () => undefined;
  for (let steps = 0; steps < 4 && last.code !== 0; steps += 1) {
    await clock.pass(10 * minute);
    const way = commandsIn(last.stderr).find(([noun]) => noun === 'runs') ?? line.split(' ');
    last = await machine.run([...way.filter((word) => !['--yes', '--no-input'].includes(word)), '--yes', '--no-input']);
  }
  expect(last.code).toBe(0);
  expect(service.truth.sessions.get(ann.id)?.close_time).toBe(after(ends, 15));
});

test('11: the line that a failure names is the line that settle takes', async () => {
  const made = await stage({ showing: { cut: 1 } });
  const { service, machine, clock, run } = made;
  const file = machine.file('roster.csv', 'email,name\nann@example.org,Ann\nbob@example.org,Bob\n');
  service.fault = ({ method, body }) =>
    method === 'POST' && body.email === 'bob@example.org' ? { done: 'never', answer: 'lost' } : undefined;
  const { code } = await run(`sessions import ${file} --exam 6`);
  expect(code).not.toBe(0);
  service.fault = () => undefined;
  service.showing = {};
  await clock.pass(10 * minute);
  expect([0, 9]).toContain((await run(`runs settle ${await latest(made)} --line 3 --absent`)).code);
});

test('14: the printed undo of an extension works on the day of the exam', async () => {
  const { service, run, machine } = await stage({ exam: { start_time: '2027-01-04T08:30:00Z', end_time: '2027-01-04T11:00:00Z' } });
  const close = '2027-01-04T11:00:00Z';
  const ann = service.truth.createSession(6, { email: 'ann@example.org', status: 'exam_started', close_time: close });
  const given = await run('sessions extend --exam 6 --by 15m', { tty: true, answers: [true, true, true] });
  expect(given.code).toBe(0);
  expect(service.truth.sessions.get(ann.id)?.close_time).toBe(after(close, 15));
  const undo = commandsIn(`${given.stdout}\n${given.stderr}`).find((words) => words.includes('undo'));
  expect(undo).toBeDefined();
  expect((await machine.run([...(undo ?? []).filter((word) => word !== '--yes'), '--yes', '--no-input'])).code).toBe(0);
  expect(service.truth.sessions.get(ann.id)?.close_time).toBe(close);
});
