/** The generated page of commands: each command with all that it takes, and no text read as Markdown. */
import { expect, test } from 'vitest';
import { commandReference } from '../../scripts/reference.ts';
import { commandOptions, optionsOfAll, termOf } from '../../src/cli/parse/options.ts';
import { allCommands } from '../cli/all-commands.ts';

const page = await commandReference();

test('has the options of every command once, and each command with its usage, its arguments, its options and an example', () => {
  for (const { flags } of optionsOfAll()) expect(page.split(`\`${flags}\``).length).toBe(2);
  const sections = new Map(page.split(/^##+ /m).map((text) => [text.split('\n')[0], text]));
  for (const command of allCommands) {
    const section = sections.get(command.name) ?? '';
    expect(section).toContain(`\`\`\`sh\nproctor-cli ${command.name}`);
    const names = commandOptions(command).flatMap((option) => (option.hidden ? [] : [termOf(option).replace(/ <.*/, '')]));
    for (const name of names)
      expect(section, name).toMatch(new RegExp(`\`(-\\w, )?${name.replace(/^-\w, /, '').replaceAll(/[[\]]/g, '\\$&')}[ \`]`));
    for (const name of Object.keys(command.args ?? {})) expect(section).toContain(`- \`${name}\`: `);
    for (const line of Object.keys(command.examples).slice(0, 1)) expect(section).toContain(`\n${line}\n`);
  }
});

test('takes no text for Markdown or HTML', () => {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`]*`/g, '');
  expect(prose).toContain('\\_');
  expect(prose).not.toMatch(/(?<!\\)[*_<>|[\]]/);
});
