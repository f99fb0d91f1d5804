/** Rules for every command, including new ones. The lists are the contract's, typed by hand. */
import { describe, expect, test } from 'vitest';
import { fromService } from '../../src/cli/complete/candidates.ts';
import { bodyOptions } from '../../src/cli/parse/flags.ts';
import { globalOptions, globalOptionsOf } from '../../src/cli/parse/globals.ts';
import { nouns } from '../../src/commands/index.ts';
import { fieldRules } from '../../src/model/fields.ts';
import { isSecretKey } from '../../src/model/secret-keys.ts';
import { flagName } from '../../src/model/shell-quote.ts';
import { run } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';

describe('the table of commands', () => {
  test('names each command once, under its noun', () => {
    const names = allCommands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { noun, commands } of commandsByNoun) {
      for (const { name } of commands) expect(name === noun.name || name.startsWith(`${noun.name} `), name).toBe(true);
    }
    for (const { name, summary } of nouns) expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
  });
});

describe.each(allCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  const flags = Object.entries(command.flags ?? {});

  if (command.effect === 'local')
    test('asks no service after Tab, nor in a picker', () => {
      const completes = [...flags, ...Object.entries(command.args ?? {})].map(([, given]) =>
        'complete' in given ? given.complete : undefined,
      );
      expect(completes.filter((what) => what !== undefined && Object.hasOwn(fromService, what))).toEqual([]);
    });

  test('says what it does, and shows it', () => {
    expect(command.summary).toMatch(/^[A-Z].{5,70}[^.]$/);
    if (name !== 'sessions end') expect(command.examples.length).toBeGreaterThan(0);
    for (const { line, description: does } of command.examples) {
      expect(line).toMatch(new RegExp(`^proctor-cli ${name}( |$)`));
      expect(does).not.toBe('');
    }
    for (const [, { description: does }] of flags) expect(does).not.toBe('');
    for (const { description: does } of Object.values(command.args ?? {})) expect(does).not.toBe('');
  });

  test('has flags that are spelled alike and do not clash', () => {
    const taken = [...globalOptions, ...bodyOptions].flatMap(({ flags: text }) => text.match(/--?[a-zA-Z][a-z-]*/g) ?? []);
    const spellings = flags.flatMap(([key, flag]) => {
      const short = 'short' in flag && flag.short !== undefined ? [`-${flag.short}`] : [];
      const negated = flag.type === 'boolean' && flag.negatable ? [flagName(key).replace('--', '--no-')] : [];
      return [flagName(key), ...short, ...negated];
    });
    for (const [key] of flags) expect(key).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    for (const spelling of spellings) expect([...taken, '--help', '-h', '--version', '-V']).not.toContain(spelling);
    expect(new Set(spellings).size).toBe(spellings.length);
    // commander keeps the body's options beside the flags, under these names.
    for (const key of ['field', 'rawField', 'body']) expect(Object.keys(command.flags ?? {})).not.toContain(key);
    for (const key of Object.keys(command.args ?? {})) expect(Object.keys(command.flags ?? {})).not.toContain(key);
  });

  test('offers no option of every command that has no effect in it', async () => {
    const offered = new Set(globalOptionsOf(command).map(({ flags: term }) => term.split(' ')[0]));
    const typed = [...name.split(' '), '--no-input'];
    const dry = (await run([...typed, '--dry-run'])).stderr;
    expect(dry.includes('nothing to dry-run')).toBe(!offered.has('--dry-run'));
    // Without a reason no command begins.
    const during = (await run([...typed, '--during-exam', ' '])).stderr;
    expect(during.includes('--during-exam has no effect')).toBe(!offered.has('--during-exam'));
  });

  test('has columns that can be told apart', () => {
    const keys = (command.columns ?? []).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has no column of a name whose values are masked, but for the token and the key themselves', () => {
    const secret = (command.columns ?? []).map(({ key }) => key).filter(isSecretKey);
    expect(secret.filter((key) => key !== 'token' && !(name === 'state key' && key === 'key'))).toEqual([]);
  });
});

const withFields = allCommands
  .map((command) => ({
    name: command.name,
    writes: command.writes,
    fields: Object.values(command.flags ?? {}).flatMap(({ field }) => (field === undefined ? [] : [field])),
  }))
  .filter(({ fields }) => fields.length > 0);

test.each(withFields)('$name sets with its field flags what the specification names, or what the dialect does', ({ writes, fields }) => {
  expect(writes).toBeTypeOf('object');
  const { resource } = writes as Exclude<typeof writes, string | undefined>;
  expect(fields.filter((field) => !field.startsWith('dialect.') && !(field in fieldRules[resource]))).toEqual([]);
});

test('there are commands with field flags', () => expect(withFields.length).toBeGreaterThanOrEqual(4));

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
