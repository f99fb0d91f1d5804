/** `help exit-status`: what the status and the code of an error tell a script. */
import { CliError, type ErrorCode, errorTable } from '../../errors.ts';
import { exitStatuses } from '../../exit-status.ts';
import type { Page, Term } from '../page.ts';

export const exitStatus: Page = {
  subject: 'help exit-status',
  summary: 'What the exit status tells a script',
  about: [
    'Anything but complete success has a status other than 0. With -o json or ndjson an error is one line on stderr, {"error":{"code","message","hint","status","exit"}}, and its code tells more than the status.',
  ],
  sections: [
    { title: 'Status', terms: Object.entries(exitStatuses) },
    { title: 'Codes in JSON', terms: codesByStatus() },
    {
      title: 'In a script',
      text: [
        'Treat 10 as its own case: the request may have happened. The hint of the message says how to look; look before you repeat it. After 8 nothing was created, and the same command can be run again. After 9 the output has a row for each item; after a create, it is the resource with its ID.',
        'A command that handles several items goes on after a failure. A refused token (4), an interruption (130, 143) and three items in a row without a clear answer stop it; the others are "not tried". The status is 10 if the outcome of one item is unknown; that of the common failure if nothing was done and all items failed alike; and 9 in all other cases.',
        'A write is compared with what the service shows. The same instant in another spelling, an address in another case, a number as text and fields of its own are no difference; any other value of a field that was sent is one. A create with a difference ends with 9 and prints the resource, because it exists: do not create it again. An update whose answer does not show what was sent is looked up, and ends with 7 if the resource has another value. A deletion that answers with anything but the resource is looked up, too.',
      ],
    },
  ],
};

/** The codes that have each status, for the statuses that have any. */
export function codesByStatus(): Term[] {
  const codes = new Map<number, string[]>();
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { exit } = new CliError(code, '');
    codes.set(exit, [...(codes.get(exit) ?? []), code]);
  }
  return [...codes].map(([status, names]) => [String(status), names.join(', ')]);
}
