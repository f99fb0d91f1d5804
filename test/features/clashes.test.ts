/** `exams clashes`: students who are in two exams at the same time, among the selected exams. */
import { describe, expect, test } from 'vitest';
import { type Data, embedded, requestsIn } from '../commands/embedded.ts';
import { answer, faultServer } from '../faults/server.ts';
import { run } from '../support/run.ts';

const exam = (id: number, from: string, to: string | null) => ({
  id,
  name: `Exam ${id}`,
  start_time: `2027-02-01T${from}:00Z`,
  end_time: to && `2027-02-01T${to}:00Z`,
});
const session = (id: number, email: string | null, window: object = {}) => ({ id, email, status: 'registered', ...window });

/** The clashes of exams by their students; the service answers by path, in whatever order it is asked. */
async function clashes(exams: readonly ReturnType<typeof exam>[], students: Record<number, unknown>, line = '--name exam') {
  const reactions = Array.from(
    { length: 50 },
    () =>
      ((socket, { path }) => {
        const [, of] = /^\/api\/v1\/exams\/(\d+)\/student_sessions$/.exec(path) ?? [];
        const listed = of === undefined ? exams : students[Number(of)];
        return (typeof listed === 'number' ? answer(listed, { message: 'no' }) : answer(200, listed))(socket, {} as never);
      }) satisfies Parameters<typeof faultServer>[0][number],
  );
  const server = await faultServer(reactions);
  const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: 'a-token' };
  const { code, stdout, stderr } = await run(['exams', 'clashes', ...line.split(' '), '-o', 'json'], { env });
  return { code, rows: (stdout === '' ? [] : JSON.parse(stdout)) as Data[], stderr, requests: server.requests() };
}

describe('exams clashes', () => {
  test('finds a student by the folded address, with the time that the exams share, and ends with 11', async () => {
    const { code, rows, stderr } = await clashes([exam(1, '08:00', '10:00'), exam(2, '09:30', '11:00')], {
      1: [session(11, 'Ada@Example.org'), session(12, 'bob@example.org')],
      2: [session(21, ' ada@example.ORG '), session(22, 'cy@example.org')],
    });
    expect(code).toBe(11);
    expect(rows).toEqual([
      {
        email: 'Ada@Example.org',
        exam: 1,
        exam_name: 'Exam 1',
        session: 11,
        other_exam: 2,
        other_exam_name: 'Exam 2',
        other_session: 21,
        from: '2027-02-01T09:30:00.000Z',
        until: '2027-02-01T10:00:00.000Z',
        overlap: '30 min',
        minutes: 30,
      },
    ]);
    expect(stderr).toContain('"code":"differences","message":"1 student in overlapping exams: 1 clash."');
  });

  test('counts extra time and later openings, and not exams that only touch', async () => {
    const exams = [exam(1, '08:00', '10:00'), exam(2, '10:00', '12:00')];
    const plain = { 1: [session(11, 'ada@example.org')], 2: [session(21, 'ada@example.org')] };
    expect(await clashes(exams, plain)).toMatchObject({ code: 0, rows: [] });
    const extra = { ...plain, 1: [session(11, 'ada@example.org', { close_time: '2027-02-01T10:30:00Z' })] };
    expect(await clashes(exams, extra)).toMatchObject({ code: 11, rows: [{ minutes: 30 }] });
    const later = { ...extra, 2: [session(21, 'ada@example.org', { open_time: '2027-02-01T10:30:00Z' })] };
    expect((await clashes(exams, later)).code).toBe(0);
  });

  test('reads the exams once and each listing once', async () => {
    const exams = Array.from({ length: 21 }, (_, at) => exam(at + 1, '08:00', '10:00'));
    const students = Object.fromEntries(exams.map(({ id }) => [id, []]));
    const { requests } = await clashes(exams, students);
    expect(requests.toSorted()).toEqual(['GET /exams', ...exams.map(({ id }) => `GET /exams/${id}/student_sessions`)].toSorted());
  });

  test.each(['maxxx@example.org', 'office@xxxlutz.example', 'student1'])('finds %s, beside other addresses', async (email) => {
    const { code, stderr } = await clashes([exam(1, '08:00', '10:00'), exam(2, '08:00', '10:00')], {
      1: [session(11, email), session(12, 'ada@example.org')],
      2: [session(21, email), session(22, 'bob@example.org')],
    });
    expect(stderr).not.toContain('not compared');
    expect(code).toBe(11);
  });

  test('names what it cannot compare', async () => {
    const { code, stderr } = await clashes([exam(1, '08:00', '10:00'), exam(2, '08:00', null)], {
      1: [session(11, null), session(12, ' '), session(13, 'ada@example.org')],
      2: [session(21, 'ada@example.org')],
    });
    expect(code).toBe(0);
    expect(stderr).toContain('not compared, because the service shows no start or no end: exam 2.');
    expect(stderr).toContain('not compared, because they show no address: 2 sessions.');
    expect(stderr).toContain('No clashes: 1 session of 2 exams compared.');
  });

  test('fails where one of the exams cannot be read: it may hold a clash', async () => {
    const { code, rows } = await clashes([exam(1, '08:00', '10:00'), exam(2, '09:00', '11:00')], { 1: [], 2: 404 });
    expect({ code, rows }).toEqual({ code: 6, rows: [] });
  });

  test('finds those of the period that the embedded service has', async () => {
    const { code, stdout } = await embedded().run('exams clashes --from 2000-01-01T00:00Z --name (main -o csv');
    expect(code).toBe(11);
    expect(stdout.trim().split('\r\n')).toHaveLength(3);
  });

  test('shows its requests with --dry-run, as far as they are known', async () => {
    const dry = await embedded().run('exams clashes 1 2 --dry-run -o json --debug');
    expect(JSON.parse(dry.stdout).map(({ url }: { url: string }) => url.replace(/.*v1/, ''))).toEqual([
      '/exams/1',
      '/exams/2',
      '/exams/1/student_sessions',
      '/exams/2/student_sessions',
    ]);
    expect(requestsIn(dry.stderr)).toEqual([]);
  });

  test('needs a selection: without one there is a list to tick on a terminal, and a sentence elsewhere', async () => {
    const none = await embedded().run('exams clashes');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('Missing: --exam or --from or --until or --name or ids.');
    const ticked = await embedded().run('exams clashes -o json', { tty: true, answers: [[], ['1', '2']] });
    expect(ticked).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(ticked.questions).toEqual([
      'Exams to include (--exam; 18 in all):',
      'Nothing is selected: Space selects. Exams to include (--exam; 18 in all):',
    ]);
    expect(ticked.offered[0]?.[0]).toMatch(/^\[ \] 1 {2}Lineare Algebra I, \d{4}/);
    expect(ticked.stderr).toContain('exams clashes -o json --exam 1 --exam 2\n');
  });
});
