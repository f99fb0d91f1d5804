/** The recipes of the pages in docs do what they say: run by bash as printed, with the program as it ships. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded, freshHome } from '../commands/embedded.ts';
import { blocks } from '../docs/pages.ts';
import { shell } from './program.ts';

const recipes = new Map(
  blocks('sh recipe').map(({ text }) => {
    const [, title = '', lines = ''] = /^# (.*)\n([\s\S]*)$/.exec(text) ?? [];
    return [title, lines];
  }),
);

/** The output of each, on a stream or in a file; the data of the embedded service are the same everywhere. */
const outcomes: Record<string, { stdout?: RegExp; stderr?: RegExp; file?: string; holds?: RegExp }> = {
  'students to call, and why': { stdout: /^(\S*\t(suspicion_[23]|check_not_completed|waiting_after_check|not_started|no_show)\n)+$/ },
  'half an hour more for all students who have not started': {
    stdout: /^EXAM .*REASON\n(\d+ .* extended .*\n)+$/,
    stderr: /^session 16 /m,
  },
  'ten minutes more for all who have not finished': { stdout: /^EXAM .*REASON\n(\d+ .* extended .*\n)+$/ },
  'a create: what each status means for a job': { file: 'answer.json', holds: /"email":"ada@example.org"/ },
  'how many sessions in each state, in all exams': { stdout: /^(\s*\d+ [a-z_]+\n){5,}$/ },
  'students suspected at level 2 or 3, in all exams so far': { file: 'suspicion.csv', holds: /^exam,.*\r\n(\d+,.*\r\n)+$/ },
  'a list for Excel': { file: 'exam-3.xlsx', holds: /^PK/ },
  'wait until all students have finished, then report': { file: 'report.csv', holds: /^\S+,.*\r\n/ },
  'the roster of one exam for another; the dry run sends nothing': {
    file: 'roster.csv',
    holds: /^email,name,/,
    stdout: /^LINE .*ACTION.*\n(\d+ .*create.*\n)+$/,
  },
  'a timetable is checked, applied, and then there is nothing to do': {
    stdout: /^(LINE .*ACTION.*\n(.* create .*\n){2}){2}LINE .*ACTION.*\n(.* unchanged .*\n){2}$/,
  },
};

const state = (home: string) => ({ PROCTOR_STATE_DIR: join(home, 'state'), PROCTOR_CONFIG_DIR: join(home, 'config') });

test('each recipe is known here', () => {
  expect([...recipes.keys()].sort()).toEqual(Object.keys(outcomes).sort());
});

describe.each(Object.entries(outcomes))('%s', (title, { stdout = /^$/, stderr = /^/, file, holds }) => {
  test('does so', async () => {
    const home = freshHome();
    const script = `proctor-cli() { proctor "$@"; }\nset -euo pipefail\ncd '${home}'\n${recipes.get(title)}`;
    const { env } = await embedded(home).under([]);
    const ended = await shell(script, { home, env: { ...state(home), ...env } });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr).toMatch(stderr);
    if (file && holds) expect(readFileSync(join(home, file), 'utf8')).toMatch(holds);
  });
});
