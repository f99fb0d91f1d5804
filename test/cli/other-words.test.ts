/** What people type for commands of other names, and values without their flag. */
import { describe, expect, test } from 'vitest';
import { otherWords } from '../../src/cli/parse/other-words.ts';
import { nouns } from '../../src/commands/index.ts';
import { run } from '../support/run.ts';
import { allCommands } from './all-commands.ts';

async function hintOf(line: string): Promise<string> {
  const { code, stderr, stdout } = await run(line.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return /^hint: (.*)$/m.exec(stderr)?.[1] ?? '';
}

describe('the words that people say', () => {
  test('mean commands that there are, and each only one', () => {
    const said = Object.values(otherWords).flatMap((words) => words.split(', '));
    expect(new Set(said).size).toBe(said.length);
    for (const command of Object.keys(otherWords)) expect(allCommands.map(({ name }) => name)).toContain(command);
    for (const words of said) {
      expect(allCommands.map(({ name }) => name)).not.toContain(words);
      expect(nouns.map(({ name }) => name)).not.toContain(words);
    }
  });

  test.each([
    ['login', 'auth login'],
    ['watch --exam 3', 'sessions watch'],
    ['import roster.csv', 'sessions import'],
    ['roster', 'sessions import'],
    ['students list --exam 3', 'sessions list'],
    ['Students List', 'sessions list'],
    ['help undo', 'runs undo'],
    ['status 3', 'exams status'],
    ['--profile sandbox exams extend 3', 'exams delay'],
  ])('%s: %s', async (line, command) => {
    const hint = await hintOf(line);
    expect(hint.replace('--profile sandbox ', '')).toBe(`Did you mean: proctor-cli ${command}`);
  });

  test('a misspelt noun, and a verb of another program, are proposed as before', async () => {
    expect(await hintOf('exmas list')).toBe('Did you mean exams? See: proctor-cli --help');
    expect(await hintOf('sessions search')).toBe('Did you mean find? See: proctor-cli sessions --help');
    expect(await hintOf('runs get')).toBe('Did you mean show? See: proctor-cli runs --help');
    expect(await hintOf('exams show')).toBe('Did you mean get? See: proctor-cli exams --help');
  });
});

describe('a value without its flag', () => {
  test.each([
    ['sessions list 20', '--exam 20'],
    ['sessions list --exam 2 exam_started', '--status exam_started'],
    ['sessions list ada@example.org', '--email ada@example.org'],
    ['exams list 2027-02-01', '--from 2027-02-01'],
    ['exams list Linear Algebra', "--name 'Linear Algebra'"],
    ['preflight 7 8', '--exam 7 --exam 8'],
    ['preflight roster.csv', '--roster roster.csv'],
    ['proctors list 1', '--exam 1'],
  ])('%s: proposes %s', async (line, flag) => {
    expect(await hintOf(line)).toMatch(new RegExp(`^Did you mean ${flag}\\? See: proctor-cli ${line.split(' ')[0]}`));
  });

  test.each([
    ['exams get 1 2'],
    ['sessions list 20 21'],
    ['sessions list --exam 2 20'],
    ['config set timezone UTC Mars'],
    ['auth status x9'],
    ['sessions list tok_Sup3rS3cretV4lue'],
  ])('%s: no flag is proposed where none fits', async (line) => {
    expect(await hintOf(line)).toMatch(/^See: proctor-cli \S+ \S+ --help$/);
  });
});

test('sessions find searches all of its words, in any order', async () => {
  const line = (...words: string[]) => run(['--profile', 'sandbox', 'sessions', 'find', ...words, '-o', 'json']);
  const [all] = JSON.parse((await line('example')).stdout) as { name: string }[];
  const [first = '', ...others] = all?.name.split(' ') ?? [];
  const found = await line(...others, first);
  expect(found.code).toBe(0);
  expect(JSON.parse(found.stdout)).toContainEqual(expect.objectContaining({ name: all?.name }));
  expect(JSON.parse((await line(first, 'nobody-of-this-name')).stdout)).toEqual([]);
});
