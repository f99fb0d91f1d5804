/**
 * A service that holds exams, sessions and pools, and does what writes say unless the test says otherwise of the next one: whether it
 * is obeyed, and what is answered. What it holds is the truth that the tests compare with.
 */
import { attempt, type Outcome } from '../faults/outcome.ts';
import { answer, type FaultServer, type Reaction, type Received, serverBy } from '../faults/server.ts';
import { temporaryFolder, type World } from '../support/run.ts';

export type Fields = Record<string, unknown>;

/** What becomes of a write. `obeyed`: carried out, as without a fault. `answers`, `shows`: in place of the true answer; `made`: what that has. */
export type Fault = { obeyed?: boolean; answers?: Reaction; shows?: (made: Fields) => Fields };

export type Held = FaultServer & {
  exams: Fields[];
  sessions: Fields[];
  pool: string[];
  home: string;
  /** The faults of the next writes, one after the other. */
  faults: (Fault | undefined)[];
  /** Sees each request before it is answered; what it returns is the answer. */
  onRequest: (request: string) => Reaction | undefined;
  /** Sessions that no list shows. */
  unlisted: Set<unknown>;
  writes(): string[];
  run(line: string | readonly string[], world?: World): Promise<Outcome>;
};

export const ada = { id: 7, exam_id: 1, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time: null };
export const bob = { ...ada, id: 8, email: 'bob@example.org', name: 'Bob' };
const exam = {
  id: 1,
  name: 'Algebra',
  start_time: '2127-02-01T08:00:00Z',
  end_time: '2127-02-01T10:00:00Z',
  save_recording: true,
  allow_headphones: false,
  allow_whiteboard: true,
  allow_leave_room: true,
  allow_pen_paper: true,
};

type Options = { exams?: Fields[]; sessions?: Fields[]; tls?: { key: string; cert: string } };

export async function held({ exams = [exam], sessions = [], tls }: Options = {}): Promise<Held> {
  let next = 100;
  const state = { exams: exams.map((each) => ({ ...each })), sessions: sessions.map((each) => ({ ...each })), pool: [] as string[] };
  const carryOut = (method: string, segments: string[], body: Fields, obeyed: boolean): [status: number, data?: unknown] => {
    const [collection, id, below] = segments;
    const all: Fields[] = collection === 'exams' ? state.exams : state.sessions;
    const create = (fields: Fields, into: Fields[]): [number, unknown] => {
      next += 1;
      const made = { id: next, ...fields, ...body };
      if (obeyed) into.push(made);
      return [201, made];
    };
    if (id === undefined) return method === 'POST' ? create({}, all) : [200, all.filter((each) => !service.unlisted.has(each.id))];
    const one = all.find((each) => String(each.id) === id);
    if (!one) return [404, { message: 'not found' }];
    if (below === 'student_sessions' && method === 'GET')
      return [200, state.sessions.filter((each) => each.exam_id === one.id && !service.unlisted.has(each.id))];
    if (below === 'student_sessions' || below === 'add_student')
      return create({ exam_id: one.id, status: 'registered', open_time: null, close_time: null }, state.sessions);
    if (below === 'send_emails') {
      if (obeyed) for (const each of state.sessions) if (each.exam_id === one.id && each.status === 'registered') each.status = 'mail_sent';
      return [200, { sent: true }];
    }
    if (below === 'proctor_pool') {
      const given = [body.proctors ?? []].flat().map(String);
      const isAdding = method === 'POST';
      if (obeyed && method !== 'GET')
        state.pool = isAdding ? [...state.pool, ...given] : state.pool.filter((each) => !given.includes(each));
      return method === 'GET' ? [200, state.pool.map((each) => ({ id: Number(each) }))] : [200, {}];
    }
    if (method === 'DELETE') {
      if (obeyed) all.splice(all.indexOf(one), 1);
      return [204];
    }
    if (method !== 'GET' && obeyed) Object.assign(one, body);
    return [200, method === 'GET' || obeyed ? one : { ...one, ...body }];
  };
  const react = (request: Received): Reaction => {
    const { method, body } = request;
    const path = request.path.replace('/api/v1', '').replace(/\?.*/, '');
    const given = service.onRequest(`${method} ${path}`);
    if (given) return given;
    const { obeyed = true, answers, shows } = (method === 'GET' ? undefined : service.faults.shift()) ?? {};
    const [status, data] = carryOut(method, path.split('/').filter(Boolean), body === '' ? {} : (JSON.parse(body) as Fields), obeyed);
    return answers ?? answer(status, shows ? shows(data as Fields) : data);
  };
  const server = await serverBy(react, tls ? { tls } : {});
  const service: Held = Object.assign(server, {
    ...state,
    home: temporaryFolder(),
    faults: [],
    onRequest: () => undefined,
    unlisted: new Set<unknown>(),
    writes: () => server.requests().filter((request) => !request.startsWith('GET')),
    run: (line: string | readonly string[], world: World = {}) => attempt(line, server.origin, { home: service.home, ...world }),
  });
  Object.defineProperty(service, 'pool', { get: () => state.pool });
  return service;
}
