/** An office with two exams and two students, what a command has said, and what a process leaves that is killed. */
import { cpSync } from 'node:fs';
import { expect } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { type Run, temporaryFolder, type World } from '../support/run.ts';
import type { Service } from '../support/service.ts';

export const office = () => serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Analysis' }], sessions: [ada, bob] });
export const create = 'sessions create --exam 1 --email eve@example.org';
export const newExam = 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';
export const interruption = new CliError('interrupted', 'Interrupted.');

/** What a service holds, and how often it was written to. */
export const holds = (service: Service, { sessions, exams, truth } = service) => ({
  who: sessions.map(({ email }) => email?.split('@')[0]).join(' '),
  name: sessions[0]?.name,
  exams: exams.map(({ name }) => name).join(' '),
  restrictions: [exams[0]?.allow_headphones, exams[0]?.allow_whiteboard].join(' '),
  pool: [...(truth.pools.get(1) ?? [])].join(' '),
  writes: service.writes().length,
});

/** The failure of a command with `-o json`, whatever was said before it. */
export function failureIn({ stderr, code }: Run) {
  const { error } = JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as { error: Record<string, unknown> };
  expect(error.exit).toBe(code);
  return { code: error.code, message: error.message };
}

/** Runs a command until so many of its writes were carried out; what it leaves is the home of the next process. */
export async function killed(service: Service, line: string, { writes = 1, ...world }: World & { writes?: number } = {}): Promise<string> {
  const home = temporaryFolder();
  const stop = new AbortController();
  let left = writes;
  service.onAnswer = ({ method }) => {
    if (method !== 'GET') left -= 1;
    if (left !== 0 || stop.signal.aborted) return;
    // The copy has the record of that moment, and its holder is dead.
    cpSync(service.home, home, { recursive: true });
    stop.abort(interruption);
  };
  await service.run(line, { ...world, interrupt: stop.signal });
  service.onAnswer = () => {};
  return home;
}

/** The ID of the one open run. */
export async function openRun(service: Service, home = service.home): Promise<string> {
  const { stdout } = await service.run('runs list --open -o json', { home });
  const [only, ...others] = JSON.parse(stdout) as { run: string }[];
  expect([only, others]).toEqual([expect.anything(), []]);
  return only?.run ?? '';
}
