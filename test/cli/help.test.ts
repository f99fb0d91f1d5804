import { describe, expect, test } from 'vitest';
import { topics } from '../../src/cli/help/topics/index.ts';
import { bodyOptionsOf, flagTerm, offeredFlags } from '../../src/cli/parse/flags.ts';
import { globalOptions, globalOptionsOf } from '../../src/cli/parse/globals.ts';
import { groups, nouns } from '../../src/commands/index.ts';
import { run } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';

/** Help as it is printed: exit status 0, nothing on stderr, and narrow enough for any terminal. */
async function help(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of stdout.split('\n')) {
    // An example is one line, so that it can be copied.
    if (!line.startsWith('  $ ')) expect(line.length, line).toBeLessThanOrEqual(100);
    expect(line).toBe(line.trimEnd());
  }
  expect(stdout).toMatch(/[^\n]\n$/);
  expect(stdout).not.toMatch(/undefined|\[object/);
  expect(stdout).not.toContain('\u001b');
  return stdout;
}

describe('the help of the program', () => {
  test('names every noun in its group, every topic and every global option with its effect, in less than 64 lines', async () => {
    const text = await help('--help');
    for (const { name, group, summary } of nouns) {
      expect(text).toMatch(new RegExp(`^${groups[group]}\\n(  .*\\n)*  ${name} +${summary}$`, 'm'));
    }
    for (const { name } of topics) expect(text).toContain(`  ${name} `);
    for (const { flags, does } of globalOptions) expect(inOneLine(text)).toContain(`${flags} ${does}`);
    expect(text.split('\n').length).toBeLessThan(64);
  });

  test.each([[[]], [['-h']], [['help']], [['help', '--help']]])('is what %j prints', async (argv) => {
    expect(await help(...argv)).toBe(await help('--help'));
  });
});

describe.each(commandsByNoun.map(({ noun, commands }) => ({ noun, commands, name: noun.name })))(
  'the help of $name',
  ({ name, commands }) => {
    test('names its verbs', async () => {
      const text = await help(name, '--help');
      for (const { summary, name: command } of commands) {
        expect(text).toContain(summary);
        expect(text).toContain(command.split(' ').at(-1));
      }
      expect(await help('help', name)).toBe(text);
      if (commands.length > 1) expect(await help(name, '-h')).toBe(text);
    });
  },
);

describe.each(allCommands.map((command) => [command.name, command] as const))('the help of %s', (name, command) => {
  test('names everything that it takes', async () => {
    const text = await help(...name.split(' '), '--help');
    expect(text).toContain(`Usage: proctor-cli ${name}`);
    for (const [key, { description: does }] of Object.entries(command.args ?? {})) {
      expect(text).toContain(key);
      expect(inOneLine(text)).toContain(inOneLine(does));
    }
    for (const [key, flag] of Object.entries(command.flags ?? {})) {
      expect(text.includes(flagTerm(key, flag))).toBe(offeredFlags(command).some(([each]) => each === key));
    }
    for (const { flags } of bodyOptionsOf(command)) expect(text).toContain(flags);
    for (const { line } of command.examples) expect(text).toContain(`  $ ${line}\n`);
    const listed = text.split('Options of every command (proctor-cli --help)')[1]?.split(/\s+/) ?? [];
    const effective = globalOptionsOf(command);
    for (const option of globalOptions)
      expect(listed.includes(option.flags.replace(/ <.*/, '').replace(/^-\w, /, ''))).toBe(effective.includes(option));
  });

  test('is the same however it is asked for', async () => {
    const words = name.split(' ');
    const text = await help(...words, '--help');
    expect(await help('help', ...words)).toBe(text);
    expect(await help(...words, '-h')).toBe(text);
    expect(await help('--profile', 'nowhere', ...words, '-o', 'json', '--help')).toBe(text);
  });
});

test.each([[['exams']], [['--profile', 'sandbox', 'exams']], [['exams', '--quiet']]])(
  '%j prints the verbs, as its help does',
  async (argv) => {
    const help = await run(['exams', '--help']);
    expect(help.stdout).toContain('send-emails');
    expect(await run(argv)).toEqual(help);
  },
);

test('help leaves out the flags that always fail', async () => {
  for (const name of ['sessions create', 'students add']) expect(await help(...name.split(' '), '--help')).not.toContain('--open-time');
  expect(await help('sessions', 'update', '--help')).not.toContain('--skip-requirements');
});

test('-q is --quiet', async () => {
  const line = ['--profile', 'sandbox', 'exams', 'list', '-o', 'json'];
  expect(await run([...line, '-q'])).toEqual(await run([...line, '--quiet']));
});

test.each([[['--version']], [['-V']], [['--version', 'exams']], [['exams', 'list', '--version']]])(
  '%j prints the version',
  async (argv) => {
    const { code, stdout, stderr } = await run(argv);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^proctor-cli \d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  },
);

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
