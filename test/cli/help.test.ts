/** Help: each page is complete, true, printed to stdout with status 0, and narrow enough for any terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitStatuses, times, topics } from '../../src/cli/help/pages.ts';
import { commandOptions, optionsOfAll, termOf, withoutEffect } from '../../src/cli/parse/options.ts';
import { nouns } from '../../src/commands/index.ts';
import { errorTable } from '../../src/errors.ts';
import { fromStart, parseTime } from '../../src/model/typed-time.ts';
import { run, type World } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';
import { commandLinesIn, problemOf } from './command-lines.ts';

async function help(argv: readonly string[], world: World = {}): Promise<string> {
  const { code, stdout, stderr } = await run(argv, world);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const limit = Math.min(Math.max(world.columns ?? 80, 40), 100);
  // A line that is to be copied stays whole, and so does a word.
  const long = stdout.split('\n').filter((line) => line.length > limit && /\S\s+\S/.test(line.trim()) && !/^( {2}\$ |Usage:)/.test(line));
  expect(long).toEqual([]);
  expect(stdout).not.toMatch(/undefined|\[object| $/m);
  return stdout;
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ');

describe('the first page', () => {
  test('names every noun, topic and option of every command, fits a screen of 80 columns, and each of its lines can be typed', async () => {
    const text = await help([]);
    for (const name of [...nouns.map((noun) => noun.name), ...Object.keys(topics)]) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    for (const { short, long = '' } of optionsOfAll()) for (const name of [short ?? long, long]) expect(text).toContain(name);
    expect(text.split('\n').length).toBeLessThan(45);
    const commands = new Set(allCommands.map(({ name }) => name));
    for (const [, name = ''] of text.matchAll(/^ {2}([a-z]+ [a-z-]+)(?= [A-Z]| {2})/gm)) expect(commands).toContain(name);
    expect((await Promise.all(commandLinesIn(text).map(problemOf))).filter(Boolean)).toEqual([]);
  });

  test.each([['-h'], ['help'], ['--help'], ['--profile', 'sandbox'], ['help', '--help']])('is what %s prints', async (...argv) => {
    expect(await help(argv)).toBe(await help([]));
  });
});

test.each(commandsByNoun.filter(({ commands }) => commands.length > 1))(
  'the help of $noun.name names its verbs, and is what the noun alone prints',
  async ({ noun: { name, summary }, commands }) => {
    const text = await help([name, '--help']);
    expect(text).toContain(summary);
    for (const command of commands) expect(inOneLine(text)).toContain(`${command.name.split(' ')[1]} `);
    for (const argv of [[name], ['help', name], [name, '--quiet']]) expect(await help(argv)).toBe(text);
  },
);

test.each(allCommands)('the help of $name has all that it takes, and is the same however it is asked for', async (command) => {
  const words = command.name.split(' ');
  const text = await help([...words, '--help']);
  expect(text).toContain(`Usage: proctor-cli ${command.name}`);
  expect(inOneLine(text)).toContain(command.summary);
  const described = [...Object.entries(command.args ?? {}).map(([name, { description }]) => [name, description])];
  for (const option of commandOptions(command).filter(({ hidden }) => !hidden)) described.push([termOf(option), option.description]);
  for (const parts of described) for (const part of parts) expect(inOneLine(text)).toContain(inOneLine(part ?? ''));
  for (const line of Object.keys(command.examples)) expect(text).toContain(`  $ ${line}\n`);
  const [, named = ''] = inOneLine(text).split('With every command (proctor-cli --help): ');
  const idle = withoutEffect(command);
  const file = '--to FILE (.json .ndjson .csv .xlsx)';
  expect(named.includes(file)).toBe(!idle.includes('--to'));
  expect(named.trim().replace(file, '--to').split(' ')).toEqual(
    optionsOfAll().flatMap(({ long = '' }) => (idle.includes(long) ? [] : [long])),
  );
  for (const argv of [
    ['help', ...words],
    ['--profile', 'nowhere', ...words, '-o', 'json', '-h'],
  ])
    expect(await help(argv)).toBe(text);
});

test('help leaves out the flags that always fail', async () => {
  for (const name of ['sessions create', 'students add']) expect(await help([...name.split(' '), '--help'])).not.toContain('--open-time');
  expect(await help(['sessions', 'update', '--help'])).not.toContain('--skip-requirements');
});

test.each([['--version'], ['-V'], ['--version', 'exams'], ['exams', 'list', '--version']])('%s %s prints the version', async (...argv) => {
  expect(await help(argv)).toMatch(/^proctor-cli \d+\.\d+\.\d+\n$/);
});

describe.each(Object.keys(topics))('help %s', (name) => {
  test.each([60, 80, 300])('fits a terminal of %i columns', async (columns) => {
    await help(['help', name], { tty: true, columns });
  });
});

test('help environment names every variable that the sources read', async () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const named = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const read = text.matchAll(/\benv(?:\.|\[')([A-Za-z_]+)/g);
    const destructured = [...text.matchAll(/\{([^{}]*)\} = (?:\w+\.)*env;/g)].flatMap(
      ([, names = '']) => names.match(/\b[A-Z][A-Z_]+\b/g) ?? [],
    );
    const quoted = text.matchAll(/'((?:PROCTOR|XDG|CI)_[A-Z_]+|(?:LOCAL)?APPDATA)'/g);
    return [...[...read, ...quoted].map(([, name = '']) => name), ...destructured];
  });
  const variables = new Set(named.filter((name) => name !== 'incoming'));
  expect(variables.size).toBeGreaterThan(20);
  const text = await help(['help', 'environment']);
  for (const name of variables) expect(text, name).toMatch(new RegExp(`\\b${name}\\b`));
});

test.each(['exit-status', 'exit', '3'])('help %s explains every status', async (topic) => {
  const text = await help(['help', topic]);
  for (const { exit } of Object.values(errorTable)) expect(text).toMatch(new RegExp(`^  ${exit} +\\S`, 'm'));
  const statuses = new Set([0, ...Object.values(errorTable).map(({ exit }) => exit)]);
  expect(Object.keys(exitStatuses).map(Number)).toEqual([...statuses].sort((a, b) => a - b));
});

const startsAt = Date.parse('2027-02-01T08:00:00Z');
test.each([
  ...Object.keys(times.Accepted).map((text) => [text, expect.any(Number)]),
  ...Object.keys(times['For an end (--end, --close-time), also']).map((text) => [text, startsAt + 2 * 3_600_000]),
  ...Object.keys(times.Refused).map((text) => [text, 'is refused']),
])('help times tells the truth: %s', (text, is) => {
  const read = () => {
    try {
      return parseTime(typeof is === 'number' ? fromStart(text, startsAt, 'Europe/Vienna') : text, {
        now: () => Date.parse('2027-01-01T00:00:00Z'),
        zone: 'Europe/Vienna',
      });
    } catch {
      return 'is refused';
    }
  };
  expect(read()).toEqual(is);
});
