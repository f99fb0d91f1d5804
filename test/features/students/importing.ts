/** An exam, far ahead, and imports into it within this process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run, World } from '../../support/run.ts';
import { Service, type ServiceOptions } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

export type Line = { line: number; exam: number | null; session: number | null; email: string | null } & Record<
  'action' | 'result' | 'reason',
  string | null
> & { changes: { field: string; from: unknown; to: unknown }[] };
export type Report = {
  run: string | null;
  exam: number | null;
  counts: Record<string, number>;
  lines: Line[];
  problems: { line: number; column: string | null; value: string | null; reason: string }[];
  notInFile: Fields[];
  steps?: { method: string; url: string; body?: Fields }[];
};
export type Imported = Run & { report: Report };

export const algebra = { id: 6, name: 'Linear Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' };

export type Exam = { service: Service; imports(roster: string | Buffer, args?: string, world?: World): Promise<Imported> };

export function exam(options: ServiceOptions = {}): Exam {
  const service = new Service({ exams: [algebra], ...options });
  const roster = join(service.home, 'roster.csv');
  return {
    service,
    /** Into exam 6 where the lines name none, with --yes off a terminal, and as JSON. */
    async imports(text, args = '', world = {}) {
      writeFileSync(roster, text);
      const given = args.split(' ').filter((word) => word !== '');
      const into = args.includes('exam=') ? [] : ['--exam', '6'];
      const format = given.includes('-o') ? [] : ['-o', 'json'];
      const yes = world.tty === true || given.includes('--check') ? [] : ['--yes'];
      const ended = await service.run(['sessions', 'import', roster, ...into, ...format, ...yes, ...given], world);
      const empty: Report = { run: null, exam: null, counts: {}, lines: [], problems: [], notInFile: [] };
      return { ...ended, report: format.length > 0 && ended.stdout.startsWith('{') ? JSON.parse(ended.stdout) : empty };
    },
  };
}

/** The counts of a report that are not zero, without the number of lines. */
export function counted({ report: { counts } }: Imported): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([key, number]) => key !== 'total' && number > 0));
}

/** The failure with `-o json`, whatever was said before it. */
export const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

export const one = 'email,name\nann@example.org,Ann\n';
export const three = 'email,name\nann@example.org,Ann\nbob@example.org,Bob\ncy@example.org,Cy\n';
export const opening = 'email,open_time\nann@example.org,2127-02-01T08:30:00Z\n';
