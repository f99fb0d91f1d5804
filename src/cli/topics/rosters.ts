/** `help rosters`: which files `sessions import` reads, and what happens to each row. */
import { rowFields } from '../../bulk/map/constants.ts';
import { shapes } from '../../bulk/map/shapes.ts';
import type { Page } from '../page.ts';

export const rosters: Page = {
  subject: 'help rosters',
  summary: 'The files that sessions import reads',
  sections: [
    {
      title: 'Examples',
      examples: [
        {
          line: 'proctor-cli sessions import test/demo/roster.csv --exam 6 --dry-run --skip-invalid',
          does: 'the plan, and every invalid row',
        },
        { line: 'proctor-cli imports list', does: 'the imports of this machine' },
        { line: 'proctor-cli sessions export --exam 3 -o csv', does: 'a roster that can be imported again' },
      ],
    },
    {
      title: 'Files',
      text: [
        'CSV with commas, semicolons or tabs, JSON, NDJSON, Excel workbooks (.xlsx), plain lists of addresses, and zip archives with a table as text in them. A text that is not UTF-8 is never guessed: --encoding windows-1252 says what it is.',
        `Recognised by their headers: ${shapes.map(({ name }) => name).join(', ')}.`,
      ],
    },
    {
      title: 'Columns',
      text: [
        `${rowFields.join(', ')} always work, as do the usual words for e-mail and name in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish. Others are named: --map email="Mail address"; given twice, the second fills the gaps of the first. A column full of addresses under another heading is found and used after a yes, or by --map. --map nr=Seat sends a further field of the API from a column, as text; nr:=Seat as -F would type it. -F key=value gives every row the same value.`,
        'A date such as 03/04/2026 is ambiguous: --dates dmy or --dates mdy decides. Of a workbook with several sheets the first with a known header is read and named; --sheet chooses.',
      ],
    },
    {
      title: 'Rows',
      text: [
        "A column that decides about people (a role, a status, a registration, groups with roles in them) is shown with its values. Rows of teachers and of students who dropped, are waitlisted or inactive are left out. A value that is not known is asked for on a terminal and refused elsewhere: --only 'Status=Registered,Active' names those who are imported, --any Status imports all.",
        'A row with more or fewer cells than the header is invalid, and the others are not; empty cells at its end do not count.',
        'Every row is checked before the first request. While one row is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the rows that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. --dry-run prints the plan and sends nothing. A window that is over, or not inside its exam, is warned of before the question.',
        'Existing students stay as they are, unless --update is given. Students who are missing in the file are counted, and deleted only with --remove-missing: a tenth of the exam at the most (--max-removals N), only while they are registered or mail_sent (--remove-started), each read again right before its DELETE. More than that is refused before anything is sent. The confirmation wants the number typed; --dry-run lists each deletion.',
        'To resume an import that was stopped or killed, run the same command again: a journal in the state folder records what was sent. No student is sent twice without proof that the first try failed.',
      ],
    },
  ],
};
