/** Each command of two pages runs on the embedded service: numbers stand for exams and sessions there, dates are those of its exam period. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { resetSandbox } from '../../src/sandbox/index.ts';
import { wordsOf } from '../commands/embedded.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { pages } from './pages.ts';

type Typed = { title: string; section: string; lines: string[]; answer: string };
/** `done`: a run to show, resume and undo. `standIns`: of 42 and 43, 1017 and 1018 in a section. */
type Page = { now: string; roster: string; done: string; typed: Typed[]; standIns: Record<string, Record<string, string>> };

const textOf = (name: string) => pages.get(name) ?? '';

const officeDay: Page = {
  // The period of this day is in March, as on the page.
  now: '2026-11-22T09:00:00Z',
  roster: 'email,name\nada.kowalczyk@students.example.org,Ada Kowalczyk\nada@example.org,Ada Example\n',
  done: 'sessions extend 46 --by 15m --yes',
  typed: textOf('docs/exam-office.md')
    .split(/^## /m)
    .flatMap((text) => {
      const [section = ''] = text.split('\n');
      const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.match(/^proctor-cli .*/gm) ?? []);
      return lines.map((line) => ({ title: line, section, lines: [line.replace(/ +# .*$/, '')], answer: '' }));
    }),
  standIns: {
    'Two weeks before': { 42: '7', 43: '9', 1017: '46', 1018: '47' },
    'The evening before': { 42: '5' },
    'During the exam': { 42: '3', 1017: '24' },
    'After the exams': { 42: '2' },
    'The running exam': { 42: '3', 1017: '24' },
  },
};

/** What the roster of the questions needs. */
const declared = ['--only', 'Status=enrolled', '--ignore-column', 'Group'];

const questions: Page = {
  // The first exams of the embedded service are then of last year.
  now: '2026-01-06T09:00:00Z',
  roster: 'email,name,Status,Group\nada@example.org,Ada,enrolled,A\nbo@example.org,Bo,enrolled,B\n',
  done: 'sessions import roster.csv --exam 8 --yes',
  typed: textOf('docs/how-do-i.md')
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [, title = '', block = '', answer = ''] = /^(.*)\n\n```sh\n([\s\S]*?)```\n\n([\s\S]*?)\n*(?:\n## .*\n*)?$/.exec(text) ?? [];
      return { title, section: title, lines: block.trimEnd().split('\n'), answer };
    }),
  standIns: { 'End the exam of one student?': { 42: '3', 1017: '24' }, 'Get a CSV of the no-shows?': { 42: '1' } },
};

/** What a line may end with: what a look has found, or a watch that is stopped. Some students of exam 5 have been mailed. */
function statusesOf(command: string): number[] {
  if (/\bdoctor\b/.test(command)) return [0, 3];
  if (/\b(preflight|exams send-emails)\b|--check\b/.test(command)) return [0, 11];
  return [/\bsessions watch\b/.test(command) ? 130 : 0];
}

/** A home with the first data at the beginning of the day, and the files that the pages name. */
function office({ now, roster }: Page) {
  const home = temporaryFolder();
  resetSandbox(join(home, 'state', 'sandbox'), { now: () => Date.parse(now) });
  cpSync('test/demo/accommodations.csv', join(home, 'accommodations.csv'));
  writeFileSync(join(home, 'roster.csv'), roster);
  return (command: string, known: Record<string, string> = {}, env: Record<string, string> = {}) => {
    const given = wordsOf(command).map((word) => known[word] ?? (/^[\w-]+\.(csv|json|xml|html)$/.test(word) ? join(home, word) : word));
    const columns = given.includes('import') && roster.includes('Group') && !given.includes('--only') ? declared : [];
    const stop = new AbortController();
    const end = () => stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    return run([...given, ...columns, ...(given.includes('--yes') ? [] : ['--yes'])], {
      ...{ home, now, interrupt: stop.signal, ...(given[1] === 'watch' ? { onSleep: end } : {}) },
      env: { PROCTOR_PROFILE: 'sandbox', PROCTOR_TIMEZONE: 'Europe/Vienna', ...env },
    });
  };
}

test('the page of the exam office has lines for each part of the day', () => {
  expect(officeDay.typed.length).toBeGreaterThan(25);
  expect(officeDay.typed.map(({ section }) => section)).toEqual(expect.arrayContaining(Object.keys(officeDay.standIns)));
});

test('there are 24 questions, each with at most three commands and an answer of at most three lines beside a file', () => {
  expect(questions.typed).toHaveLength(24);
  for (const { title, lines, answer } of questions.typed) {
    expect(lines[0], title).toMatch(/proctor-cli /);
    expect(lines.length, title).toBeLessThanOrEqual(3);
    expect(answer.replace(/\n*```[\s\S]*?```/g, '').split('\n').length, title).toBeLessThanOrEqual(3);
  }
});

describe.each([
  ['the exam office', officeDay],
  ['the questions', questions],
])('each command of the page of %s runs', (_name, page) => {
  // A login asks a person; other tests are about it.
  test.each(page.typed.filter(({ lines }) => !lines.every((line) => line.includes('auth login'))))('$title', async ({ section, lines }) => {
    const typed = office(page);
    const known: Record<string, string> = { 42: '7', 1017: '46', ...page.standIns[section] };
    if (/\bRUN\b/.test(lines.join(' '))) {
      expect((await typed(page.done)).code).toBe(0);
      known.RUN = (await typed('runs list -o id')).stdout.trim();
    }
    for (const line of lines.filter((each) => !each.includes('auth login'))) {
      const [, name, value = '', command = '', file] = /^(?:([A-Z_]+)=(\S+) )?proctor-cli (.*?)(?: > (\S+))?$/.exec(line) ?? [];
      const { code, stdout, stderr } = await typed(command, known, name === undefined ? {} : { [name]: value });
      expect(statusesOf(command), `${command}\n${stderr}`).toContain(code);
      if (page === questions && file?.endsWith('.csv')) expect(stdout, file).toMatch(/^(id|exam,session),.*email.*\r\n(\d+,.*\r\n)+$/);
    }
  });
});
