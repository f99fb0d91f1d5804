/** `exams export`: the exams as a timetable, and nothing to do when it is applied; and a whole term, brought in and kept. */
import { expect, test } from 'vitest';
import { header, office } from './office.ts';

const exported = async ({ service }: Pick<ReturnType<typeof office>, 'service'>, more = '', zone = 'Europe/Vienna') =>
  (await service.run(`exams export${more}`.split(' '), { env: { PROCTOR_TIMEZONE: zone } })).stdout;

test('exams export prints a timetable with IDs in the current zone, as CSV where it is no terminal', async () => {
  const made = office({ pools: { 6: [2, 1] } });
  const times = { start_time: '2027-02-08T08:00:00Z', end_time: '2027-02-08T10:30:00Z' };
  made.service.truth.createExam({ name: 'Algebra, "first"', ...times, allow_pen_paper: true }, 'colleague', 6);
  made.service.truth.createExam({ name: 'Logic', start_time: '2027-03-08T08:00:00Z', end_time: null }, 'colleague', 7);
  const columns = 'id,name,date,start,end,allow_headphones,allow_whiteboard,allow_leave_room,allow_pen_paper,save_recording,proctors\r\n';
  const algebra = '6,"Algebra, ""first""",2027-02-08,09:00,11:30,false,false,false,true,true,"1; 2"\r\n';
  expect(await exported(made, ' --exam 6')).toBe(columns + algebra);
  expect(await exported(made)).toBe(`${columns}${algebra}7,Logic,2027-03-08,09:00,,false,false,false,false,true,\r\n`);
  expect(JSON.parse(await exported(made, ' --name logic -o json'))).toMatchObject([{ id: 7, start: '09:00', end: null, proctors: null }]);
  const shown = await made.service.run('exams export', { tty: true, env: { PROCTOR_TIMEZONE: 'UTC' } });
  expect(shown.stdout).not.toContain('id,name');
});

test('Of an exam that does not show all four restrictions, none is exported; its other settings are', async () => {
  const made = office({ showing: { as: ({ allow_pen_paper: _, ...shown }) => shown } });
  made.service.truth.createExam({ name: 'Algebra' }, 'colleague', 6);
  const [line] = JSON.parse(await exported(made, ' -o json'));
  expect(line).toMatchObject({ allow_headphones: null, allow_pen_paper: null, save_recording: true });
});

test.each(['csv', 'json'])('What it has printed as %s, applied again, is nothing to do', async (format) => {
  const made = office({ pools: { 7: [1, 3] } });
  const exams: [string, string, string | null][] = [
    ['Algebra', '2027-02-08T08:00:00Z', '2027-02-08T10:00:00Z'],
    ['Algebra', '2027-02-08T08:00:00Z', '2027-02-08T10:00:00Z'],
    ['=1+1; x', '2027-03-28T00:30:00Z', '2027-03-28T02:30:00Z'],
    ['Past midnight', '2027-04-01T20:00:00Z', '2027-04-02T01:00:00Z'],
    ['When the clocks are set back', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'],
    ['To the second', '2027-05-01T08:00:15Z', '2027-05-01T10:00:00Z'],
    ['To the millisecond', '2027-05-02T08:00:00.250Z', '2027-05-02T21:59:59.999Z'],
    ['Without an end', '2027-05-01T08:00:00Z', null],
  ];
  for (const [at, [name, start_time, end_time]] of exams.entries()) {
    const exam = made.service.truth.createExam({ name, allow_whiteboard: true }, 'colleague', at + 1);
    made.service.truth.set('exam', { ...exam, start_time, end_time });
  }
  for (const zone of ['Europe/Vienna', 'UTC', '']) {
    const path = made.file(`again.${format}`, await exported(made, ` -o ${format}`, zone));
    const again = await made.run(`exams apply ${path}`, { env: { PROCTOR_TIMEZONE: zone } });
    expect([again.sent, new Set(again.rows.map(({ action }) => action))], again.stderr).toEqual([[], new Set(['unchanged'])]);
    expect(again.code, again.stderr).toBe(0);
  }
});

/** So many exams of an hour, each with its proctor and four students: in files, and in the service if they are there already. */
function term(exams: number, areThere: boolean) {
  const made = office();
  const { service, timetable, roster } = made;
  const at = (exam: number) => new Date(Date.parse('2027-02-01T08:00:00Z') + exam * 3_600_000).toISOString().replace('.000', '');
  const lines = Array.from({ length: exams }, (_, exam) => {
    const students = Array.from({ length: 4 }, (_, student) => `s${exam}-${student}`);
    roster(`r${exam}.csv`, ...students);
    const [start, end, proctor] = [at(exam), at(exam + 1), 1 + (exam % 5)];
    if (areThere) {
      const { id } = service.truth.createExam({ name: `Exam ${exam}`, start_time: start, end_time: end }, 'colleague', exam + 1);
      service.truth.pool(id, [proctor], 'add');
      for (const name of students) service.add({ exam_id: id, email: `${name}@example.org`, name });
    }
    return `Exam ${exam},${start.slice(0, 10)},${start.slice(11, 16)},${end},${proctor},r${exam}.csv`;
  });
  const write = (edited: readonly string[]) => timetable(`${header},proctors,roster`, ...edited);
  write(lines);
  return { ...made, lines, write };
}

const utc = '--timezone UTC';

test('A term is brought in whole, and brought in again is nothing to do', async () => {
  const { service, apply } = term(60, false);
  const first = await apply(utc);
  expect([first.code, service.exams.length, service.sessions.length], first.stderr.slice(0, 2000)).toEqual([0, 60, 240]);
  expect(new Set(service.sessions.map(({ exam_id, email }) => `${exam_id} ${email}`)).size).toBe(240);
  const again = await apply(utc);
  expect([again.code, again.sent]).toEqual([0, []]);
});

test('A term of 500 exams with 2,000 students is checked with few requests, edited, exported and applied', async () => {
  const { service, lines, write, apply, file, run } = term(500, true);
  // The pool and the students of each exam, at 80 ms and as many at once as the pacer comes to allow: 4, 8, 16, 32, 64.
  service.fault = () => ({ takes: 80 });
  const [began, before] = [service.clock.now(), service.arrived.length];
  const checked = await apply(`--check ${utc}`);
  expect([checked.code, checked.sent], checked.stderr.slice(0, 2000)).toEqual([0, []]);
  const [requests, took] = [service.arrived.length - before, service.clock.now() - began];
  expect([requests < 1005, took <= 1.3 * (4 + requests / 64) * 80]).toEqual([true, true]);
  service.fault = () => undefined;
  // 40 lines get another end.
  write(lines.map((line, exam) => (exam % 12 === 0 && exam < 480 ? line.replace(/T(\d\d):00:00Z/, 'T$1:30Z') : line)));
  const edited = await apply(utc);
  const changed = Array.from({ length: 40 }, (_, index) => `PATCH /exams/${service.exams[index * 12]?.id}`);
  expect([edited.code, edited.sent.toSorted()]).toEqual([0, changed.toSorted()]);
  const applied = await run(`exams apply ${file('exported.csv', await exported({ service }, '', 'UTC'))} ${utc}`);
  expect([applied.code, applied.sent, service.exams.length]).toEqual([0, [], 500]);
});
