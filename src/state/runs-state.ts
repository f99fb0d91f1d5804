/** The state of runs in a store. Loaded by commands that write; what a state can do is put together here of the modules that do it. */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { dropOld, forget } from './erase.ts';
import { GroupCommit } from './group-commit.ts';
import { heldRun, sealedSteps } from './held-run.ts';
import { type Claim, type RecordedEvent, type RunRecord, type State, type StepRecord, TakenOver } from './state.ts';
import { DamagedRow } from './state-failure.ts';
import type { Rows } from './state-tables.ts';
import type { Reads, Store } from './store.ts';
import type { StudentKeys } from './student-keys.ts';

export type RunsOptions = {
  host: Pick<Host, 'now' | 'pid' | 'machine'>;
  /** How long finished runs of the current profile are kept, in milliseconds; for ever without it. Asked when a run begins. */
  keepRuns?: (() => number) | undefined;
};

export function stateIn(store: Store, keys: StudentKeys, { host, keepRuns }: RunsOptions): State {
  const commits = new GroupCommit(store);
  const { ahead } = store;
  const holder = `process ${host.pid} on ${host.machine}`;

  /** The run that `act` has made or taken, held until it is closed. */
  const holding = async (id: string, command: string, act: () => Promise<RunRecord>) => {
    const lock = await store.lock(`run-${id}`, { command, run: id });
    try {
      return heldRun({ commits, keys, now: host.now, ahead, lock, run: await act() });
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  /** Moments of the store are shown by the clock of this machine. */
  const recordOf = (
    { number, digest, ...header }: Rows['runs'],
    { run: _, events, lastEvent, ...standing }: Rows['standings'],
  ): RunRecord => ({
    ...header,
    ...standing,
    at: header.at - ahead,
    lastAt: standing.lastAt - ahead,
    ...(header.reason === undefined ? {} : { reason: keys.open(header.reason, header.id) as string }),
  });
  /** Latest first. */
  const recordsOf = async (reads: Reads, isMeant: (run: Rows['runs']) => boolean) => {
    const headers = (await reads.all('runs')).filter(isMeant).sort((a, b) => b.number - a.number);
    if (headers.length === 0) return [];
    const standings = new Map((await reads.all('standings')).map((standing) => [standing.run, standing]));
    return headers.map((header) => recordOf(header, standingOf(standings.get(header.id), header.id)));
  };
  /** All of them: one whose key has changed by itself is not found. */
  const rowsOf = <T extends 'steps' | 'events', R>(table: T, id: string, each: (row: Rows[T]) => R): Promise<R[]> =>
    store.read(async (reads) => {
      const [rows, standing] = [await reads.all(table, id), await reads.get('standings', id)];
      const recorded = standing?.[table] ?? 0;
      if (rows.length !== recorded) throw missing(table, recorded, rows.length);
      return rows.map(each);
    });
  const stepOf = ({ run, personal, ...step }: Rows['steps']): StepRecord => ({
    ...step,
    personal: personal === null ? null : (keys.open(personal, `${run}/${step.n}`) as JsonObject),
  });
  const eventOf = ({ run, i, ...event }: Rows['events']): RecordedEvent => ({ ...event, at: event.at - ahead });
  const freeId = async (): Promise<string> => {
    const id = runId(host.now());
    return (await store.read((reads) => reads.get('runs', id))) ? freeId() : id;
  };

  return {
    place: store.place,
    studentKey: (address) => keys.studentKey(address),
    digest: (text) => keys.digest(text),

    async begin({ identity, began, reason, ...run }, steps, listed = []) {
      const id = await freeId();
      return holding(id, run.kind, () =>
        commits.alone(
          async (transaction) => {
            const { at: now, seq } = transaction;
            const keep = transaction.erases ? keepRuns?.() : undefined;
            if (keep !== undefined) await dropOld(transaction, now - keep, (old) => old.profile === run.profile && old.id !== run.undoOf);
            const at = began === undefined ? now : began + ahead;
            const header: Rows['runs'] = {
              ...{ id, ...run, ...(reason === undefined ? {} : { reason: keys.seal(reason, id) }) },
              ...{ digest: keys.digest(identity), at, number: seq },
            };
            const standing: Rows['standings'] = {
              ...{ run: id, epoch: 1, holder, state: 'open', lastAt: at, steps: 0, events: 0, lastEvent: 0 },
            };
            await transaction.add('runs', [header]);
            await transaction.add(
              'steps',
              counted(sealedSteps(steps, id, keys), () => standing.steps++),
            );
            await transaction.add('standings', [standing]);
            // After the steps: planning goes on while they are read.
            await transaction.add('listed', [{ run: id, ids: [...listed] }]);
            return recordOf(header, standing);
          },
          { once: true },
        ),
      );
    },
    runsOf: (origin, identity) =>
      store.read((reads) => {
        const digest = keys.digest(identity);
        return recordsOf(reads, (run) => run.origin === origin && run.digest === digest);
      }),
    async take(id, who) {
      const known = await store.read((reads) => reads.get('runs', id));
      if (!known) throw noRun(id);
      return holding(id, known.kind, () =>
        commits.add([['standings', id]], (turn) => {
          const standing = turn.standing(id);
          // Forgotten since.
          if (!standing) throw new TakenOver();
          Object.assign(standing, { epoch: standing.epoch + 1, holder });
          turn.event(standing, standing.epoch, turn.at, { n: 0, event: 'taken', code: who });
          return recordOf(known, standing);
        }),
      );
    },
    runs: () => store.read((reads) => recordsOf(reads, () => true)),
    run: (id) =>
      store.read(async (reads) => {
        const header = await reads.get('runs', id);
        return header && recordOf(header, standingOf(await reads.get('standings', id), id));
      }),
    steps: (id) => rowsOf('steps', id, stepOf),
    events: (id) => rowsOf('events', id, eventOf),
    listed: async (id) => new Set((await store.read((reads) => reads.get('listed', id)))?.ids),
    claims: async (origin, scope) => (await openClaims(store, origin, scope)).map((claim) => ({ ...claim, at: claim.at - ahead })),
    lock: (name, command) => store.lock(`name-${keys.digest(name)}`, { command }),
    forget: (what) => forget({ commits, store, keys }, what),
    async close() {
      try {
        await commits.flush();
      } finally {
        await store.close();
      }
    },
  };
}

function missing(table: string, recorded: number, there: number): DamagedRow {
  return new DamagedRow(`${recorded} rows of ${table} were recorded, ${there} are there`);
}

async function openClaims(store: Store, ...key: string[]): Promise<Claim[]> {
  return (await store.read((reads) => reads.all('claims', ...key))).filter(({ ended }) => !ended);
}

function* counted<T>(items: Iterable<T>, count: () => void): Generator<T, void> {
  for (const item of items) {
    count();
    yield item;
  }
}

function standingOf(standing: Rows['standings'] | undefined, run: string): Rows['standings'] {
  if (!standing) throw new DamagedRow(`run ${run} has no standing`);
  return standing;
}

function runId(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

function noRun(id: string): CliError {
  return new CliError('not_found', sentence`No run ${JSON.stringify(id)} is recorded.`, {
    hint: 'List the runs with: proctor-cli runs list',
  });
}
