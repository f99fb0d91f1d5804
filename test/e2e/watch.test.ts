/** A watch on a real terminal, and in a pipe. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import type { Store } from '../../src/sandbox/store.ts';
import { inStore } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { command, ended, internals, launch, shell } from './program.ts';
import { onTerminal, withoutTerminal } from './screen.ts';

/** Escape shows as a sign. */
const [entered, left] = ['␛[?1049h␛[?25l', '␛[?25h␛[?1049l'];

async function service() {
  const folder = temporaryFolder();
  let sandbox = await startSandbox({ folder });
  onTestFinished(() => sandbox.close());
  const { token, baseUrl } = sandbox;
  return {
    env: { PROCTOR_BASE_URL: baseUrl, PROCTOR_TOKEN: token },
    goAway: () => sandbox.close(),
    async comeBack() {
      sandbox = await startSandbox({ folder, port: Number(new URL(baseUrl).port) });
    },
    store: <T>(work: (store: Store) => T) => inStore(folder, work),
    /** Changes the students of exam 3. */
    change(fields: (data: JsonObject, id: number) => JsonObject) {
      inStore(folder, (store) => {
        for (const { id, data } of store.list('student_sessions', 3))
          store.update('student_sessions', id, { ...data, ...fields(data, id) });
      });
    },
  };
}

/** The program on a terminal of 80 by 24; when it has ended, its status and the state of the terminal are shown. */
const terminal = (line: string, env: Record<string, string>) =>
  onTerminal(terminalLine(line), { home: temporaryFolder(), env: { NO_COLOR: '1', ...env } });

const terminalLine = (line: string) =>
  [
    'stty cols 80 rows 24',
    `bash -c 'echo "terminal $(tty) of $$"; exec "$@"' - ${command} ${line}`,
    'echo "status $?"',
    "stty -a | grep -o -- '-*icanon'",
    "stty -a | grep -o -- ' -*echo '",
  ].join('; ');

const watch = 'sessions watch --exam 3 --interval 1s';

describe.skipIf(withoutTerminal).concurrent('on a terminal', () => {
  test.each([
    ['q', 0],
    ['\u0003', 130],
    ['SIGTERM', 143],
  ])('%j gives it back, with status %i', async (how, status) => {
    const { env } = await service();
    const { sees, type, shown } = terminal(watch, env);
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
    const { env } = await service();
    const { sees, type } = terminal(watch, env);
    const device = await sees(/terminal (\S+)/);
    await sees(/q quits/);
    spawnSync('stty', ['-F', device, 'cols', '20', 'rows', '5']);
    await sees(/␛\[1;1H␛\[2KExam 3, Introductio…/);
    await sees(/␛\[5;1H␛\[2KUpdated \d s ago/);
    type('q');
    expect(await sees(/status (\d+)/)).toBe('0');
  });

  test('a service that goes away is waited for, and an exam that is deleted ends it with status 6', async () => {
    const { env, goAway, comeBack, store, change } = await service();
    const { sees, shown } = terminal(watch, env);
    await sees(/q quits/);
    await goAway();
    await sees(/the connection was refused/);
    await sees(/next try in/);
    change(({ email }) => (email === 'mehmet.ozturk@example.org' ? { level_of_suspicion: 3 } : {}));
    await comeBack();
    await sees(/suspicion 3 [^␛]*mehmet\.oz/);
    store((kept) => kept.remove('exams', 3));
    await sees(/error: .*exam 3/i);
    expect(await sees(/status (\d+)/)).toBe('6');
    expect(shown()).toContain(left);
  });
});

describe.concurrent('in a pipe', () => {
  test('a reader that has seen enough ends it quietly', async () => {
    const { env, change } = await service();
    const changing = setInterval(
      () => change(({ level_of_suspicion: level }, id) => (id === 24 ? { level_of_suspicion: (Number(level) + 1) % 4 } : {})),
      700,
    );
    const { stdout, stderr, code } = await shell(`set -o pipefail; proctor ${watch} -o ndjson | head -1`, { home: temporaryFolder(), env });
    clearInterval(changing);
    expect(JSON.parse(stdout)).toMatchObject({ session: 24, field: 'level_of_suspicion' });
    expect(code).toBe(0);
    expect(stderr).not.toContain('error');
  });

  test('what other processes change is seen, until all have finished', async () => {
    const { env, change } = await service();
    const watching = launch(`${watch} --stop-at all-finished -o ndjson`.split(' '), { home: temporaryFolder(), env });
    const end = ended(watching);
    // It greets after its first look, with which all later ones are compared.
    await once(watching.stderr, 'data');
    change(() => ({ status: 'exam_finished' }));
    const { code, stdout } = await end;
    expect(code).toBe(0);
    expect(stdout).toContain('"to":"exam_finished"');
  });
});
