/** What a dry run shows: everything that a person wants to see before the question. */
import { expect, test } from 'vitest';
import { exam } from './importing.ts';

const roster = [
  'email,name,role,closes',
  'ann@example.org,Ann,student,2027-01-10T12:00:00Z',
  'bob@example.org,Bob,student,2027-01-10T12:00:00Z',
  'tom@example.org,Tom,teacher,',
  'Cy@Example.org,Cy,student,',
  'nobody,Nob,student,',
].join('\n');
const args = '--dry-run --skip-invalid --update --remove-missing --map close_time=closes --except role=teacher';

async function planned(more = '') {
  const made = exam();
  made.service.add({ email: 'bob@example.org', name: 'Bob', close_time: '2027-01-10T11:00:00Z' });
  made.service.add({ email: 'cy@example.org', name: 'Cy' });
  made.service.add({ email: 'zoe@example.org', name: 'Zoe', status: 'mail_sent' });
  const ended = await made.imports(roster, `${args} ${more}`, { zone: 'Europe/Vienna' });
  return { ...ended, service: made.service };
}

test('It has a row for each row of the file, and says that no student is deleted while one is invalid.', async () => {
  const { stdout, stderr, service } = await planned();
  expect(stderr).toContain('No student will be deleted, because lines of the file are invalid.');
  expect(JSON.parse(stdout)).toHaveLength(5);
  expect(JSON.parse(stdout)).toMatchObject([
    { line: 4, action: 'left_out', detail: 'role "teacher"' },
    { line: 6, action: 'invalid', detail: expect.stringContaining('no @') },
    { line: 2, action: 'create', email: 'ann@example.org', name: 'Ann', close_time: '2027-01-10T12:00:00Z', detail: null },
    { line: 3, action: 'update', detail: 'close_time: 2027-01-10 12:00 +01:00 → 2027-01-10 13:00 +01:00' },
    { line: 5, action: 'unchanged', name: 'Cy', detail: 'stored as cy@example.org' },
  ]);
  expect(service.requests().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

test('It names the exam and says which column became which field; a table has the times of the zone.', async () => {
  const { stdout, stderr } = await planned('-o table');
  expect(stderr).toContain('Exam 6 (Linear Algebra, 2127-02-01 09:00 +01:00) has 3 students. Plan: 1 to create, 1 to update');
  expect(stderr).toContain('Columns read: close_time from "closes".');
  expect(stdout).toMatch(/create\s+ann@example\.org\s+Ann\s+.*2027-01-10 13:00 \+01:00/);
  // The plan has the number of those that change nothing.
  expect(stdout).not.toContain('unchanged');
});

test('It shows the further fields with which a student is created, as they are sent.', async () => {
  const { imports } = exam();
  const text = 'email,Matrikelnummer,Seat,skip_requirements\nann@example.org,0042,7,yes\nbob@example.org,,,\n';
  const { stdout } = await imports(text, '--dry-run --map matriculation=Matrikelnummer --map seat:=Seat');
  const [ann, bob] = JSON.parse(stdout);
  expect(ann).toMatchObject({
    detail: 'skip_requirements: true; matriculation: 0042; seat: 7',
    fields: { skip_requirements: true, matriculation: '0042', seat: 7 },
  });
  expect(bob).toMatchObject({ detail: null });
  expect(bob).not.toHaveProperty('fields');
});

test('The question names the exam, and an exam that is not shown keeps nothing from being asked.', async () => {
  for (const shown of [true, false]) {
    const { service, imports } = exam();
    service.fault = ({ path }) => (path === '/exams/6' && !shown ? { answer: { status: 403 } } : undefined);
    const { questions } = await imports('email\nann@example.org\n', '', { tty: true, answers: [true] });
    expect(questions[0]).toMatch(shown ? /^Import 1 student into exam 6 \(Linear Algebra, .*\) at / : /^Import 1 student into exam 6 at /);
  }
});
