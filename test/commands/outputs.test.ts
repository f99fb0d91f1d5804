/**
 * For all commands at once: stdout carries data in the format that was asked for, or nothing, and
 * what is printed as JSON is what `schema` says. Whoever adds a command is covered by its examples.
 */
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Command, formats } from '../../src/command.ts';
import { errorTable } from '../../src/errors.ts';
import type { Shown } from '../../src/model/shapes.ts';
import { allCommands } from '../cli/all-commands.ts';
import type { Run } from '../support/run.ts';
import { type ExampleRuns, examples, firstExamples, startExamples } from './example-runs.ts';
import { schemaOf, validator } from './schemas.ts';

let runs: ExampleRuns;
beforeAll(async () => {
  runs = await startExamples();
});
afterAll(() => runs.close());

const exits = new Set<number>([0, ...Object.values(errorTable).map(({ exit }) => exit)]);
/** Shapes to which the service may add what it likes. */
const theirs = new Set<Shown>(['exam', 'session', 'foundSession', 'proctor', 'user', 'answer', 'jsonSchema', 'request']);
/** Commands that print a row for each of several things, those that failed among them. */
const tellOfFailures = ['doctor', 'exams delete', 'sessions delete'];

/** Nothing listens there. */
const gone = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: 'secret-token' };

const escapeCode = '\u001b';

/** The values on stdout, read as a program would. */
const readers: Record<(typeof formats)[number], (stdout: string) => unknown> = {
  table: (stdout) => expect(stdout).not.toMatch(escapeCode),
  json: (stdout) => JSON.parse(stdout),
  ndjson: (stdout) => {
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  },
  csv: (stdout) => parseCsv(stdout, { columns: true }),
  yaml: (stdout) => parseYaml(stdout, { intAsBigInt: true }),
  id: (stdout) => expect(stdout).toMatch(/^(\S(.*\S)?\n)*$/),
};

/** What a command prints as JSON fits its own schema, or that of a dry run. */
async function expectDescribed(command: Command, line: string, value: unknown) {
  const shown = [command.shows ?? []].flat();
  const ours = shown.every((each) => !theirs.has(each.replace('[]', '') as Shown));
  const problem = (await validator(command.name, { closed: ours }))(value);
  if (problem === undefined) return;
  const other = line.includes('--dry-run') ? 'dry-run' : line.includes('--columns help') ? 'columns' : undefined;
  expect(other && (await validator(other))(value), `${command.name}: ${problem}`).toBe(undefined);
  expect(other, `${command.name}: ${problem}`).toBeDefined();
}

describe.each(examples)('%s', (line, command) => {
  const first = line === command.examples[0]?.line;
  test.each(first ? formats : (['json'] as const))('prints %s or nothing', async (format) => {
    const { code, stdout, stderr, lasts } = await runs.run(line, command, { options: ['-o', format] });
    expect(lasts ? [0, 130] : [0], stderr).toContain(code);
    if (stdout === '') return;
    const value = readers[format](stdout);
    if (format === 'json') await expectDescribed(command, line, value);
  });
});

const sending = firstExamples.filter(([, { effect }]) => ['write', 'destroy', 'send'].includes(effect));

test.each(sending)('%s: a dry run prints what is described', async (line, command) => {
  const { code, stdout, stderr } = await runs.run(line, command, { options: ['--dry-run', '-o', 'json'] });
  expect(code, stderr).toBe(0);
  if (stdout !== '') await expectDescribed(command, '--dry-run', JSON.parse(stdout));
});

test('--columns help prints what is described', async () => {
  const [line, command] = firstExamples[0] as (typeof firstExamples)[number];
  const { stdout } = await runs.run(line, command, { options: ['--columns', 'help', '-o', 'json'] });
  expect((await validator('columns', { closed: true }))(JSON.parse(stdout))).toBe(undefined);
});

describe.each(firstExamples)('%s', (line, command) => {
  test.each<[string, Parameters<ExampleRuns['run']>[2]]>([
    ['the command line is wrong', { options: ['-o', 'json', '--no-such-flag'] }],
    ['the service is gone', { options: ['-o', 'json', '--profile', 'default', '--no-input'], env: gone }],
    ['nobody has these IDs', { options: ['-o', 'json'], words: (words) => words.map((word) => (/^\d+$/.test(word) ? '987654' : word)) }],
  ])('leaves stdout empty where %s', async (_why, otherwise) => {
    await expectFailure(command, await runs.run(line, command, otherwise));
  });
});

async function expectFailure(command: Command, { code, stdout, stderr }: Run) {
  expect(exits).toContain(code);
  if (code === 0 || code === 130) return;
  expect(code, stderr).not.toBe(1);
  const [error = '', ...more] = stderr.trimEnd().split('\n');
  expect(more, stderr).toEqual([]);
  expect((await validator('error', { closed: true }))(JSON.parse(error))).toBe(undefined);
  if (!tellOfFailures.includes(command.name)) expect(stdout).toBe('');
}

describe('the schema', () => {
  test.each(allCommands.filter(({ shows }) => shows !== undefined).map(({ name }) => name))('of %s carries its version', async (name) => {
    const schema = await schemaOf(name);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:proctor-cli:output:1:${name.replace(' ', '-')}`,
    });
  });
});
