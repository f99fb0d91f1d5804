/** The operations of the service: a request, what it does to the truth, and what is said about it. */
import type { Window } from './shown.ts';
import type { By, Fields, Session, Truth } from './truth.ts';

export type Request = { method: string; path: string; query: URLSearchParams; body: Fields; by: By };
export type Said = { status: number; body?: unknown; headers?: Record<string, string>; sessions?: readonly Session[] };

const missing: Said = { status: 404, body: { error: 'not_found', message: 'There is no such thing.' } };

/** Whether a student with this address is refused with 409 or 422 where one is there; undefined: a second one is created. */
export type Known = 409 | 422 | undefined;

/** Performs a write once; the answer is made when it is to be sent. */
export function perform(truth: Truth, window: Window, { method, path, body, by }: Request, known: Known): Said {
  const [, first = '', id = '', rest = ''] = path.split('/');
  const number = Number(id);
  if (Object.entries(body).some(([name, value]) => name.endsWith('_time') && value !== null && Number.isNaN(Date.parse(String(value)))))
    return { status: 422, body: { errors: { time: 'is no time' } } };
  if (first === 'exams' && id === '' && method === 'POST') {
    const exam = truth.createExam(body, by);
    return { status: 201, body: window.dressed(exam) };
  }
  if (first === 'exams' && rest !== '') {
    if (!truth.exams.has(number)) return missing;
    if (method === 'POST' && (rest === 'student_sessions' || rest === 'add_student')) return create(truth, window, number, body, by, known);
    if (method === 'POST' && rest === 'send_emails') {
      truth.mail(number, by);
      return { status: 200, body: { sent: truth.inExam(number).length } };
    }
    if (rest === 'proctor_pool') return changePool(truth, number, method, body, by);
    return { status: 405 };
  }
  const kind = first === 'exams' ? 'exam' : 'session';
  if (method === 'PATCH' || method === 'PUT') {
    if (!truth.change(kind, number, body, by)) return missing;
    const changed = kind === 'exam' ? truth.exams.get(number) : truth.sessions.get(number);
    return { status: 200, body: window.dressed(changed ?? {}), ...(kind === 'session' ? { sessions: [changed as Session] } : {}) };
  }
  if (method === 'DELETE') return truth.remove(kind, number, by) ? { status: 204 } : missing;
  return { status: 405 };
}

function create(truth: Truth, window: Window, exam: number, body: Fields, by: By, known: Known): Said {
  const address = typeof body.email === 'string' ? truth.kept(body.email).toLowerCase() : undefined;
  const there = address !== undefined && truth.inExam(exam).some(({ email }) => email?.toLowerCase() === address);
  if (there && known) return { status: known, body: { errors: { email: 'has already been taken' } } };
  const session = truth.createSession(exam, body, by);
  return { status: 201, body: window.dressed(session), sessions: [session] };
}

function changePool(truth: Truth, exam: number, method: string, body: Fields, by: By): Said {
  const named = (Array.isArray(body.proctors) ? body.proctors : []).map((one) =>
    truth.users.find(({ id, email }) => String(id) === String(one) || email === one),
  );
  if (named.some((user) => user === undefined)) return { status: 422, body: { errors: { proctors: 'names no user' } } };
  const users = named.flatMap((user) => (user ? [user.id] : []));
  truth.pool(exam, users, method === 'DELETE' ? 'remove' : 'add', by);
  return { status: 200, body: poolOf(truth, exam) };
}

function poolOf(truth: Truth, exam: number): Fields[] {
  return truth.users.filter(({ id }) => truth.pools.get(exam)?.has(id));
}

/** The answer to a read. */
export function read(truth: Truth, window: Window, { path, query }: Request): Said {
  const [, first = '', id = '', rest = ''] = path.split('/');
  const number = Number(id);
  if (first === 'institutes') return { status: 200, body: truth.users };
  if (first === 'exams' && id === '') return ok(window.exams(query));
  if (first === 'student_sessions' && id === '') return ok(window.sessions(undefined, query));
  if (first === 'exams' && rest === 'show_student') return ok(window.one('session', Number(query.get('student_session_id'))));
  if (first === 'exams' && rest !== '' && !truth.exams.has(number)) return missing;
  if (first === 'exams' && rest === 'proctor_pool') return { status: 200, body: poolOf(truth, number) };
  if (first === 'exams' && rest === 'student_sessions') return ok(window.sessions(number, query));
  if (first === 'exams' && rest !== '') return missing;
  return ok(window.one(first === 'exams' ? 'exam' : 'session', number));
}

const ok = (shown: { body: unknown; headers?: Record<string, string>; sessions: Session[] } | undefined): Said =>
  shown ? { status: 200, ...shown } : missing;
