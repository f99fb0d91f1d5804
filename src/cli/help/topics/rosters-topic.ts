/** `help rosters`: which files `sessions import` reads, and what happens to each line. */

import { rosterFormats } from '../../../roster/formats/index.ts';
import { rowFields } from '../../../roster/map/constants.ts';
import type { HelpPage } from '../help-page.ts';

export const rosters: HelpPage = {
  subject: 'help rosters',
  summary: 'The files that sessions import reads',
  sections: [
    {
      title: 'Examples',
      examples: [
        {
          line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid',
          description: 'the plan, and every invalid line',
        },
        { line: 'proctor-cli runs list', description: 'what was done from this machine' },
        { line: 'proctor-cli sessions export --exam 3 -o csv', description: 'a roster that can be imported again' },
      ],
    },
    {
      title: 'Files',
      text: [
        'CSV with commas, semicolons or tabs, JSON, NDJSON, Excel workbooks (.xlsx), plain lists of addresses, and zip archives that contain a text table. The encoding of a text file that is not UTF-8 is never guessed: set it with --encoding windows-1252, for example.',
        'In a workbook, a merged cell has its text in each row and column that it covers, and hidden columns are read as the others are. Hidden rows stop the import, unless --hidden-rows include uses them or --hidden-rows skip leaves them out. If only one sheet has e-mail addresses, that sheet is read, and a note names it; otherwise choose with --sheet. A hidden sheet is read only with --sheet. A formula without a stored value stops the import.',
        'The header may stand below a title. A line that may divide the students stops the import: a single text that is not an address; a second header; and below a blank line, a line with another number of cells or without an address.',
        `Recognised by their headers: ${rosterFormats.map(({ name }) => name).join(', ')}.`,
      ],
    },
    {
      title: 'Columns',
      text: [
        `${rowFields.join(', ')} always work, as do the usual headings of e-mail and name in many languages, letter by letter. Others need --map: --map email="E-Mail (Uni)". With two columns for email, the second fills the gaps of the first. A column with addresses under another heading is used only with --map, or once you confirm it. --map nr=Seat sends another field of the API from a column, as text; nr:=Seat converts it as -F does. -F key=value gives every line the same value. --map exam=HEADER sends each line into the exam that it names: by an ID, or the whole name of one exam of the selection (--from, --until, --name).`,
        'A date such as 03/04/2026 is ambiguous: --dates dmy or --dates mdy decides, and reads 03.04.26 too.',
      ],
    },
    {
      title: 'Lines',
      text: [
        "Every column is read, declared, part of a known export, or unable to decide: empty, or a serial number (filled and different in each of ten lines or more, without a value that has both letters and blanks). Any other column may decide which lines are used: it is shown with its values, and nothing is imported until you declare it. --only 'Status=Registered,Active' uses only lines with these values (a value with a comma in double quotes), --except 'Status=Withdrawn' leaves such lines out, --ignore-column Group uses all lines. If several columns are declared, each must let a line through. If both --only and --except are given for a column, a value in neither stops the import. On a terminal the command asks instead. No word in the file is interpreted.",
        'For a known export, the program knows which values mean a student. An unknown value or an added column stops the import. Groups, sections and other columns that teachers fill always have to be declared.',
        '--save-layout NAME keeps all of this in the profile, and --layout NAME reads the next file by it: a missing column, a new column or a new value stops the import. preflight --roster and accommodations take the same options; --list-layout NAME is the layout for the list of --accommodations. See layouts list.',
        'A line with more or fewer cells than the header is invalid; the others are not affected. Empty cells at the end of a line do not count.',
        'Every line is checked before the first request. While one line is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the lines that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. A line that had too few cells ends in a cell that says so: put its cells under their headers, and delete that cell. --dry-run prints the plan and sends nothing. A warning before the confirmation names windows that are over, or not inside their exam.',
        'Existing students stay as they are, unless --update is given. Students missing from the file are counted, and deleted only with --remove-missing: at most a tenth of each exam (--max-removals N), only while they are registered or mail_sent (--remove-started), each read again right before it is deleted. A larger number is refused before anything is sent. To confirm, type the number of deletions; --dry-run lists each of them.',
        'To resume an import that was stopped or killed, run the same command again; the file may have been corrected since. Requests that may have been carried out are looked up, and none is repeated blindly. runs show prints each line, and runs undo takes the import back.',
      ],
    },
  ],
};
