/** A quoted word comes out of a real shell as it went in. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import {
  shellQuoted,
  typedCommand,
  typedKeyFile,
  typedMove,
  typedOption,
  typedVariable,
  writeForShellOf,
} from '../../src/model/shell-quote.ts';
import { anyCharacters } from '../support/any-characters.ts';

test.each([
  ['42', '42'],
  ['--start=2027-02-01T09:00+01:00', '--start=2027-02-01T09:00+01:00'],
  ['ada@example.org', 'ada@example.org'],
  ['', "''"],
  ['Linear Algebra', "'Linear Algebra'"],
  ["Ada's", String.raw`'Ada'\''s'`],
  ['=ls', "'=ls'"],
  ['~', "'~'"],
  ['when,who', 'when,who'],
  ['Bemerkung=krank,', "'Bemerkung=krank,'"],
])('%j is written %s', (word, written) => {
  expect(shellQuoted(word)).toBe(written);
});

const shells = ['sh', 'bash', 'zsh', 'fish'].filter((name) => spawnSync(name, ['-c', 'true']).error === undefined);

test.each(shells)('%s reads back any words', (name) => {
  const word = anyCharacters.filter((text) => !text.includes('\0'));
  const words = fc.sample(fc.oneof(word, fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?;&|<>(){}[]#~ \n\t=a') })), 300);
  const script = words.map((each) => `printf '%s\\0' ${shellQuoted(each)}`).join('\n');
  expect(execFileSync(name, ['-c', script], { encoding: 'utf8' })).toBe(words.map((each) => `${each}\0`).join(''));
});

/** Shells of Windows, by what they leave in the environment. */
const system = 'C:\\Program Files\\WindowsPowerShell\\Modules;C:\\Windows\\system32\\WindowsPowerShell\\v1.0\\Modules';
const shellsOfWindows = {
  powershell: { PSModulePath: `C:\\Users\\ada\\Documents\\WindowsPowerShell\\Modules;${system}` },
  'PowerShell 7': { PSModulePath: `C:\\Users\\ada\\Documents\\PowerShell\\Modules;C:\\Program Files\\PowerShell\\Modules;${system}` },
  cmd: { PROMPT: '$P$G', PSModulePath: system },
  'Git Bash': { MSYSTEM: 'MINGW64', PROMPT: '$P$G', PSModulePath: system },
};
afterEach(() => writeForShellOf({ platform: 'linux', env: {} }));

function written<T>(write: () => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(shellsOfWindows).map(([shell, env]) => {
      writeForShellOf({ platform: 'win32', env });
      return [shell, write()];
    }),
  );
}

/** What cmd and PowerShell both take is written alike. */
test.each([
  ['42', '42', '42', '42'],
  ['--start=2027-02-01', '--start=2027-02-01', '--start=2027-02-01', '--start=2027-02-01'],
  ['', '""', '""', "''"],
  ['Liste März.csv', '"Liste März.csv"', '"Liste März.csv"', "'Liste März.csv'"],
  ["Ada's", `"Ada's"`, `"Ada's"`, String.raw`'Ada'\''s'`],
  ['Ada’s', '"Ada’s"', '"Ada’s"', "'Ada’s'"],
  ['a,b', '"a,b"', '"a,b"', 'a,b'],
  ['@exam', '"@exam"', '"@exam"', '@exam'],
  ['9&calc', '"9&calc"', '"9&calc"', "'9&calc'"],
  ['9;touch x', '"9;touch x"', '"9;touch x"', "'9;touch x'"],
  ['C:\\Prüfungen 1\\a.csv', '"C:\\Prüfungen 1\\a.csv"', '"C:\\Prüfungen 1\\a.csv"', String.raw`'C:'\\'Prüfungen 1'\\'a.csv'`],
  ['C:\\exams\\', "'C:\\exams\\'", '"C:\\exams\\\\"', String.raw`'C:'\\'exams'\\''`],
  ['$(calc)', "'$(calc)'", '"$(calc)"', "'$(calc)'"],
  ['a`b', "'a`b'", '"a`b"', "'a`b'"],
  ['Wow!', "'Wow!'", '"Wow!"', "'Wow!'"],
  ['100%', "'100%'", '"100%"', '100%'],
  ['%PATH%', "'%PATH%'", '""^%"PATH%"', "'%PATH%'"],
  ['a "b" & calc', `'a "b" & calc'`, '"a ""b"" & calc"', `'a "b" & calc'`],
  ['a\\"b', `'a\\"b'`, '"a\\\\""b"', String.raw`'a'\\'"b'`],
  ['“b”', "'“b”'", '"“b”"', "'“b”'"],
  ['’$', "'’’$'", '"’$"', "'’$'"],
])('%j is one word of PowerShell (%s), of cmd (%s) and of Git Bash (%s)', (word, inPowershell, inCmd, inBash) => {
  const { powershell, ...others } = written(() => shellQuoted(word));
  expect(others).toEqual({ 'PowerShell 7': inPowershell, cmd: inCmd, 'Git Bash': inBash });
  if (!word.includes('"')) expect(powershell).toBe(inPowershell);
});

/** It passes such a word on as it is, and does not put quotes around blanks that stand between quotes. */
test.each([
  ['a b" --yes "c', `'"a b"" --yes ""c"'`],
  [`a'"&calc`, `'"a''""&calc"'`],
  ['a\\"b\\', `'"a\\\\""b\\\\"'`],
])('%j brings the quotes that Windows PowerShell does not write: %s', (word, quoted) => {
  expect(written(() => shellQuoted(word)).powershell).toBe(quoted);
});

test.runIf(process.platform === 'win32').each(['cmd', 'powershell'])('%s gives a program the words that were written for it', (name) => {
  writeForShellOf({ platform: 'win32', env: name === 'cmd' ? shellsOfWindows.cmd : shellsOfWindows.powershell });
  const words = ['42', 'Liste März.csv', "Ada's", 'Ada’s', 'a,b', '@exam', '9&calc', '9;x', '$(calc)', 'a`b', 'Wow!', '100%', '%PATH%'];
  const all = [...words, 'a "b" & calc', 'a\\"b', 'a b" --yes "c', ...(name === 'cmd' ? ['C:\\exams 1\\'] : [])];
  const print = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const line = [process.execPath, '-e', print, '--', ...all].map(shellQuoted).join(' ');
  const { stdout } =
    name === 'cmd'
      ? spawnSync(name, ['/d', '/s', '/c', `"${line}"`], { windowsVerbatimArguments: true, encoding: 'utf8' })
      : spawnSync(name, ['-NoProfile', '-Command', `[Console]::OutputEncoding = [Text.Encoding]::UTF8; & ${line}`], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(all);
});

test('variables, and files that are moved or made, are written as each shell has it', () => {
  expect(
    written(() => [typedVariable('PROCTOR_STATE_DIR', "C:\\Ada's"), typedVariable('PROCTOR_TOKEN'), typedMove('a b', '.old')]),
  ).toMatchObject({
    powershell: ["$env:PROCTOR_STATE_DIR = 'C:\\Ada''s'", 'Remove-Item Env:PROCTOR_TOKEN', 'move "a b" "a b.old"'],
    cmd: [`set "PROCTOR_STATE_DIR=C:\\Ada's"`, 'set PROCTOR_TOKEN=', 'move "a b" "a b.old"'],
    'Git Bash': [String.raw`export PROCTOR_STATE_DIR='C:'\\'Ada'\''s'`, 'unset PROCTOR_TOKEN', "mv 'a b' 'a b.old'"],
  });
  const made = `powershell -Command "'{0}{1}' -f [guid]::NewGuid(), [guid]::NewGuid() | Set-Content 'H:\\runs.key'"`;
  expect(written(() => typedKeyFile('H:\\runs.key'))).toMatchObject({ powershell: made, cmd: made });
});

test('PowerShell is written for where a shell of Windows does not say what it is, or both do', () => {
  for (const env of [{}, { PSModulePath: system }, { ...shellsOfWindows.powershell, PROMPT: '$P$G' }]) {
    writeForShellOf({ platform: 'win32', env });
    expect(typedVariable('X')).toBe('Remove-Item Env:X');
  }
});

test.each([
  ['as they are typed', ['4', '5'], 'sessions delete 4 5 --exam 2 --yes'],
  ['behind -- where one begins with a dash', ['4', '--yes'], 'sessions delete --exam 2 --yes -- 4 --yes'],
  ['quoted in both places', ['-x y', '5'], "sessions delete --exam 2 --yes -- '-x y' 5"],
])('arguments of a command are written %s', (_how, operands, written) => {
  expect(typedCommand('sessions delete', operands, '--exam 2', '', ' --yes')).toBe(written);
});

test('the value of an option never reads as another option', () => {
  expect(typedOption('--exam', '5')).toBe('--exam 5');
  expect(typedOption('--exam', '--yes')).toBe('--exam=--yes');
  expect(typedOption('--name', '-a b')).toBe("'--name=-a b'");
});
