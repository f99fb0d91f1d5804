/**
 * Connections for writes. A service may close an idle connection without notice; a request in flight at that
 * moment is lost, and its outcome is unknown. So a write uses a new connection, or one that has just answered, as far as
 * `ConnectionLife` trusts it. A service may limit connections as well, so no more are open than have been shown to be borne.
 */
import type { Client, Dispatcher } from 'undici';
import { ConnectionLife, type ConnectionPast } from './connection-life.ts';

/** How long a connection rests before the next write, so that a close right after the answer is noticed. Milliseconds. */
const rest = 5;
/** How long a service may take to notice the end of a connection: meanwhile it counts. Once it was crowded, at least and at most so long. Milliseconds. */
const noticed = { usually: 5, crowded: 50, atMost: 150 };
/** Answers after which a service that was crowded is taken to bear one more connection than requests are in flight. */
const calm = 16;
/** The error codes of a connection closed by the service; closing it ourselves gives other codes. */
const closedByService = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The longest that a request waits for the connection of an answer that is complete. Milliseconds. */
const queuedFor = 20;

/** Connections that are opened in advance: how many no write has taken yet, and how long a handshake takes in milliseconds. */
export type Advance = { readonly open: number; readonly handshake: number };

/**
 * `sent`, `answered`: when its last request was sent and answered; `rested`: how long it had rested before that request; `last`: it
 * is closed after the answer. `isOver`: the answer is complete, and undici has not given it up yet.
 */
type Line = {
  client: Client;
  opened: number;
  sent: number;
  answered: number;
  rested: number;
  answers: number;
  busy: boolean;
  isOver: boolean;
  last: boolean;
};

type Sent = { request: Dispatcher.DispatchOptions; handler: Dispatcher.DispatchHandler; isTrial: boolean };

type Times = { now(): number; later(milliseconds: number, act: () => void): void };
const realTimes: Times = { now: () => performance.now(), later: (milliseconds, act) => void setTimeout(act, milliseconds) };

export class WriteConnections {
  readonly life = new ConnectionLife();
  readonly #open: () => Client;
  readonly #advance: Advance;
  readonly #times: Times;
  readonly #lines = new Set<Line>();
  /** Those at rest, the one that has rested longest first. The watched one is not among them. */
  #resting: Line[] = [];
  #watched: Line | undefined;
  /** The one that carries more requests than any before: one at a time tries that. */
  #record: Line | undefined;
  /** When connections were closed. */
  #closed: number[] = [];
  #inFlight = 0;
  /** Requests that wait until undici gives up the connection of an answer: they may have it, or its place. */
  #queued: Sent[] = [];
  /** How many connections were open at once, and were borne: reads have shown it, or requests in flight. */
  #borne = 0;
  #tried = false;
  /** How often requests failed, perhaps because of too many connections; and the answers since then. */
  #crowds = 0;
  #answers = 0;
  /** Whether the connection whose end is being told has answered before. */
  #hasAnswered = false;

  /** `open` makes a client that has no connection yet and sends one request at a time. */
  constructor(open: () => Client, { advance = { open: 0, handshake: 0 }, times = realTimes }: { advance?: Advance; times?: Times } = {}) {
    this.#open = open;
    this.#advance = advance;
    this.#times = times;
  }

  /** `isTrial`: a read that shows whether the service can take so many connections. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, { isTrial = false } = {}) {
    const sent = { request, handler, isTrial };
    this.#tried ||= isTrial;
    if (isTrial || ![...this.#lines].some(({ isOver }) => isOver)) return this.#take(sent);
    this.#queued.push(sent);
    this.#times.later(queuedFor, () => this.#takeQueued());
  }

  #takeQueued() {
    for (const sent of this.#queued.splice(0)) this.#take(sent);
  }

  #take(sent: Sent) {
    this.#inFlight += 1;
    this.#give(sent);
  }

  #give(sent: Sent) {
    this.#sift();
    const rested = this.#rested(rest);
    if (rested) return this.#send(rested, sent);
    if (sent.isTrial) return this.#send(this.#opened(), sent);
    const soon = this.#hasRoom || this.#advance.open > 0 ? undefined : this.#rested(0);
    if (soon) {
      return this.#at(soon.answered + rest, () => this.#send(this.#lines.has(soon) ? soon : this.#opened(), sent));
    }
    this.#makeRoom();
    const [first] = this.#closed;
    if (this.#advance.open > 0 || this.#hasRoom || first === undefined) return this.#send(this.#opened(), sent);
    this.#at(first + this.#noticed, () => this.#give(sent));
  }

  /** Node warns on stderr of a wait below zero: the moment may have come since it was computed. */
  #at(moment: number, act: () => void) {
    this.#times.later(Math.max(0, moment - this.#times.now()), act);
  }

  /**
   * A request failed, perhaps because the service cannot take so many connections: those that rest are closed, and from
   * now on no more are open than are shown to be borne.
   */
  crowded() {
    this.#crowds += 1;
    this.#answers = 0;
    this.#borne = 0;
    this.yields();
  }

  /** Whether the connection that has just failed had answered before: then it was not one too many. */
  get brokeLater(): boolean {
    return this.#hasAnswered;
  }

  /** Closes the connections at rest. */
  yields() {
    for (const line of [...this.#resting, this.#watched]) if (!line?.busy) this.#drop(line);
  }

  /** How many requests wait for their answers. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many connections may be opened in advance. */
  get room(): number {
    const taken = this.#lines.size + this.#closed.length + this.#advance.open;
    return this.#tried ? Math.max(0, this.#most - taken) : 0;
  }

  async close() {
    await Promise.all([...this.#lines].map(({ client }) => client.destroy()));
  }

  get #most(): number {
    const watched = !this.#tried && (this.#crowds === 0 || this.#answers >= calm) ? 1 : 0;
    return Math.max(this.#borne, this.#inFlight) + watched;
  }

  get #hasRoom(): boolean {
    const now = this.#times.now();
    this.#closed = this.#closed.filter((at) => now - at < this.#noticed);
    return this.#lines.size + this.#advance.open + this.#closed.length < this.#most;
  }

  get #noticed(): number {
    if (this.#crowds === 0) return noticed.usually;
    const work = this.life.answerTakes - this.#advance.handshake;
    return Math.min(Math.max(noticed.crowded, 2 * work), noticed.atMost);
  }

  /** Closes connections at rest, as far as new ones need their places. */
  #makeRoom() {
    // One that was opened in advance has its place already.
    while (this.#advance.open === 0 && this.#lines.size >= this.#most) {
      const least = this.#resting.at(-1) ?? this.#watched;
      if (!least || least.busy) return;
      this.#drop(least);
    }
  }

  #send(line: Line, { request, handler, isTrial }: Sent) {
    const crowds = this.#crowds;
    const now = this.#times.now();
    line.busy = true;
    line.rested = line.answers === 0 ? 0 : now - line.answered;
    line.sent = now;
    line.isOver = false;
    const watch = !this.#watched && this.life.isWatchable && line.answers === 0 && (isTrial || this.#most > this.#inFlight);
    if (watch) this.#watched = line;
    // The service closes it, and so has one less at once.
    line.last = !watch && !this.life.mayAgain(this.#pastOf(line));
    line.client.once('drain', () => {
      this.#inFlight -= 1;
      line.isOver = false;
      if (this.#record === line) this.#record = undefined;
      // One from before the service was crowded is not counted any more.
      if (crowds === this.#crowds && (line.last || line.client.stats.connected)) this.#answered(line, isTrial);
      else this.#drop(line);
      this.#takeQueued();
    });
    // undici reads before it writes; if the service has closed the connection, it opens a new one.
    line.client.dispatch(
      { ...request, reset: line.last },
      endingWith(handler, () => {
        line.isOver = line.busy;
        this.#hasAnswered = line.answers > 0;
      }),
    );
  }

  /** How many connections have requests that were sent; others may still wait for a connection. */
  get #busy(): number {
    return [...this.#lines].filter(({ busy }) => busy).length;
  }

  #answered(line: Line, isTrial: boolean) {
    const now = this.#times.now();
    const open = this.#lines.size + this.#advance.open;
    this.#borne = Math.max(this.#borne, isTrial ? open : this.#busy);
    this.#answers += 1;
    line.answers += 1;
    line.answered = now;
    line.busy = false;
    this.life.answered(now - line.sent);
    this.life.survived({ ...this.#pastOf(line), rest: line.rested });
    if (line.last || open > this.#most) return this.#drop(line);
    // Without a trial by reads, the first one is watched.
    if (!this.#watched && this.life.isWatchable) this.#watched = line;
    if (this.#watched !== line) this.#resting.push(line);
  }

  #pastOf({ opened, answered, answers }: Line): ConnectionPast {
    const now = this.#times.now();
    return { age: now - opened, rest: now - answered, answers };
  }

  /** Closes what is not used again, after a look at the watched connection. */
  #sift() {
    const watched = this.#watched;
    if (watched?.busy) return;
    if (watched?.client.stats.connected) this.life.survived(this.#pastOf(watched));
    if (!this.life.isWatchable) this.#drop(watched);
    for (const line of this.#resting) if (!this.life.allows(this.#pastOf(line))) this.#drop(line);
  }

  /** The connection that has rested longest, and for so long, and may be used again. */
  #rested(atLeast: number): Line | undefined {
    const line = this.#resting.find((line) => {
      const past = this.#pastOf(line);
      return past.rest >= atLeast && this.life.allows(past) && !(this.#record && this.life.isRecord(past));
    });
    if (!line) return undefined;
    if (this.life.isRecord(this.#pastOf(line))) this.#record = line;
    line.busy = true;
    this.#resting = this.#resting.filter((other) => other !== line);
    return line;
  }

  #opened(): Line {
    const now = this.#times.now();
    const client = this.#open();
    const line: Line = { client, opened: now, sent: now, answered: now, rested: 0, answers: 0, busy: true, isOver: false, last: false };
    this.#lines.add(line);
    client.on('disconnect', (_origin, _targets, error) => {
      const past = this.#pastOf(line);
      if (!line.busy) this.#drop(line);
      // One that has never answered shows nothing about those that have.
      if (line.answers === 0 || !closedByService.has((error as NodeJS.ErrnoException).code ?? '')) return;
      this.life.ended(line.busy ? { ...past, rest: line.rested } : past);
    });
    return line;
  }

  #drop(line: Line | undefined) {
    if (!line || !this.#lines.delete(line)) return;
    if (this.#watched === line) this.#watched = undefined;
    this.#resting = this.#resting.filter((other) => other !== line);
    this.#closed.push(this.#times.now());
    void line.client.destroy();
  }
}

/** The same handler, which tells when the answer is complete or has failed, before anything else learns of it. */
function endingWith(handler: Dispatcher.DispatchHandler, over: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd(...given) {
      over();
      handler.onResponseEnd?.(...given);
    },
    onResponseError(...given) {
      over();
      handler.onResponseError?.(...given);
    },
  };
}
