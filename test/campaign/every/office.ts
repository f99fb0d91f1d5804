/**
 * The office in which every story begins: three exams, five students, proctors; one machine, in this process and in invented time. It can
 * be forked at any moment: what the service holds, what is under way to it, and the home of the machine.
 */
import { cpSync } from 'node:fs';
import { CliError } from '../../../src/errors.ts';
import { inventedClock } from '../../support/clock.ts';
import { handled } from '../../support/records.ts';
import { temporaryFolder } from '../../support/run.ts';
import { type Arrived, lostBefore, type Reply, reply, Service, type ServiceOptions } from '../../support/service.ts';
import { today } from '../../support/stage.ts';
import { type Fields, withoutUnset } from '../../support/truth.ts';
import type { Call, Request, Tale, Wish } from '../oracle/wish.ts';

/** What happens at a request: before it is handled, and to it. `kills`: the process is gone then, before or after that is done. */
export type Harm = { at: number; name: string; act?(office: Office, request: Arrived): Reply | undefined; kills?: 'before' | 'after' };

const asText = (record: Fields) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, /(^|_)id$/.test(name) ? String(value) : value]));

/** The services, and what their users have set. */
export const worlds: Record<string, Pick<ServiceOptions, 'habits' | 'showing'> & { env?: Record<string, string> }> = {
  plain: { showing: {} },
  'no Date': { showing: { dated: false } },
  folded: { habits: { kept: (address) => address.toLowerCase() } },
  pages: { showing: { pageSize: 2 }, env: { PROCTOR_DIALECT_PAGING: 'page exams=none' } },
  'left out': { showing: { as: withoutUnset } },
  texts: { showing: { as: asText } },
};

const exam = (id: number, name: string, day: string): Fields => ({
  ...{ id, name, start_time: `${day}T08:00:00Z`, end_time: `${day}T10:00:00Z`, save_recording: true },
  ...{ allow_headphones: false, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true },
});
const student = (id: number, exam_id: number, name: string, open_time: string | null, close_time: string | null): Fields => ({
  ...{ id, exam_id, email: `${name.toLowerCase()}@example.org`, name, status: 'registered', open_time, close_time },
  ...{ skip_requirements: false, level_of_suspicion: 0 },
});
const exams = [exam(6, 'Algebra', '2027-02-01'), exam(7, 'Analysis', '2027-02-03'), exam(8, 'Topology', '2027-02-05')];
const sessions = [
  student(11, 6, 'Ada', null, '2027-02-01T10:30:00Z'),
  student(12, 6, 'Bob', '2027-02-01T08:15:00Z', '2027-02-01T10:45:00Z'),
  student(13, 6, 'Cy', null, null),
  student(21, 7, 'Dan', null, '2027-02-03T10:30:00Z'),
  student(31, 8, 'Gil', null, null),
];
const furniture = { exams, sessions, pools: { 6: [1, 2] } };
/** By so much the numbers of requests are less that came before a fork. */
const past = 1_000_000;
/** A request that comes late. Milliseconds. */
const delay = 20_000;
const killed = new CliError('interrupted', 'Killed.');

export class Office {
  readonly clock = inventedClock(today);
  readonly service: Service;
  readonly tale: Tale;
  home = temporaryFolder();
  hits = 0;
  /** Further files of the user: the command is given with another one. */
  isOther = false;
  readonly #world: string;
  readonly #late: { request: Arrived; at: number }[] = [];
  /** Of this call: what is to happen, how many requests it has made, and whether it is dead. */
  #harms: readonly Harm[] = [];
  #count = 0;
  #stop = new AbortController();

  constructor(world: string, wishes: readonly Wish[], from?: Office) {
    const { habits = {}, showing = {} } = worlds[world] ?? {};
    this.#world = world;
    this.service = new Service({
      ...(from ? {} : furniture),
      clock: this.clock,
      habits: { ...habits, firstId: from ? 501 : 101 },
      showing,
    });
    this.service.baseUrl = from?.service.baseUrl ?? `https://office.test/api/v1`;
    const { truth } = this.service;
    const { record, exams: all, sessions: those, pools } = truth;
    const requests: Request[] = [];
    const nothing = { wishes, start: record.length, requests, calls: [], judged: record.length, elsewhere: 0 };
    this.tale = { ...nothing, record, exams: all, sessions: those, pools };
    this.service.onArrival = (request) => this.#arrives(request);
    this.service.onAnswer = () => this.#dies('after');
    this.service.fault = (request) => this.#fate(request);
    if (from) this.#copies(from);
  }

  fork(): Office {
    return new Office(this.#world, this.tale.wishes, this);
  }

  #copies(from: Office): void {
    const { truth } = this.service;
    this.clock.set(new Date(from.clock.now()).toISOString());
    this.clock.jump(from.clock.wall() - from.clock.now());
    for (const kind of ['exams', 'sessions'] as const)
      for (const [id, record] of from.service.truth[kind]) (truth[kind] as Map<number, Fields>).set(id, { ...record });
    for (const [id, pool] of from.service.truth.pools) truth.pools.set(id, new Set(pool));
    // Requests are counted anew.
    truth.record.push(...from.tale.record.map((one) => ({ ...one, cause: one.cause === undefined ? undefined : one.cause - past })));
    const requests = from.tale.requests.map((one) => ({ ...one, n: one.n - past }));
    Object.assign(this.tale, { start: from.tale.start, judged: from.tale.judged, requests, calls: [...from.tale.calls] });
    cpSync(from.home, this.home, { recursive: true });
    for (const { request, at } of from.#late)
      if (at > this.clock.now()) this.later({ ...request, index: request.index - past }, at - this.clock.now());
  }

  /** Performs a request at a later moment: nobody is told. */
  later(request: Arrived, milliseconds = delay): void {
    const at = this.clock.now() + milliseconds;
    this.#late.push({ request, at });
    this.clock.later(milliseconds, () => {
      const { truth } = this.service;
      truth.request = { by: request.by, n: request.index, at };
      const forever = Number.POSITIVE_INFINITY;
      handled(truth, request, { record: forever, list: forever, unseen: undefined }, at);
      truth.request = undefined;
    });
  }

  #arrives(request: Arrived): void {
    this.#count += 1;
    const body = { ...request.body };
    const here = this.#stop.signal.aborted ? [] : this.#harms.filter(({ at }) => at === this.#count);
    for (const harm of here) {
      this.hits += 1;
      request.reply = harm.act?.(this, request) ?? request.reply;
      if (harm.kills) this.#pending = harm.kills;
    }
    const { index: n, by, method, path, line, reply } = request;
    const { answer = 'whole' } = reply ?? {};
    const done = reply?.done ?? (typeof answer === 'object' ? 'never' : 'now');
    (this.tale.requests as Request[]).push({
      ...{ n, by, method, path, line, body, seen: this.tale.record.length },
      ...{ told: answer === 'whole' || typeof answer === 'function', done: done !== 'never' },
      denied: typeof answer === 'object' && answer.status < 500,
    });
    this.#dies('before');
  }

  #pending: Harm['kills'];

  /** What is on its way arrives; what the dead process would do then, does not. */
  #dies(when: Harm['kills']): void {
    if (this.#pending !== when || this.#stop.signal.aborted) return;
    const copy = temporaryFolder();
    cpSync(this.home, copy, { recursive: true });
    this.home = copy;
    this.#stop.abort(killed);
  }

  #fate(request: Arrived): Reply | undefined {
    if (this.#stop.signal.aborted) return lostBefore;
    return request.reply ?? (request.path.endsWith('/grade') ? { answer: reply(200, { ok: true }) } : undefined);
  }

  /** One invocation of the program, which changes the tale. `elsewhere`: with another profile in force. */
  async call(words: string, way: Call['way'], harms: readonly Harm[] = [], elsewhere?: Service): Promise<Call> {
    const by = this.tale.calls.length + 1;
    const at = this.clock.now();
    this.#harms = harms;
    this.#count = 0;
    this.#pending = undefined;
    this.#stop = new AbortController();
    const { env = {} } = worlds[this.#world] ?? {};
    const own = { PROCTOR_TOKEN: `a-token-of-${by}`, PROCTOR_INSTITUTE: '1', PROCTOR_TIMEZONE: 'UTC', ...env };
    const home = this.home;
    const { service, clock } = this;
    const world = { home, interrupt: this.#stop.signal, elapsed: () => clock.now() };
    const host = elsewhere ?? service;
    const ended = await host
      .run(
        words.split(' ').map((word) => word.replaceAll('\u00a0', ' ')),
        { ...world, env: { PROCTOR_BASE_URL: host.baseUrl, ...own } },
      )
      .catch((error: unknown) => ({ code: 1, stdout: '', stderr: `thrown: ${error instanceof Error ? error.stack : String(error)}` }));
    const { code, stdout, stderr } = ended;
    const took = this.clock.now() - at;
    const call: Call = { by, at, took, words, way, code: this.#stop.signal.aborted ? null : code, stdout, stderr };
    this.tale.calls.push(call);
    this.tale.elsewhere = elsewhere?.writes().length ?? 0;
    return call;
  }

  /** The latest run of this machine. */
  async latest(): Promise<string | undefined> {
    return (await this.runs())[0];
  }

  /** All of them, the latest one first. */
  async runs(): Promise<string[]> {
    const { home, service } = this;
    const { stdout, code } = await service.run('runs list -o json --all-services', { home });
    return code === 0 ? (JSON.parse(stdout) as Fields[]).map(({ run }) => String(run)) : [];
  }
}

/** Another service, in which the same IDs are other records. */
export const another = (office: Office) => {
  const service = new Service({ ...furniture, clock: office.clock });
  service.baseUrl = 'https://other.test/api/v1';
  return service;
};
