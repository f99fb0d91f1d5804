/** Valid command lines, and the errors for invalid ones. Writes are planned, never sent. */
import type { Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandOptions } from '../../src/cli/parse/options.ts';
import type { Command } from '../../src/command.ts';
import { run, type World } from '../support/run.ts';
import { allCommands } from './all-commands.ts';

const env = { PROCTOR_BASE_URL: 'https://proctor.example', PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_PROTECT_RUNNING_EXAMS: 'off' };
const plan = (argv: readonly string[], world: World = {}) => run(['--dry-run', ...argv], { ...world, env: { ...env, ...world.env } });

/** The one request of a plan. */
async function planned(argv: readonly string[]): Promise<{ url: string; body?: unknown }> {
  const { code, stdout, stderr } = await plan([...argv, '-o', 'json']);
  expect([code, stderr]).toEqual([0, '']);
  const requests = JSON.parse(stdout);
  expect(requests).toHaveLength(1);
  return requests[0];
}

async function refused(argv: readonly string[], world: World = {}) {
  const { code, stdout, stderr } = await plan(argv, world);
  expect(stdout).toBe('');
  const [error = '', hint = ''] = stderr.split('\n');
  return { code, error, hint };
}

describe('global options', () => {
  test.each([
    [['-o', 'json', 'api', 'POST', '/things/1']],
    [['api', '-o', 'json', 'POST', '/things/1']],
    [['api', 'POST', '-o', 'json', '/things/1']],
    [['api', 'POST', '/things/1', '-o', 'json']],
    [['api', 'POST', '/things/1', '-ojson']],
    [['api', 'POST', '/things/1', '--output=json']],
    [['api', 'POST', '/things/1', '--output', 'json']],
    [['--output=json', 'api', 'POST', '/things/1']],
  ])('are read wherever they stand: %j', async (argv) => {
    const { stdout } = await plan(argv);
    expect(JSON.parse(stdout)).toMatchObject([{ method: 'POST', url: 'https://proctor.example/api/v1/things/1' }]);
  });

  test('win over the environment', async () => {
    const { url } = await planned(['api', 'POST', '/things/1', '--base-url', 'https://other.example']);
    expect(url).toBe('https://other.example/api/v1/things/1');
  });

  test('may have a value that resembles a noun', async () => {
    const { code, error } = await refused(['--profile', 'exams', 'sessions', 'list']);
    expect([code, error]).toEqual([3, 'error: There is no profile of this name.']);
  });
});

test.each(['xyzzy', '__proto__', 'constructor', 'toString'])('%s is no command', async (word) => {
  for (const argv of [
    [word, word],
    ['exams', word],
  ])
    expect(await refused(argv)).toMatchObject({ code: 2, error: 'error: Unknown command.' });
});

describe('the value of an option', () => {
  test.each([
    [['sessions', 'create', '--exam', '1', '--name', '--dry-run'], '--name needs a value.'],
    [['exams', 'create', '--start', '--end', 'now'], '--start needs a value, but an option follows it.'],
    [['exams', 'list', '--timezone', '-q'], '--timezone needs a value, but an option follows it.'],
    [['exams', 'list', '--columns', '--yes'], '--columns needs a value, but an option follows it.'],
    [['exams', 'update', '1', '-F', '--no-allow-headphones'], '--field needs a value, but an option follows it.'],
  ])('is not the option behind it: %j', async (argv, sentence) => {
    expect(await refused(argv)).toMatchObject({ code: 2, error: `error: ${sentence}` });
  });

  test('may be a word that only resembles an option', async () => {
    const { code } = await run(['--profile', 'sandbox', 'sessions', 'create', '--exam', '1', '--name', '--Ada', '--dry-run']);
    expect(code).toBe(0);
  });
});

test.each([
  [['exams', 'send-emails', '6', '—yes'], '"—yes" does not begin with a hyphen.hint: Did you mean --yes?'],
  [['exams', 'list', '–o', 'json'], '"–o" does not begin with a hyphen.hint: Did you mean -o?'],
  [
    ['exams', 'list', '--name', '“Linear', 'Algebra”'],
    "Too many arguments for 'list'. Expected 0 arguments but got 1.hint: Type plain quotation marks. See: proctor-cli exams list --help",
  ],
  [
    ['sessions', 'watch', '3'],
    "Too many arguments for 'watch'. Expected 0 arguments but got 1.hint: Name an exam with --exam ID. See: proctor-cli sessions watch --help",
  ],
  [
    ['exams', 'create', '--start', 'tomorrow', '09:00'],
    'Too many arguments for \'create\'. Expected 0 arguments but got 1.hint: Put a value with a blank in quotes: --start "tomorrow 09:00". See: proctor-cli exams create --help',
  ],
  [
    ['exams', 'update', '1', '--headphones'],
    'Unknown option --headphones.hint: Did you mean --allow-headphones? See: proctor-cli exams update --help',
  ],
  [['exams', 'list', '-o', 'xlsx'], '--output must be one of: table, json, ndjson, csv, id.hint: Write a file: --to FILE.xlsx'],
  [['exams', 'get', '1', '2'], "Too many arguments for 'get'. Expected 1 argument but got 2.hint: See: proctor-cli exams get --help"],
  [
    ['exams', 'list', '2027-02-01'],
    "Too many arguments for 'list'. Expected 0 arguments but got 1.hint: Name an exam with --name NAME. See: proctor-cli exams list --help",
  ],
  [['exams', 'list', '-o', 'xml'], 'table, json, ndjson, csv, id'],
  [['exams', 'list', '-o'], '--output'],
  [['exams', 'list', '--yes=no'], '--yes takes no value.'],
  [['exams', 'update', '1', '--allow-headphones=false'], '--allow-headphones takes no value.'],
  [['exams', 'create', '--name', ' ', '--start', '+1h', '--end', '2h'], '--name is empty.hint: Give a value, or leave out --name.'],
  [['exams', 'list', '--limit', '0'], '--limit takes a whole number from 1 to 1000000000.hint: For example: --limit 1'],
  [['exams', 'list', '--limit=1e3'], '--limit takes a whole number'],
  [['sessions', 'watch', '--interval', '999ms'], '--interval takes a duration from 1s to 24h.hint: For example: --interval 10m'],
  [['sessions', 'watch', '--late', '30'], '--late takes a duration from 0s to 24h.'],
  [['api', 'FETCH', '/exams'], 'There is no such method.hint: The methods are GET'],
])('%j is refused: %s', async (argv, reason) => {
  const { code, error, hint } = await refused(argv);
  expect(code).toBe(2);
  expect(`${error}${hint}`).toContain(reason);
});

describe('an argument', () => {
  test('may begin with a dash, behind --', async () => {
    expect((await refused(['sessions', 'get', '--', '-5'])).error).toContain('student session -5');
  });

  test.each(['', ' ', '.', '..', '...', 'a/b', '/', '../1', 'a\\b', 'a\nb', 'a\u0000b', '\ud800'])('%j as an ID is refused', async (id) => {
    for (const argv of [
      ['exams', 'get', id],
      ['exams', 'update', id, '--allow-headphones'],
      ['exams', 'delete', '1', id],
      ['sessions', 'update', id, '-F', 'x=1'],
      ['proctors', 'list', '--exam', id],
      ['students', 'add', '--exam', id, '-F', 'x=1'],
      ['users', 'list', '--institute', id],
    ]) {
      const { code, error } = await refused(argv);
      const isOption = argv.some((word) => /^--(exam|institute)$/.test(word)) && id.trim() === '';
      expect({ argv, code }).toEqual({ argv, code: isOption ? 2 : 3 });
      expect(error).toContain(isOption ? 'is empty' : 'ID');
    }
  });
});

describe('an option of one value', () => {
  const isSingle = ({ flags = {} }: Command, option: Option) =>
    option.required && !['field', 'rawField'].includes(option.attributeName()) && flags[option.attributeName()]?.type !== 'texts';
  const valued = allCommands.map((command) => ({
    name: command.name,
    options: commandOptions(command).filter((option) => isSingle(command, option)),
  }));

  test.each(valued.filter(({ options }) => options.length > 0))('$name refuses each when given twice', async ({ name, options }) => {
    for (const { long = '', argChoices: [value = '1'] = [] } of options) {
      const { error } = await refused([...name.split(' '), long, value, `${long}=${value}`]);
      expect(error).toMatch(new RegExp(`^error: ${long} (is given twice, but takes one value\\.$|takes )`));
    }
  });

  test.each([
    [['--profile', 'a', 'exams', 'list', '--profile=a'], '--profile'],
    [['-o', 'csv', 'exams', 'list', '-o', 'csv'], '--output'],
    [['exams', '-ocsv', 'list', '--output=table'], '--output'],
    [['sessions', 'extend', '--exam', '3', '--exam', '6', '--by', '5m'], '--exam'],
  ])('is refused wherever it stands, also with the same value: %j', async (argv, option) => {
    const { code, error, hint } = await refused(argv);
    expect({ code, error, hint }).toEqual({
      code: 2,
      error: `error: ${option} is given twice, but takes one value.`,
      hint: 'hint: Give it once.',
    });
  });

  test('refuses a list of values, with the way to have them all', async () => {
    const { code, error, hint } = await refused(['exams', 'report', '3', '--list', 'absent, suspicion']);
    expect({ code, error, hint }).toEqual({
      code: 2,
      error: 'error: --list takes one value.',
      hint: 'hint: Run the command once for each: --list absent, then --list suspicion',
    });
  });

  test('may be repeated if it takes many, or none', async () => {
    const { body } = await planned(['api', 'POST', '/things', '-F', 'a=1', '-F', 'b=2', '--quiet', '--quiet']);
    expect(body).toEqual({ a: 1, b: 2 });
  });

  test.each([
    ['exams update 3 --allow-headphones --no-allow-headphones', '--allow-headphones and --no-allow-headphones contradict each other.'],
    ['sessions import - --exam 3 --map name=A --map name=B', '--map gives name twice.'],
  ])('is refused beside its negation, and beside another header of its field: %s', async (line, error) => {
    expect(await refused(line.split(' '))).toMatchObject({ code: 2, error: `error: ${error}` });
  });
});
