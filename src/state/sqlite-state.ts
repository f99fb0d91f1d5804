/**
 * The state of runs on this machine: one SQLite database in the state folder. Loaded by commands that write; whatever
 * else a state can do is put together here of the modules that do it.
 */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { dropEnded, dropOld, forget } from './erase.ts';
import { GroupCommit } from './group-commit.ts';
import { addSteps, heldRun } from './held-run.ts';
import { writeLastCommit } from './last-commit.ts';
import { type OpenedDatabase, openDatabase, type StateFolder, statePaths } from './open-database.ts';
import { RunLocks } from './run-locks.ts';
import { type RunRecord, type State, TakenOver } from './state.ts';
import { DamagedRow } from './state-failure.ts';
import type { RunRow } from './state-tables.ts';

export type StateOptions = StateFolder & {
  /** How messages show a moment, in milliseconds since 1970; as ISO 8601 where it is absent. */
  inWords?: (instant: number) => string;
  /** How long finished runs of the current profile are kept, in milliseconds; undefined for ever. Asked when a run begins. */
  keepRuns?: () => number | undefined;
};

/** Opens the state, or creates it. Throws `state_failed`, `state_damaged`, `state_restored`, `invalid_config`. */
export async function openState(options: StateOptions): Promise<State> {
  const opened = await openDatabase(options);
  if (opened.restored) {
    opened.database.close();
    throw opened.restored;
  }
  return stateOf(options, opened);
}

/** The state in a database that is open. */
export function stateOf({ folder, host, inWords = isoTime, keepRuns }: StateOptions, opened: OpenedDatabase): State {
  const { database, keys, last, restored } = opened;
  const locks = new RunLocks(folder, host, inWords);
  const holder = `process ${host.pid} on ${host.machine}`;
  const committed = (seq: number) => {
    try {
      writeLastCommit(statePaths(folder).last, { id: last.id, seq });
    } catch {
      // The commit is durable all the same; a restored database is known by an earlier number then.
    }
  };
  // A restored database counts no commits until it is accepted: it would seem to be the latest by them.
  const commits = new GroupCommit({ database, host, committed: restored ? undefined : committed });

  /** The run that `act` has made or taken, held until it is closed. */
  const holding = async (id: string, command: string, act: () => Promise<RunRow>) => {
    const lock = await locks.hold(`run-${id}`, { command, run: id });
    try {
      return heldRun({ commits, keys, now: host.now, lock, run: recordOf(await act()) });
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  const recordOf = ({ number, digest, events, lastEvent, ...run }: RunRow): RunRecord =>
    run.reason === undefined ? run : { ...run, reason: keys.open(run.reason, run.id) as string };
  /** Latest first. */
  const allRuns = () => [...database.all('runs')].sort((a, b) => b.number - a.number);
  /** All of them: one whose key has changed by itself is not found. */
  const rowsOf = <T extends 'steps' | 'events'>(table: T, id: string) => {
    const rows = [...database.all(table, id)];
    const recorded = database.get('runs', id)?.[table] ?? 0;
    if (rows.length !== recorded) throw new DamagedRow(`${recorded} rows of ${table} were recorded, ${rows.length} are there`);
    return rows;
  };
  const freeId = (at: number): string => {
    const id = runId(at);
    return database.get('runs', id) ? freeId(at) : id;
  };

  return {
    place: database.place,
    studentKey: (address) => keys.studentKey(address),
    digest: (text) => keys.digest(text),

    async begin({ identity, began, reason, ...run }, steps, listed = []) {
      const [id, keep] = [await commits.read(() => freeId(host.now())), keepRuns?.()];
      return holding(id, run.kind, () =>
        commits.add((turn) => {
          if (keep !== undefined) dropOld(turn, turn.at - keep, (old) => old.profile === run.profile && old.id !== run.undoOf);
          const [at, sealed] = [began ?? turn.at, reason === undefined ? {} : { reason: keys.seal(reason, id) }];
          const row = turn.begin({
            ...{ id, ...run, ...sealed, digest: keys.digest(identity), epoch: 1, holder, state: 'open', at, lastAt: at },
            ...{ number: 1 + (allRuns()[0]?.number ?? 0), steps: 0, events: 0, lastEvent: 0 },
          });
          addSteps(turn, row, steps, keys);
          // After the steps: planning goes on while they are read.
          database.put('listed', { run: id, ids: [...listed] });
          return row;
        }),
      );
    },
    runsOf: (origin, identity) =>
      commits.read(() => {
        const digest = keys.digest(identity);
        return allRuns().flatMap((run) => (run.origin === origin && run.digest === digest ? recordOf(run) : []));
      }),
    async take(id) {
      const known = await commits.read(() => database.get('runs', id));
      if (!known) throw noRun(id);
      return holding(id, known.kind, () =>
        commits.add((turn) => {
          const run = turn.run(id);
          // Forgotten since.
          if (!run) throw new TakenOver();
          return Object.assign(run, { epoch: run.epoch + 1, holder, lastAt: turn.at });
        }),
      );
    },
    runs: () => commits.read(() => allRuns().map(recordOf)),
    run: (id) =>
      commits.read(() => {
        const run = database.get('runs', id);
        return run && recordOf(run);
      }),
    steps: (id) =>
      commits.read(() =>
        rowsOf('steps', id).map(({ run, personal, ...step }) => ({
          ...step,
          personal: personal === null ? null : (keys.open(personal, `${run}/${step.n}`) as JsonObject),
        })),
      ),
    events: (id) => commits.read(() => rowsOf('events', id).map(({ run, i, ...event }) => event)),
    listed: (id) => commits.read(() => new Set(database.get('listed', id)?.ids)),
    claims: (origin, scope) => commits.read(() => [...database.all('claims', origin, scope)]),
    lock: (name, command) => locks.hold(`name-${keys.digest(name)}`, { command }),
    forget: (what) => forget({ commits, database, keys, locks }, what),
    claimedExams: (origin) =>
      commits.read(() => {
        const scopes = new Set(Array.from(database.all('claims', origin), ({ scope }) => scope));
        return [...scopes].flatMap((scope) => (scope.startsWith('exam:') ? scope.slice('exam:'.length) : []));
      }),
    async prune(before, ended = []) {
      const pruned = await commits.add((turn) => ({ runs: dropOld(turn, before), claims: dropEnded(turn, ended) }));
      await commits.scrub();
      return pruned;
    },
    async close() {
      try {
        await commits.flush();
      } finally {
        locks.releaseAll();
        database.close();
      }
    },
  };
}

function runId(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

function noRun(id: string): CliError {
  return new CliError('not_found', sentence`No run ${JSON.stringify(id)} on this machine.`, {
    hint: 'List the runs with: proctor-cli runs list',
  });
}

function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}
