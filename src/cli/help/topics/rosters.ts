/** `help rosters`: which files `sessions import` reads, and what happens to each row. */

import { rosterFormats } from '../../../roster/formats/index.ts';
import { rowFields } from '../../../roster/map/constants.ts';
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
        'In a workbook, a merged cell has its text in each row and column that it covers, and hidden columns are read as the others are. Hidden rows, as a filter leaves them, stop the import until it is said what becomes of them: --hidden-rows include or --hidden-rows skip. Of several sheets, the only one with e-mail addresses is read and named; otherwise --sheet selects it. A hidden sheet is read only where --sheet names it. A formula without a stored value stops the import.',
        'The header may stand below a title. Rows that may divide the students stop the import: a single text that is not an address, a second header, and another number of columns after a blank row.',
        `Recognised by their headers: ${rosterFormats.map(({ name }) => name).join(', ')}.`,
      ],
    },
    {
      title: 'Columns',
      text: [
        `${rowFields.join(', ')} always work, as do the usual headings of e-mail and name in many languages, letter by letter. Others need --map: --map email="E-Mail (Uni)"; given twice, the second fills the gaps of the first. A column with addresses under another heading is named, and used once you confirm it or with --map. --map nr=Seat sends another field of the API from a column, as text; nr:=Seat converts it as -F does. -F key=value gives every row the same value.`,
        'A date such as 03/04/2026 is ambiguous: --dates dmy or --dates mdy decides.',
      ],
    },
    {
      title: 'Rows',
      text: [
        "Every column is read, declared, part of a known export, or unable to decide: it is empty, or a serial number (filled, different in each of ten lines or more, and no value with both letters and blanks). Any other column is shown with its values, and nothing is imported until it is declared: --only 'Status=Registered,Active' imports lines with these values (a value with a comma in double quotes), --except 'Status=Withdrawn' all other lines, --ignore-column Group says that it does not decide. Of several columns, all have to let a line through. If --only and --except name a column, a value under neither stops the import. On a terminal the command asks instead. No word in the file is interpreted.",
        'A known export says itself which values of which columns are students; another value stops the import, and so does a column that was added. Groups, sections and other columns that teachers fill are in no record.',
        '--save-layout NAME keeps all of this in the profile, --layout NAME reads the next file alike: a missing column, a new one, or a value that was never seen stops it. preflight --roster and accommodations take the same options; a list beside --accommodations takes its layout with --list-layout NAME. See layouts list.',
        'A row with more or fewer cells than the header is invalid; the other rows are not affected. Empty cells at the end of a row do not count.',
        'Every row is checked before the first request. While one row is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the rows that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. A row that had too few cells ends in a cell that says so: put its cells under their headers, and delete that one. --dry-run prints the plan and sends nothing. A warning before the confirmation names windows that are over, or not inside their exam.',
        'Existing students stay as they are, unless --update is given. Students missing from the file are counted, and deleted only with --remove-missing: at most a tenth of the exam (--max-removals N), only while they are registered or mail_sent (--remove-started), each read again right before its DELETE. More than that is refused before anything is sent. To confirm, type the number of deletions; --dry-run lists each of them.',
        'To resume an import that was stopped or killed, run the same command again: a journal in the state folder records what was sent. No student is sent twice without proof that the first try failed.',
      ],
    },
  ],
};
