/** The recipes of the README do what they say: run by bash as they stand there, with the program as it ships. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { shell } from './program.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const recipes = new Map([...readme.matchAll(/```sh recipe\n# (.*)\n([\s\S]*?)```/g)].map(([, title = '', lines = '']) => [title, lines]));

/** What each prints, or leaves in a file; the embedded service's data are the same wherever they are made. */
const outcomes: Record<string, { stdout?: RegExp; stderr?: RegExp; file?: string; holds?: RegExp }> = {
  'whom to call, and why': { stdout: /^(\S*\t(suspicion_3|suspicion_2|check_not_completed|not_started)\n)+$/ },
  'half an hour more for everyone who has not begun': { stdout: /^SESSION .*RESULT\n(\d+ .* extended\n)+$/, stderr: /changes undo/ },
  'a quarter more time for those who are writing': { stdout: /^SESSION .*RESULT\n(\d+ .* extended\n)+$/ },
  'how many in each state': { stdout: /^(\s*\d+ [a-z_]+\n){2,}$/ },
  'how many in each state, as JSON': { stdout: /^\{("[a-z_]+":\d+,?){2,}\}\n$/ },
  'a list for Excel, which needs the mark at its beginning': {
    file: 'exam-3.csv',
    holds: /^\ufeffid,email,name,status\r\n(.*@.*\r\n)+/,
  },
  'addresses that an exam has twice': { stdout: /^ada@example\.org\n$/ },
  'the same with their sessions': { stdout: /^ada@example\.org: \d+, \d+\n$/ },
  'wait until everyone has finished, then report': { file: 'report.csv', holds: /^\S+,.*\r\n/ },
  'the roster of one exam for another; nothing is sent before it is looked at': {
    file: 'roster.csv',
    holds: /^email,name,/,
    stdout: /^LINE .*ACTION.*\n(\d+ .*create.*\n)+$/,
  },
  'who is suspected at level 2 or 3, in all exams': { stdout: /^(\d+\t\d+\t\S*@?\S*\t[23]\n)+$/ },
  'delete those who were never mailed; each ID on a line': { stdout: /^ID .*RESULT.*\n(\d+ +deleted.*\n)+$/ },
  'what a row of the list holds': { stdout: /^(\w+\n)*close_time\n(\w+\n)*$/ },
};

/** A student twice in an exam, so that there is one to find. */
const before: Record<string, string> = Object.fromEntries(
  ['addresses that an exam has twice', 'the same with their sessions'].map((title) => [
    title,
    'for name in Ada Ada-Marie; do proctor-cli sessions create --exam 6 --email ada@example.org --name $name >/dev/null; done',
  ]),
);

/** Compiled code, for all of them. */
const cache = temporaryFolder();
const state = (home: string) => ({ PROCTOR_STATE_DIR: join(home, 'state'), PROCTOR_CONFIG_DIR: join(home, 'config') });

test('each recipe is known here', () => {
  expect([...recipes.keys()]).toEqual(Object.keys(outcomes));
});

describe.each(Object.entries(outcomes))('%s', (title, { stdout = /^$/, stderr = /^/, file, holds }) => {
  test('does so', async () => {
    const home = freshHome();
    const script = `proctor-cli() { proctor "$@"; }\nset -euo pipefail\ncd '${home}'\n${before[title] ?? ''}\n${recipes.get(title)}`;
    const ended = await shell(script, { home, env: { ...state(home), PROCTOR_PROFILE: 'sandbox', XDG_CACHE_HOME: cache } });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr).toMatch(stderr);
    if (file && holds) expect(readFileSync(join(home, file), 'utf8')).toMatch(holds);
  });
});
