/** `help rosters`: which files `sessions import` reads, and what happens to each row. */
import { rowFields } from '../../../roster/map/constants.ts';
import { shapes } from '../../../roster/map/shapes.ts';
import type { HelpPage } from '../page.ts';

export const rosters: HelpPage = {
  subject: 'help rosters',
  summary: 'The files that sessions import reads',
  sections: [
    {
      title: 'Examples',
      examples: [
        {
          line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid',
          description: 'the plan, and every invalid row',
        },
        { line: 'proctor-cli imports list', description: 'the imports of this machine' },
        { line: 'proctor-cli sessions export --exam 3 -o csv', description: 'a roster that can be imported again' },
      ],
    },
    {
      title: 'Files',
      text: [
        'CSV with commas, semicolons or tabs, JSON, NDJSON, Excel workbooks (.xlsx), plain lists of addresses, and zip archives that contain a text table. The encoding of a text file that is not UTF-8 is never guessed: set it, as in --encoding windows-1252.',
        `Recognised by their headers: ${shapes.map(({ name }) => name).join(', ')}.`,
      ],
    },
    {
      title: 'Columns',
      text: [
        `${rowFields.join(', ')} always work, as do the usual words for e-mail and name in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish. Others need --map: --map email="Mail address"; given twice, the second fills the gaps of the first. A column full of addresses under another heading is found, and used once confirmed or named by --map. --map nr=Seat sends another field of the API from a column, as text; nr:=Seat converts it as -F does. -F key=value gives every row the same value.`,
        'A date such as 03/04/2026 is ambiguous: --dates dmy or --dates mdy decides. In a workbook with several sheets, the one with addresses below a known header is read and named; if there are several, --sheet selects one.',
      ],
    },
    {
      title: 'Rows',
      text: [
        "A column that decides which rows are students (a role, a status, a registration, a mark such as Suspended, groups that contain roles) is shown with its values. Rows of teachers and of students who dropped, are waitlisted or inactive are left out. For an unknown value, and for a column of another name with such words in it, the command asks on a terminal and fails elsewhere: --only 'Status=Registered,Active' names the values to import (a value with a comma in double quotes), --any Status imports all.",
        'A row with more or fewer cells than the header is invalid; the other rows are not affected. Empty cells at the end of a row do not count.',
        'Every row is checked before the first request. While one row is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the rows that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. A row that had too few cells ends in a cell that says so: put its cells under their headers, and delete that one. --dry-run prints the plan and sends nothing. A warning before the confirmation names windows that are over, or not inside their exam.',
        'Existing students stay as they are, unless --update is given. Students missing from the file are counted, and deleted only with --remove-missing: at most a tenth of the exam (--max-removals N), only while they are registered or mail_sent (--remove-started), each read again right before its DELETE. More than that is refused before anything is sent. To confirm, type the number of deletions; --dry-run lists each of them.',
        'To resume an import that was stopped or killed, run the same command again: a journal in the state folder records what was sent. No student is sent twice without proof that the first try failed.',
      ],
    },
  ],
};
