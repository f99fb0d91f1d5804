/** Hints work: each command line in a message is valid. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { CliError, type ErrorCode, errorTable } from '../../src/errors.ts';
import { run } from '../support/run.ts';
import { allCommands } from './all-commands.ts';
import { commandLinesIn, problemOf } from './command-lines.ts';

function nodesOf(node: ts.Node): ts.Node[] {
  const below: ts.Node[] = [];
  ts.forEachChild(node, (child) => void below.push(...nodesOf(child)));
  return [node, ...below];
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const nodes = files.flatMap((file) =>
  nodesOf(ts.createSourceFile(file, readFileSync(join('src', file), 'utf8'), ts.ScriptTarget.Latest, true)),
);

/** The texts of the sources; a value that is put into one shows as X, one that is joined to a word as nothing. */
const texts = nodes.flatMap((node) => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return [];
  return node.templateSpans.reduce(
    (text, { expression, literal }) => `${text}${/[\s=]$/.test(text) ? shownAs(expression) : ''}${literal.text}`,
    node.head.text,
  );
});

/** A value as X, and what quotes one with the words around it: `typedCommand('sessions get', [id])` as "sessions get X". */
function shownAs(expression: ts.Expression): string {
  if (!ts.isCallExpression(expression) || !ts.isIdentifier(expression.expression)) return 'X';
  const words = expression.arguments.flatMap((word) =>
    ts.isStringLiteral(word) ? [word.text] : ts.isArrayLiteralExpression(word) ? ['X'] : [],
  );
  if (expression.expression.text === 'typedOption') return [...words.slice(0, 1), 'X'].join(' ');
  return expression.expression.text === 'typedCommand' && words[0] !== 'X' && words.length > 0 ? words.join(' ') : 'X';
}

test.each(Object.entries(errorTable))('%s has standing advice: a sentence, or a command line at its end', (code, { hint }) => {
  expect(hint).toMatch(/^[A-Z].*([.!]|: proctor-cli .*\S)$/);
  expect(new CliError(code as ErrorCode, 'What happened.').hint).toBe(hint);
});

test('every command line in a text of the program can be typed', async () => {
  const lines = texts.flatMap(commandLinesIn);
  expect([lines.length > 100, await problemOf('config unsett X')]).toEqual([true, expect.stringContaining('Unknown command.')]);
  // The last value of a template may be a word or several options.
  const problems = await Promise.all(lines.map(async (words) => (await problemOf(words)) && problemOf(words.replace(/ X$/, ''))));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test('only what writes lines for a shell has words that another one lacks', () => {
  const ofOneShell = /\b(export|unset) [A-Z_]{2}|\bmv |\bls -|umask|\$env:| [<>] ([\w-]+\.\w|[A-Z]{2})|(?<!\w)'\w+[ =][^' \n]+'/;
  const own = ['$env: = X', '(umask 077; openssl rand -hex 32 > X)'];
  expect(texts.filter((text) => ofOneShell.test(text))).toEqual(own);
});

test('an example is a line of each shell: blanks stand in double quotes, and no other program is asked', () => {
  const lines = allCommands.filter(({ name }) => name !== 'completion').flatMap(({ examples }) => Object.keys(examples));
  expect(lines.filter((line) => !/^proctor-cli( [\w%+:,./=@-]+| "[\w .:=@-]+")+$/.test(line))).toEqual([]);
});

test('so can every read that checks the outcome of a write', async () => {
  const looks = Object.values(operations).flatMap((operation) =>
    'look' in operation ? [operation.look({ id: 'id', exam_id: 'exam_id' })] : [],
  );
  expect(looks.length).toBeGreaterThan(3);
  expect((await Promise.all(looks.map(problemOf))).filter((problem) => problem !== undefined)).toEqual([]);
});

test.each([
  ['sessions list --status exam_startd', 'exam_started'],
  ['exams list -o jsn', 'json'],
  ['exams list --output=tabel', 'table'],
  ['exams lst', 'list'],
  ['help exasm', 'exams'],
  ['exam list', 'exams'],
  ['exams list --colums id', '--columns'],
  ['exams update 1 --allow-headphone', '--allow-headphones'],
  ['exams --profil x list', '--profile'],
  ['completion bsh', 'bash'],
  ['login', 'auth login'],
  ['delete 3', 'exams delete or sessions delete'],
  ['exams watch 3', 'sessions watch'],
  ['sessions report 3', 'exams report'],
  ['exams remove 3', 'delete'],
  ['sessions remove 3', 'delete'],
  ['sessions add', 'create'],
  ['proctors delete 3', 'remove'],
  ['exams show 3', 'get'],
  ['config set dialect.timeFormat epoc-s', 'epoch-s'],
  ['config set timzone UTC', 'timezone'],
  ['exams list --profile sandbx', 'sandbox'],
  ['--profile sandbox exams list --columns nam', 'name'],
])('%s: did you mean %s?', async (line, meant) => {
  const { code, stdout, stderr } = await run(line.split(' '));
  expect([2, 3]).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).toContain(`Did you mean ${meant}?`);
});

test.each([
  ['config list --dry-run', 'Leave out --dry-run.'],
  ['users list --weight 3', 'See: proctor-cli users list --help'],
  ['help nothing', 'See: proctor-cli --help'],
  ['--profile sandbox exams delete 3 --yes --during-exam=', 'Give a value, or leave out --during-exam.'],
  ['--profile sandbox sessions extend 1 --exam 2 --by 5m', 'Leave out ids or --exam; see: proctor-cli sessions extend --help'],
  ['--profile sandbox --base-url https://a.example exams list', 'Leave out --base-url, or name another profile with --profile.'],
  ['--profile sandbox exams create -F =x', 'For example: -F name=VALUE'],
  [
    '--profile sandbox students show',
    'Write: proctor-cli --profile sandbox students show --exam ID --session ID; see: proctor-cli students show --help',
  ],
])('%s: %s', async (line, hint) => {
  const { code, stderr } = await run(line.split(' '));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`\nhint: ${hint}\n`) });
});

test('every usage error has a hint of its own', () => {
  const bare = nodes.filter((node) => {
    const [code, , details] = ts.isNewExpression(node) ? (node.arguments ?? []) : [];
    return code && ts.isStringLiteral(code) && code.text === 'usage' && !details;
  });
  expect(bare.map((node) => `${node.getSourceFile().fileName}: ${node.getText()}`)).toEqual([]);
});

const nothingNear = [
  'list',
  'students list',
  'runs delete 3',
  'exams list -o xxxxxx',
  'sessions list --status zzz',
  'completion cmd',
  'sessions delete 7 --exam 6',
];

test.each(nothingNear)('%s: nothing is near enough, or offered to whom a running exam may refuse', async (line) => {
  expect((await run(line.split(' '))).stderr).not.toContain('Did you mean');
});

test.each([
  ['auth switch', (value: string) => ['auth', 'switch', value]],
  ['sessions update', (value: string) => ['--profile', 'sandbox', 'sessions', 'update', value]],
  ['exams update', (value: string) => ['--profile', 'sandbox', 'exams', 'update', value]],
  ['a base URL', (value: string) => ['--base-url', `https://proctor.example/${value}`, 'exams', 'list']],
  ['a field', (value: string) => ['--profile', 'sandbox', 'exams', 'create', '-F', value]],
  ['a session', (value: string) => ['--profile', 'sandbox', 'sessions', 'extend', value, '--by', '5m']],
  ['students show', (value: string) => ['--profile', 'sandbox', 'students', 'show', '--exam', value]],
])('a value that a shell would obey is quoted in what is to be pasted: %s', async (_what, argv) => {
  for (const value of ['9;touch x;', '$(touch x)', '`touch x`', "'; touch x; '", 'a b', '| touch x']) {
    const { stderr } = await run(argv(value));
    const unquoted = [...stderr.matchAll(/proctor-cli (.*)/g)].map(([, line = '']) => line.replace(/'[^']*'|\\'|; see: .*$/g, ''));
    expect(unquoted.filter((line) => /touch|[$`|]/.test(line))).toEqual([]);
  }
});
