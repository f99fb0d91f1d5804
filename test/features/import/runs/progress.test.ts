/** What a terminal shows of an import while it runs: each row that came to an end, and no line on which two messages stand. */
import { expect, test } from 'vitest';
import { exam, showing } from './importing.ts';

const roster = `email\n${Array.from({ length: 20 }, (_, at) => `s${at + 1}@example.org\n`).join('')}`;

/** The lines on a terminal once all is written: what a line was before it was drawn again is gone. */
const linesOf = (stderr: string) => stderr.split('\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');

test('Rows that a listing has to settle are counted once it has: those that are done, and those that were refused.', async () => {
  const { service, imports } = exam();
  service.fault = ({ method, body: { email } }) => {
    if (method !== 'POST') return undefined;
    if (email === 's3@example.org') return { answer: { status: 409, body: { message: 'taken' } }, done: 'now' };
    if (email === 's5@example.org') return { answer: { status: 409, body: { message: 'taken' } } };
    if (email === 's7@example.org') return { answer: 'lost', done: 'now' };
    // Long enough for the bar to be drawn.
    return email === 's9@example.org' ? { takes: 200 } : undefined;
  };
  const { stdout, stderr } = await imports(roster, '--concurrency 1 --yes -o table', { tty: true, env: { NO_COLOR: '1' } });
  expect(stdout).toMatch(/^Created +18$/m);
  expect(stdout).toMatch(/^Unchanged +1$/m);
  const lines = linesOf(stderr);
  expect(lines.filter((line) => line.includes('█'))).toEqual([expect.stringMatching(/^█+ 20\/20 · 1 failed · /)]);
});

test('A row whose outcome stays unknown is not counted as done.', async () => {
  const { imports, posts } = exam({ showing: showing({ listed: () => null }) });
  posts({ 2: { answer: 'lost', done: 'now' } });
  const { stderr } = await imports(roster, '--concurrency 1 --yes', { tty: true });
  expect(linesOf(stderr)).toContainEqual(expect.stringMatching(/^█+░ 19\/20 · 0 failed · /));
});
