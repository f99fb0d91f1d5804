/** Help that fits one screen: commander's layout, our headings, examples that tests run. */
import type { Command as Commander } from 'commander';
import type { Command } from '../command.ts';

export const rootEpilogue = `
Begin here:
  $ proctor-cli auth login                            store the address and the token of your service
  $ proctor-cli --profile sandbox exams list          try everything on the service that comes in the box
  $ proctor-cli exams --help                          the verbs of a noun; then: proctor-cli exams create --help

Exit status: 0 done, 2 usage, 3 invalid input, 4 login, 5 unsupported, 6 not found, 7 rejected,
8 unavailable, 9 partly done, 10 outcome unknown, 130 and 143 stopped.`;

export function configureHelp(root: Commander) {
  root.configureHelp({
    showGlobalOptions: true,
    subcommandTerm: (command) => command.name(),
    styleTitle: (title) => ({ 'Global Options:': 'Global options:' })[title] ?? title,
  });
}

export function helpEpilogue(command: Command): string {
  const lines = command.examples.map(({ line, does }) => `  $ ${line}\n      ${does}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}
