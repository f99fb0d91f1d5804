/** What the product promises of rosters, sentence by sentence: a file, the options, the exit status, and the first line that is said of it. */
import { expect, test } from 'vitest';
import { exam } from '../features/students/importing.ts';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const latin = (text: string) => Buffer.from(text, 'latin1');
const twelve = Array.from({ length: 12 }, (_, at) => `s${at}@x.org,${7000 + at}`);
const two = 'email,Status\nann@x.org,enrolled\nbob@x.org,withdrawn\n';
const moodle = 'First name,Last name,Email address,Roles\nAnn,Lee,ann@x.org,';

type Row = [promise: string, roster: string | Buffer, options: string, status: number, says: string];

const reading: Row[] = [
  ['CSV with commas is read', 'email,name\nann@x.org,Ann\n', '', 0, 'CSV with commas. 1 line.'],
  ['semicolons are found by known headers', 'E-Mail;Vorname;Nachname\nann@x.org;Ann;Lee, Dr\n', '', 0, 'CSV with semicolons. 1 line.'],
  ['tabs are a delimiter', 'email\tname\nann@x.org\tAnn\n', '', 0, 'CSV with tabs. 1 line.'],
  ['sep= is honoured', 'sep=|\nemail|name\nann@x.org|Ann\n', '', 0, 'CSV with bars. 1 line.'],
  ['a JSON array is read', '[{"email":"ann@x.org"}]', '', 0, 'JSON. 1 item.'],
  ['NDJSON is read', '{"email":"ann@x.org"}\n{"email":"bob@x.org"}\n', '', 0, 'NDJSON. 2 lines.'],
  ['UTF-16 is read by its mark', utf16('email;name\nann@x.org;Änn\n'), '', 0, 'CSV with semicolons, utf-16le. 1 line.'],
  ['another encoding is named, and never guessed', latin('email;name\nann@x.org;Müller\n'), '', 3, 'invalid UTF-8'],
  ['… and read once it is declared', latin('email;name\nann@x.org;Müller\n'), '--encoding windows-1252', 0, 'windows-1252. 1 line.'],
  ['a quote that is not closed stops the file, with its line', 'email,name\nann@x.org,"Ann\n', '', 3, 'roster.csv, line 2'],
  ['a NUL stops the file', 'email\nann@x.org\0\n', '', 3, 'roster.csv, line 2'],
  ['a page of HTML is refused for what it is', '<!doctype html><table></table>', '', 3, 'roster.csv is a web page'],
  ['a PDF is refused for what it is', '%PDF-1.7\n', '', 3, 'roster.csv is a PDF'],
  ['an old workbook is refused for what it is', Buffer.from('d0cf11e0a1b11ae1', 'hex'), '', 3, 'roster.csv is an old Office document'],
  ['the header is above an address', 'May\nWho,Mail\nAnn,ann@x.org\n', '--map email=Mail --map name=Who', 0, 'CSV with commas. 1 line.'],
  ['a line without an identity stops the file', 'email,name\nann@x.org,Ann\nTotal,1\n', '--skip-invalid', 3, 'roster.csv, line 3'],
  ['… and --rows says where the roster ends', 'email,name\nann@x.org,Ann\nTotal,1\n', '--rows 2-2', 0, 'CSV with commas. 1 line.'],
  ['a text without @ is no address', 'email\nann at example.org\n', '', 3, 'roster.csv'],
  ['a number is no identity until a setting says so', 'Matrikelnummer,name\n7001,Ann\n', '', 3, 'no column with an address.'],
];

const mapping: Row[] = [
  ['a column that decides stops the file', two, '', 3, 'roster.csv, 2 lines: 1 undeclared column may decide'],
  ['--only uses the lines with these values', two, '--only Status=enrolled', 0, '1 of 2 lines, 1 left out (Status "withdrawn" 1).'],
  ['--except leaves lines out', two, '--except Status=withdrawn', 0, '1 of 2 lines, 1 left out (Status "withdrawn" 1).'],
  ['… and a value that the column does not have is named', two, '--except Status=withdrwan', 0, 'does not contain "withdrwan"'],
  ['a file of which no line is used imports nobody', two, '--only Status=enroled', 6, 'No line of roster.csv is used: 0 of 2 lines'],
  ['--ignore-column uses all lines', two, '--ignore-column Status', 0, 'CSV with commas. 2 lines.'],
  [
    'a value that neither names stops',
    `${two}cy@x.org,guest\n`,
    '--only Status=enrolled --except Status=withdrawn',
    3,
    '"guest" 1 (line 4)',
  ],
  ['a serial number of ten or more lines decides nothing', `email,Seat\n${twelve.join('\n')}\n`, '', 0, 'CSV with commas. 12 lines.'],
  ['a serial number of fewer lines may decide', `email,Seat\n${twelve.slice(0, 9).join('\n')}\n`, '', 3, '9 lines: 1 undeclared column'],
  ['a column that is empty decides nothing', 'email,Remark\nann@x.org,\n', '', 0, 'CSV with commas. 1 line.'],
  ['--map names the column of a field', 'Post;Wer\nann@x.org;Ann\n', '--map email=Post --map name=Wer', 0, 'CSV with semicolons. 1 line.'],
  ['a header that is not there is refused', 'email,name\nann@x.org,Ann\n', '--map name=nme', 3, 'roster.csv has no column "nme"'],
  ['a known export is read at once', `${moodle}Student\n`, '', 0, 'a Moodle participants export, CSV with commas. 1 line.'],
  ['… and stops at a value that its record does not list', `${moodle}Auditor\n`, '', 3, 'unknown in'],
  ['-F adds a constant', 'email\nann@x.org\n', '-F name=Ann', 0, 'CSV with commas. 1 line.'],
];

const checking: Row[] = [
  ['an invalid line is named with line, column and value', 'email,close_time\nann@x.org,noon\n', '', 3, 'line 2, column 2 (close_time)'],
  [
    '… and --skip-invalid imports the others',
    'email,close_time\nann@x.org,noon\nbob@x.org,\n',
    '--skip-invalid',
    9,
    'line 2, column 2 (close_time)',
  ],
  ['03/04/2026 needs --dates', 'email,close_time\nann@x.org,03/04/2127 10:00\n', '--timezone UTC', 3, '--dates'],
  ['with dots the day is first', 'email,close_time\nann@x.org,1.2.2127 10:00\n', '--timezone UTC', 0, 'CSV with commas. 1 line.'],
  ['who is missing from the file stays, and is named', 'email\nann@x.org\n', '', 0, 'Not in the file: Zoe'],
  [
    '… and more than --remove-missing allows are refused',
    'email\nann@x.org\n',
    '--remove-missing 0',
    3,
    '1 student of exam 6 is not in the file (left-out lines do not count), and --remove-missing allows 0.',
  ],
  ['… and as many as it allows are deleted', 'email\nann@x.org\n', '--remove-missing 1', 0, 'Will delete: Zoe'],
  ['… but none while a line is invalid', 'email,close_time\nann@x.org,noon\n', '--remove-missing 1 --skip-invalid', 11, 'line 2'],
  ['--check of a roster with a difference is 11', 'email\nann@x.org\n', '--check', 11, 'CSV with commas. 1 line.'],
];

test.each([...reading, ...mapping, ...checking])('Of rosters: %s.', async (_promise, roster, options, status, says) => {
  const { service, imports } = exam();
  service.add({ email: 'zoe@example.org', name: 'Zoe' });
  const { code, stderr } = await imports(roster, `${options} -o table`);
  expect([code, stderr], stderr).toEqual([status, expect.stringContaining(says)]);
  if (![0, 9].includes(status)) expect(service.writes()).toEqual([]);
});
