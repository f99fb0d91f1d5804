/** An exam at a service whose faults a test chooses, and imports into it within this process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lineStateNames } from '../../../../src/model/line-states.ts';
import { type ExamService, examService, type Fault, type ServiceOptions } from '../../../campaign/service.ts';
import { type Run, run, temporaryFolder, type World } from '../../../support/run.ts';

export type Report = Record<string, unknown> & {
  problems: { line: number; email: string | null; state: string; reason: string }[];
};
export type Imported = Run & { report: Report };

export type Exam = {
  service: ExamService;
  home: string;
  /** Goes wrong at the POSTs with these numbers, from 1. */
  posts(faults: Record<number, Fault>): void;
  /** Writes the roster and imports it, into exam 6 where its lines name none; with --yes and as JSON. */
  imports(roster: string, args?: string, world?: World, into?: readonly string[]): Promise<Imported>;
};

export async function exam(options: ServiceOptions = {}): Promise<Exam> {
  const service = await examService({ ownTime: true, ...options });
  onTestFinished(() => service.close());
  const home = temporaryFolder();
  const roster = join(home, 'roster.csv');
  mkdirSync(join(home, 'config'));
  return {
    service,
    home,
    posts(faults) {
      service.fault = ({ method, count }) => (method === 'POST' ? faults[count] : undefined);
    },
    async imports(text, args = '', world = {}, into = args.includes('exam=') ? [] : ['--exam', '6']) {
      writeFileSync(roster, text);
      const options = args.split(' ').filter((word) => word !== '');
      const answered = world.tty === true ? [] : ['--yes'];
      const ended = await run(
        ['sessions', 'import', roster, ...into, ...(options.includes('-o') ? [] : ['-o', 'json']), ...answered, ...options],
        {
          onSleep: (milliseconds) => service.pass(milliseconds),
          home,
          ...world,
          env: { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests', ...env(home), ...world.env },
        },
      );
      return { ...ended, report: ended.stdout.startsWith('{') ? JSON.parse(ended.stdout) : { problems: [] } };
    },
  };
}

function env(home: string): Record<string, string> {
  return { PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state') };
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
