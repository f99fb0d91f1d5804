/** The gate of the running exam, for commands that are not carried out as runs yet. */
import { describe, expect, test } from 'vitest';
import { ungatedFolder } from '../../support/run.ts';
import { at, failureIn, type Served, served } from './service.ts';

const json = ['-o', 'json'];

/** Gives all students the status, or those sessions. */
function withStatus({ sessions }: Served, status: string, ...ids: number[]) {
  for (const session of sessions) if (ids.length === 0 || ids.includes(Number(session.id))) session.status = status;
}

describe('an import', () => {
  const importing = (service: Served, roster: string, options = '', exam = 3) =>
    service.run(['sessions', 'import', '-', '--exam', String(exam), '--yes', '-o', 'json', ...options.split(' ').filter(Boolean)], {
      stdin: roster,
    });

  test('of late students is free, also with windows of their own that are yet to open', async () => {
    const service = await served();
    const { code, stderr } = await importing(service, `email,open_time,close_time\nlate@example.org,${at(10)},${at(90)}\n`);
    expect(code, stderr).toBe(0);
    expect(service.writes()).toEqual(['POST /exams/3/student_sessions', expect.stringMatching(/^PATCH \/student_sessions\/9\d\d$/)]);
  });

  test('with --update is free for later close times, and refused for earlier ones', async () => {
    const service = await served();
    const later = await importing(service, `email,close_time\nstudent32@example.org,${at(40)}\n`, '--update');
    expect(later.code, later.stderr).toBe(0);
    expect(service.writes()).toEqual(['PATCH /student_sessions/32']);
    const earlier = await importing(
      service,
      `email,close_time\nstudent32@example.org,${at(5)}\nstudent31@example.org,${at(5)}\n`,
      '--update',
    );
    expect(earlier.code, earlier.stderr).toBe(12);
    expect(service.writes()).toEqual(['PATCH /student_sessions/32']);
    expect(failureIn(earlier).code).toBe('exam_running');
  });

  test('sends the rows that give something, whichever rows are refused', async () => {
    const service = await served();
    const roster = `email,close_time\nstudent32@example.org,${at(5)}\nstudent31@example.org,${at(5)}\nstudent33@example.org,${at(5)}\n${['a', 'b', 'c', 'd'].map((name) => `${name}@example.org,${at(90)}\n`).join('')}`;
    const { code, stderr } = await importing(service, roster, '--update');
    expect(code, stderr).toBe(12);
    expect(service.writes()).toEqual(Array(4).fill('POST /exams/3/student_sessions'));
    expect(stderr).toContain('4 rows done, 3 not done.');
    const again = await service.run(['sessions', 'import', '-', '--exam', '3', '--yes', '--update', '--during-exam', 'Ends early'], {
      stdin: roster,
    });
    expect(again.code, again.stderr).toBe(0);
    expect(service.writes().slice(4).sort()).toEqual([31, 32, 33].map((id) => `PATCH /student_sessions/${id}`));
  });

  test('with --remove-missing is refused as a whole, before anything is sent', async () => {
    const service = await served();
    const roster = 'email\nlate@example.org\nstudent31@example.org\nstudent33@example.org\n';
    const refused = await importing(service, roster, '--remove-missing --max-removals 3');
    expect(refused.code, refused.stderr).toBe(12);
    expect(service.writes()).toEqual([]);
    expect(failureIn(refused).message).toMatch(/^Refused to delete 1 student of exam 3, which takes the exam from them: /);
    const given = await service.run(
      ['sessions', 'import', '-', '--exam', '3', '--yes', '--remove-missing', '--max-removals', '3', '--during-exam', 'Wrong list'],
      { stdin: roster },
    );
    expect(given.code, given.stderr).toBe(0);
    expect(service.writes()).toEqual(['POST /exams/3/student_sessions', 'DELETE /student_sessions/32']);
    expect(service.reasons().map(({ path }) => path)).toEqual(['/student_sessions/32']);
  });

  test('can be taken back only while the exam does not run', async () => {
    const service = await served();
    const { stdout } = await importing(service, 'email\nlate@example.org\n');
    const { run } = JSON.parse(stdout);
    const writes = service.writes().length;
    expect(await service.run(`imports undo ${run} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    withStatus(service, 'registered');
    Object.assign(service.exams[1] as object, { start_time: at(60), end_time: at(180) });
    expect(await service.run(`imports undo ${run} --yes`)).toMatchObject({ code: 0 });
    expect(service.writes()).toHaveLength(writes + 1);
  });

  test('into an exam that is far ahead reads it at most once more than without the gate', async () => {
    const roster = `email,close_time\nstudent51@example.org,${at(1500)}\n${Array.from({ length: 12 }, (_, row) => `new${row}@example.org,${at(1550)}\n`).join('')}`;
    const count = async (gated: boolean) => {
      const service = await served();
      if (!gated) ungatedFolder(service.home);
      const { code, stderr } = await importing(service, roster, '--update --remove-missing', 5);
      expect(code, stderr).toBe(0);
      return service.requests.filter((request) => request.startsWith('GET ')).length;
    };
    expect((await count(true)) - (await count(false))).toBeLessThanOrEqual(1);
  });

  test('with many requests at once looks once, and asks once', async () => {
    const service = await served();
    for (let id = 100; id < 120; id += 1)
      service.sessions.push({ ...service.sessions[2], id, email: `student${id}@example.org`, close_time: at(30) });
    const roster = `email,close_time\n${Array.from({ length: 20 }, (_, row) => `student${100 + row}@example.org,${at(20)}\n`).join('')}`;
    const { code, stderr, questions } = await service.run(
      ['sessions', 'import', '-', '--exam', '3', '--update', '--concurrency', '8', '--during-exam', 'Room closes'],
      { tty: true, stdin: roster, answers: [true, '3'] },
    );
    expect(code, stderr).toBe(0);
    expect(questions.filter((question) => question.includes('Type 3 to confirm'))).toHaveLength(1);
    // Besides, nine reads try whether the service takes eight requests at once.
    expect(service.requests.filter((request) => request === 'GET /exams/3').length).toBeLessThanOrEqual(2 + 9);
    expect(service.reasons()).toHaveLength(20);
  });
});

test('changes undo is refused where it takes time back, and changes resume is free', async () => {
  const service = await served();
  expect(await service.run('sessions extend 31 33 --by 15m --yes')).toMatchObject({ code: 0 });
  const [{ change }] = JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
  const writes = service.writes().length;
  const refused = await service.run(['changes', 'undo', change, '--yes', ...json]);
  expect([refused.code, service.writes().length]).toEqual([12, writes]);
  expect(failureIn(refused).code).toBe('exam_running');
  const undone = await service.run(['changes', 'undo', change, '--yes', '--during-exam', 'Given to the wrong room']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(service.writes()).toHaveLength(writes + 2);
  expect(service.reasons()).toHaveLength(2);
});

test.each(['exams delay 3 --by 10m --yes', 'sessions extend --exam 3 --by 10m --yes'])(
  'an undo that was refused leaves its change as it was, so that %s is free',
  async (line) => {
    const service = await served();
    expect(await service.run('exams delay 3 --by 15m --yes')).toMatchObject({ code: 0 });
    const changes = async () => JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
    const [{ change, state }] = await changes();
    const writes = service.writes().length;
    expect(await service.run(`changes undo ${change} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    expect(await changes()).toMatchObject([{ change, state }]);
    const { code, stderr } = await service.run(line);
    expect(code, stderr).toBe(0);
    expect(service.writes().length).toBeGreaterThan(writes);
  },
);

test('what the command itself has just read is not read again', async () => {
  const service = await served();
  await service.run('sessions extend --exam 3 --by 15m --yes');
  const gated = service.requests.length;
  const without = await served();
  ungatedFolder(without.home);
  await without.run('sessions extend --exam 3 --by 15m --yes');
  expect(gated).toBe(without.requests.length);
});

describe('commands of an exam period', () => {
  test('exams delay gives time to an exam that runs, and its undo is refused', async () => {
    const service = await served();
    const { code, stderr } = await service.run('exams delay 3 --by 15m --yes');
    expect(code, stderr).toBe(0);
    expect(service.writes()[0]).toBe('PATCH /exams/3');
    const writes = service.writes().length;
    const [{ change }] = JSON.parse((await service.run(['changes', 'list', ...json])).stdout);
    expect((await service.run(`changes undo ${change} --yes`)).code).not.toBe(0);
    expect(service.writes()).toHaveLength(writes);
  });

  test('exams shift puts off an exam that is about to begin, with all windows, and advances none that runs', async () => {
    const service = await served();
    const later = await service.run('exams shift --exam 6 --by 15m --yes --timezone UTC');
    expect(later.code, later.stderr).toBe(0);
    expect(service.exams.find(({ id }) => id === 6)).toMatchObject({ start_time: at(35), end_time: at(155) });
    expect(service.sessions.find(({ id }) => id === 62)).toMatchObject({ open_time: at(35), close_time: at(155) });
    const writes = service.writes().length;
    const earlier = await service.run(['exams', 'shift', '--exam', '3', '--by=-15m', '--yes', '--timezone', 'UTC']);
    expect(earlier.code).not.toBe(0);
    expect(service.writes()).toHaveLength(writes);
  });

  test('sessions move takes no student out of an exam that is running without a reason', async () => {
    const service = await served();
    expect((await service.run('sessions move 32 --exam 5 --yes')).code).toBe(12);
    expect(service.writes()).toEqual([]);
    const { code, stderr } = await service.run(['sessions', 'move', '32', '--exam', '5', '--yes', '--during-exam', 'Wrong group']);
    expect(code, stderr).toBe(0);
    expect(service.writes().at(-1)).toBe('DELETE /student_sessions/32');
  });
});
