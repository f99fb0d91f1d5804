/** `doctor` against the service of the tests, and what it found by the name of each check. */
import { type Failure, failureOf } from '../../faults/outcome.ts';
import { run, temporaryFolder, type World } from '../../support/run.ts';
import { type Reply, refused, Service } from '../../support/service.ts';

export type Found = { check: string; state: string; detail: string; remedy: string | null };
export type Examined = { code: number; found: Record<string, Found>; stdout: string; stderr: string; failure?: Failure };

export const token = 'a-token-of-the-tests';

export async function examined(argv: readonly string[] = [], world: World = {}, service?: Service): Promise<Examined> {
  const line = ['doctor', '-o', 'json', ...argv];
  const outcome = await (service === undefined ? run(line, world) : service.run(line, world));
  const rows = JSON.parse(outcome.stdout) as Found[];
  const found = Object.fromEntries(rows.map((row) => [row.check, row]));
  const { code, stdout, stderr } = outcome;
  return { code, found, stdout, stderr, ...(code === 0 ? {} : { failure: failureOf(outcome) }) };
}

export const goodExam = {
  ...{ id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: null },
  ...{ allow_headphones: false, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: true },
};
export const goodSession = {
  ...{ id: 5, exam_id: 1, name: 'Ada', email: 'ada@example.org', status: 'registered' },
  ...{ open_time: null, close_time: '2027-02-01T09:00:00Z' },
};

/** Settings of a home, stored as a person would. */
export async function homeWith(...settings: (readonly [string, string])[]): Promise<string> {
  const home = temporaryFolder();
  for (const [key, value] of settings) await run(['config', 'set', key, value], { home });
  return home;
}

/** `doctor` where the service replies like this to some requests; the others are answered as they should be. */
export async function withReplies(replies: Readonly<Record<string, Reply>>, world: World = {}): Promise<Examined & { requests: string[] }> {
  const service = new Service({ exams: [goodExam], sessions: [goodSession], showing: { dated: false } });
  const users = refused(200, [{ id: 9, email: 'una@example.org' }]);
  service.fault = ({ line }) => ({ 'GET /institutes/3/users': users, ...replies })[line];
  const env = { PROCTOR_INSTITUTE: '3', ...world.env };
  return { ...(await examined(['--timezone', 'UTC'], { ...world, env }, service)), requests: service.requests() };
}
