/**
 * A service that keeps an exam's students, or several exams with theirs, and fails as networks and servers do: raw sockets over a
 * store, a fault for each request that asks for one, and a log of what arrived and what was done,
 * which is the truth that everything else is compared with.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export type Fields = Record<string, unknown>;
type Stored = Fields & { id: number; email?: string };

/** What becomes of one request. What is left out goes as it should. */
export type Fault = {
  /** Whether the write is done: at once, never, or so many milliseconds later. */
  done?: 'now' | 'never' | number;
  /** How many milliseconds a new student is missing in the listings. */
  hidden?: number;
  /** `whole`, or how the answer goes wrong; `empty` has no body, `located` a Location in place of one. */
  answer?: 'whole' | 'empty' | 'located' | 'cut' | 'reset' | 'end' | 'silence' | 'cut-chunks' | Said;
  /** How many milliseconds the answer takes. */
  takes?: number;
  /** What the answer waits for. */
  until?: Promise<unknown>;
};
export type Said = { status: number; body?: unknown; headers?: Record<string, string> };

export type Arrived = {
  method: string;
  path: string;
  email: string | undefined;
  body: Fields;
  /** How many of this method have arrived, this one included. */
  count: number;
};

/** In the order in which it happened; `listed` is a listing that was served to its last page. */
export type Event =
  | { what: 'post'; post: number; email: string | undefined }
  | { what: 'created'; post: number; email: string | undefined; id: number }
  /** Answered with 429, and nothing was done. */
  | { what: 'refused'; post: number }
  | { what: 'listing'; emails: Set<string>; whole: boolean }
  | { what: 'patch' | 'delete' | 'patch-exam'; id: number; done: boolean; body: Fields };

export type ExamService = {
  baseUrl: string;
  log: Event[];
  requests: string[];
  /** The students in the exam, or in all exams. */
  students(): Stored[];
  exams(): Stored[];
  pool(exam: number): readonly unknown[];
  /** Adds a student as a colleague does in the browser. */
  add(fields: Fields): Stored;
  remove(id: number): void;
  posts(email?: string): number;
  /** Decides what goes wrong; asked when a request has arrived in full. */
  fault: (request: Arrived) => Fault | undefined;
  /** Called when a POST has arrived, before anything is done. */
  onPost: (email: string | undefined) => void;
  /** Ends the waits of a service whose time is the tests' own. */
  pass(milliseconds: number): void;
  /** Called once, when the next answer is on its way. */
  afterNextAnswer: (() => void) | undefined;
  /** Refuses connections and drops those there are, or is back again. */
  away(away: boolean): Promise<void>;
  close(): void;
};

export type ServiceOptions = {
  /** Students on a page of the listing; undefined: all on one. */
  pageSize?: number;
  /** Time passes only with `pass`. */
  ownTime?: boolean;
  /** A listing shows so many students at the most, and does not say that there are more. */
  cut?: number;
  /** A listing shows a student only so many milliseconds after. */
  lag?: number;
  /** The address that a listing shows; undefined: the field is missing. */
  listed?: (student: { id: number; email: string | null }) => string | null | undefined;
  /** The address that an answer other than a listing shows. */
  answered?: (email: string) => string | null | undefined;
  /** Fields of a student that no answer shows. */
  hidden?: readonly string[];
  /** How an address is kept. */
  stored?: (email: string) => string;
  /** Exams with their times; a student is in the one of its `exam_id`. Undefined: one exam, 6, that cannot be changed. */
  exams?: readonly (Fields & { id: number })[];
  /** The proctors of exams. */
  pools?: readonly (readonly [exam: number, pool: readonly (string | number)[]])[];
  /** So many requests are taken at once, and so many more each second; any other is answered with 429. */
  limit?: { burst: number; rate: number; retryAfter?: string };
};

/** So far ahead that nothing of it runs in any test. */
const exam = { id: 6, name: 'Linear Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' };

export async function examService(options: ServiceOptions = {}): Promise<ExamService> {
  const { pageSize, ownTime = false } = options;
  const log: Event[] = [];
  const requests: string[] = [];
  const store = new Map<number, Stored>();
  const exams = new Map((options.exams ?? []).map((exam) => [exam.id, { ...exam }]));
  const pools = new Map<number, unknown[]>((options.pools ?? []).map(([exam, pool]) => [exam, [...pool]]));
  const hiddenUntil = new Map<number, number>();
  const sockets = new Set<Socket>();
  const counts: Record<string, number> = {};
  let pending: { at: number; act: () => void }[] = [];
  let passed = 0;
  let nextId = 100;
  let posts = 0;
  let listing: Extract<Event, { what: 'listing' }> | undefined;
  let pages: Stored[][] = [];

  const clock = () => (ownTime ? passed : Date.now());
  const later = (milliseconds: number, act: () => void) => {
    if (ownTime) pending.push({ at: passed + milliseconds, act });
    else setTimeout(act, milliseconds);
  };

  function create(fields: Fields): Stored {
    const { email } = fields as { email?: string };
    const kept = email !== undefined && options.stored ? { email: options.stored(email) } : {};
    const student = { status: 'registered', open_time: null, close_time: null, ...fields, ...kept, id: nextId++ };
    store.set(student.id, student);
    if (options.lag !== undefined) hiddenUntil.set(student.id, clock() + options.lag);
    return student;
  }

  const emailOf = ({ id, email }: Stored) => ({ id, email: typeof email === 'string' ? email : null });

  function list(query: URLSearchParams, exam: number): Said {
    const page = pageSize === undefined ? 1 : Number(query.get('page') ?? 1);
    if (page === 1) {
      const mine = [...store.values()].filter(({ exam_id }) => exams.size === 0 || exam_id === exam);
      const shown = mine.filter(({ id }) => (hiddenUntil.get(id) ?? 0) <= clock()).slice(0, options.cut);
      const size = pageSize ?? Math.max(1, shown.length);
      pages = Array.from({ length: Math.max(1, Math.ceil(shown.length / size)) }, (_, at) => shown.slice(at * size, (at + 1) * size));
      listing = { what: 'listing', emails: new Set(shown.map(({ email }) => String(email).toLowerCase())), whole: false };
      log.push(listing);
    }
    if (listing && page === pages.length) listing.whole = true;
    const headers = { 'x-pagination-current-page': String(page), 'x-pagination-page-count': String(pages.length) };
    const body = (pages[page - 1] ?? []).map((student) =>
      options.listed ? { ...student, email: options.listed(emailOf(student)) } : student,
    );
    return { status: 200, body, ...(pageSize === undefined ? {} : { headers }) };
  }

  let tokens = options.limit?.burst ?? 0;
  let filledAt = Date.now();

  function overLimit(): Fault | undefined {
    if (!options.limit) return undefined;
    const { burst, rate, retryAfter } = options.limit;
    tokens = Math.min(burst, tokens + ((Date.now() - filledAt) / 1000) * rate);
    filledAt = Date.now();
    if (tokens >= 1) {
      tokens -= 1;
      return undefined;
    }
    return { answer: { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } } };
  }

  function one(id: number): Said {
    const present = store.get(id);
    return present ? { status: 200, body: present } : { status: 404, body: { message: 'no such session' } };
  }

  /** The changes of one resource. */
  function change(
    what: 'patch' | 'delete' | 'patch-exam',
    id: number,
    { method, body }: Arrived,
    when: (act: () => void) => void,
  ): () => Said {
    const kept: Map<number, Fields> = what === 'patch-exam' ? exams : store;
    const event = { what, id, done: false, body } as const satisfies Event;
    log.push(event);
    const present = kept.get(id);
    if (!present) return () => ({ status: 404, body: { message: 'not found' } });
    when(() => {
      if (method === 'PATCH') Object.assign(present, body);
      else kept.delete(id);
      Object.assign(event, { done: true });
    });
    return () => (method === 'PATCH' ? { status: 200, body: present } : { status: 204 });
  }

  /** Does what was asked for, as far as the fault lets it, and says what is to be answered. */
  function obey(request: Arrived, fault: Fault): () => Said {
    const { method, path, body, email } = request;
    const [where = '', query = ''] = path.split('?');
    const id = Number(/\/student_sessions\/(\d+)$/.exec(where)?.[1] ?? Number.NaN);
    const when = (act: () => void) => {
      if (fault.done === 'never') return;
      if (typeof fault.done === 'number') later(fault.done, act);
      else act();
    };
    const examId = Number(/^\/exams\/(\d+)/.exec(where)?.[1] ?? Number.NaN);
    if (where.endsWith('/proctor_pool')) {
      const pool = pools.get(examId) ?? [];
      const named: unknown[] = Array.isArray(body.proctors) ? body.proctors : [];
      if (method === 'POST') when(() => pools.set(examId, [...pool, ...named]));
      if (method === 'DELETE')
        when(() =>
          pools.set(
            examId,
            pool.filter((each) => !named.includes(each)),
          ),
        );
      return () => ({ status: 200, body: (pools.get(examId) ?? []).map((each) => ({ id: each as string })) });
    }
    if (method === 'GET' && !Number.isNaN(id)) return () => one(id);
    if (method === 'GET' && where === '/exams') return () => ({ status: 200, body: exams.size === 0 ? [exam] : [...exams.values()] });
    if (method === 'GET' && !where.endsWith('/student_sessions')) {
      const shown = exams.size === 0 ? exam : exams.get(examId);
      return () => (shown ? { status: 200, body: shown } : { status: 404, body: { message: 'no such exam' } });
    }
    if (method === 'GET') return () => list(new URLSearchParams(query), examId);
    if (method === 'POST' && where === '/exams') {
      let created: Stored | undefined;
      when(() => {
        created = { ...body, id: Math.max(8, ...exams.keys()) + 1 };
        exams.set(created.id, created);
      });
      return () => ({ status: 201, body: created ?? { ...body, id: 1 } });
    }
    if (method === 'POST') {
      const post = posts++;
      log.push({ what: 'post', post, email });
      service.onPost(email);
      let made: Stored | undefined;
      when(() => {
        made = create(exams.size === 0 ? body : { ...body, exam_id: examId });
        if (fault.hidden !== undefined) hiddenUntil.set(made.id, clock() + fault.hidden);
        log.push({ what: 'created', post, email, id: made.id });
      });
      if (typeof fault.answer === 'object' && fault.answer.status === 429 && fault.done !== 'now') log.push({ what: 'refused', post });
      if (fault.answer === 'empty') return () => ({ status: 201 });
      if (fault.answer === 'located')
        return () => ({ status: 201, headers: { location: `${service.baseUrl}/api/v1/student_sessions/${made?.id ?? 1}` } });
      return () => ({ status: 201, body: made ?? { ...body, id: 1 } });
    }
    if (Number.isNaN(id)) return change('patch-exam', examId, request, when);
    return change(method === 'PATCH' ? 'patch' : 'delete', id, request, when);
  }

  /** An answer without the hidden fields, with its address as it is answered. */
  function shown({ body: whole, ...said }: Said): Said {
    const { hidden, answered } = options;
    const { email } = (whole ?? {}) as { email?: unknown };
    const body = answered && typeof email === 'string' ? { ...(whole as Fields), email: answered(email) } : whole;
    if (hidden === undefined || body === undefined) return { body, ...said };
    return { ...said, body: JSON.parse(JSON.stringify(body, (key, value) => (hidden.includes(key) ? undefined : value))) };
  }

  function serve(socket: Socket, request: Arrived) {
    const fault = service.fault(request) ?? overLimit() ?? {};
    const { answer = 'whole', takes = 0, until } = fault;
    // An answer in so many words has done nothing, unless the fault says so.
    const said = obey(request, { done: typeof answer === 'object' ? 'never' : 'now', ...fault });
    const react = () => {
      if (socket.destroyed || answer === 'silence') return;
      if (answer === 'reset') return socket.resetAndDestroy();
      if (answer === 'end') return socket.end();
      const text = bytesOf(typeof answer === 'object' ? answer : shown(said()));
      if (answer === 'cut') return socket.end(text.slice(0, text.indexOf('\r\n\r\n') + 9));
      if (answer === 'cut-chunks') {
        socket.write('HTTP/1.1 201 Whatever\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n');
        return setTimeout(() => socket.resetAndDestroy(), 10);
      }
      socket.write(text);
      if (request.path === '/exams/6') return;
      service.afterNextAnswer?.();
      service.afterNextAnswer = undefined;
    };
    if (until) void until.then(react);
    else if (takes > 0) setTimeout(react, takes);
    else react();
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let waiting = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let end = waiting.indexOf('\r\n\r\n'); end >= 0; end = waiting.indexOf('\r\n\r\n')) {
        const head = waiting.toString('latin1', 0, end);
        const length = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        if (waiting.length < length) return;
        const text = waiting.toString('utf8', end + 4, length);
        waiting = waiting.subarray(length);
        const [method = '', target = ''] = head.split(' ', 2);
        const body = (text === '' ? {} : JSON.parse(text)) as Fields;
        const path = target.replace('/api/v1', '');
        requests.push(`${method} ${path}`);
        // Reading the exam itself is no listing.
        if (path !== '/exams/6') counts[method] = (counts[method] ?? 0) + 1;
        serve(socket, { method, path, body, email: body.email as string | undefined, count: counts[method] ?? 0 });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  const service: ExamService = {
    baseUrl: `http://127.0.0.1:${port}`,
    log,
    requests,
    students: () => [...store.values()],
    exams: () => [...exams.values()],
    pool: (exam) => pools.get(exam) ?? [],
    add: create,
    remove: (id) => store.delete(id),
    posts: (email) => log.filter((event) => event.what === 'post' && (email === undefined || event.email === email)).length,
    fault: () => undefined,
    onPost() {},
    afterNextAnswer: undefined,
    async away(away) {
      if (away) {
        for (const socket of sockets) socket.end();
        server.close();
      } else {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      }
    },
    pass(milliseconds) {
      passed += milliseconds;
      const due = pending.filter(({ at }) => at <= passed);
      pending = pending.filter(({ at }) => at > passed);
      for (const { act } of due) act();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return service;
}

function bytesOf({ status, body, headers = {} }: Said): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const all: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  };
  if (status === 204) delete all['content-length'];
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n${text}`;
}
