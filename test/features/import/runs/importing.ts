/** An exam at a service whose faults a test chooses, and imports into it within this process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineStateNames } from '../../../../src/model/line-states.ts';
import { type Run, run, type World } from '../../../support/run.ts';
import { type Arrived, type Reply, Service, type ServiceOptions, type Showing } from '../../../support/service.ts';
import type { Fields } from '../../../support/truth.ts';

export type Report = Record<string, unknown> & {
  problems: { line: number; email: string | null; state: string; reason: string }[];
};
export type Imported = Run & { report: Report };

export type Exam = {
  service: Service;
  home: string;
  /** What becomes of the POSTs with these numbers, from 1. */
  posts(replies: Record<number, Reply>): void;
  /** Writes the roster and imports it, into exam 6 where its lines name none; with --yes and as JSON. */
  imports(roster: string, args?: string, world?: World, into?: readonly string[]): Promise<Imported>;
};

/** So far ahead that nothing of it runs in any test. */
const algebra = { id: 6, name: 'Linear Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' };

export function exam(options: ServiceOptions = {}): Exam {
  const service = new Service({ exams: [algebra], ...options });
  const { home } = service;
  const roster = join(home, 'roster.csv');
  mkdirSync(join(home, 'config'));
  return {
    service,
    home,
    posts(replies) {
      service.fault = ({ method, count }) => (method === 'POST' ? replies[count] : undefined);
    },
    async imports(text, args = '', world = {}, into = args.includes('exam=') ? [] : ['--exam', '6']) {
      writeFileSync(roster, text);
      const options = args.split(' ').filter((word) => word !== '');
      const answered = world.tty === true ? [] : ['--yes'];
      const format = options.includes('-o') ? [] : ['-o', 'json'];
      const ended = await service.run(['sessions', 'import', roster, ...into, ...format, ...answered, ...options], world);
      return { ...ended, report: ended.stdout.startsWith('{') ? JSON.parse(ended.stdout) : { problems: [] } };
    },
  };
}

type Shown = (email: string) => string | null | undefined;

/** The address that a list shows, and that another answer shows, undefined: none; and what no answer shows. */
export function showing({
  listed = (email) => email,
  answered = (email) => email,
  hidden = [],
}: {
  listed?: Shown;
  answered?: Shown;
  hidden?: readonly string[];
}): Showing {
  return {
    as(record: Fields, { method, path }: Arrived) {
      const as = method === 'GET' && path.endsWith('/student_sessions') ? listed : answered;
      const email = typeof record.email === 'string' ? as(record.email) : record.email;
      const entries = Object.entries({ ...record, email });
      return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && !hidden.includes(name)));
    },
  };
}

/** The counts of a report that are not zero. */
export function states({ report }: Imported): Record<string, number> {
  return Object.fromEntries(lineStateNames.map((name) => [name, Number(report[name])] as const).filter(([, number]) => number > 0));
}

export const one = 'email,name\nann@example.org,Ann\n';
export const three = 'email,name\nann@example.org,Ann\nbob@example.org,Bob\ncy@example.org,Cy\n';
export const opening = 'email,open_time\nann@example.org,2027-01-10T09:00:00Z\n';

/** The latest run, as `runs list` shows it. */
export async function lastRun({ home }: Pick<Exam, 'home'>): Promise<Record<string, unknown> & { run: string; state: string }> {
  const [first] = JSON.parse((await run(['runs', 'list', '-o', 'json'], { home })).stdout);
  return first;
}
