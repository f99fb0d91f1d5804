/** Exams whose times are known, on a service that can fail, and a machine to move them from. */
import type { World } from '../../support/run.ts';
import { Service, type ServiceOptions } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

export const restrictions = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: false };

export const exam = (id: number, start_time: string, end_time: string | null, more: Fields = {}) => ({
  id,
  name: `Exam ${id}`,
  start_time,
  end_time,
  ...restrictions,
  ...more,
});

export type Office = ReturnType<typeof office>;

/** By the service's clock it is `now` of each run; without one, 20 December 2026. */
export function office(exams: readonly Fields[], students: readonly Fields[] = [], zone = 'Europe/Vienna', options: ServiceOptions = {}) {
  const service = new Service({ exams, ...options });
  for (const [at, student] of students.entries()) service.add({ email: `s${at + 1}@example.org`, ...student });
  const run = (line: string, world: World = {}) =>
    service.run(line, { now: '2026-12-20T12:00:00Z', ...world, env: { PROCTOR_TIMEZONE: zone, ...world.env } });
  return {
    ...{ service, run, home: service.home },
    /** The rows that a line prints as JSON. */
    async rows(line: string, world?: World): Promise<Fields[]> {
      const { stdout, stderr } = await run(`${line} -o json`, world);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    },
  };
}

/** The PATCHes that arrived, in order: what of which, and to what. */
export function patches(service: Service): [string, number, Fields][] {
  const changes = service.written().filter(({ method }) => method === 'PATCH');
  return changes.map(({ path, body }) => [path.startsWith('/exams') ? 'patch-exam' : 'patch', Number(path.split('/')[2]), body]);
}
