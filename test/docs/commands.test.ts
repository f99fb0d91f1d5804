/** The generated page of commands: each command with all that it takes, and no text read as Markdown. */
import { expect, test } from 'vitest';
import { commandReference } from '../../scripts/reference.ts';
import { offeredFlags } from '../../src/cli/parse/flags.ts';
import { globalOptions } from '../../src/cli/parse/globals.ts';
import { defineCommand } from '../../src/command.ts';
import { nouns } from '../../src/commands/index.ts';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';

const page = await commandReference(nouns);

test('has the options of every command once, and each command with its usage, its arguments, its options and an example', () => {
  for (const { flags } of globalOptions) expect(page.split(`\`${flags}\``).length).toBe(2);
  const sections = new Map(page.split(/^##+ /m).map((text) => [text.split('\n')[0], text]));
  for (const command of allCommands) {
    const section = sections.get(command.name) ?? '';
    expect(section).toContain(`\`\`\`sh\nproctor-cli ${command.name}`);
    for (const name of Object.keys(command.args ?? {})) expect(section).toContain(`- \`${name}\`: `);
    for (const [key, flag] of offeredFlags(command)) {
      const name = flag.type === 'boolean' && flag.negatable ? flagName(key).replace('--', '--[no-]') : flagName(key);
      expect(section, command.name).toMatch(new RegExp(`\`(-\\w, )?${name.replaceAll(/[[\]]/g, '\\$&')}[ \`]`));
    }
    for (const { line } of command.examples.slice(0, 1)) expect(section).toContain(`\n${line}\n`);
  }
});

test('takes no text for Markdown or HTML', async () => {
  const text = '*stars* _lines_ [link](x) <b>tag</b> | pipe';
  const command = defineCommand({
    name: 'nasty',
    summary: text,
    effect: 'local',
    flags: { nasty: { type: 'boolean', description: text } },
    examples: [{ line: 'nasty', description: text }],
  });
  const shown = await commandReference([{ name: 'nasty', group: 'access', summary: text, load: async () => [command] }]);
  expect(shown.split('\\*stars\\* \\_lines\\_ \\[link\\](x) &lt;b&gt;tag&lt;/b&gt; \\| pipe').length).toBe(3);
});
