/** The terminal goes away while an import runs in it: a real one, lent by util-linux's `script`. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { environment } from '../campaign/story/machine.ts';
import { algebra, held } from '../support/algebra.ts';
import { realClock } from '../support/clock.ts';
import { run, temporaryFolder } from '../support/run.ts';

const withoutTerminal = process.platform !== 'linux' || spawnSync('script', ['--version']).error !== undefined;
const students = 40;

test.skipIf(withoutTerminal)('Requests in flight are finished and recorded, and the same command resumes the run.', async () => {
  const service = await held({ exams: [{ ...algebra, id: 6 }], clock: realClock() }).listen();
  service.fault = ({ method }) => (method === 'POST' ? { takes: 200 } : undefined);
  const home = temporaryFolder();
  const env = environment(home, service, 1);
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, `email\n${Array.from({ length: students }, (_, at) => `student${at}@example.org\n`).join('')}`);
  const words = ['sessions', 'import', roster, '--exam', '6', '--yes'];
  const line = `echo pid $$; exec ${[...inject('command'), ...words].map((word) => `'${word}'`).join(' ')}`;
  const terminal = spawn('script', ['-qefc', line, '/dev/null'], { env: { ...env, PATH: process.env.PATH, HOME: home, TERM: 'xterm' } });
  let shown = '';
  terminal.stdout.on('data', (text: Buffer) => {
    shown += text;
  });
  while (service.posts() < 5) await pause(2);
  const pid = Number(/pid (\d+)/.exec(shown)?.[1]);
  // Its other end has no reader or writer any more, as when a connection breaks.
  terminal.kill('SIGKILL');
  while (isRunning(pid)) await pause(5);

  const sent = service.posts();
  expect(sent).toBeLessThan(students);
  const [id] = (await run(['runs', 'list', '-o', 'id'], { home, env })).stdout.split('\n');
  const { stdout } = await run(['runs', 'show', id ?? '', '-o', 'json'], { home, env });
  const { steps } = JSON.parse(stdout) as { steps: { result: string }[] };
  // Answered, and unknown until a read shows them.
  expect(steps.filter(({ result }) => ['done', 'unknown'].includes(result))).toHaveLength(sent);
  expect(steps.filter(({ result }) => result === 'planned')).toHaveLength(students - sent);

  const ended = await run(words, { home, env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(service.posts()).toBe(students);
  expect(service.sessions).toHaveLength(students);
  service.close();
});

function isRunning(pid: number): boolean {
  // A process without a waiting parent stays in the list until init has reaped it.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
