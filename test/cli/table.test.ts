/** Rules for every command, including new ones. The lists are the contract's, typed by hand. */
import { describe, expect, test } from 'vitest';
import { fromService } from '../../src/cli/complete/candidates.ts';
import { commandOptions, optionsOfAll } from '../../src/cli/parse/options.ts';
import { nouns } from '../../src/commands/index.ts';
import { fieldsOf } from '../../src/model/fields.ts';
import { isSecretKey } from '../../src/model/secrets.ts';
import { run } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';

test('there are 53 commands, each named once, under its noun, and at most 70 different options', () => {
  expect(new Set(allCommands.map(({ name }) => name)).size).toBe(allCommands.length);
  expect(allCommands.length).toBe(53);
  for (const { noun, commands } of commandsByNoun)
    for (const { name } of commands) expect(name === noun.name || name.startsWith(`${noun.name} `), name).toBe(true);
  for (const { name, summary } of nouns) expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
  const options = allCommands.flatMap((command) => commandOptions(command).map((option) => option.attributeName()));
  expect(new Set(options).size).toBeLessThanOrEqual(70);
});

test('a verb loads its own file alone, and any other word all commands of its noun', async () => {
  for (const { noun, commands } of commandsByNoun) {
    for (const command of commands) expect(await noun.load(command.name.slice(noun.name.length + 1))).toContain(command);
    expect(await noun.load('nothing')).toEqual(commands);
  }
  const [exams, sessions] = nouns;
  const apart = [await exams?.load('list'), await exams?.load('apply'), await sessions?.load('import')];
  expect(apart.map((commands) => commands?.length)).toEqual([1, 1, 1]);
});

describe.each(allCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  const flags = Object.entries(command.flags ?? {});
  const args = Object.entries(command.args ?? {});

  if (command.effect === 'local')
    test('asks no service after Tab, nor in a picker', () => {
      const completes = [...flags, ...args].map(([, given]) => ('complete' in given ? given.complete : undefined));
      expect(completes.filter((what) => typeof what === 'string' && Object.hasOwn(fromService, what))).toEqual([]);
    });

  test('says what it does, and shows it', () => {
    expect(command.summary).toMatch(/^[A-Z].{5,70}[^.]$/);
    if (name !== 'sessions end') expect(Object.keys(command.examples).length).toBeGreaterThan(0);
    for (const [line, does] of Object.entries(command.examples)) {
      expect(line).toMatch(new RegExp(`^(source <\\()?proctor-cli ${name}( |$)`));
      expect(does).not.toBe('');
    }
    for (const [, { description: does }] of [...flags, ...args]) expect(does).not.toBe('');
  });

  test('has flags that are spelled alike and do not clash', () => {
    for (const [key] of flags) expect(key).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    const options = [...commandOptions(command), ...optionsOfAll()];
    const spellings = options.flatMap(({ short, long }) => [short, long].filter((each) => each !== undefined));
    expect(new Set([...spellings, '--help', '-h', '--version', '-V']).size).toBe(spellings.length + 4);
    for (const [key] of args) expect(Object.keys(command.flags ?? {})).not.toContain(key);
  });

  test('names in what it needs what it has', () => {
    const keys = [...flags, ...args].map(([key]) => key);
    const { needs = [], oneOf = [], anyOf = [] } = command;
    expect([...needs, ...oneOf, ...anyOf].filter((key) => !keys.includes(key))).toEqual([]);
  });

  test('refuses a dry run where there is nothing to send', async () => {
    const { stderr } = await run([...name.split(' '), '--no-input', '--dry-run']);
    expect(stderr.includes('nothing to dry-run')).toBe(command.effect === 'local');
  });

  test('has columns that can be told apart, and none whose values are masked, but for the token itself', () => {
    const keys = (command.columns ?? []).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => isSecretKey(key) && key !== 'token' && !key.startsWith('dialect.'))).toEqual([]);
  });

  test('sets with its field flags what the specification names, or what the dialect does', () => {
    const fields = flags.flatMap(([, { field = '' }]) => (field === '' || field.startsWith('dialect.') ? [] : [field]));
    const known = typeof command.writes === 'object' ? Object.keys(fieldsOf(command.writes.resource)) : [];
    expect(fields.filter((field) => !known.includes(field))).toEqual([]);
  });
});

/** --exam takes one exam or several; --list of a report says whom, and of api that the operations are meant. */
const severalTypes = new Set(['exam', 'list']);

test('a flag is of one type in all commands', () => {
  const types = new Map<string, Set<string>>();
  for (const { flags = {} } of allCommands)
    for (const [key, { type }] of Object.entries(flags)) types.set(key, (types.get(key) ?? new Set()).add(type));
  const different = [...types].flatMap(([key, found]) => (found.size > 1 ? [key] : []));
  expect(new Set(different)).toEqual(severalTypes);
});

test('get is for what the service has, show for what this machine keeps; students show has the name of its operation', () => {
  const named = (verb: string) => allCommands.filter(({ name }) => name.endsWith(` ${verb}`));
  // `config get` prints one value, as git and gh do.
  for (const { name, effect } of named('get')) expect(effect, name).toBe(name === 'config get' ? 'local' : 'read');
  for (const { name, effect } of named('show')) expect(effect, name).toBe(name === 'students show' ? 'read' : 'local');
});
