/** Valid command lines, and the errors for invalid ones. Writes are planned, never sent. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { held } from '../runs/held-service.ts';
import { run, type World } from '../support/run.ts';
import { allCommands } from './all-commands.ts';

const env = { PROCTOR_BASE_URL: 'https://proctor.example', PROCTOR_TOKEN: 'a-token-of-the-tests' };
const plan = (argv: readonly string[], world: World = {}) => run(['--dry-run', ...argv], { ...world, env: { ...env, ...world.env } });

async function planned(
  argv: readonly string[],
  world: World = {},
): Promise<{ method: string; url: string; body?: Record<string, unknown> }> {
  const { code, stdout, stderr } = await plan(argv, { ...world, env: { PROCTOR_OUTPUT: 'json', ...world.env } });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const requests = JSON.parse(stdout);
  expect(requests).toHaveLength(1);
  return requests[0];
}

/** The plan of a command that looks at the service before it is made; nothing is written. */
async function plannedThere(argv: readonly string[]) {
  const service = await held();
  const request = await planned(argv, { env: { PROCTOR_BASE_URL: service.origin } });
  expect(service.writes()).toEqual([]);
  return request;
}

async function refused(argv: readonly string[], world: World = {}) {
  const { code, stdout, stderr } = await plan(argv, world);
  expect(stdout).toBe('');
  const [error = '', hint = ''] = stderr.split('\n');
  return { code, error, hint };
}

describe('global options', () => {
  test.each([
    [['-o', 'json', 'exams', 'get', '1']],
    [['exams', '-o', 'json', 'get', '1']],
    [['exams', 'get', '-o', 'json', '1']],
    [['exams', 'get', '1', '-o', 'json']],
    [['exams', 'get', '1', '-ojson']],
    [['exams', 'get', '1', '--output=json']],
    [['exams', 'get', '1', '--output', 'json']],
    [['--output=json', 'exams', 'get', '1']],
  ])('are read wherever they stand: %j', async (argv) => {
    const { code, stdout } = await plan(argv);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ method: 'GET', url: 'https://proctor.example/api/v1/exams/1' }]);
  });

  test('win over the environment', async () => {
    const { url } = await planned(['exams', 'get', '1', '--base-url', 'https://other.example'], {
      env: { PROCTOR_BASE_URL: 'https://proctor.example' },
    });
    expect(url).toBe('https://other.example/api/v1/exams/1');
  });

  test('may have a value that resembles a noun', async () => {
    const { code, error } = await refused(['--profile', 'exams', 'sessions', 'list']);
    expect(code).toBe(3);
    expect(error).toContain('exams');
  });
});

describe('an unknown word', () => {
  test.each([
    [['exmas', 'list'], 'Did you mean exams?'],
    [['session', 'list'], 'Did you mean sessions?'],
    [['exams', 'lst'], 'Did you mean list?'],
    [['exams', 'send-email', '1'], 'Did you mean send-emails?'],
    [['exams', 'list', '--colums', 'id'], 'Did you mean --columns?'],
    [['exams', 'list', '--ouptut', 'json'], 'Did you mean --output?'],
    [['--profil', 'x', 'exams', 'list'], 'Did you mean --profile?'],
    [['exams', 'create', '--strat', 'now'], 'Did you mean --start?'],
    [['exams', 'update', '1', '--allow-pen-papr'], 'Did you mean --allow-pen-paper?'],
    [['exams', 'update', '1', '--no-allow-headphone'], 'Did you mean --no-allow-headphones?'],
    [['sandbox', 'sevre'], 'Did you mean serve?'],
    [['exams', '--profil', 'x', 'list'], 'Did you mean --profile?'],
  ])('%j is refused with the nearest one', async (argv, suggestion) => {
    const { code, error, hint } = await refused(argv);
    expect(code).toBe(2);
    expect(error).toMatch(/^error: Unknown (command|option) '.+'\.$/);
    expect(hint).toContain(suggestion);
    expect(hint).toMatch(/See: proctor-cli .*--help$/);
  });

  test('that resembles nothing is refused without a guess', async () => {
    const { code, hint } = await refused(['xyzzy']);
    expect(code).toBe(2);
    expect(hint).toBe('hint: See: proctor-cli --help');
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is one, too', async (word) => {
    expect((await refused([word, word])).code).toBe(2);
    expect((await refused(['exams', word])).code).toBe(2);
  });
});

describe('missing values', () => {
  test.each([
    [['exams', 'list', '-o'], '--output'],
    [['exams', 'list', '--profile'], '--profile'],
    [['exams', 'get'], 'id'],
    [['exams', 'delete'], 'ids'],
    [['sessions', 'create', '--email', 'a@example.org'], '--exam'],
    [['students', 'show', '--exam', '1'], '--session'],
    [['exams', 'create', '--start', '2027-01-01T00:00Z'], '--end'],
    [['exams', 'create', '-F', 'name=x'], '--start, --end'],
    [['sessions', 'update', '--email', 'a@example.org'], 'id'],
    [['api', 'GET'], 'path'],
    [['api'], 'method'],
  ])('%j is named', async (argv, name) => {
    const { code, error, hint } = await refused(argv);
    expect(code).toBe(2);
    expect(error).toContain(name);
    expect(hint).toContain('proctor-cli');
  });

  test.each([
    [['sessions', 'create', '--exam', '1', '--name', '--dry-run'], '--name needs a value, but --dry-run is an option.'],
    [['exams', 'create', '--start', '--end', 'now'], '--start needs a value, but --end is an option.'],
    [['exams', 'list', '-o', '--yes'], '-o needs a value, but --yes is an option.'],
    [['exams', 'update', '1', '-F', '--no-allow-headphones'], '-F needs a value, but --no-allow-headphones is an option.'],
  ])('%j: an option is not taken for the value', async (argv, sentence) => {
    expect(await refused(argv)).toMatchObject({ code: 2, error: `error: ${sentence}` });
  });

  test('but a word that only resembles an option may be a value', async () => {
    const { code } = await run(['--profile', 'sandbox', 'sessions', 'create', '--exam', '1', '--name', '--Ada', '--dry-run']);
    expect(code).toBe(0);
  });

  test('the change in an update', async () => {
    const { code, error } = await refused(['exams', 'update', '1']);
    expect(code).toBe(2);
    expect(error).toContain('No fields to change were given');
  });
});

test.each([
  [['exams', 'get', '1', '2'], "Too many arguments for 'get'. Expected 1 argument but got 2.hint: See: proctor-cli exams get --help"],
  [
    ['exams', 'list', '2027-02-01'],
    "Too many arguments for 'list'. Expected 0 arguments but got 1.hint: See: proctor-cli exams list --help",
  ],
  [['exams', 'list', '-o', 'xml'], 'table, json, ndjson, csv, id'],
  [['exams', 'list', '--yes=no'], '--yes'],
  [['api', 'FETCH', '/exams'], 'FETCH'],
])('%j is refused: %s', async (argv, reason) => {
  const { code, error, hint } = await refused(argv);
  expect(code).toBe(2);
  expect(`${error}${hint}`).toContain(reason);
});

describe('a boolean field', () => {
  test.each([
    [['--allow-pen-paper'], true],
    [['--no-allow-pen-paper'], false],
    [['-F', 'allow_pen_paper=true'], true],
    [['-F', 'allow_pen_paper=false'], false],
  ])('given as %j is %j', async (flags, value) => {
    const { body } = await plannedThere(['exams', 'create', '--start', '2027-01-01T09:00Z', '--end', '2027-01-01T10:00Z', ...flags]);
    expect(body?.allow_pen_paper).toBe(value);
  });

  test('that is not given is not sent', async () => {
    const { body } = await plannedThere(['exams', 'create', '--start', '2027-01-01T09:00Z', '--end', '2027-01-01T10:00Z']);
    expect(body).toEqual({ start_time: '2027-01-01T09:00:00Z', end_time: '2027-01-01T10:00:00Z' });
  });
});

describe('an argument', () => {
  test('may begin with a dash, behind --', async () => {
    expect((await planned(['sessions', 'get', '--', '-5'])).url).toBe('https://proctor.example/api/v1/student_sessions/-5');
  });

  test.each([
    ['a b', 'a%20b'],
    ['a?b=1', 'a%3Fb%3D1'],
    ['a#b', 'a%23b'],
    ['%2e%2e', '%252e%252e'],
    ['a%2Fb', 'a%252Fb'],
    ['ä', '%C3%A4'],
    ['1;x', '1%3Bx'],
    ['..a', '..a'],
  ])('%j stays one segment of the path: %s', async (id, segment) => {
    for (const [argv, path] of [
      [['exams', 'get', id], `exams/${segment}`],
      [['sessions', 'get', id], `student_sessions/${segment}`],
      [['proctors', 'list', '--exam', id], `exams/${segment}/proctor_pool`],
      [['users', 'list', '--institute', id], `institutes/${segment}/users`],
    ] as const) {
      expect((await planned(argv)).url).toBe(`https://proctor.example/api/v1/${path}`);
    }
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
      expect({ argv, code }).toEqual({ argv, code: 3 });
      expect(error).toContain('ID');
    }
  });
});

describe('an option of one value', () => {
  const all = allCommands.flatMap((command) => [
    ...Object.entries(command.flags ?? {}).flatMap(([key, flag]) =>
      flag.type === 'text' || flag.type === 'time' ? [[command.name, flagName(key)]] : [],
    ),
    ...(command.writes ? [[command.name, '--body']] : []),
  ]) as [string, string][];

  test.each(all)('%s %s is refused when given twice', async (name, flag) => {
    const { code, error } = await refused([...name.split(' '), flag, '1', `${flag}=1`]);
    // A value that cannot be is refused at its first time.
    expect(code).toBe(2);
    expect(error).toMatch(new RegExp(`^error: (${flag} is given twice, but takes one value\\.|.* must be one of: )`));
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

  test('may be repeated if it takes many, or none', async () => {
    const argv = ['exams', 'create', '-F', 'a=1', '-F', 'b=2', '--quiet', '--quiet', '--start', 'now+1h', '--end', 'now+2h'];
    expect((await plannedThere(argv)).body).toMatchObject({ a: 1, b: 2 });
  });

  test('is refused beside its negation', async () => {
    const { code, error } = await refused(['exams', 'update', '3', '--allow-headphones', '--no-allow-headphones']);
    expect({ code, error }).toEqual({ code: 2, error: 'error: --allow-headphones and --no-allow-headphones contradict each other.' });
  });

  test('takes one header for each field', async () => {
    const { code, error } = await refused(['sessions', 'import', '-', '--exam', '3', '--map', 'name=A', '--map', 'name=B']);
    expect({ code, error }).toEqual({ code: 2, error: 'error: --map gives name twice.' });
  });
});
