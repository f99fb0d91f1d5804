/** What a timetable may be, and what stops it: each problem in a sentence with its place, all of them at once, and nothing is sent. */
import { describe, expect, test } from 'vitest';
import type { Fields } from '../../support/truth.ts';
import { header, office } from './office.ts';

const algebra = 'Algebra,2027-02-08,09:00,11:00';

async function refused(lines: string[], exams: Fields[] = []) {
  const { timetable, apply, service, roster } = office({ exams });
  roster('twice.csv', 'ada', 'ada');
  timetable(...lines);
  const { code, error, sent, stderr } = await apply();
  expect([code, sent, service.sessions], stderr).toEqual([3, [], []]);
  return { message: '', ...error };
}

test.each([
  ['an end', ['A,2027-02-08,22:00,00:30'], '2027-02-09 00:30'],
  ['a duration', ['name,date,start,duration', 'A,2027-02-08,22:00,3h30m'], '2027-02-09 01:30'],
])('%s after midnight is printed with its date and time.', async (_, lines, end) => {
  expect(await refused(lines.length > 1 ? lines : [header, ...lines])).toMatchObject({
    hint: expect.stringContaining(`give that date: ${end}`),
  });
});

/** What it is | its lines, under the usual header unless there are several | what is said. ALGEBRA is a line without a problem. */
const broken = `
an end before its start | A,2027-02-08,11:00,09:00 | line 2, column 4 (end): the exam ends at 09:00, which is not after its start.
an end at its start | A,2027-02-08,09:00,09:00 | line 2, column 4 (end): the exam ends at 09:00, which is not after its start.
a duration past midnight | name,date,start,duration / A,2027-02-08,22:00,3h | column 4 (duration): with 3h, the exam ends on the next day.
a duration of nothing | name,date,start,duration / A,2027-02-08,22:00,0h | column 4 (duration): "0h" is not the length of an exam.
a duration of days | name,date,start,duration / A,2027-02-08,22:00,25h | column 4 (duration): "25h" is longer than a day.
a duration in words | name,date,start,duration / A,2027-02-08,22:00,two hours | column 4 (duration): "two hours" is not a duration.
a number without a unit | name,date,start,duration / A,2027-02-08,09:00,2 | line 2, column 4 (duration): "2" may be hours or minutes.
a duration without a start | id,name,duration / 1,A,2h | line 2, column 3 (duration): a duration without a start.
a duration that is cleared | name,date,start,duration / A,2027-02-08,09:00,none | column 4 (duration): the duration cannot be cleared.
an end and another duration | HEADER,duration / ALGEBRA,90 | column 5 (duration): 90 from the start is not 11:00, the end in this line.
a day that is none | A,2027-02-30,09:00,11:00 | column 2 (date): "2027-02-30" is not possible: there is no such day
an ambiguous date | A,03/04/2027,09:00,11:00 | line 2, column 2 (date): "03/04/2027" is ambiguous
a date without a century | A,3.4.27,09:00,11:00 | column 2 (date): "3.4.27" has no year of four digits.
a date in words | A,next Monday,09:00,11:00 | line 2, column 2 (date): "next Monday" is not a day.
a date without a start | A,2027-02-08,, | line 2, column 2 (date): a date without a start.
a time of day that is none | A,2027-02-08,25:00,11:00 | column 3 (start): "2027-02-08 25:00" is not possible: there is no such day or time of day.
an hour after midnight | A,2027-02-08,22:00,24:00 | line 2, column 4 (end): "2027-02-08 24:00" is not possible: there is no such day or time of day.
a time that may be a number | A,2027-02-08,9.30,11:00 | column 3 (start): "9.30" may be a time of day or a number.
a comma that may be of a number | HEADER / A,2027-02-08,"9,30",11:00 | column 3 (start): "9,30" may be a time of day or a number.
a length of too many minutes | name,date,start,duration / A,2027-02-08,09:00,1500 | column 4 (duration): "1500" is longer than a day.
a time in words | A,2027-02-08,noon,13:00 | line 2, column 3 (start): "noon" is not a time.
a time without a date | name,start / A,09:00 | line 2, column 2 (start): "09:00" has no date.
a time that counts from now | name,start / A,now+2h | line 2, column 2 (start): In a file, a time does not count from now.
a start on another day | A,2027-02-08,2027-02-09 09:00, | (start): 2027-02-09 09:00 is on 2027-02-09, and the date of the line is 2027-02-08.
a time that the clocks skip | A,2027-03-28,02:30,04:00 | column 3 (start): "2027-03-28 02:30" does not exist in Europe/Vienna
a time that the clocks show twice | A,2027-10-31,02:30,04:00 | "2027-10-31 02:30" happens twice in Europe/Vienna
an offset that there is not | name,start / A,2027-02-08T09:00+19:00 | "2027-02-08T09:00+19:00" is not a time
a yes that is none | RESTRICTED / ALGEBRA,maybe,no,no,no | line 2, column 5 (allow_headphones): "maybe" is neither yes nor no.
a missing restriction | RESTRICTED / ALGEBRA,yes,,no,no | column 6 (allow_whiteboard): no value for allow_whiteboard: fill all four restrictions
one restriction alone | HEADER,headphones / ALGEBRA,yes | line 2: no value for allow_whiteboard, allow_leave_room, allow_pen_paper: fill all four
a recording that is neither | HEADER,recording / ALGEBRA,often | (save_recording): "often" is neither yes nor no.
a name that is cleared | none,2027-02-08,09:00,11:00 | line 2, column 1 (name): the name cannot be cleared.
a name without a start | name,end / A,2027-02-08 11:00 | line 2: the line needs an id, or a name with a start.
an ID that stands twice | id,HEADER / 6,ALGEBRA / 6,B,2027-02-09,09:00,11:00 | line 3: line 2 has exam 6 already.
an exam that stands twice | HEADER / ALGEBRA / ALGEBRA | line 3: line 2 has Algebra with this start already.
one that gets this name by its ID | id,HEADER / 7,ALGEBRA / ,ALGEBRA | line 3: line 2 has Algebra with this start already.
an exam of two lines | id,HEADER / 6,B,2027-02-09,09:00,11:00 / ,Logic,2027-02-08,09:00,11:00 | line 3: line 2 has exam 6 already.
two exams of a line | Sets,2027-02-08,09:00,11:00 | line 2: exams 7 and 8 have its name and start.
a new exam without an end | name,date,start / A,2027-02-08,09:00 | line 2: a new exam needs an end.
a line with too many cells | ALGEBRA,more | period.csv, line 2: 
an undeclared column | HEADER,Room / ALGEBRA,1 / B,2027-02-09,09:00,11:00,2 | Room
two names | name,Titel,date,start,end / A,B,2027-02-08,09:00,11:00 | could both be name
no column that names the exams | date,start,end / 2027-02-08,09:00,11:00 | has no column with an ID or name.
no line | HEADER / ,,, | but no rows below it
a roster that is not there | HEADER,roster / ALGEBRA,none.csv | line 2, column 5 (roster): 
a roster with a student twice | HEADER,roster / ALGEBRA,twice.csv / B,2027-02-09,09:00,11:00,twice.csv | line 2, column 5 (roster): twice.csv, line 3, column 1 (email): 
a proctor nobody knows | HEADER,proctors / ALGEBRA,proctor9@example.org | (proctors): No user of institute 1 has the address proctor9@
a proctor of another name | HEADER,proctors / ALGEBRA,Proctr 2 | line 2, column 5 (proctors): No user of institute 1 has the ID or the name
`;

describe('One sentence with the place, for', () => {
  const there = ['Logic', 'Sets', 'Sets'].map((name, at) => ({ id: 6 + at, name, start_time: '2027-02-08T08:00:00Z', end_time: null }));
  const words = { HEADER: header, RESTRICTED: `${header},headphones,whiteboard,leave room,paper`, ALGEBRA: algebra };
  const written = (text: string) =>
    Object.entries(words)
      .reduce((all, [word, is]) => all.replaceAll(word, is), text)
      .split(' / ');
  const all = broken
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));

  test.each(all)('%s', async (_, text = '', says = '') => {
    const lines = written(text);
    expect((await refused(lines.length === 1 ? [header, ...lines] : lines, there)).message).toContain(says.trim());
  });

  test('several problems, which are told at once', async () => {
    const { message, items } = await refused([header, 'A,2027-02-30,09:00,11:00', 'B,2027-02-08,11:00,9.30', 'C,2027-02-08,,11:00']);
    expect(message).toBe('period.csv has 3 problems.');
    expect(items).toMatchObject([
      { line: 2, column: 'column 2 (date)' },
      { line: 3, column: 'column 4 (end)' },
      { line: 4, column: 'column 2 (date)' },
    ]);
  });
});

describe('A timetable', () => {
  const changes = async (lines: string[], more = '') => {
    const { timetable, apply } = office();
    timetable(...lines);
    const { rows, stderr } = await apply(`--check ${more}`);
    return rows.map((row) => ({ name: row.name, ...Object.fromEntries(row.changes.map(({ field, to }) => [field, to])) }), stderr);
  };

  test('with German headings, dates and times is read as it stands', async () => {
    const lines = [
      'Prüfung;Datum;Beginn;Dauer;Kopfhörer;Whiteboard;Raum verlassen;Stift und Papier;Aufzeichnung',
      'Lineare Algebra;13.04.2027;9.00 Uhr;120;nein;x;Ja;ja;nein',
    ];
    const restrictions = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
    const times = { start_time: '2027-04-13T07:00:00Z', end_time: '2027-04-13T09:00:00Z' };
    expect(await changes(lines)).toEqual([{ name: 'Lineare Algebra', ...times, ...restrictions, save_recording: false }]);
  });

  test('with French headings, dates in one order by --dates, times with their offset, blank lines, and an order of columns of its own', async () => {
    const times = { start_time: '2027-02-08T08:00:00Z', end_time: '2027-02-08T09:30:00Z' };
    expect(await changes(['épreuve,jour,heure de début,heure de fin', 'Algèbre,2027-02-08,9h,10h30'])).toEqual([
      { name: 'Algèbre', ...times },
    ]);
    expect(await changes([header, 'A,08/02/2027,09:00,10:30'], '--dates dmy')).toEqual([{ name: 'A', ...times }]);
    expect(await changes(['end,start,name', '2027-02-08T10:30+01:00,2027-02-08T08:00Z,A', ',,', ''])).toEqual([{ name: 'A', ...times }]);
  });

  test('and its rosters have their dates in the same order', async () => {
    const { timetable, file, apply, students } = office();
    timetable(`${header},roster`, 'Algebra,08/02/2027,10:00,12:00,a.csv');
    file('a.csv', 'email,close_time\nada@example.org,08/02/2027 12:30\n');
    expect([(await apply('--dates dmy')).code, students(100)]).toEqual([0, ['ada none 02-08T11:30']]);
  });

  test('is read as its columns are declared, and says in its report and its question which lines are left out, and why', async () => {
    const { timetable, apply } = office();
    timetable(
      'Modul,date,start,end,Prüfer',
      'Algebra,2027-02-08,09:00,11:00,Ada',
      ...['B', 'C'].map((name) => `${name},2027-02-09,9:00,10:00,Bob`),
    );
    const { rows, stderr, questions } = await apply('--map name=Modul --only Prüfer=Ada', { tty: true, answers: [true] });
    expect(rows).toEqual([]);
    expect(stderr).toContain('1 of 3 lines, 2 left out (Prüfer');
    expect(questions).toEqual([
      expect.stringMatching(/^Apply period\.csv, 1 of 3 lines, 2 left out \(Prüfer "Bob" 2\): create 1 exam at http/),
    ]);
    const none = await apply('--map name=Modul --except Prüfer=Ada,Bob --check');
    expect([none.code, none.error?.code]).toEqual([6, 'nothing_selected']);
  });

  test('takes times of day and lengths as people write them', async () => {
    const clocks = ['14:30', '14.30 Uhr', '14h30', '2:30 PM', '2:30 p.m.', '14:30:00', '14:30:00 h'];
    const read = await changes([header, ...clocks.map((clock, at) => `E${at},2027-02-08,${clock},16:00`)]);
    expect(read.map(({ start_time }) => start_time)).toEqual(clocks.map(() => '2027-02-08T13:30:00Z'));
    const lengths = [
      '1h30',
      '1h30m',
      '90',
      '90 min',
      '90 Minuten',
      '1:30',
      '01:30:00',
      '1:30:00 h',
      '1 Std. 30 Min.',
      '1 heure 30 minutes',
    ];
    const long = await changes(['name,date,start,duration', ...lengths.map((length, at) => `E${at},2027-02-08,9:00:00,${length}`)]);
    expect(long.map(({ end_time }) => end_time)).toEqual(lengths.map(() => '2027-02-08T09:30:00Z'));
  });

  test('comes as JSON, and on stdin, too', async () => {
    const stdin = JSON.stringify([{ name: 'Algebra', start: '2027-02-08T09:00Z', duration: 90, recording: false }]);
    const { rows } = await office().run('exams apply - --check', { stdin });
    expect(rows[0]?.changes.map(({ to }) => to)).toEqual(['2027-02-08T09:00:00Z', '2027-02-08T10:30:00Z', false]);
  });

  test('with local times and no zone asks a terminal for it before anything else, and is refused in a script', async () => {
    const { timetable, apply, service, exams, file, run } = office();
    timetable(`${header},Room`, `${algebra},1`, 'B,2027-02-09,09:00,11:00,2');
    const env = { PROCTOR_TIMEZONE: '' };
    const script = await apply('', { env });
    expect(script.error?.message).toMatch(/^No time zone is set, and period\.csv has times without one/);
    expect(script.code).toBe(3);
    expect([service.arrived, script.error?.hint]).toEqual([[], expect.stringContaining('--timezone Europe/Vienna')]);
    const path = file('utc.csv', 'name,start,end\nSets,2027-02-08T10:00Z,2027-02-08T11:00Z\nLogic,2027-02-08T10:00Z,\n');
    expect((await run(`exams apply ${path} --check`, { env })).error?.message, 'with offsets').toContain('a new exam needs an end');
    const answers = ['Nowhere', 'Europe/Vienna', 'room', ['all'], 'go', true];
    const { code, questions, refusals, stderr } = await apply('', { tty: true, env, answers });
    expect([code, refusals.length, questions[0]], stderr).toEqual([0, 1, expect.stringContaining('Which zone is meant?')]);
    expect(exams()).toContain('Algebra 02-08T08:00 02-08T10:00');
  });
});
