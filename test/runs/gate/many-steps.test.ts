/** The gate of the running exam over commands of many steps: imports, and what undoes them. */
import { describe, expect, test } from 'vitest';
import { ungatedFolder } from '../../support/run.ts';
import type { Service } from '../../support/service.ts';
import { failureIn } from '../small-office.ts';
import { at, served, session } from './gate-office.ts';

const json = ['-o', 'json'];

/** The run that is recorded beside those. */
async function newRun(service: Service, ...before: readonly string[]): Promise<string> {
  const { stdout } = await service.run(['runs', 'list', ...json]);
  return (JSON.parse(stdout) as { run: string }[]).map(({ run }) => run).find((run) => !before.includes(run)) ?? '';
}

describe('an import', () => {
  const importing = (service: Service, roster: string, options = '', exam = 3) =>
    service.run(['sessions', 'import', '-', '--exam', String(exam), '--yes', ...json, ...options.split(' ').filter(Boolean)], {
      stdin: roster,
    });

  const four = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.org,\n`).join('');
  const opensLater = `email,open_time\nstudent32@example.org,${at(5)}\n`;
  const closing = (time: string) => `email,close_time\nstudent32@example.org,${time}\n`;
  const post = 'POST /exams/3/student_sessions';
  const patch = 'PATCH /student_sessions/32';

  test.each<[what: string, roster: string, options: string, code: number, writes: unknown[]]>([
    ['late students', 'email\nlate@example.org\n', '', 0, [post]],
    [
      'late students with windows that are yet to open',
      `email,open_time,close_time\nlate@example.org,${at(10)},${at(90)}\n`,
      '',
      0,
      [expect.stringMatching(/^PATCH \/student_sessions\/9\d\d$/), post],
    ],
    ['later close times', closing(at(40)), '--update', 0, [patch]],
    ['earlier close times, of which it sets none', closing(at(5)), '--update', 0, []],
    ['a later start', opensLater, '--update', 12, []],
    ['a later start among others, as a whole', opensLater + four, '--update', 12, []],
    ['that for a reason', opensLater + four, '--update --during-exam Early', 0, [patch, ...Array(4).fill(post)]],
  ])('of %s is free, or refused before anything is sent', async (_what, roster, options, code, writes) => {
    const service = served();
    const ended = await importing(service, roster, options);
    expect([ended.code, service.writes().toSorted()], ended.stderr).toEqual([code, writes]);
    if (code === 12) expect(failureIn(ended).code).toBe('exam_running');
  });

  test('can be taken back only while the exam does not run', async () => {
    const service = served();
    expect(await importing(service, 'email\nlate@example.org\n')).toMatchObject({ code: 0 });
    const run = await newRun(service);
    const writes = service.writes().length;
    expect(await service.run(`runs undo ${run} --yes`)).toMatchObject({ code: 12 });
    expect(service.writes()).toHaveLength(writes);
    for (const session of service.sessions) Object.assign(session, { status: 'registered', open_time: null });
    Object.assign(service.exams[1] as object, { start_time: at(60), end_time: at(180) });
    const undone = await service.run(`runs undo ${run} --yes`);
    expect(undone.code, undone.stderr).toBe(0);
    expect(service.writes()).toHaveLength(writes + 1);
  });

  test('into an exam that is far ahead costs at most one read more than without the gate', async () => {
    const roster = `email,close_time\nstudent51@example.org,${at(1500)}\n${Array.from({ length: 12 }, (_, row) => `new${row}@example.org,${at(1550)}\n`).join('')}`;
    const count = async (gated: boolean) => {
      const service = served();
      if (!gated) ungatedFolder(service.home);
      const { code, stderr } = await importing(service, roster, '--update --remove-missing 3', 5);
      expect(code, stderr).toBe(0);
      return service.requests().filter((request) => request.startsWith('GET ')).length;
    };
    expect((await count(true)) - (await count(false))).toBeLessThanOrEqual(1);
  });

  test('with many requests at once asks once', async () => {
    const service = served();
    for (let id = 100; id < 120; id += 1)
      service.truth.set('session', { ...service.sessions[2], id, email: `student${id}@example.org`, close_time: at(30) });
    const roster = `email,open_time\n${Array.from({ length: 20 }, (_, row) => `student${100 + row}@example.org,${at(20)}\n`).join('')}`;
    const { code, stderr, questions } = await service.run(
      ['sessions', 'import', '-', '--exam', '3', '--update', '--during-exam', 'Room opens late'],
      { tty: true, stdin: roster, answers: ['3', true] },
    );
    expect(code, stderr).toBe(0);
    expect(questions.filter((question) => question.includes('Type 3 to confirm'))).toHaveLength(1);
    expect(service.writes()).toHaveLength(20);
  });
});

test('An exam of any number of students is judged: of 150,000, whose windows Math.max takes no more, each command ended with 1', async () => {
  const many = Array.from({ length: 150_000 }, (_, of) => session(1000 + of, 5, 'registered'));
  const service = served({ sessions: many, showing: { dated: false } });
  const { code, stderr } = await service.run('exams send-emails 5 --dry-run');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('Internal error')]);
}, 60_000);
