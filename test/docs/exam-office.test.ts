/**
 * Each line of the page of the exam office does what it says on the exam period of the embedded service: its numbers
 * stand for exams and sessions of the day that its section is about, its dates are those of the period.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { resetSandbox } from '../../src/sandbox/index.ts';
import { embedded, wordsOf } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { pages } from './pages.ts';

/** The period of this day is in March, as on the page. */
const now = '2026-11-22T09:00:00Z';
const page = pages.get('docs/exam-office.md') ?? '';

/** In each section: what 42 and 43, 1017 and 1018 stand for. */
const standIns: Record<string, Record<string, string>> = {
  'Two weeks before': { 42: '7', 43: '9', 1017: '46', 1018: '47' },
  'The evening before': { 42: '5' },
  'During the exam': { 42: '3', 1017: '24' },
  'After the exams': { 42: '2' },
  'The running exam': { 42: '3', 1017: '24' },
};

/** Commands that end with 11 where something is not as it should be; some students of exam 5 have been mailed. */
const checked = /^proctor-cli (preflight|accommodations apply .*--check|exams send-emails)\b/;
/** The students of the embedded service have a number that a move does not carry over: they stay, and both sessions are named. */
const partly = /^proctor-cli sessions move\b/;
const lasts = /^proctor-cli sessions watch\b/;

type Line = { line: string; section: string };

const lines = page.split(/^## /m).flatMap((text) => {
  const [section = ''] = text.split('\n');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.split('\n').flatMap((line): Line[] => (line.startsWith('proctor-cli ') ? [{ line: line.replace(/ +# .*$/, ''), section }] : [])),
  );
});

let seeded: string | undefined;

/** The first data at the beginning of the day; seeding takes longer than copying. */
function seed(): string {
  if (seeded === undefined) {
    seeded = temporaryFolder();
    resetSandbox(join(seeded, 'state', 'sandbox'), { now: () => Date.parse(now) });
  }
  return seeded;
}

/** A home with these data, and the files that the page names. */
async function office() {
  const home = temporaryFolder();
  cpSync(seed(), home, { recursive: true });
  cpSync('test/demo/accommodations.csv', join(home, 'accommodations.csv'));
  writeFileSync(join(home, 'roster.csv'), 'email,name\nada.kowalczyk@students.example.org,Ada Kowalczyk\nada@example.org,Ada Example\n');
  const service = embedded(home);
  const run = async (words: readonly string[]) => {
    const stop = new AbortController();
    const end = () => stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    const env = { PROCTOR_TIMEZONE: 'Europe/Vienna' };
    return service.run(words, { now, env, interrupt: stop.signal, ...(words[1] === 'watch' ? { onSleep: end } : {}) });
  };
  return { home, run };
}

test('the page has lines for each part of the day', () => {
  expect(lines.length).toBeGreaterThan(25);
  for (const section of Object.keys(standIns)) expect(lines.map((each) => each.section)).toContain(section);
});

describe('a line of the page runs', () => {
  test.each(lines)('$line', async ({ line, section }) => {
    const { home, run } = await office();
    const known = { ...standIns[section] };
    const given = wordsOf(line.replace('proctor-cli ', '').replace(/ > \S+$/, ''));
    if (given.includes('RUN')) {
      // There is a run to show, resume and undo.
      expect((await run(['sessions', 'extend', '46', '--by', '15m', '--yes'])).code).toBe(0);
      const { stdout } = await run(['runs', 'list', '-o', 'id']);
      known.RUN = stdout.trim();
    }
    const words = given.map((word) => known[word] ?? (/^[\w-]+\.(csv|xml|html)$/.test(word) ? join(home, word) : word));
    const asks = !given.includes('--dry-run') && !given.includes('--yes') ? ['--yes'] : [];
    const { code, stderr } = await run([...words, ...asks]);
    expect(checked.test(line) ? [0, 11] : [lasts.test(line) ? 130 : partly.test(line) ? 9 : 0], `${line}\n${stderr}`).toContain(code);
  });
});
