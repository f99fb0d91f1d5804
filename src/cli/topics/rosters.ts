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
        `${rowFields.join(', ')} always work, as do the usual words for e-mail and name in English, German and French. Others are named: --map email="Mail address". -F key=value gives every row the same value.`,
      ],
    },
    {
      title: 'Rows',
      text: [
        'Every row is checked before the first request. While one row is invalid, nothing is sent, unless --skip-invalid is given. --rejects FILE collects the rows that failed, each with its columns, its line and the reason; once corrected, that file can be imported as it is. --dry-run prints the plan and sends nothing.',
        'Existing students stay as they are, unless --update is given. Students who are missing in the file are counted, and deleted only with --remove-missing and a confirmation of its own.',
        'To resume an import that was stopped or killed, run the same command again: a journal in the state folder records what was sent. No student is sent twice without proof that the first try failed.',
      ],
    },
  ],
};
