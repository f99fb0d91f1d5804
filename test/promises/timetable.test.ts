/** What the product promises of timetables, sentence by sentence: the lines of a table, the options, the exit status, and what is said. */
import { expect, test } from 'vitest';
import { at, header, office } from '../features/timetable/office.ts';

const exams = () => [at(6, 'Algebra'), at(7, 'Logic', '03-01T09:00', '11:00')];
const ninth = '2027-02-09,10:00,12:00';
const algebra = 'Algebra,2027-02-08,10:00,12:00';

type Row = [promise: string, lines: readonly string[], options: string, status: number, says: string];

const rows: Row[] = [
  ['of the same name and start, a line is that exam', [header, algebra], '', 0, 'line 2: unchanged'],
  ['a line that is no exam creates one', [header, `Chemistry,${ninth}`], '', 0, 'line 2: create Chemistry'],
  ['--check writes nothing, and is 11 where something differs', [header, `Chemistry,${ninth}`], '--check', 11, 'create Chemistry'],
  ['… and with 0 where nothing does', [header, algebra], '--check', 0, 'line 2: unchanged'],
  ['German headers are known', ['Prüfung;Datum;Beginn;Dauer', 'Algebra;8.2.2027;10:00;120 min'], '', 0, 'line 2: unchanged'],
  ['French headers are known', ['examen;date;début;fin', 'Algebra;2027-02-08;10:00;12:00'], '', 0, 'line 2: unchanged'],
  ['with dots the day is first', [header, 'Algebra,8.2.2027,10:00,12:00'], '', 0, 'line 2: unchanged'],
  ['03/04/2027 needs --dates', [header, 'Algebra,03/04/2027,10:00,12:00'], '', 3, '--dates'],
  ['JSON is a table, too', ['[{"name":"Algebra","start":"2027-02-08T09:00Z","end":"2027-02-08T11:00Z"}]'], '', 0, 'line 1: unchanged'],
  [
    'the column id moves an exam',
    [`id,${header}`, `6,Algebra,${ninth}`],
    '',
    0,
    'update     exam 6, Algebra: start_time 2027-02-08 10:00 +01:00',
  ],
  ['"new" in it creates one', [`id,${header}`, `new,Algebra,${ninth}`], '', 0, 'line 2  create     Algebra'],
  ['the same name and another start is held back', [header, `Algebra,${ninth}`], '', 11, 'write 6 into the column id'],
  [
    'an id that is gone holds back its line',
    [`id,${header}`, `99,X,${ninth}`, `new,Sets,${ninth}`],
    '',
    9,
    'exam 99 is gone: clear the id',
  ],
  ['two lines for one exam are refused by name', [`id,${header}`, `6,${algebra}`, `6,X,${ninth}`], '', 3, 'exam 6 is that of line 2'],
  ['an empty cell keeps', [header, 'Algebra,2027-02-08,10:00,'], '', 0, 'line 2: unchanged'],
  ['all four restrictions or none', [`${header},headphones`, `${algebra},yes`], '', 3, 'allow_whiteboard'],
  ['the recording is managed by its column', [`${header},recording`, `${algebra},no`], '', 0, 'save_recording'],
  ['proctors of the column are added, and others removed', [`${header},proctors`, `${algebra},3`], '', 0, 'proctors'],
  ['a proctor whom nobody knows is named', [`${header},proctors`, `${algebra},who@example.org`], '', 3, 'who@example.org'],
  ['"none" empties the pool', [`${header},proctors`, `${algebra},none`], '', 0, 'proctors'],
  ['the students of a roster are added', [`${header},roster`, `${algebra},r.csv`], '', 0, 'students'],
  ['a roster that is not there is a problem of its cell', [`${header},roster`, `${algebra},no.csv`], '', 3, 'line 2, column 5 (roster)'],
  ['a time that does not exist is refused', [header, 'X,2027-03-28,02:30,04:00'], '', 3, 'does not exist in Europe/Vienna'],
  [
    'a column that decides stops the file',
    [`${header},Status`, `${algebra},cancelled`, 'X,2027-02-09,10:00,12:00,held'],
    '',
    3,
    '1 undeclared column',
  ],
  [
    '… and lines left out are counted',
    [`${header},Status`, `${algebra},held`, 'X,2027-02-09,10:00,12:00,cancelled'],
    '--only Status=held',
    0,
    '1 left out (Status "cancelled" 1)',
  ],
];

test.each(rows)('Of timetables: %s.', async (_promise, lines, options, status, says) => {
  const it = office({ exams: exams(), pools: { 6: [4] } });
  it.roster('r.csv', 'ann', 'bob');
  it.timetable(...lines);
  const { code, stdout, stderr, sent } = await it.apply(options);
  const table = JSON.parse(stdout || '[]') as { line: number; action: string; name: string }[];
  const said = [stderr, ...table.map(({ line, action, name }) => `line ${line}: ${action} ${name}`), stdout].join('\n');
  expect([code, said], said).toEqual([status, expect.stringContaining(says)]);
  if (![0, 9].includes(status)) expect(sent).toEqual([]);
  expect(it.service.exams.length).toBeGreaterThanOrEqual(2);
});
