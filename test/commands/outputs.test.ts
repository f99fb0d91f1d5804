/**
 * For all commands at once: stdout carries data in the requested format, or nothing. A new command is covered by its examples, which run only here: the first of each command in every
 * format but NDJSON, which has what JSON has, the others as JSON and as written.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { withoutEffect } from '../../src/cli/parse/options.ts';
import type { Command } from '../../src/command.ts';
import { errorTable } from '../../src/errors.ts';
import { formats } from '../../src/output/formats.ts';
import { workbookTable } from '../../src/roster/workbook.ts';
import { type Run, temporaryFolder } from '../support/run.ts';
import { examples, examplesOfFile, firstExamples, lasting, silent, statusesOf } from './example-runs.ts';

/** Those of files alone are tested by to-file.test.ts. */
type Format = (typeof formats)[number];

const runs = examplesOfFile();

const exits = new Set<number>([0, ...Object.values(errorTable).map(({ exit }) => exit)]);
/** Commands that print a row for each of several things, those that failed among them. */
const tellOfFailures = ['doctor', 'exams delete', 'sessions delete', 'sessions import'];

/** Nothing listens there. */
const gone = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: 'secret-token' };

const escapeCode = '\u001b';

/** The values on stdout, read as a program would. */
const readers: Record<Format, (stdout: string) => unknown> = {
  table: (stdout) => expect(stdout).not.toMatch(escapeCode),
  json: (stdout) => JSON.parse(stdout),
  ndjson: (stdout) => {
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  },
  csv: (stdout) => parseCsv(stdout, { columns: true }),
  id: (stdout) => expect(stdout).toMatch(/^(\S(.*\S)?\n)*$/),
};

/** Examples that have no row to print, most because they are interrupted before that. */
const interrupted: Record<string, readonly Format[]> = {
  // What stays unknown of its run has no ID.
  'proctor-cli runs close 20261121T104057-2e8521': ['id'],
  'proctor-cli sessions watch': ['table', 'ndjson', 'id'],
  'proctor-cli sessions watch --exam 1 --stop-at all-finished -o ndjson': ['ndjson'],
};
/** What a table shows as it is sent, or to be pasted: requests, answers to requests of the user's own, remedies. */
const showsTimesAsSent = (line: string, { name }: Command) => line.includes('--dry-run') || ['api', 'preflight', 'doctor'].includes(name);

/** Commands that print no record with an ID. */
const withoutIds = new Set(['sessions import', 'sandbox reset', 'runs forget']);
/** The requests of a dry run have no ID. */
const ofRequests = (line: string, { effect }: Command) => line.includes('--dry-run') && effect !== 'read';

function printsNothing(line: string, command: Command, format: Format): boolean {
  const { name } = command;
  if (silent.has(name) || interrupted[line]?.includes(format)) return true;
  return format === 'id' && (withoutIds.has(name) || ofRequests(line, command));
}

describe.each(examples)('%s', (line, command) => {
  const first = line === Object.keys(command.examples)[0];
  const printed = formats.filter((format) => (first && format !== 'ndjson') || format === 'json' || line.includes(`-o ${format}`));
  const run = async (format: Format) => {
    const { code, stdout, stderr, lasts } = await runs.run(line, command, { options: ['-o', format] });
    expect(statusesOf(command, lasts), stderr).toContain(code);
    if (!lasts && code === 0) expect(stderr).not.toContain('error:');
    return stdout;
  };
  const nothing = printed.filter((format) => printsNothing(line, command, format));
  const something = printed.filter((format) => !nothing.includes(format));

  if (something.length > 0) {
    test.each(something)('prints %s', async (format) => {
      const stdout = await run(format);
      expect(stdout).not.toBe('');
      const value = readers[format](stdout);
      if (format === 'table' && !showsTimesAsSent(line, command)) expect(stdout).not.toMatch(/\dT\d\d:\d\d/);
      if (line.includes('--dry-run') && format === 'json' && command.effect !== 'read') expect(requestsIn(value)).toBeInstanceOf(Array);
    });
  }

  if (nothing.length > 0) {
    test.each(nothing)('prints nothing as %s', async (format) => {
      expect(await run(format)).toBe('');
    });
  }
});

const intoFiles = firstExamples.filter(([, command]) => !withoutEffect(command).includes('--to'));

test.each(intoFiles)('%s: --to writes a workbook that is read back', async (line, command) => {
  const path = join(temporaryFolder(), 'result.xlsx');
  const check = command.flags?.check && !line.includes('--check') ? ['--check'] : [];
  const words = (all: string[]) => all.filter((word, at) => word !== '-o' && all[at - 1] !== '-o');
  const { code, stdout, stderr } = await runs.run(line, command, { words, options: [...check, '--to', path] });
  expect([0, errorTable.differences.exit], stderr).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).toContain(path);
  expect((await workbookTable(readFileSync(path), path, undefined)).rows.length).toBeGreaterThan(0);
});

/** An import prints one object, in which they are its steps. */
function requestsIn(printed: unknown): unknown {
  return typeof printed === 'object' && printed !== null && 'steps' in printed ? printed.steps : printed;
}

const sending = firstExamples.filter(([line, { effect, name }]) => {
  return !['local', 'read'].includes(effect) && name !== 'runs forget' && !line.includes('api GET');
});

test.each(sending)('%s: a dry run prints a list', async (line, command) => {
  const { code, stdout, stderr } = await runs.run(line, command, { options: ['--dry-run', '-o', 'json'] });
  expect(code, stderr).toBe(0);
  expect(requestsIn(JSON.parse(stdout))).toBeInstanceOf(Array);
});

/** Commands that change only this machine, and read what the service has: the address, and what became of a run. */
const reads = ['auth login', 'runs close'];
/** Commands that work without the service. */
const worksAlone = ({ name, effect }: Command) => name === 'runs forget' || (effect === 'local' && !reads.includes(name));
/** Examples that name something by a number; that of a port is replaced, and a mailbox that is not known is empty. */
const withIds = firstExamples.filter(([line, { name }]) => / \d+( |$)/.test(line) && !['sandbox serve', 'sandbox outbox'].includes(name));
const otherIds = (words: string[]) => words.map((word) => (/^\d+$/.test(word) ? '987654' : word));

describe('stdout is empty and the error is described where', () => {
  test.each(firstExamples.filter(([, command]) => !worksAlone(command)))('the service is gone: %s', async (line, command) => {
    const options = ['-o', 'json', '--profile', 'default', '--no-input'];
    await expectFailure(command, await runs.run(line, command, { options, env: gone }));
  });

  test.each(withIds)('no exam and no session has the ID: %s', async (line, command) => {
    await expectFailure(command, await runs.run(line, command, { options: ['-o', 'json'], words: otherIds }));
  });
});

test.each(firstExamples.filter(([, command]) => worksAlone(command)))('the service is gone, and not needed: %s', async (line, command) => {
  const { code, stderr, lasts } = await runs.run(line, command, { options: ['-o', 'json', '--no-input'], env: gone });
  expect(command.name === 'sandbox serve' || lasts ? [0, 130] : [0], stderr).toContain(code);
});

async function expectFailure(command: Command, { code, stdout, stderr }: Run) {
  expect(exits).toContain(code);
  expect([0, 1, 130], stderr).not.toContain(code);
  const lines = stderr.trimEnd().split('\n');
  const error = lines.pop() ?? '';
  // What lasts has told more by then; all say at once that they try again.
  const others = lines.filter((each) => !each.startsWith('{"waiting":'));
  expect(lasting.has(command.name) ? [] : others, stderr).toEqual([]);
  const { items = [], status, ...rest } = (JSON.parse(error) as { error: Record<string, unknown> }).error;
  expect(rest).toEqual({ code: expect.any(String), message: expect.any(String), hint: expect.any(String), exit: code });
  expect([null, expect.any(Number)]).toContainEqual(status);
  expect(items).toBeInstanceOf(Array);
  if (!tellOfFailures.includes(command.name)) expect(stdout).toBe('');
}
