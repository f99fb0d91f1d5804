/** Files, pipes and descriptors that are named on the line, in real processes and real folders. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { internals, shell } from './program.ts';

const report = 'proctor exams report 1 -o id --html';

describe.skipIf(process.platform === 'win32')('a page', () => {
  const inFolder = async (line: string) => {
    const home = temporaryFolder();
    const { env } = await embedded().under([]);
    const ended = await shell(`cd '${home}'; ${line}`, { home, env });
    return { ...ended, text: (name: string) => readFileSync(join(home, name), 'utf8') };
  };

  test.each(['/dev/stdout', '/dev/fd/3 3> out', '>(cat > out)'])('never goes through a link (%s)', async (place) => {
    const { code, stderr } = await inFolder(`${report} ${place}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a link')]);
    expect(stderr).not.toMatch(internals);
  });

  test('never goes to the file that takes the output or the messages', async () => {
    for (const redirected of ['> out', '2> out', '> all 2> out']) expect((await inFolder(`${report} out ${redirected}`)).code).toBe(2);
  });

  test('is complete or missing after the folder was deleted', async () => {
    const { code, stderr } = await inFolder(`mkdir gone; cd gone; rmdir ../gone; ${report} page.html`);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*page\.html.*\nhint: /);
    expect(stderr).not.toMatch(internals);
  });
});

test.skipIf(process.platform === 'win32')('the roster on stdin is never written to', async () => {
  const { env } = await embedded().under([]);
  const home = temporaryFolder();
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, 'email\nann@example.org\n');
  for (const [place, what] of [
    [roster, 'is in use by this command'],
    ['/dev/stdin', 'is a link'],
  ] as const) {
    const line = `proctor sessions import - --exam 6 --yes --rejects '${place}' < '${roster}'`;
    const { code, stderr } = await shell(line, { home, env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(what)]);
  }
  expect(readFileSync(roster, 'utf8')).toBe('email\nann@example.org\n');
  expect(existsSync(join(home, '.local', 'state', 'proctor-cli', 'runs.sqlite'))).toBe(false);
});
