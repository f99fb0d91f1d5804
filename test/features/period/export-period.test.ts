/** exams export: the exams as a timetable, and nothing to do when it is applied. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { office } from './office.ts';

test('exams export prints a timetable with IDs, in the current zone', async () => {
  const { machine, service, clock } = await office();
  const { id } = service.truth.createExam({
    name: 'Algebra, "first"',
    start_time: '2027-02-08T08:00:00Z',
    end_time: '2027-02-08T10:30:00Z',
    allow_pen_paper: true,
  });
  service.truth.pool(id, [2, 1], 'add');
  await clock.pass(60_000);
  const { stdout } = await machine.run(['exams', 'export', '--exam', String(id), '-o', 'csv', '--timezone', 'Europe/Vienna']);
  expect(stdout).toBe(
    'id,name,date,start,end,allow_headphones,allow_whiteboard,allow_leave_room,allow_pen_paper,save_recording,proctors\r\n' +
      `${id},"Algebra, ""first""",2027-02-08,09:00,11:30,false,false,false,true,true,"1; 2"\r\n`,
  );
});

test.each(['csv', 'json'])('What it has printed as %s, applied again, is nothing to do: no request writes', async (format) => {
  const { machine, service, clock } = await office();
  const { truth } = service;
  const exams: [string, string, string | null][] = [
    ['Algebra', '2027-02-08T08:00:00Z', '2027-02-08T10:00:00Z'],
    ['Algebra', '2027-02-08T08:00:00Z', '2027-02-08T10:00:00Z'],
    ['=1+1; x', '2027-03-28T00:30:00Z', '2027-03-28T02:30:00Z'],
    ['Past midnight', '2027-04-01T20:00:00Z', '2027-04-02T01:00:00Z'],
    ['When the clocks are set back', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'],
    ['To the second', '2027-05-01T08:00:15Z', '2027-05-01T10:00:00Z'],
    ['Without an end', '2027-05-01T08:00:00Z', null],
  ];
  for (const [name, start_time, end_time] of exams) truth.createExam({ name, start_time, end_time, allow_whiteboard: true });
  truth.pool(Math.max(...truth.exams.keys()), [1, 3], 'add');
  await clock.pass(60_000);
  for (const zone of ['Europe/Vienna', 'UTC', '']) {
    const env = { PROCTOR_TIMEZONE: zone };
    const { stdout, code, stderr } = await machine.run(['exams', 'export', '-o', format], { env });
    expect(code, stderr).toBe(0);
    const path = join(machine.folder, `again-${zone.length}.${format}`);
    writeFileSync(path, stdout);
    const again = await machine.run(['exams', 'apply', path, '--yes', '--no-input', '-o', 'json'], { env });
    expect([again.code, service.writes()], again.stderr).toEqual([0, []]);
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 8, unchanged: 8 });
  }
});
