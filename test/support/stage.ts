/** A service in January 2027: exam 6 of the next month, far from its window. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inventedClock } from './clock.ts';
import type { World } from './run.ts';
import { Service, type ServiceOptions } from './service.ts';
import type { Fields } from './truth.ts';

export const today = '2027-01-04T08:00:00Z';
export const begins = '2027-02-01T08:00:00Z';
export const ends = '2027-02-01T10:00:00Z';
export const minute = 60_000;

/** So many minutes after a time. */
export const after = (time: unknown, minutes: number) =>
  `${new Date(Date.parse(String(time)) + minutes * minute).toISOString().slice(0, 19)}Z`;

export async function stage({ exam, ...options }: Omit<ServiceOptions, 'clock'> & { exam?: Fields } = {}) {
  const clock = inventedClock(today);
  const service = new Service({ ...options, clock });
  service.truth.createExam({ name: 'Linear Algebra', start_time: begins, end_time: ends, ...exam }, 'colleague', 6);
  await clock.pass(60 * minute);
  return {
    service,
    clock,
    /** Unattended unless there is a terminal. */
    run: (line: string, world: World = {}) =>
      service.run(`${line}${world.tty ? '' : ' --yes --no-input'}`, { env: { PROCTOR_TIMEZONE: 'UTC' }, ...world }),
    /** Students of exam 6 by the local part of their addresses. */
    students: (...names: string[]) => names.map((name) => service.truth.createSession(6, { email: `${name}@example.org`, name })),
    /** Writes a file into the home; its path. */
    file(name: string, text: string) {
      const path = join(service.home, name);
      writeFileSync(path, text);
      return path;
    },
  };
}
