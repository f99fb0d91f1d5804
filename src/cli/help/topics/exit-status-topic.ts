/** `help exit-status`: what the status and the code of an error tell a script. */
import { CliError, type ErrorCode, errorTable } from '../../../errors.ts';
import { exitStatuses } from '../../../exit-status.ts';
import type { HelpPage, Term } from '../help-page.ts';

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
