/** An office whose student has a window, and its runs, each a minute after the one before. */
import { expect } from 'vitest';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import type { Run, World } from '../support/run.ts';
import type { Service, ServiceOptions } from '../support/service.ts';
import type { Fields } from '../support/truth.ts';

const exam = (id: number, more: Fields = {}) => ({ ...algebra, id, name: `Exam ${id}`, ...more });
const three = [algebra, exam(2), exam(3)];
export const window = { open_time: '2127-02-01T08:15:00Z', close_time: '2127-02-01T10:30:00Z' };
export const move = 'sessions move 7 --exam 2 --yes';

/** Ada is in exam 1, with a window of her own. */
export const office = (options: ServiceOptions = {}) =>
  serviceWithExam({ exams: three, sessions: [{ ...ada, ...window, skip_requirements: true }], showing: { dated: true }, ...options });
export const minuteLater = (service: Service) => service.clock.set(new Date(service.clock.now() + 60_000).toISOString());

/** Each line a minute after the one before. */
export async function done(service: Service, line: string, code = 0, world: World = {}): Promise<Run & { writes: string[] }> {
  const before = service.writes().length;
  const run = await service.run(line, world);
  expect(run.code, `${line}: ${run.stderr}`).toBe(code);
  minuteLater(service);
  return { ...run, writes: service.writes().slice(before) };
}
export const listed = async (service: Service, world: World = {}) =>
  JSON.parse((await service.run('runs list -o json', world)).stdout) as Fields[];
export const latest = async (service: Service, world: World = {}) => String((await listed(service, world))[0]?.run);
export const undo = async (service: Service, code = 0, world: World = {}) =>
  done(service, `runs undo ${await latest(service, world)} --yes`, code, world);
export const names = (service: Service) => service.sessions.map(({ email }) => email?.split('@')[0]).join(' ');
export const where = (service: Service) => service.sessions.map(({ email, exam_id }) => `${email?.split('@')[0]} ${exam_id}`).join(', ');
