/**
 * The store of a team: one PostgreSQL database. Each process gives a sign of life in its row, with each commit and in between.
 * Whoever takes a lock of a process that has given none for a while fences it first: from then on, each commit of it
 * finds that nothing is its own any more. Times are those of the database. A commit whose answer was lost is looked up
 * by the number of the attempt, so that it is not done twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { parseJson, stringifyJson } from '../../model/json.ts';
import type { TeamPlace } from '../../model/team-place.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { HeldLock, Holder } from '../lock.ts';
import { notInUse } from '../moved.ts';
import { TakenOver } from '../state.ts';
import { type Key, type Rows, rowOf, schemaVersion, type Table, valuesOf } from '../state-tables.ts';
import { FoundRows, type NamedLock, type Need, oneAtATime, type Reads, type Store, type Transaction } from '../store.ts';
import type { Connection } from './connection.ts';
import { isAway, isPassing, isTeamFailure, teamFailure } from './team-failure.ts';
import { forgetProcesses, mayForget, named, statements, tablesInUse } from './team-tables.ts';

/** How long a server that is away is waited for. Milliseconds. */
const patience = 30_000;
/** How long a transaction waits for the rows of another, and how long the server waits for this process between two queries. Milliseconds. */
const limits = { lock: 10_000, idle: 5_000, close: 3_000 } as const;
/** How long a table may take to be built anew. Milliseconds. */
const toVacuum = 3_600_000;
/** Rows of one statement, and the bytes that may be on their way at once. */
const batch = { rows: 2_000, bytes: 4_000_000 } as const;

type Options = {
  place: TeamPlace;
  connection: Connection;
  /** Another one, to the same database. Throws where it cannot be used any more. */
  reconnect(): Promise<Connection>;
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'pid' | 'machine'>;
  who: string;
  /** How far the database's clock is ahead of this machine's. Milliseconds. */
  ahead: number;
  /** After this time without a sign of life, another process may take over what one has. Milliseconds. */
  livesFor: number;
  /** How messages show a moment of this machine. */
  inWords(instant: number): string;
  /** Says that the server is waited for. */
  say(text: Sentence): void;
};

type Sent = { promise: Promise<unknown>; bytes: number };

export class PostgresStore implements Store {
  readonly place: string;
  readonly ahead: number;
  readonly #options: Options;
  readonly #process = randomUUID();
  readonly #alone = oneAtATime();
  readonly #signEvery: number;
  /** Until when a sign of life given now holds, as SQL. */
  readonly #lifetime: string;
  #connection: Connection;
  #attempt = 0;
  #hasJoined = false;
  /** A wait for the server was in vain, and it has not answered since. */
  #inVain: { error: unknown } | undefined;
  #signs: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.place = options.place.shown;
    this.ahead = options.ahead;
    this.#connection = options.connection;
    this.#signEvery = options.livesFor / 4;
    this.#lifetime = `clock_timestamp() + interval '${options.livesFor} milliseconds'`;
  }

  read<T>(work: (reads: Reads) => Promise<T>): Promise<T> {
    return this.#tried(async (query) => {
      // A process that is stopped meanwhile is no longer in the way of whoever needs the tables for itself.
      const began = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', `SET LOCAL idle_in_transaction_session_timeout = ${patience}`].map(
        (text) => query(text),
      );
      for (const one of began) one.catch(() => {});
      const result = await work(readsBy(query));
      await allOf([...began, query('COMMIT')]);
      return result;
    });
  }

  write<T>(
    needs: readonly Need[],
    work: (transaction: Transaction, found: FoundRows) => Promise<T> | T,
    { once = false }: { once?: boolean } = {},
  ): Promise<T> {
    return this.#changed(needs, { once }, (query, head, found) => {
      const sent: Sent[] = [];
      const send = async (table: Table, statement: 'add' | 'put', rows: Iterable<Rows[Table]>) => {
        for (const columns of columnsOf(table, rows)) {
          const promise = query(statements[table][statement], columns.values);
          promise.catch(() => {});
          sent.push({ promise, bytes: columns.bytes });
          if (sum(sent) > batch.bytes) for (const one of sent.splice(0)) await one.promise;
        }
      };
      const transaction: Transaction = {
        ...readsBy(query),
        ...head,
        erases: false,
        add: (table, rows) => send(table, 'add', rows),
        put: (table, rows) => send(table, 'put', rows),
        async drop(table, ...key) {
          await query(statements[table].drop[key.length] ?? '', key);
        },
      };
      return { result: work(transaction, found), sent };
    });
  }

  async lock(name: string, what: { command: string; run?: string }): Promise<HeldLock> {
    await this.#changed([], {}, (query, { isTakenOver }) => {
      if (isTakenOver) throw new TakenOver();
      return { result: this.#take(query, name, what), sent: [] };
    });
    this.#signs ??= this.#giveSigns();
    return {
      release: () => {
        this.#changed([], {}, (query) => ({
          result: query(`UPDATE ${named('locks')} SET process = NULL WHERE name = $1 AND process = $2`, [name, this.#process]),
          sent: [],
        })).catch(() => {
          // It is free as soon as this process gives no more signs of life.
        });
      },
    };
  }

  locks(): Promise<NamedLock[]> {
    return this.#tried(async (query) => {
      const { rows } = await query(
        `SELECT l.name, l.record FROM ${named('locks')} l JOIN ${named('processes')} p ON p.id = l.process WHERE NOT p.fenced AND p.until > clock_timestamp() ORDER BY l.name`,
      );
      return rows.map(([name, record]) => ({ name: String(name), holder: this.#holderOf(String(record)) }));
    });
  }

  /** What a database has deleted is in its tables until they are built anew; it stays in its log of changes for a while, and in its backups. */
  async scrub(): Promise<void> {
    await this.#tried(async (query) => {
      const { rows } = await query(mayForget);
      if (rows[0]?.[0] !== true) return;
      for (const statement of forgetProcesses) await query(statement);
      // Everybody else waits behind it, so that it must not wait for long itself.
      await query(`SET lock_timeout = ${limits.lock / 2}`);
      for (const table of tablesInUse) await query(`VACUUM (FULL) ${table}`, [], toVacuum);
      await query('RESET lock_timeout');
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#signs);
    this.#isClosed = true;
    const leave = this.#alone(async () => {
      if (!this.#hasJoined || this.#connection.isLost) return;
      const farewell = [
        `UPDATE ${named('locks')} SET process = NULL WHERE process = $1`,
        `UPDATE ${named('processes')} SET until = clock_timestamp() WHERE id = $1 AND NOT fenced`,
      ];
      // Answered before the connection is closed.
      for (const statement of farewell) this.#connection.query(statement, [this.#process]).catch(() => {});
    });
    const late = new AbortController();
    const within = await Promise.race([leave, pause(limits.close, 0, late)]);
    late.abort();
    await this.#connection.close(within ?? undefined);
  }

  /** A transaction in which this process gives a sign of life, with what it needs read. It is durable when this resolves. */
  #changed<T>(
    needs: readonly Need[],
    { once = false }: { once?: boolean },
    act: (
      query: Connection['query'],
      head: Pick<Transaction, 'at' | 'seq' | 'isTakenOver'>,
      found: FoundRows,
    ) => { result: Promise<T> | T; sent: Sent[] },
  ): Promise<T> {
    let hasBegun = false;
    let done: { result: T } | undefined;
    return this.#tried(
      async (query) => {
        // The answer to the commit before was lost.
        if (done && (await this.#wasCommitted(query))) return done.result;
        done = undefined;
        if (once && hasBegun) throw new Error('Connection terminated');
        await this.#join(query);
        this.#attempt += 1;
        const opened = [
          query('BEGIN'),
          query(
            `SELECT set_config('lock_timeout', '${limits.lock}', true), set_config('idle_in_transaction_session_timeout', '${limits.idle}', true),
              set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on' ELSE current_setting('synchronous_commit') END, true)`,
          ),
        ];
        const living = query(
          `UPDATE ${named('processes')} SET attempt = $2, until = CASE WHEN fenced THEN until ELSE ${this.#lifetime} END
            WHERE id = $1 RETURNING fenced, (extract(epoch FROM clock_timestamp()) * 1000)::text`,
          [this.#process, this.#attempt],
        );
        const meta = query(`SELECT schema_version, moved_to FROM ${named('meta')}`);
        const fetched = fetchedBy(query, needs);
        await allOf([...opened, living, meta, fetched]);
        const [version, movedTo] = (await meta).rows[0] ?? [];
        const [isFenced, now] = (await living).rows[0] ?? [];
        if (movedTo !== '' || version !== schemaVersion) throw notHere(this.place, version, movedTo);
        const [clock, began] = [Number(now ?? 0), performance.now()];
        hasBegun = true;
        const { result, sent } = act(
          query,
          { at: Math.floor(clock), seq: Math.floor(clock), isTakenOver: isFenced !== false },
          await fetched,
        );
        const value = await result;
        done = { result: value };
        // What has taken long was a sign of life all the time.
        if (performance.now() - began > this.#signEvery)
          sent.push({
            promise: query(`UPDATE ${named('processes')} SET until = ${this.#lifetime} WHERE id = $1 AND NOT fenced`, [this.#process]),
            bytes: 0,
          });
        const ended = query('COMMIT');
        try {
          await allOf([...sent.map(({ promise }) => promise), ended]);
        } catch (error) {
          // Whatever the server has refused is not committed; whatever it has not answered may be.
          if (!isAway(error)) done = undefined;
          throw error;
        }
        if ((await ended).command !== 'COMMIT') {
          done = undefined;
          throw new Error('the server has not committed');
        }
        return value;
      },
      () => hasBegun && once && !done,
    );
  }

  /**
   * Tries again while the server is away, and where two transactions have met, for half a minute. Whatever stands in line
   * meanwhile has waited as well; what comes later is tried once, until the server answers.
   */
  #tried<T>(work: (query: Connection['query']) => Promise<T>, isLast: () => boolean = () => false): Promise<T> {
    const before = this.#inVain;
    return this.#alone(async () => {
      if (this.#inVain && this.#inVain !== before) throw this.#inVain.error;
      const { host, place, say } = this.#options;
      for (let [waited, tries, hasSaid] = [0, 1, false]; ; tries += 1) {
        const began = performance.now();
        try {
          if (this.#connection.isLost && !this.#isClosed) await this.#reconnect();
          const result = await work(this.#connection.query);
          this.#inVain = undefined;
          return result;
        } catch (error) {
          await this.#rollBack();
          // The first try has failed by itself.
          if (tries > 1) waited += performance.now() - began;
          if (!isPassing(error) || isLast() || waited >= (this.#inVain ? 0 : patience) || this.#isClosed) {
            const failure = isTeamFailure(error) ? teamFailure(place, error) : error;
            if (isAway(error) && !isLast()) this.#inVain = { error: failure };
            throw failure;
          }
          if (isAway(error) && waited > 1000 && !hasSaid) {
            hasSaid = true;
            say(
              sentence`${teamFailure(place, error).message} Nothing more is sent until it answers; it is tried for ${patience / 1000} s.`,
            );
          }
        }
        const wait = Math.min(50 * 2 ** Math.min(tries, 6), 2_000) * (0.5 + host.random());
        waited += wait;
        // An interruption ends no wait: what has happened must be recorded.
        await host.sleep(wait).catch(() => pause(wait));
      }
    });
  }

  async #reconnect(): Promise<void> {
    await this.#connection.close();
    this.#connection = await this.#options.reconnect();
    // Closed meanwhile.
    if (this.#isClosed) await this.#connection.close();
  }

  async #rollBack(): Promise<void> {
    if (!this.#connection.isLost) await this.#connection.query('ROLLBACK').catch(() => {});
  }

  /** The row of a process is made once: one that has been deleted was fenced before. */
  async #join(query: Connection['query']): Promise<void> {
    if (this.#hasJoined) return;
    const { host, who } = this.#options;
    await query(`INSERT INTO ${named('processes')} VALUES ($1, 0, ${this.#lifetime}, false, $2) ON CONFLICT (id) DO NOTHING`, [
      this.#process,
      stringifyJson({ pid: host.pid, machine: host.machine, who }),
    ]);
    this.#hasJoined = true;
  }

  /** Waits for the transaction of the attempt, if the server still has it. */
  async #wasCommitted(query: Connection['query']): Promise<boolean> {
    const { rows } = await query(`SELECT attempt FROM ${named('processes')} WHERE id = $1 FOR UPDATE`, [this.#process]);
    return Number(rows[0]?.[0] ?? -1) === this.#attempt;
  }

  /**
   * Whoever is at a name first has its row until the end of the transaction; only then is the process read that has it: each
   * query sees what was committed before it began.
   */
  async #take(query: Connection['query'], name: string, what: { command: string; run?: string }): Promise<void> {
    const { host, who } = this.#options;
    const { rows } = await query(
      `INSERT INTO ${named('locks')} AS l VALUES ($1, NULL, '') ON CONFLICT (name) DO UPDATE SET record = l.record RETURNING process, record`,
      [name],
    );
    const [process, held] = rows[0] ?? [];
    const { rows: processes } = await query(`SELECT NOT fenced AND until > clock_timestamp() FROM ${named('processes')} WHERE id = $1`, [
      process,
    ]);
    const [isAlive] = processes[0] ?? [];
    if (isAlive === true) throw this.#lockHeld(String(held));
    if (isAlive !== undefined) {
      const { rows: fenced } = await query(
        `UPDATE ${named('processes')} SET fenced = true WHERE id = $1 AND (fenced OR until <= clock_timestamp()) RETURNING id`,
        [process],
      );
      if (fenced.length === 0) throw this.#lockHeld(String(held));
    }
    const record = stringifyJson({ pid: host.pid, machine: host.machine, who, since: host.now() + this.ahead, ...what });
    await query(`UPDATE ${named('locks')} SET process = $2, record = $3 WHERE name = $1`, [name, this.#process, record]);
  }

  #lockHeld(text: string): CliError {
    const { command, machine, pid, run, since, who } = this.#holderOf(text);
    const at = sentence`${who ?? 'somebody'}, process ${pid} on ${machine}, since ${this.#options.inWords(since)}, ${command}`;
    return new CliError('already_running', sentence`Another proctor-cli (${at}${run === undefined ? '' : `, run ${run}`}) is at it.`, {
      hint: sentence`Nothing was sent. Wait until it has ended; if its process or machine is gone, for ${this.#options.livesFor / 1000} s.`,
    });
  }

  #holderOf(record: string): Holder {
    const { since, ...holder } = parseJson(record) as unknown as Holder;
    return { ...holder, since: since - this.ahead };
  }

  #giveSigns(): NodeJS.Timeout {
    let isGiving = false;
    const give = async () => {
      if (isGiving) return;
      isGiving = true;
      await this.write([], () => {}).catch(() => {});
      isGiving = false;
    };
    return setInterval(() => void give(), this.#signEvery).unref();
  }
}

/** Waits for all of them. Throws the error of the first that has one; those that follow it fail because of it. */
async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(promises);
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error & { code?: string }] : []));
  const first = errors.find(({ code }) => code !== '25P02') ?? errors[0];
  if (first) throw first;
}

function sum(sent: readonly Sent[]): number {
  return sent.reduce((all, { bytes }) => all + bytes, 0);
}

function readsBy(query: Connection['query']): Reads {
  const asked = async <T extends Table>(table: T, text: string, values: readonly Key[]) => {
    const { rows } = await query(text, values);
    return rows.map((row) => rowFrom(table, row));
  };
  const rows = <T extends Table>(table: T, key: readonly Key[]) => asked(table, statements[table].select[key.length] ?? '', key);
  return {
    get: async (table, ...key) => (await rows(table, key))[0],
    all: (table, ...key) => rows(table, key),
  };
}

/** What a transaction needs, in one query for each table and length of key. */
async function fetchedBy(query: Connection['query'], needs: readonly Need[]): Promise<FoundRows> {
  const found = new FoundRows();
  const wanted = new Map(needs.map((need) => [JSON.stringify(need), need]));
  const groups = Map.groupBy(wanted.values(), ([table, ...key]) => `${table} ${key.length}`);
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const [[table, ...first]] = group as [Need, ...Need[]];
      const columns = first.map((_, at) => group.map((need) => need[at + 1] as Key));
      const { rows } = await query(statements[table].fetch[first.length] ?? '', columns);
      const byKey = Map.groupBy(rows, (values) => JSON.stringify([table, ...values.slice(0, first.length)]));
      for (const need of group)
        found.set(
          need,
          (byKey.get(JSON.stringify(need)) ?? []).map((values) => rowFrom(table, values)),
        );
    }),
  );
  return found;
}

/** The sum comes as text, because it may be larger than a number of 32 bits. */
function rowFrom<T extends Table>(table: T, values: readonly unknown[]): Rows[T] {
  return rowOf(table, [...values.slice(0, -1), Number(values.at(-1))] as Key[]);
}

function* columnsOf(table: Table, rows: Iterable<Rows[Table]>): Generator<{ values: Key[][]; bytes: number }, void> {
  let values: Key[][] = [];
  let [count, bytes] = [0, 0];
  for (const row of rows) {
    for (const [at, value] of valuesOf(table, row as Rows[typeof table]).entries()) {
      values[at] = values[at] ?? [];
      values[at].push(value);
      bytes += String(value).length;
    }
    count += 1;
    if (count < batch.rows && bytes < batch.bytes) continue;
    yield { values, bytes };
    [values, count, bytes] = [[], 0, 0];
  }
  if (count > 0) yield { values, bytes };
}

function notHere(place: string, version: unknown, movedTo: unknown): CliError {
  if (version !== schemaVersion)
    return new CliError(
      'state_failed',
      sentence`The state ${place} can no longer be used: another version of proctor-cli has changed its tables.`,
      {
        hint: 'Nothing more was sent. Update proctor-cli on this machine.',
      },
    );
  return notInUse(place, String(movedTo));
}
