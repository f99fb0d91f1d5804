/** What a timetable may be, and what stops it: each problem in a sentence with its place, all of them at once, and nothing is sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textRow, workbookOf } from '../../roster/read/zip.ts';
import { header, office } from './office.ts';

const algebra = 'A1,Algebra,2027-02-08,09:00,11:00';
const restricted = `${header},headphones,whiteboard,leave room,paper`;

/** The error, and what stands above it on stderr. */
async function refused(lines: string[], more = '') {
  const { timetable, check } = await office();
  timetable(...lines);
  const { code, error, stderr, writes } = await check(more);
  expect([code, writes], stderr).toEqual([3, []]);
  return { message: error?.message ?? '', hint: error?.hint ?? '', stderr };
}

describe('One sentence with the place, for', () => {
  const long = 'key,name,date,start,duration';
  // Under the usual header, unless the lines begin with another one.
  const broken: [what: string, lines: string | string[], says: string][] = [
    ['an end before its start', 'A,Algebra,2027-02-08,11:00,09:00', 'line 2, column 5 ("end"): the exam ends at 09:00, which is not after'],
    ['an end at its start', 'A,Algebra,2027-02-08,11:00,11:00', 'line 2, column 5 ("end"): the exam ends at 11:00, which is not after'],
    [
      'a duration past midnight',
      [long, 'A,Algebra,2027-02-08,22:00,3h'],
      'line 2, column 5 ("duration"): with 3h, the exam ends on the next',
    ],
    [
      'a day that is none',
      'A,Algebra,2027-02-30,09:00,11:00',
      'line 2, column 3 ("date"): "2027-02-30" is not possible: there is no such day.',
    ],
    ['an ambiguous date', 'A,Algebra,03/04/2027,09:00,11:00', 'line 2, column 3 ("date"): "03/04/2027" is ambiguous'],
    ['a date in words', 'A,Algebra,next Monday,09:00,11:00', 'line 2, column 3 ("date"): "next Monday" is not a day.'],
    ['a time of day that is none', 'A,Algebra,2027-02-08,25:00,11:00', 'column 4 ("start"): "25:00" is not a time of day.'],
    [
      'a time that may be a number',
      'A,Algebra,2027-02-08,9.30,11:00',
      'line 2, column 4 ("start"): "9.30" may be a time of day or a number.',
    ],
    ['a time without a date', ['key,name,start', 'A,Algebra,09:00'], 'line 2, column 3 ("start"): "09:00" has no date.'],
    ['a date without a start', 'A,Algebra,2027-02-08,,', 'line 2, column 3 ("date"): a date without a start.'],
    ['a time that counts from now', ['key,name,start', 'A,Algebra,now+2h'], 'column 3 ("start"): "now+2h" is not a time.'],
    [
      'a start on another day than the date',
      'A,Algebra,2027-02-08,2027-02-09 09:00,2027-02-09 11:00',
      'line 2, column 4 ("start"): 2027-02-09 09:00 is on 2027-02-09, and the date of the line is 2027-02-08.',
    ],
    ['a number without a unit', [long, 'A,Algebra,2027-02-08,09:00,2'], 'line 2, column 5 ("duration"): "2" may be hours or minutes.'],
    ['a duration without a start', ['key,name,duration', 'A,Algebra,2h'], 'line 2, column 3 ("duration"): a duration without a start.'],
    [
      'an end and another duration',
      [`${header},duration`, `${algebra},90`],
      'column 6 ("duration"): 90 from the start is not the end of the line',
    ],
    ['a yes that is none', [restricted, `${algebra},maybe,no,no,no`], 'line 2, column 6 ("headphones"): "maybe" is neither yes nor no.'],
    [
      'a missing restriction',
      [restricted, `${algebra},yes,,no,no`],
      'line 2, column 7 ("whiteboard"): no value for allow_whiteboard, and one',
    ],
    ['one restriction alone', [`${header},headphones`, `${algebra},yes`], 'none for allow_whiteboard, allow_leave_room, allow_pen_paper.'],
    ['a name that is taken away', 'A,none,2027-02-08,09:00,11:00', 'line 2, column 2 ("name"): A name cannot be cleared.'],
    ['a line that names no exam', ',,2027-02-08,09:00,11:00', 'line 2: the line needs an id, a key, or a name with a start'],
    ['a key that stands twice', [header, algebra, 'A1,Analysis,2027-02-09,09:00,11:00'], 'line 3: the key A1 is already in line 2.'],
    [
      'an exam that stands twice',
      ['name,date,start,end', 'Algebra,2027-02-08,09:00,11:00', 'Algebra,2027-02-08,09:00,10:00'],
      'line 3: Algebra is already in line 2, with the same start.',
    ],
    ['a new exam without an end', ['key,name,date,start', 'A,Algebra,2027-02-08,09:00'], 'line 2: a new exam without end.'],
    ['a line with too many cells', `${algebra},more`, 'line 2, column 6: the row has 6 cells, but the header 5'],
    ['an undeclared column', [`${header},Room`, `${algebra},1`, `${algebra},2`], '1 undeclared column may decide which lines are used:'],
    [
      'two names',
      ['key,name,Titel,date,start,end', 'A,Algebra,Algebra I,2027-02-08,09:00,11:00'],
      '"name" (column 2) and "Titel" (column 3) could both be name.',
    ],
    ['no column that names the exams', ['date,start,end', '2027-02-08,09:00,11:00'], 'has no column that names the exams.'],
  ];
  test.each(broken)('%s', async (_, lines, says) => {
    const { message } = await refused(typeof lines === 'string' ? [header, lines] : lines);
    expect(message).toContain(says);
  });

  test('a time that the clocks skip, or show twice', async () => {
    const skipped = await refused([header, 'A,Algebra,2027-03-28,02:30,04:00'], '--timezone Europe/Vienna');
    expect(skipped.message).toContain('"2027-03-28T02:30" does not exist in Europe/Vienna');
    const twice = await refused([header, 'A,Algebra,2027-10-31,02:30,04:00'], '--timezone Europe/Vienna');
    expect(twice.message).toContain('"2027-10-31T02:30" happens twice in Europe/Vienna');
  });

  test('several problems, which are told at once', async () => {
    const { message, stderr } = await refused([
      header,
      'A,Algebra,2027-02-30,09:00,11:00',
      'B,Analysis,2027-02-08,11:00,9.30',
      'C,,2027-02-08,,11:00',
    ]);
    expect(message).toBe('period.csv has 3 problems, reported above.');
    expect(
      JSON.parse(stderr.split('\n').find((line) => line.startsWith('{"error"')) ?? '').error.items.map(({ id }: { id: string }) => id),
    ).toEqual(['line 2, column 3 ("date")', 'line 3, column 5 ("end")', 'line 4, column 3 ("date")']);
  });
});

describe('A timetable', () => {
  test('may have blank lines between its days', async () => {
    const made = await office();
    made.timetable(header, algebra, '', 'A2,Analysis,2027-02-09,09:00,11:00', ',,,,', 'A3,Logic,2027-02-10,09:00,11:00');
    const { code, stderr } = await made.apply();
    expect(code, stderr).toBe(0);
    expect(made.exams().map(([name]) => name)).toEqual(['Algebra', 'Analysis', 'Logic']);
  });

  test('without a line, or without anything, is told what a timetable needs', async () => {
    expect(await refused([header])).toMatchObject({ hint: 'Add a row for each exam.' });
    expect((await refused([''])).hint).toMatch(/such as: key,name,date,start,end$/);
  });

  const start = '2027-02-08T08:00:00Z';
  const planned = async (lines: string[], more: string) => {
    const { timetable, check } = await office();
    timetable(...lines);
    const { plan, stderr } = await check(more);
    expect(plan, stderr).toBeDefined();
    return plan?.plan.map(({ changes }) =>
      Object.fromEntries((changes as { field: string; to: unknown }[]).map(({ field, to }) => [field, to])),
    );
  };

  test('with German headings, dates and times is read as it stands', async () => {
    const lines = [
      'LV-Nummer;Prüfung;Datum;Beginn;Dauer;Kopfhörer;Whiteboard;Raum verlassen;Stift und Papier;Aufzeichnung',
      '101;Lineare Algebra;13.04.2027;9.00 Uhr;120;nein;x;Ja;ja;nein',
    ];
    expect(await planned(lines, '--timezone Europe/Vienna')).toEqual([
      {
        name: 'Lineare Algebra',
        start_time: '2027-04-13T07:00:00Z',
        end_time: '2027-04-13T09:00:00Z',
        allow_headphones: false,
        allow_whiteboard: true,
        allow_leave_room: true,
        allow_pen_paper: true,
        save_recording: false,
      },
    ]);
  });

  test('with French headings', async () => {
    const lines = ['épreuve,jour,heure de début,heure de fin', 'Algèbre,2027-02-08,9h,10h30'];
    expect(await planned(lines, '--timezone Europe/Paris')).toEqual([
      { name: 'Algèbre', start_time: start, end_time: '2027-02-08T09:30:00Z' },
    ]);
  });

  test('with dates in one order by --dates, and times with their offset', async () => {
    expect(await planned([header, 'A,Algebra,08/02/2027,09:00,11:00'], '--dates dmy --timezone Europe/Vienna')).toMatchObject([
      { start_time: start },
    ]);
    expect(await planned(['name,start,end', 'Algebra,2027-02-08T09:00+01:00,2027-02-09T01:00+01:00'], '')).toEqual([
      { name: 'Algebra', start_time: start, end_time: '2027-02-09T00:00:00Z' },
    ]);
  });

  test('with further fields by --map, typed behind a colon, and columns that decide nothing', async () => {
    const lines = ['name,date,start,end,Raum,Plätze', 'Algebra,2027-02-08,09:00,11:00,HS 1,20', 'Analysis,2027-02-08,09:00,11:00,none,'];
    expect(await planned(lines, '--map room=Raum --map seats:=Plätze')).toMatchObject([{ room: 'HS 1', seats: 20 }, { name: 'Analysis' }]);
    expect((await planned(lines, '--ignore-column Raum --ignore-column Plätze'))?.[0]).not.toHaveProperty('room');
  });

  test('with lines that --only lets through', async () => {
    const lines = ['name,date,start,end,Status', 'Algebra,2027-02-08,09:00,11:00,fixed', 'Analysis,2027-02-08,09:00,11:00,draft'];
    expect(await planned(lines, '--only Status=fixed')).toHaveLength(1);
  });

  test('in JSON', async () => {
    const { machine, service, another } = await office();
    expect([service.writes(), another]).toBeDefined();
    const path = machine.file(
      'period.json',
      JSON.stringify([{ key: 'A', name: 'Algebra', start: '2027-02-08T09:00Z', duration: 90, recording: false }]),
    );
    const { stdout } = await machine.run(['exams', 'check', path, '-o', 'json']);
    expect(JSON.parse(stdout).plan[0].changes).toEqual([
      { field: 'name', from: null, to: 'Algebra' },
      { field: 'start_time', from: null, to: '2027-02-08T09:00:00Z' },
      { field: 'end_time', from: null, to: '2027-02-08T10:30:00Z' },
      { field: 'save_recording', from: null, to: false },
    ]);
  });

  test('in a workbook, with its cells of dates, times and lengths', async () => {
    const { machine } = await office();
    const rows = [
      textRow(1, ['Prüfung', 'Datum', 'Beginn', 'Ende', 'Dauer']),
      '<row r="2"><c t="inlineStr"><is><t>Algebra</t></is></c><c s="1"><v>46426</v></c><c s="4"><v>0.375</v></c><c s="4"><v>0.4791666666666667</v></c><c s="4"><v>0.10416666666666667</v></c></row>',
      '<row r="3"><c t="inlineStr"><is><t>Analysis</t></is></c><c s="1"><v>46427</v></c><c s="2"><v>46427.375</v></c><c s="2"><v>46427.5</v></c><c><v>180</v></c></row>',
    ];
    const styles =
      '<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="0"/><xf numFmtId="20"/></cellXfs>';
    const path = join(machine.folder, 'period.xlsx');
    writeFileSync(path, workbookOf({ rows: rows.join(''), styles: `<styleSheet>${styles}</styleSheet>` }));
    const { stdout, stderr } = await machine.run(['exams', 'check', path, '-o', 'json']);
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout).plan.map(({ changes }: { changes: { to: unknown }[] }) => changes.map(({ to }) => to))).toEqual([
      ['Algebra', '2027-02-08T09:00:00Z', '2027-02-08T11:30:00Z'],
      ['Analysis', '2027-02-09T09:00:00Z', '2027-02-09T12:00:00Z'],
    ]);
  });

  test('without a time zone is refused once, with the option that sets it', async () => {
    const { timetable, machine } = await office();
    const path = timetable(header, algebra);
    const { code, stderr } = await machine.run(['exams', 'check', path], { env: { PROCTOR_TIMEZONE: '' } });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('No time zone is set, and period.csv has times without one, such as "2027-02-08T09:00".'),
    ]);
  });

  test('is no stream: the file beside it says which line is which exam', async () => {
    const { machine } = await office();
    const { code, stderr } = await machine.run(['exams', 'check', '-'], { stdin: header });
    expect([code, stderr]).toEqual([2, expect.stringContaining('A timetable cannot come from stdin')]);
  });

  test('is read as its columns are declared', async () => {
    const { timetable, check } = await office();
    timetable('Modul,date,start,end,Raum', 'Algebra,2027-02-08,09:00,11:00,HS 1', 'Analysis,2027-02-08,09:00,11:00,HS 2');
    const { code, plan } = await check('--map name=Modul --ignore-column Raum');
    expect([code, plan?.plan.map(({ name }) => name)]).toEqual([11, ['Algebra', 'Analysis']]);
  });
});
