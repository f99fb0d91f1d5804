/** --remove-missing N: who is deleted because the file lacks them, and who is kept. */
import { describe, expect, test } from 'vitest';
import { told } from '../../support/run.ts';
import { refused } from '../../support/service.ts';
import { counted, exam, one, three } from './importing.ts';

/** An exam with these students beside the file's. */
function examWith(names: readonly string[], fields: Record<string, unknown> = {}) {
  const made = exam();
  for (const name of names) made.service.add({ email: `${name}@example.org`, name, ...fields });
  return { ...made, there: () => made.service.sessions.map(({ email }) => String(email).split('@')[0]) };
}

test('Where only the list leaves out the status, the session itself says whether the student has started.', async () => {
  const { service, imports, there } = examWith(['zoe']);
  service.add({ email: 'fin@example.org', name: 'fin', status: 'exam_started' });
  service.showing.as = ({ status, ...rest }, { path }) => (path.endsWith('student_sessions') ? rest : { ...rest, status });
  expect((await imports(one, '--check')).report.notInFile).toMatchObject([{ status: 'registered' }, { status: 'exam_started' }]);
  const { code, stderr } = await imports(one, '--remove-missing 1 --during-exam left');
  expect([code, there()], stderr).toEqual([0, ['fin', 'ann']]);
});

const deletions = (writes: readonly string[]) => writes.filter((request) => request.startsWith('DELETE'));

describe('The limit', () => {
  test('refuses more than N, with their number and names, before anything is sent.', async () => {
    const { service, imports } = examWith(['yan', 'zoe']);
    const ended = await imports(one, '--remove-missing 1');
    expect([ended.code, service.writes(), ended.report.notInFile]).toMatchObject([3, [], [{ name: 'yan' }, { name: 'zoe' }]]);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      message: '2 students of exam 6 are not in the file (left-out lines do not count), and --remove-missing allows 1. Nothing was sent.',
      hint: 'If the file is right, allow them: --remove-missing 2',
    });
    const dry = await imports(one, '--remove-missing 1 --dry-run');
    expect([dry.code, dry.report.notInFile]).toMatchObject([3, [{ result: 'kept' }, { result: 'kept' }]]);
  });

  test('lets N go, once all lines are in; without it all of them stay and are listed.', async () => {
    const { service, imports, there } = examWith(['yan', 'zoe']);
    const listed = await imports(one);
    expect([listed.code, counted(listed), there()]).toEqual([0, { created: 1, not_in_file: 2 }, ['yan', 'zoe', 'ann']]);
    expect(told(listed.stderr).match(/^Not in the file: .*/gm)).toEqual(['Not in the file: yan, zoe.']);
    const shown = await service.run(`sessions import - --exam 6 --yes`, { stdin: one });
    const last = 'In the exam and not in the file: 2 students (yan, zoe). --check reports them (status 11).';
    expect([shown.code, shown.stderr.trim().split('\n').at(-1)]).toEqual([0, last]);
    const ended = await imports(three, '--remove-missing 2');
    expect([counted(ended), there()]).toEqual([{ created: 2, unchanged: 1, not_in_file: 2, removed: 2 }, ['ann', 'bob', 'cy']]);
    expect(ended.code).toBe(0);
    expect(service.writes().slice(-2)).toEqual(['DELETE /student_sessions/100', 'DELETE /student_sessions/101']);
    expect(ended.report.notInFile).toMatchObject([{ result: 'removed' }, { result: 'removed' }]);
  });
});

describe('Nobody is deleted', () => {
  test('where the plan is refused: they are kept, and planned for as long as it is asked what would be done.', async () => {
    const { service, imports } = examWith(['zoe']);
    service.change('exam', 6, { start_time: '2020-02-01T08:00:00Z' });
    const becomes = async (options: string) =>
      (({ code, report }) => [code, report.notInFile])(await imports(one, `--remove-missing 1 ${options}`));
    expect(await becomes('--check')).toMatchObject([11, [{ result: 'planned' }]]);
    expect(await becomes('')).toMatchObject([12, [{ result: 'kept' }]]);
  });

  test.each(['check_started', 'exam_started', 'exam_finished', 'something new'])('who may have started: %s.', async (status) => {
    const { imports, there } = examWith(['zoe'], { status });
    const ended = await imports(one, '--remove-missing 9');
    expect([ended.code, there()]).toEqual([0, ['zoe', 'ann']]);
    expect(told(ended.stderr)).toContain(`Not in the file, and kept: zoe (${status}).`);
    expect(ended.report.notInFile).toMatchObject([{ status, result: 'kept' }]);
  });

  test('who starts while the import is at work.', async () => {
    const { service, imports, there } = examWith(['yan', 'zoe']);
    service.next('POST', { takes: 3_000 });
    service.onArrival = ({ method }) => {
      const zoe = service.sessions.find(({ name }) => name === 'zoe');
      if (method === 'POST' && zoe) service.change('session', zoe.id, { status: 'exam_started' });
    };
    const ended = await imports(one, '--remove-missing 2');
    expect([ended.code, there()]).toEqual([9, ['zoe', 'ann']]);
  });

  test.each<[what: string, names: string[], roster: string, options: string, code: number, there: string[]]>([
    ['while a line is invalid: anybody may be that line', ['bob'], `${one}x y@example.org,Bob\n`, '--skip-invalid', 9, ['bob', 'ann']],
    ['while a line was not created', ['zoe'], three, '', 9, ['zoe', 'bob', 'cy']],
    ['whose address is in the file in another spelling', ['ANN'], 'email\nann@example.org\n', '', 0, ['ANN']],
  ])('%s.', async (what, names, roster, options, code, stay) => {
    const { service, imports, there } = examWith(names);
    if (what.includes('not created')) service.next('POST', refused(422));
    const ended = await imports(roster, `--remove-missing 9 ${options}`);
    expect([ended.code, there(), deletions(service.writes())], ended.stderr).toEqual([code, stay, []]);
  });

  test('whose line may have been sent by another run.', async () => {
    const { service, imports } = examWith(['zoe']);
    service.showing.unseen = new Set([101]);
    expect((await imports(one)).code).toBe(10);
    const again = await imports(one, '--remove-missing 9');
    expect([again.code, deletions(service.writes())]).toEqual([10, []]);
  });

  test('who shows no address: the file may have them.', async () => {
    const { service, imports } = examWith(['yan']);
    const zoe = service.add({ name: 'Zoe' });
    // Left out, where another is shown, it may be that of the line.
    expect([(await imports(one, '--remove-missing 9')).code, service.writes()]).toEqual([3, []]);
    service.change('session', zoe.id, { email: null });
    const check = await imports(one, '--check');
    expect(check.stderr).toMatch(
      /This deletes 1 of 2 students of exam 6: .* --remove-missing=1\\n.*proctor-cli sessions list --exam=?.?6"/,
    );
    const ended = await imports(one, '--remove-missing 9');
    expect([ended.code, told(ended.stderr)]).toEqual([0, expect.stringContaining('kept: Zoe (neither address nor number shown).')]);
    expect(service.sessions.map(({ name }) => name)).toEqual(['Zoe', 'Ann']);
    expect(told((await imports(one, '--check')).stderr)).not.toContain('This deletes');
  });
});

test('The question names how many are deleted, after each of them was named, and wants the number typed.', async () => {
  const { imports, there } = examWith(['yan', 'zoe']);
  const no = await imports(one, '-o table --remove-missing 2', { tty: true, answers: [''] });
  expect(no.questions).toEqual([
    expect.stringMatching(
      /^Import 1 student into exam 6 \(.*\), then delete 2 students who are not in the file \(left-out lines do not count\) \(deletions cannot be undone\) at .*\? Type 2 to confirm:$/,
    ),
  ]);
  expect(no.stderr).toContain('has 2 students. Plan: 1 to create, 2 in the exam but not in the file.\n');
  expect(no.stderr).toMatch(/^Will delete: zoe, zoe@example\.org, session 101 of exam 6$/m);
  expect([no.code, there()]).toEqual([130, ['yan', 'zoe']]);
  expect((await imports(one, '-o table --remove-missing 2', { tty: true, answers: ['2'] })).code).toBe(0);
  expect(there()).toEqual(['ann']);
});

test('A deletion that was refused is 9, and the same command deletes the rest.', async () => {
  const { service, imports, there } = examWith(['xu', 'yan', 'zoe']);
  service.next('DELETE', undefined, refused(422, { message: 'locked' }));
  const ended = await imports(one, '--remove-missing 3');
  expect([ended.code, counted(ended)]).toEqual([9, { created: 1, not_in_file: 3, removed: 2 }]);
  expect(ended.stderr).toContain('locked');
  const again = await imports(one, '--remove-missing 3');
  expect([again.code, counted(again), there()]).toEqual([0, { unchanged: 1, not_in_file: 1, removed: 1 }, ['ann']]);
});

test('An exam that runs keeps its students: nothing at all is sent without a reason.', async () => {
  const { service, imports, there } = examWith(['yan']);
  const now = '2127-02-01T09:00:00Z';
  const ended = await imports(one, '--remove-missing 1', { now });
  expect([ended.code, counted(ended), service.writes()]).toEqual([12, { to_create: 1, not_in_file: 1 }, []]);
  expect((await imports(one, '--remove-missing 1 --during-exam Withdrawn', { now })).code).toBe(0);
  expect(there()).toEqual(['ann']);
});
