/** A watch on a real terminal, and in a pipe. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { command, internals, shell } from './program.ts';
import { onTerminal, withoutTerminal } from './screen.ts';

/** Escape shows as a sign. */
const [entered, left] = ['␛[?1049h␛[?25l', '␛[?25h␛[?1049l'];
const watch = 'sessions watch --exam 3 --interval 1s';

/** A watch on a terminal of 80 by 24; when it has ended, its status and the state of the terminal are shown. */
async function onScreen() {
  const line = [
    'stty cols 80 rows 24',
    `bash -c 'echo "terminal $(tty) of $$"; exec "$@"' - ${command} ${watch}`,
    'echo "status $?"',
    "stty -a | grep -o -- '-*icanon'",
    "stty -a | grep -o -- ' -*echo '",
  ].join('; ');
  const { env } = await embedded().under([]);
  return onTerminal(line, { home: temporaryFolder(), env: { NO_COLOR: '1', ...env } });
}

describe.skipIf(withoutTerminal)('on a terminal', () => {
  test.each([
    ['q', 0],
    ['\u0003', 130],
    ['SIGTERM', 143],
  ])('%j gives it back, with status %i', async (how, status) => {
    const { sees, type, shown } = await onScreen();
    const id = Number(await sees(/terminal \S+ of (\d+)/));
    await sees(/Exam 3, Introduction to Programming/);
    await sees(/q quits/);
    if (how === 'SIGTERM') process.kill(id, how);
    else type(how);
    expect(await sees(/status (\d+)/)).toBe(String(status));
    expect(await sees(/(\S*icanon)/)).toBe('icanon');
    expect(await sees(/(\S*echo)/)).toBe('echo');
    expect([shown().split(entered), shown().split(left)].map(({ length }) => length)).toEqual([2, 2]);
    expect(shown().indexOf(left)).toBeGreaterThan(shown().indexOf(entered));
    expect(shown()).not.toMatch(internals);
    expect(shown().includes('Stopped by SIGTERM.')).toBe(status === 143);
  });

  test('another size is followed, down to 20 by 5', async () => {
    const { sees, type } = await onScreen();
    const device = await sees(/terminal (\S+)/);
    await sees(/q quits/);
    spawnSync('stty', ['-F', device, 'cols', '20', 'rows', '5']);
    await sees(/␛\[1;1H␛\[2KExam 3, Introductio…/);
    await sees(/␛\[5;1H␛\[2KUpdated \d s ago/);
    type('q');
    expect(await sees(/status (\d+)/)).toBe('0');
  });
});

test('in a pipe, a reader that has seen enough ends it quietly', async () => {
  const service = embedded();
  const { env } = await service.under([]);
  let level = 0;
  const changing = setInterval(() => service.change('student_sessions', { level_of_suspicion: ++level % 4 }, 24), 300);
  const { stdout, stderr, code } = await shell(`set -o pipefail; proctor ${watch} -o ndjson | head -1`, { home: temporaryFolder(), env });
  clearInterval(changing);
  expect(JSON.parse(stdout)).toMatchObject({ session: 24, field: 'level_of_suspicion' });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
});
