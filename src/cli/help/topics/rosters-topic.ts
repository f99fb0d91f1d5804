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
        { line: 'proctor-cli runs list', description: 'what was done from here' },
        { line: 'proctor-cli sessions export --exam 3 -o csv', description: 'a roster that can be imported again' },
      ],
    },
    {
      title: 'Files',
      text: [
        'CSV with commas, semicolons or tabs, JSON, NDJSON, Excel workbooks (.xlsx), plain lists of addresses, and zip archives that contain a text table. The encoding of a text file that is not UTF-8 is never guessed: set it with --encoding windows-1252, for example.',
        'In a workbook, the text of a merged cell counts for each row and column that it covers, and hidden columns are read like the others. Hidden rows stop the import, unless --hidden-rows include uses them or --hidden-rows skip leaves them out. If only one sheet has e-mail addresses, that sheet is read, and a note names it; otherwise choose with --sheet. A hidden sheet is read only with --sheet. A formula without a stored value stops the import.',
        'The header may be below a title. A line that may begin another group of students stops the import: a single text that is not an address; a second header; or, after a blank line, a line with a different number of cells or without an address.',
        `These exports are recognised by their headers: ${rosterFormats.map(({ name }) => name).join(', ')}.`,
      ],
    },
    {
      title: 'Columns',
      text: [
        `The headers ${rowFields.join(', ')} always work, as do the usual ones for e-mail and name in many languages, if the whole header matches. Other headers need --map: --map email="E-Mail (Uni)". With two columns for email, the second fills the gaps of the first. A column with addresses under another header is used only with --map, or once you confirm it. --map nr=Seat sends another field of the API from a column, as text; nr:=Seat converts it as -F does. -F key=value gives every line the same value. --map exam=HEADER sends each line into the exam that it names: by an ID, or the whole name of one exam of the selection (--from, --until, --name).`,
        'A date such as 03/04/2026 is ambiguous: --dates dmy or --dates mdy decides, and reads 03.04.26 too.',
      ],
    },
    {
      title: 'Lines',
      text: [
        "A column may say which lines count: a status, a role, a group. So nothing is imported until each column is accounted for: the import reads it, it belongs to a known export, it is empty, it holds serial numbers (at least ten lines, each with a different value, and no value with both letters and blanks), or you declare it. Columns to declare are shown with their values. --only 'Status=Registered,Active' uses only lines with these values (a value with a comma in double quotes), --except 'Status=Withdrawn' leaves such lines out, --ignore-column Group uses all lines. If several columns are declared, a line is used only if each of them allows it. If both --only and --except are given for a column, a value that neither names stops the import. On a terminal the command asks instead of stopping.",
        'The program never guesses what a value means. Only for a known export does it know which values mean a student; there, an unknown value or an added column stops the import. Groups, sections and other columns that teachers fill must always be declared.',
        '--save-layout NAME saves all of this in the profile, and --layout NAME reads the next file by it: a missing column, a new column or a new value stops the import. accommodations takes the same options; --list-layout NAME is the layout for the list of --accommodations. To list the saved layouts: proctor-cli layouts list',
        'A line with more or fewer cells than the header is invalid; the others are not affected. Empty cells at the end of a line do not count.',
        'Every line is checked before the first request. If one line is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the lines that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. A line that had too few cells ends in a cell that says so: put its cells under their headers, and delete that cell. --dry-run prints the plan and sends nothing. A warning before the confirmation names windows that are over, or not inside their exam.',
        'Existing students stay as they are, unless --update is given. Students missing from the file are counted, and deleted only with --remove-missing: at most a tenth of each exam (or --max-removals N), and only while they are registered or mail_sent (unless --remove-started is given). Each is read again right before it is deleted. If more would be deleted, the import is refused before anything is sent. To confirm, type the number of deletions; --dry-run lists each of them.',
        'To resume an import that was stopped or killed, run the same command again; the file may have been corrected since. Requests that may have been carried out are looked up, and none is repeated blindly. runs show prints each line, and runs undo takes the import back.',
      ],
    },
  ],
};
