/** `help output`: the formats, their columns, and what goes to which stream. */
import { type Format, formats } from '../../../model/format.ts';
import type { HelpPage } from '../help-page.ts';

const meanings: Record<Format, string> = {
  table: 'for people: fits the terminal; in a pipe, plain and not cut',
  json: "one document: an array for a list, an object for one resource; the service's fields as they are, unknown ones and every digit included",
  ndjson: 'one object per line, printed page by page',
  csv: 'RFC 4180 with CRLF, page by page; an apostrophe is put before each character that would begin a formula in a spreadsheet, also after ; or a line break in a cell',
  yaml: 'the content of json, easier to read',
  markdown: 'a table for a merge request or an issue; exams check prints a page that begins with the summary',
  id: 'only the IDs, one per line, once the list is complete: for a pipe into a command that takes - instead of IDs',
};

export const output: HelpPage = {
  subject: 'help output',
  summary: 'The formats of -o, columns, stdout and stderr',
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli sessions list --exam 3 --columns email,status -o csv', description: 'two fields, for a spreadsheet' },
        { line: 'proctor-cli sessions list --exam 3 --columns help', description: 'the fields that the answer has' },
        {
          line: 'proctor-cli sessions list --exam 6 --status registered -o id | proctor-cli sessions delete - --yes',
          description: 'the IDs of one command as the input of another',
        },
        { line: 'proctor-cli config set output json', description: 'change the default of the profile' },
      ],
    },
    {
      title: 'Formats',
      text: [
        'ndjson and csv are printed page by page, so a list of any length needs little memory; with --sort, the whole list is read first. If a list changes while its pages are read, it is read again; ndjson and csv fail instead, because some rows are already printed.',
      ],
      terms: formats.map((format) => [format, meanings[format]]),
    },
    {
      title: 'Columns',
      text: ['--columns a,b chooses fields and their order, in every format; a field inside another is written with a dot (address.city).'],
    },
    {
      title: 'Order',
      text: [
        '--sort name,-start_time sorts exams list and sessions list by one field after the other, -field in reverse; a heading of the table stands for its field. Numbers are sorted as numbers, times as times, texts without case and accents; rows without a value come last. --limit 10 prints at most ten rows.',
      ],
    },
    {
      title: 'Streams',
      text: [
        'stdout carries data or nothing; messages, questions and progress are on stderr, and --quiet silences all but errors. With json or ndjson an error is one line of JSON on stderr. An empty list is a success; json prints it as [].',
        'After an error stdout is empty, with three exceptions. If several items were requested and some failed, stdout has a row for each, and the error names the failed ones. If a check found differences, stdout lists them. If a list in ndjson or csv fails, the rows before the failure are already printed.',
      ],
    },
  ],
};
