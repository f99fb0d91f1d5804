/** Completion in shells: a script for each, which asks the program and knows none of its commands, and how it is installed. */
import { defineCommand } from '../command.ts';
import { shellScript } from './shell-scripts.ts';

/** `file`: in the folder completions; `install`: the line after which new shells have it. */
export const shells = {
  bash: { file: 'proctor-cli.bash', install: 'proctor-cli completion bash >> ~/.bashrc' },
  zsh: { file: '_proctor-cli', install: 'proctor-cli completion zsh >> ~/.zshrc' },
  fish: { file: 'proctor-cli.fish', install: 'proctor-cli completion fish >> ~/.config/fish/config.fish' },
  powershell: { file: 'proctor-cli.ps1', install: 'proctor-cli completion powershell | Add-Content $PROFILE' },
};
export type ShellName = keyof typeof shells;

const print = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  details:
    'Completes commands, options, values and files, and the IDs of exams and sessions. The IDs are read from the service with the current profile, and left out if it does not answer within a second; a token command is not run for them, and nothing is kept. The script calls the program, so it needs no update when the program changes.',
  effect: 'local',
  args: { shell: { description: 'the shell', choices: Object.keys(shells) } },
  columns: [{ key: 'script' }],
  async run(_context, { shell }) {
    const script = shellScript(shells[shell as ShellName].file);
    return { kind: 'one', row: { shell, script }, columns: [{ key: 'script' }], only: 'script', id: 'shell' };
  },
  examples: Object.entries(shells).map(([name, { install }]) => ({ line: install, description: `install it for new ${name} sessions` })),
});

export const completion = [print];
