/** `doctor` against a service of the tests, and what it found by the name of each check. */
import { type Failure, failureOf } from '../../faults/outcome.ts';
import { answer, faultServer, type Reaction } from '../../faults/server.ts';
import { run, temporaryFolder, type World } from '../../support/run.ts';

export type Found = { check: string; state: string; detail: string; remedy: string | null };
export type Examined = { code: number; found: Record<string, Found>; stdout: string; stderr: string; failure?: Failure };

export const token = 'a-token-of-the-tests';

export async function examined(argv: readonly string[] = [], world: World = {}): Promise<Examined> {
  const outcome = await run(['doctor', '-o', 'json', ...argv], world);
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

type Answers = {
  exams?: unknown;
  sessions?: unknown;
  exam?: unknown;
  status?: number;
  sessionStatus?: number;
  headers?: Record<string, string>;
};

/** `doctor` where the service answers like this; what is not given is as it should be. */
export async function withAnswers(answers: Answers, world: World = {}): Promise<Examined & { requests: string[] }> {
  const { exams = [goodExam], exam = goodExam, sessions = [goodSession], status = 200, sessionStatus = 200, headers = {} } = answers;
  const shown: [path: RegExp, reaction: Reaction][] = [
    [/v1\/exams(\?|$)/, answer(status, exams, headers)],
    [/v1\/student_sessions(\?|$)/, answer(sessionStatus, sessions)],
    [/exams\/1$/, answer(200, exam)],
    [/exams\/1\/student_sessions/, answer(200, sessions)],
    [/proctor_pool|users/, answer(200, [{ id: 9, email: 'una@example.org' }])],
    [/show_student|student_sessions\/5/, answer(200, goodSession)],
  ];
  const react: Reaction = (socket, request) => (shown.find(([path]) => path.test(request.path))?.[1] ?? answer(404, {}))(socket, request);
  const server = await faultServer(Array.from({ length: 40 }, () => react));
  const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token, PROCTOR_INSTITUTE: '3', ...world.env };
  const outcome = await examined(['--timezone', 'UTC'], { ...world, env });
  return { ...outcome, requests: server.requests() };
}
