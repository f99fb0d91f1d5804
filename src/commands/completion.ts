/** Completion of words in a shell: the script that asks this program, and how it is installed. */

import { type ShellName, shells } from '../cli/complete/shells/index.ts';
import { defineCommand } from '../command.ts';

const print = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  details:
    'Completes commands, options, values and files, and the IDs of exams and sessions. The IDs are read from the service with the current profile, and cached in the state folder for a minute. They are left out if the service does not answer within a second; a token command is not run for them. The script calls the program, so it needs no update when the program changes.',
  effect: 'local',
  args: { shell: { description: 'the shell', choices: Object.keys(shells) } },
  columns: [{ key: 'script' }],
  async run(_context, { shell }) {
    const { script } = shells[shell as ShellName];
    return { kind: 'one', row: { shell, script }, columns: [{ key: 'script' }], only: 'script', id: 'shell' };
  },
  examples: Object.entries(shells).map(([name, { install }]) => ({ line: install, description: `install it for new ${name} sessions` })),
});

export const completion = [print];
