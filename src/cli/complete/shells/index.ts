/**
 * The shells in which words can be completed: a script for each, which asks the program and knows none of its
 * commands, so it never needs an update.
 */
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { powershell } from './powershell.ts';
import { zsh } from './zsh.ts';

type Shell = {
  script: string;
  /** The name of the file in the folder that the shell searches. */
  file: string;
  /** The line that installs it; new shells then have it. */
  install: string;
};

export const shells = {
  bash: { script: bash, file: 'proctor-cli.bash', install: 'proctor-cli completion bash >> ~/.bashrc' },
  zsh: { script: zsh, file: '_proctor-cli', install: 'proctor-cli completion zsh >> ~/.zshrc' },
  fish: { script: fish, file: 'proctor-cli.fish', install: 'proctor-cli completion fish >> ~/.config/fish/config.fish' },
  powershell: { script: powershell, file: 'proctor-cli.ps1', install: 'proctor-cli completion powershell | Add-Content $PROFILE' },
} as const satisfies Record<string, Shell>;
export type ShellName = keyof typeof shells;
