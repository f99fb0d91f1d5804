/** A completion script for each shell, which asks the program, and how it is installed. */
import { defineCommand } from '../command.ts';
import { shellScript } from './shell-scripts.ts';

/** `line`: what stands in `start`, the file that new shells read. */
export const shells = {
  bash: { file: 'proctor-cli.bash', line: 'source <(proctor-cli completion bash)', start: '~/.bashrc' },
  zsh: { file: '_proctor-cli', line: 'source <(proctor-cli completion zsh)', start: '~/.zshrc' },
  fish: { file: 'proctor-cli.fish', line: 'proctor-cli completion fish | source', start: '~/.config/fish/config.fish' },
  powershell: { file: 'proctor-cli.ps1', line: 'proctor-cli completion powershell | Out-String | iex', start: '$PROFILE' },
};

export type ShellName = keyof typeof shells;

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  details:
    'Completes commands, options, values and files, and the IDs of exams and sessions. It reads the IDs from the service with the current profile, and leaves them out if the service does not answer within a second. It runs no token command, and keeps nothing. The script needs no update when the program changes.',
  effect: 'local',
  args: { shell: { description: 'the shell', choices: Object.keys(shells) } },
  columns: [{ key: 'script' }],
  async run(_context, { shell }) {
    const script = shellScript(shells[shell as ShellName].file);
    return { kind: 'one', row: { shell, script }, columns: [{ key: 'script' }], only: 'script', id: 'shell' };
  },
  examples: Object.fromEntries(Object.entries(shells).map(([name, { line, start }]) => [line, `in ${start}, for new ${name} sessions`])),
});
