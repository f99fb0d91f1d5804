/** Missing values are prompted for on a terminal, one by one, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';
import { problemOf } from '../cli/command-lines.ts';
import { run, told } from '../support/run.ts';
import { Service } from '../support/service.ts';
import { requestsIn, wordsOf } from './embedded.ts';

const sandbox = ['--profile', 'sandbox'];

test('an argument is asked for by its name and what it is', async () => {
  const shown = await run([...sandbox, 'exams', 'get', '-o', 'id'], { tty: true, answers: ['2'] });
  expect(shown).toMatchObject({ code: 0, stdout: '2\n', questions: ['ID or name of the exam:'] });
});

test.each([
  ['exams update --start 03/04/2026', 3],
  ['exams create --end 03/04/2026', 3],
  ['exams create -F save_recording=1', 3],
  ['sessions create -F level_of_suspicion=1', 5],
])('what is wrong with a line is told before anything is asked: %s', async (line, status) => {
  const { code, questions } = await run([...sandbox, ...wordsOf(line)], { tty: true });
  expect({ code, questions }).toEqual({ code: status, questions: [] });
});

test.each([
  ['sessions move ada@example.org --exam 5 --yes', 3, 'sessions find ada@example.org'],
  ['sessions delete 7 "Ada Example" --yes', 3, "sessions find 'Ada Example'"],
  ['sessions extend 999 --by 10m', 6, 'sessions find 999'],
  ['students show --exam 2 --session ada@example.org', 3, 'sessions find ada@example.org'],
])('what stands in the place of an ID is told with the line to type: %s', async (line, status, hint) => {
  const { code, questions, stderr } = await run([...sandbox, ...wordsOf(line)], { tty: true });
  expect({ code, questions }).toEqual({ code: status, questions: [] });
  expect(stderr).toContain(`: proctor-cli --profile sandbox ${hint}\n`);
});

test.each([['create'], ['create', '--start', 'tomorrow 09:00']])('without a login it fails before any question: %s', async (...words) => {
  const { code, questions } = await run(['exams', ...words, '--base-url', 'https://proctor.example'], { tty: true });
  expect({ code, questions }).toEqual({ code: 4, questions: [] });
});

test('a time without a zone, where none is set, is asked about, and the answer counts for all times of the line', async () => {
  const service = new Service();
  const line = 'exams create --start 2027-02-01T09:00 --end 11:00 -o json';
  const { code, questions, refusals, stdout, stderr } = await service.run(line, { tty: true, answers: ['Vienna', 'Europe/Vienna'] });
  expect({ code, refusals: refusals.length, questions }, stderr).toEqual({
    ...{ code: 0, refusals: 1 },
    questions: ['"2027-02-01T09:00" has no time zone, and no zone is set. Which zone is meant?'],
  });
  expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' });
  expect(stderr).toContain('Without this question: proctor-cli config set timezone Europe/Vienna');
  expect((await service.run(line)).code).toBe(3);
});

describe('exams create', () => {
  const times = ['2027-02-01T09:00', '2027-02-01T11:00'] as const;
  const line = [...sandbox, 'exams', 'create', '-o', 'json', '--timezone', 'Europe/Vienna'];

  test('asks for its times and nothing else', async () => {
    const { code, questions, stdout } = await run(line, { tty: true, answers: [...times] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      'Start of the exam (--start; such as YYYY-MM-DD 09:00, or tomorrow 09:00):',
      'End of the exam (--end; such as 11:00 on the same day, or 90m or 2h from the start):',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' });
  });

  test('shows the line that does the same, quoted for the shell', async () => {
    const name = "Ada's exam; rm -rf $HOME";
    const asked = await run([...line, '--name', name], { tty: true, answers: [...times] });
    const [, shown = ''] = /^The same command without prompts:\n {2}proctor-cli (.*)$/m.exec(told(asked.stderr)) ?? [];
    const quoted = String.raw`'Ada'\''s exam; rm -rf $HOME'`;
    expect(shown).toBe(
      `--profile sandbox exams create -o json --timezone Europe/Vienna --name ${quoted} ` +
        '--start 2027-02-01T09:00+01:00 --end 2027-02-01T11:00+01:00',
    );
    const again = await run(
      shown
        .replace(quoted, 'NAME')
        .split(' ')
        .map((word) => (word === 'NAME' ? name : word)),
    );
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(asked.stdout));
  });

  test('refuses a time in place: none, one that is none, an end before the start', async () => {
    const answers = ['', '03/04/2027', ...times.toReversed(), times[1], '2027-02-01T12:00'];
    const { refusals, stdout } = await run(line, { tty: true, answers });
    expect(refusals).toEqual([
      'Please enter a value. Ctrl-C cancels.',
      expect.stringContaining('is ambiguous'),
      'end_time (2027-02-01 09:00 +01:00) is not after start_time (2027-02-01 11:00 +01:00).',
      'end_time (2027-02-01 11:00 +01:00) is not after start_time (2027-02-01 11:00 +01:00).',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ end_time: '2027-02-01T11:00:00Z' });
  });

  test('without a zone takes a time with its offset, and says so', async () => {
    const answers = ['2027-02-01T09:00', '2027-02-01T09:00Z', '2h'];
    const { questions, refusals, stdout } = await new Service().run('exams create -o json', { tty: true, answers });
    expect(questions).toEqual([
      'Start of the exam (--start; such as YYYY-MM-DD 09:00+01:00):',
      'End of the exam (--end; such as 90m or 2h from the start):',
    ]);
    expect(refusals).toEqual([expect.stringMatching(/has no time zone.* proctor-cli config set timezone Europe\/Vienna$/)]);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-02-01T09:00:00Z', end_time: '2027-02-01T11:00:00Z' });
  });

  test('takes the day of the start in the zone, and asks again for an end that is none, keeping what was answered', async () => {
    const answers = ['2027-02-01T00:30', '25:00', '2 hours or so', '00:15', '0h', '02:00'];
    const { refusals, questions, stdout } = await run(line, { tty: true, answers });
    expect(refusals).toHaveLength(4);
    expect(questions).toHaveLength(2);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-01-31T23:30:00Z', end_time: '2027-02-01T01:00:00Z' });
  });
});

test('an answer with a dash in front stays the value of its flag in the line that does the same', async () => {
  const { code, stderr } = await run([...sandbox, 'exams', 'shift', '6', '--timezone', 'UTC', '--dry-run'], {
    tty: true,
    answers: ['-1h'],
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining('exams shift 6 --timezone UTC --dry-run --by=-1h\n')]);
});

const fieldless = ['exams update 3', 'sessions update', 'sessions create'];
test.each(fieldless)('a line without any field ends with status 2 before any question, naming a flag: %s', async (line) => {
  for (const tty of [true, false]) {
    const { code, stderr, questions } = await run([...sandbox, ...wordsOf(line)], { tty });
    expect({ code, questions }).toEqual({ code: 2, questions: [] });
    if (tty || line.includes('3')) expect(stderr).toMatch(/^error: No fields to \w+ were given.\nhint: Add a field, such as --\w+; see: /);
  }
});

describe('there is no prompt, nothing is sent, and the missing value is named', () => {
  const needy = allCommands.flatMap((command) => {
    const args = Object.entries(command.args ?? {}).filter(([, { optional }]) => !optional);
    const ways = [command.anyOf, command.oneOf].map((keys = []) =>
      keys.map((key) => (command.args?.[key] ? key : flagName(key))).join(' or '),
    );
    const names = [...ways.filter((names) => names !== ''), ...args.map(([name]) => name), ...(command.needs ?? []).map(flagName)];
    return names.length === 0 ? [] : [[command.name, names] as const];
  });

  test('by most commands', () => {
    expect(needy.length).toBeGreaterThan(20);
    expect(Object.fromEntries(needy)).toMatchObject({
      'exams create': ['--start', '--end'],
      'proctors add': ['--exam or --from or --until or --name', 'proctors'],
    });
  });

  describe.each(needy)('%s', (name, names) => {
    test.each([
      ['off a terminal', {}, []],
      ['in CI', { tty: true, env: { CI: 'true' } }, []],
      ['with --no-input', { tty: true }, ['--no-input']],
    ])('%s', async (_where, world, more) => {
      const { code, stdout, stderr, questions } = await run([...sandbox, ...name.split(' '), '--yes', '--debug', ...more], world);
      expect({ code, stdout, questions }).toEqual({ code: 2, stdout: '', questions: [] });
      const [error, hint = '', ...others] = stderr.trimEnd().split('\n');
      expect({ error, others }).toEqual({ error: `error: Missing: ${names.join(', ')}.`, others: [] });
      const [, line = ''] = /^hint: Write: proctor-cli (.*); see: proctor-cli (.*) --help$/.exec(hint) ?? [];
      expect(line).toMatch(`--profile sandbox ${name} --yes --debug`);
      for (const [given = ''] of names.map((name) => name.split(' or ')))
        expect(line).toContain(given.startsWith('--') ? ` ${given} ` : given === 'shell' ? ' bash' : ` ${given.toUpperCase()}`);
      expect(await problemOf(line)).toBeUndefined();
      expect(requestsIn(stderr)).toEqual([]);
    });
  });
});
