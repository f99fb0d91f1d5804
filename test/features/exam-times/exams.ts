/** Exams whose times are known, on a service that can fail, and a machine to move them from. */
import { onTestFinished } from 'vitest';
import { type ExamService, examService, type Fields, type ServiceOptions } from '../../campaign/service.ts';
import { type Run, run, temporaryFolder, type World } from '../../support/run.ts';

export const restrictions = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: false };

export const exam = (id: number, start_time: string, end_time: string | null, more: Fields = {}) => ({
  id,
  name: `Exam ${id}`,
  start_time,
  end_time,
  ...restrictions,
  ...more,
});

export type Office = {
  service: ExamService;
  home: string;
  run(line: string, world?: World): Promise<Run>;
  /** The rows that a line prints as JSON, with this status. */
  rows(line: string, world?: World): Promise<Fields[]>;
  /** Everything that the service keeps. */
  everything(): { exams: Fields[]; students: Fields[] };
  runs(): Promise<Fields[]>;
};

/** By the service's clock it is `now` of each run; without one, 20 December 2026. */
export async function office(
  exams: readonly (Fields & { id: number })[],
  students: readonly Fields[] = [],
  zone = 'Europe/Vienna',
  options: ServiceOptions = {},
): Promise<Office> {
  const service = await examService({ ...options, exams });
  onTestFinished(() => service.close());
  for (const [at, student] of students.entries()) service.add({ email: `s${at + 1}@example.org`, ...student });
  const home = temporaryFolder();
  const env = { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_TIMEZONE: zone };
  const office: Office = {
    service,
    home,
    run: (line, world = {}) => run(line.split(' '), { home, env, now: '2026-12-20T12:00:00Z', ...world }),
    async rows(line, world) {
      const { stdout, stderr } = await office.run(`${line} -o json`, world);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    },
    everything: () => structuredClone({ exams: service.exams(), students: service.students() }),
    runs: () => office.rows('runs list'),
  };
  return office;
}

/** The PATCHes that arrived, in order: what of which, and to what. */
export function patches({ log }: ExamService): [string, number, Fields][] {
  return log.flatMap((event) =>
    event.what === 'patch' || event.what === 'patch-exam' ? [[event.what, event.id, event.body] as [string, number, Fields]] : [],
  );
}
