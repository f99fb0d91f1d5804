/** `help exit-status`: what the status and the code of an error tell a script. */
import { CliError, type ErrorCode, errorTable } from '../../../errors.ts';
import type { HelpPage, Term } from '../help-page.ts';

/** The meaning of each exit status, for the help topic and the docs. */
export const exitStatuses: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'internal fault: a bug in proctor-cli, or its own files were replaced while it ran',
  2: 'usage error: the command line, or a question without an interactive terminal',
  3: 'invalid input: a value, a file, the configuration, or an output that cannot be written',
  4: 'no token, or the service refused it (401, 403)',
  5: 'unsupported operation, refused before any request',
  6: 'not found (404)',
  7: 'the service rejected the request (any other 4xx), or did not carry out what it accepted',
  8: 'service, network or record of runs unavailable (5xx, 429 after retries, timeout, DNS, TLS, an answer from something else, such as a login page; the database of a team is away, or another process is at the same)',
  9: 'partly done: some items failed; each of them is reported',
  10: 'outcome unknown: a write may or may not have been carried out; the message says how to check',
  11: 'checked, and found differences: the output names them; nothing was changed',
  12: 'refused: the exam is running, and the request would take something from its students',
  130: 'stopped by Ctrl-C, or cancelled at a question',
  143: 'stopped by SIGTERM or SIGHUP',
};

export const exitStatus: HelpPage = {
  summary: 'Exit statuses and error codes',
  about: [
    'Anything but complete success has a status other than 0. With -o json or ndjson an error is one line on stderr, {"error":{"code","message","hint","status","exit"}}; its code is more specific than the status.',
  ],
  sections: [
    { title: 'Status', terms: Object.entries(exitStatuses) },
    { title: 'Codes in JSON', terms: codesByStatus() },
    {
      title: 'In a script',
      text: [
        'Treat 10 as its own case: the request may have been carried out. The hint says how to check; check before you repeat it. An error after a write that the service did not refuse, such as a full disk for the output or the record of the run, ends with 9 or 10 as well. Status 8 means that nothing was created: the same command can be run again. With 9 the output has a row for each item; after a create, it is the resource with its ID. Status 11 means that nothing was sent: a check found differences, the resource exists already, or it has changed since it was read. A check that could not run ends with another status.',
      ],
    },
  ],
};

/** The codes that have each status, for the statuses that have any. */
function codesByStatus(): Term[] {
  const codes = new Map<number, string[]>();
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { exit } = new CliError(code, '');
    codes.set(exit, [...(codes.get(exit) ?? []), code]);
  }
  return [...codes].map(([status, names]) => [String(status), names.join(', ')]);
}
