/**
 * The one service of all tests: the handlers of the sandbox over a store in memory, in invented time, within this process or, for
 * processes of their own, on a loopback port. A script says which requests it refuses, loses, delays or answers with something else;
 * it keeps what has arrived, and every change to what it holds.
 */
import type { Dispatcher } from 'undici';
import { parseJson, stringifyJson } from '../../src/model/json.ts';
import { type Clock, inventedClock } from './clock.ts';
import { dispatcherTo, serverOf, type Take, type Tls } from './doors.ts';
import { handled, pageOf } from './records.ts';
import { type Run, run, temporaryFolder, ungatedFolder, type World } from './run.ts';
import { type Exam, type Fields, type Habits, type Session, Truth } from './truth.ts';

/** An answer: JSON, a text (`<` begins a page of HTML) or bytes; cut: the connection breaks in the middle of it. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string>; isCut?: boolean };

/** What becomes of one request; what is left out goes as it should. */
export type Reply = {
  /**
   * Whether a write is done: now, never, twice, or so many milliseconds later. Never, if `answer` gives an answer of its own; one that
   * is not done and answered as it should be is acknowledged all the same.
   */
  done?: 'now' | 'never' | 'twice' | number;
  /** The answer: as it should be, lost, cut, without a body, without an ID, with a Location only, never; another one; or one made of it. */
  answer?: 'whole' | 'lost' | 'cut' | 'empty' | 'without id' | 'located' | 'none' | Answer | ((whole: Answer) => Answer);
  /** How many milliseconds the answer takes, or what it waits for. */
  takes?: number | Promise<unknown>;
};

export const reply = (status: number, body?: unknown, headers: Record<string, string> = {}): Answer => ({ status, body, headers });
/** Nothing is done, and this is the answer. */
export const refused = (...given: Parameters<typeof reply>): Reply => ({ answer: reply(...given) });
/** It is done, and this is the answer. */
export const doneButReplies = (...given: Parameters<typeof reply>): Reply => ({ answer: reply(...given), done: 'now' });
export const lostBefore: Reply = { answer: 'lost', done: 'never' };
export const lostAfter: Reply = { answer: 'lost' };
/** It is answered as if it had been done. */
export const ignored: Reply = { done: 'never' };
/** It is done, and the answer has another body. */
export const shown = (as: (whole: Fields) => Fields): Reply => ({ answer: ({ body, ...more }) => ({ ...more, body: as(body as Fields) }) });
export const silent: Reply = { answer: 'none', done: 'never' };

export type Arrived = {
  method: string;
  /** Without the version, and without the query. */
  path: string;
  /** "GET /exams/1". */
  line: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** As it came. */
  text: string;
  /** What is in it. A script may change it: then this is what the service takes. */
  body: Fields;
  /** The number at the end of the token: of the invocation. */
  by: number;
  /** From 1. */
  index: number;
  /** How many of its method have arrived with it, and how many of its method, path and address. */
  countOfMethod: number;
  countOfLine: number;
  at: number;
  /** What the script says of it. */
  reply: Reply | undefined;
};

/** What was shown to an invocation: the person in a session, at that time, when so many requests had arrived; by a read, or by a write. */
export type Seen = { by: number; index: number; at: number; id: number; email: string | null; exam: number; isRead: boolean };

/** How the service shows what it holds; may be changed while it is at work. */
export type Showing = {
  /** Lists show what was there so many milliseconds ago. */
  lag?: number | undefined;
  /** Every second answer to a read comes from a machine that is behind by so many milliseconds. */
  replicaBehind?: number | undefined;
  /** Students on a page of a list; undefined: all on one. */
  pageSize?: number | undefined;
  /** A list shows so many students at the most, and does not say that there are more. */
  cut?: number | undefined;
  /** IDs of records that no read shows. */
  unseen?: Set<number>;
  /** Whether answers have a Date, and what they have besides. */
  dated?: boolean;
  headers?: Record<string, string>;
  /** A record as an answer has it. */
  as?: ((record: Fields, request: Arrived) => Fields) | undefined;
};

export type ServiceOptions = {
  exams?: readonly Fields[];
  sessions?: readonly Fields[];
  pools?: Readonly<Record<number, readonly number[]>>;
  habits?: Habits;
  showing?: Showing;
  /** Whether a student whose address is in the exam is refused with 409 or 422; undefined: a second one is created. */
  taken?: 409 | 422 | undefined;
  clock?: Clock;
  /** On its machine, running exams are not protected. */
  gate?: 'off';
};

/** The methods and paths that a word of the script means: "write", a method, or a line. */
const meets = (what: string, { method, line }: Arrived) => what === line || what === method || (what === 'write' && method !== 'GET');
const asked = ({ line, query }: Arrived) => (query.size > 0 ? `${line}?${query}` : line);
const version = '/api/v1';
let services = 0;

export class Service {
  readonly clock: Clock;
  readonly truth: Truth;
  showing: Showing;
  readonly arrived: Arrived[] = [];
  readonly seen: Seen[] = [];
  /** Decides before the script; asked when a request has arrived in full. */
  fault: (request: Arrived) => Reply | undefined = () => undefined;
  /** Called when a request has arrived, before anything is done; and before its answer is sent. */
  onArrival: (request: Arrived) => void | Promise<void> = () => {};
  onAnswer: (request: Arrived) => void | Promise<void> = () => {};
  /** Refuses connections, or fails with this code. */
  isAway: boolean | string = false;
  baseUrl: string;
  readonly #gate: 'off' | undefined;
  #home: string | undefined;
  taken: 409 | 422 | undefined;
  readonly #script: { what: string; replies: (Reply | undefined)[]; lasts: boolean }[] = [];
  readonly #counts = new Map<string, number>();
  #reads = 0;
  close: () => void = () => {};

  constructor(options: ServiceOptions = {}) {
    const { exams = [], sessions = [], pools = {}, habits = {}, showing = {}, taken, clock = inventedClock(), gate } = options;
    this.#gate = gate;
    this.clock = clock;
    services += 1;
    this.baseUrl = `https://proctor-${services}.test${version}`;
    this.truth = new Truth(() => clock.now(), habits);
    this.showing = showing;
    this.taken = taken;
    for (const exam of exams) this.truth.set('exam', exam);
    for (const session of sessions) this.truth.set('session', session);
    for (const [exam, users] of Object.entries(pools)) this.truth.pool(Number(exam), users, 'add');
  }

  /** The machine from which it is asked. */
  get home(): string {
    this.#home ??= this.#gate === 'off' ? ungatedFolder() : temporaryFolder();
    return this.#home;
  }

  get origin(): string {
    return this.baseUrl.slice(0, -version.length);
  }

  get exams(): Exam[] {
    return [...this.truth.exams.values()];
  }

  get sessions(): Session[] {
    return [...this.truth.sessions.values()];
  }

  /** "GET /exams?page=2" for each request. */
  requests(): string[] {
    return this.arrived.map(asked);
  }

  /** The requests that write, of an invocation or of all. */
  written(by?: number): Arrived[] {
    return this.arrived.filter((request) => request.method !== 'GET' && (by === undefined || request.by === by));
  }

  writes(): string[] {
    return this.written().map(asked);
  }

  /** What becomes of the next requests of this kind, one after the other; undefined: as it should. */
  next(what: string, ...replies: (Reply | undefined)[]): void {
    this.#script.push({ what, replies, lasts: false });
  }

  /** What becomes of each request of this kind. */
  always(what: string, reply: Reply): void {
    this.#script.push({ what, replies: [reply], lasts: true });
  }

  #replyTo(request: Arrived): Reply | undefined {
    const decided = this.fault(request);
    if (decided) return decided;
    const { replies = [], lasts } = this.#script.find((each) => each.replies.length > 0 && meets(each.what, request)) ?? {};
    return lasts ? replies[0] : replies.shift();
  }

  /** How often students were sent to it, or this one. */
  posts(email?: string): number {
    const creates = this.arrived.filter(({ line }) => /^POST .*(student_sessions|add_student)$/.test(line));
    return creates.filter(({ body }) => email === undefined || body.email === email).length;
  }

  /** Adds a student as a colleague does in the browser; `exam_id`: the first exam's. */
  add({ exam_id = this.exams[0]?.id, ...fields }: Fields): Session {
    const empty = { status: 'registered', open_time: null, close_time: null };
    return this.truth.insert('session', { ...empty, ...fields, exam_id }, 'colleague') as Session;
  }

  /** Changes a record as a colleague does in the browser. */
  change(...given: Parameters<Truth['change']>): void {
    this.truth.change(...given);
  }

  /** Runs a line against it, on one machine, in its time. `waits`: the program's. */
  async run(line: string | readonly string[], world: World = {}): Promise<Run & { waits: number[] }> {
    const waits: number[] = [];
    const { now } = world;
    if (typeof now === 'string') this.clock.set(now);
    const ended = await run(typeof line === 'string' ? line.split(' ') : line, {
      home: this.home,
      dispatcher: this.dispatcher,
      ...world,
      now: typeof now === 'function' ? now : () => this.clock.wall(),
      env: { PROCTOR_BASE_URL: this.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests', ...world.env },
      onSleep: async (milliseconds, signal) => {
        waits.push(milliseconds);
        await world.onSleep?.(milliseconds, signal);
        await this.clock.wait(milliseconds, signal);
      },
    });
    return { ...ended, waits };
  }

  /** Takes a request, and does with it what it should, or what the script says. */
  async #serve(request: Arrived): Promise<Answer | 'lost' | 'none'> {
    const arriving = this.clock.busy();
    this.arrived.push(request);
    await this.onArrival(request);
    request.reply = this.#replyTo(request);
    const { answer = 'whole', takes = 0, done = typeof answer === 'object' ? 'never' : 'now' } = request.reply ?? {};
    const isRead = request.method === 'GET';
    let whole: Answer | undefined;
    // An acknowledged ID is nobody else's.
    if (!isRead && (typeof done === 'number' || done === 'never'))
      whole = this.#rehearse(request, answer === 'whole' || typeof answer === 'function');
    if (!isRead && typeof done === 'number') this.clock.later(done, () => this.#perform(request));
    if (!isRead && (done === 'now' || done === 'twice')) whole = this.#perform(request);
    if (done === 'twice') this.#perform(request);
    arriving();
    if (typeof takes !== 'number') await takes;
    else if (takes > 0) await this.clock.wait(takes);
    const answering = this.clock.busy();
    await this.onAnswer(request);
    answering();
    if (answer === 'lost' || answer === 'none' || typeof answer === 'object') return answer;
    whole ??= this.#perform(request);
    if (answer === 'cut') return { ...this.#spelled(request, whole, answer), isCut: true };
    this.#remember(request, whole);
    return this.#spelled(request, whole, answer);
  }

  /** Performs a request, as one of that moment. */
  #perform(request: Arrived, at = this.clock.now()): Answer {
    this.truth.request = { by: request.by, n: request.index, at };
    const shown = { ...this.#momentsOf(request.method), unseen: request.method === 'GET' ? this.showing.unseen : undefined };
    const performed = this.#refusedAsTaken(request) ?? handled(this.truth, request, shown, this.clock.now());
    this.truth.request = undefined;
    return performed;
  }

  /** What a request would be answered if it were performed. */
  #rehearse(request: Arrived, spendsIds: boolean): Answer {
    const back = this.truth.point(spendsIds);
    const performed = this.#perform(request);
    back();
    return performed;
  }

  /** As of when a request is shown a record, and a list: the truth, unless the service is behind. */
  #momentsOf(method: string): { record: number; list: number } {
    const { lag = 0, replicaBehind = 0 } = this.showing;
    this.#reads += method === 'GET' ? 1 : 0;
    const behind = this.#reads % 2 === 0 ? replicaBehind : 0;
    const ago = (milliseconds: number) =>
      method === 'GET' && milliseconds > 0 ? this.clock.now() - milliseconds : Number.POSITIVE_INFINITY;
    return { record: ago(behind), list: ago(Math.max(lag, behind)) };
  }

  #refusedAsTaken({ method, path, body: { email } }: Arrived): Answer | undefined {
    const exam = Number(/^\/exams\/(\d+)\/(student_sessions|add_student)$/.exec(path)?.[1]);
    if (this.taken === undefined || method !== 'POST' || typeof email !== 'string') return undefined;
    const address = this.truth.kept(email).toLowerCase();
    const isThere = this.truth.inExam(exam).some((session) => session.email?.toLowerCase() === address);
    return isThere ? reply(this.taken, { errors: { email: 'has already been taken' } }) : undefined;
  }

  #remember({ by, method }: Arrived, { body }: Answer): void {
    const shown = { by, index: this.arrived.length, at: this.clock.now(), isRead: method === 'GET' };
    for (const { id, email, exam_id } of [body ?? []].flat() as Session[])
      if (exam_id !== undefined) this.seen.push({ ...shown, id, email, exam: exam_id });
  }

  /** The answer as it goes out. */
  #spelled(request: Arrived, given: Answer, how: Reply['answer']): Answer {
    if (given.status >= 300 || given.body === undefined) return given;
    const { as = (record) => record } = this.showing;
    const { body: shown, ...paged } = Array.isArray(given.body) ? pageOf(given.body, request, this.showing) : given;
    const body = Array.isArray(shown) ? shown.map((record) => as(record, request)) : as(shown as Fields, request);
    const { id, ...rest } = body as Fields;
    if (how === 'empty') return { status: given.status };
    if (how === 'without id') return { status: given.status, body: rest };
    if (how === 'located') return { status: given.status, headers: { location: `${this.baseUrl}/student_sessions/${String(id)}` } };
    const whole = { ...paged, status: given.status, body };
    return typeof how === 'function' ? how(whole) : whole;
  }

  /** Takes a request as it comes, and gives the answer as it goes out. */
  readonly #take: Take = async (method, target, headers, text) => {
    const answer = await this.#serve(this.#arrived(method, target, headers, text));
    if (answer === 'lost' || answer === 'none') return answer;
    const { status, body, headers: own, isCut = false } = answer;
    const content = typeof body === 'string' ? body : body === undefined ? '' : stringifyJson(body);
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(content);
    const type = bytes.at(0) === 0x3c ? 'text/html' : 'application/json';
    const { dated = true, headers: others } = this.showing;
    const date = dated ? { date: new Date(this.clock.now()).toUTCString() } : {};
    return { status, headers: { ...date, 'content-type': type, ...others, ...own }, bytes, isCut };
  };

  #arrived(method: string, target: string, headers: Record<string, string>, text: string): Arrived {
    const url = new URL(target, this.origin);
    const path = url.pathname.replace(version, '');
    const body = (text === '' ? {} : parseJson(text)) as Fields;
    const line = `${method} ${path}`;
    const counted = (key: string) => {
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      return this.#counts.get(key) ?? 0;
    };
    const counts = { index: counted(''), countOfMethod: counted(method), countOfLine: counted(`${line} ${String(body.email ?? '')}`) };
    const by = Number(/(\d+)$/.exec(headers.authorization ?? '')?.[1] ?? 0);
    const request = { method, path, line, query: url.searchParams, headers, text, body };
    return { ...request, ...counts, by, at: this.clock.now(), reply: undefined };
  }

  /** For programs in this process: no port is opened. */
  readonly dispatcher: Dispatcher = dispatcherTo(this.#take, this);

  /** For programs in processes of their own: from now on it has a port. */
  async listen(tls?: Tls): Promise<this> {
    const { origin, close } = await serverOf(this.#take, tls);
    this.baseUrl = origin + version;
    this.close = close;
    return this;
  }
}
