/** Each command of the page of questions runs on the embedded service: its numbers stand for exams and sessions there. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resetSandbox } from '../../src/sandbox/index.ts';
import { wordsOf } from '../commands/embedded.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { pages } from './pages.ts';

/** The first exams of the embedded service are then of last year. */
const now = '2026-01-06T09:00:00Z';

const questions = (pages.get('docs/how-do-i.md') ?? '')
  .split(/^### /m)
  .slice(1)
  .map((text) => {
    const [, question = '', block = '', answer = ''] = /^(.*)\n\n```sh\n([\s\S]*?)```\n\n([\s\S]*?)\n*(?:\n## .*\n*)?$/.exec(text) ?? [];
    return { question, lines: block.trimEnd().split('\n'), answer };
  });

/** What the numbers of a question stand for, where it is not an exam to come. */
const standIns: Record<string, Record<string, string>> = {
  'End the exam of one student?': { 42: '3', 1017: '24' },
  'Get a CSV of the no-shows?': { 42: '1' },
};
const usual = { 42: '7', 1017: '46' };

/** Their status says what they found. */
const looks = /\b(preflight|exams send-emails|doctor)\b/;
/** It asks a person, or for a file of theirs; other tests are about it. */
const others = /\bauth login\b/;

/** What `roster.csv` needs. */
const declaredColumns = ['--only', 'Status=enrolled', '--ignore-column', 'Group'];

/** A home in which a run was done. */
async function office() {
  const home = temporaryFolder();
  resetSandbox(join(home, 'state', 'sandbox'), { now: () => Date.parse(now) });
  cpSync('test/demo/accommodations.csv', join(home, 'accommodations.csv'));
  writeFileSync(join(home, 'roster.csv'), 'email,name,Status,Group\nada@example.org,Ada,enrolled,A\nbo@example.org,Bo,enrolled,B\n');
  const typed = (words: readonly string[], env: Record<string, string> = {}) =>
    run(
      words.map((word) => (/^[\w-]+\.(csv|json)$/.test(word) ? join(home, word) : word)),
      { home, now, env: { PROCTOR_PROFILE: 'sandbox', PROCTOR_TIMEZONE: 'Europe/Vienna', ...env } },
    );
  await typed(['sessions', 'import', 'roster.csv', '--exam', '8', ...declaredColumns, '--yes']);
  const { stdout } = await typed(['runs', 'list', '-o', 'id']);
  return { typed, done: stdout.trim() };
}

test('there are 24 questions, each with at most three commands and an answer of at most three lines beside a file', () => {
  expect(questions).toHaveLength(24);
  for (const { question, lines, answer } of questions) {
    expect(lines[0], question).toMatch(/proctor-cli /);
    expect(lines.length, question).toBeLessThanOrEqual(3);
    const text = answer.replace(/\n*```[\s\S]*?```/g, '');
    expect(text.split('\n').length, question).toBeLessThanOrEqual(3);
  }
});

describe('the commands of the answer run', () => {
  const runnable = questions
    .map(({ question, lines }) => ({ question, lines: lines.filter((line) => !others.test(line)) }))
    .filter(({ lines }) => lines.length > 0);

  test.each(runnable)('$question', async ({ question, lines }) => {
    const { typed, done } = await office();
    const numbers: Record<string, string> = { ...usual, ...standIns[question], RUN: done };
    for (const line of lines) {
      const [, name, value = '', command = '', file] = /^(?:([A-Z_]+)=(\S+) )?proctor-cli (.*?)(?: > (\S+))?$/.exec(line) ?? [];
      const words = wordsOf(command).map((word) => numbers[word] ?? word);
      const declared = words.includes('import') && !/--only/.test(command) ? declaredColumns : [];
      const { code, stdout, stderr } = await typed(
        [...words, ...declared, ...(words.includes('--yes') ? [] : ['--yes'])],
        name === undefined ? {} : { [name]: value },
      );
      expect(looks.test(command) ? [0, 3, 11] : [0], `${command}\n${stderr}`).toContain(code);
      if (file) expect(stdout, file).toMatch(/^id,email,.*\r\n(\d+,.*\r\n)+$/);
    }
  });
});
