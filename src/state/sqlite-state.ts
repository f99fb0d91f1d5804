/**
 * The state of runs on this machine: one SQLite database in the state folder. Loaded by commands that write; whatever
 * else a state can do is put together here of the modules that do it.
 */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { forget, prune } from './erase.ts';
import { GroupCommit } from './group-commit.ts';
import { heldRun, writeSteps } from './held-run.ts';
import { LastCommitFile } from './last-commit.ts';
import type { HeldLock } from './lock.ts';
import { type OpenedDatabase, openDatabase, type StateFolder, statePaths } from './open-database.ts';
import { RunLocks } from './run-locks.ts';
import { claimOf, counted, eventOf, listedOf, listedValues, newRunRow, type RunRow, recordOf, runOf, stepOf } from './run-rows.ts';
import { sql } from './schema.ts';
import { ClaimTaken, type NewRun, type State, type StepRecord, TakenOver } from './state.ts';

export type StateOptions = StateFolder & {
  /** How messages show a moment, in milliseconds since 1970; as ISO 8601 where it is absent. */
  inWords?: (instant: number) => string;
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
export function stateOf({ folder, host, inWords = isoTime }: StateOptions, { database, keys, last, restored }: OpenedDatabase): State {
  // A restored database counts no commits until it is accepted: it would seem to be the latest by them.
  const lastCommit = restored ? undefined : new LastCommitFile(statePaths(folder).last, last.id);
  const locks = new RunLocks(folder, host, inWords);
  const holder = `process ${host.pid} on ${host.machine}`;
  const held = new Set<HeldLock>();
  const committed =
    lastCommit &&
    ((seq: number) => {
      try {
        lastCommit.write(seq);
      } catch {
        // The commit is durable all the same; a restored database is known by an earlier number then.
      }
    });
  const commits = new GroupCommit({ database, host, refusals: [ClaimTaken, TakenOver], committed });

  const hold = async (name: string, what: { command: string; run?: string }): Promise<HeldLock> => {
    const lock = await locks.hold(name, what);
    const ends: HeldLock = {
      describe: lock.describe,
      release() {
        if (held.delete(ends)) lock.release();
      },
    };
    held.add(ends);
    return ends;
  };
  /** The run that `act` has made or taken, held until it is closed. */
  const holding = async (id: string, command: string, act: () => Promise<RunRow>) => {
    const lock = await hold(`run-${id}`, { command, run: id });
    try {
      return heldRun({ commits, keys, now: host.now, lock, run: recordOf(await act(), keys) });
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  const rowOf = (id: string) => {
    const row = database.row(sql.run, id);
    return row && runOf(row);
  };
  const freeId = (at: number): string => {
    const id = runId(at);
    return rowOf(id) ? freeId(at) : id;
  };
  /** The latest run of a command. */
  const latest = (origin: string, identity: string, accept: (run: RunRow) => boolean) =>
    commits.read(() => {
      const digest = keys.digest(identity);
      const found = allRuns().find((run) => run.origin === origin && run.digest === digest && accept(run));
      return found && recordOf(found, keys);
    });
  const allRuns = () => [...database.rows(sql.runs)].map(runOf);

  return {
    place: database.place,
    studentKey: (address) => keys.studentKey(address),
    digest: (text) => keys.digest(text),

    async begin(run: NewRun, steps: Iterable<StepRecord>, listed: Iterable<string> = []) {
      const id = await commits.read(() => freeId(host.now()));
      return holding(id, run.kind, () =>
        commits.addInParts(function* (turn) {
          const row = newRunRow(run, { id, holder, at: run.began ?? turn.at }, keys);
          turn.begin(row);
          yield* writeSteps(turn, row, steps, keys);
          for (const each of listed) {
            row.listed += database.run(sql.addListed, ...listedValues(id, each));
            if (row.listed % 1000 === 0) yield;
          }
          return row;
        }),
      );
    },
    findOpen: (origin, identity) => latest(origin, identity, ({ state }) => state === 'open'),
    findLast: (origin, identity) => latest(origin, identity, () => true),
    async take(id) {
      const known = await commits.read(() => rowOf(id));
      if (!known) throw noRun(id);
      return holding(id, known.kind, () =>
        commits.add((turn) => {
          const run = turn.run(id);
          // Forgotten since.
          if (!run) throw new TakenOver();
          run.epoch += 1;
          Object.assign(run, { holder, lastAt: turn.at });
          turn.changed(run);
          return { ...run };
        }),
      );
    },
    runs: () => commits.read(() => allRuns().map((run) => recordOf(run, keys))),
    run: (id) =>
      commits.read(() => {
        const run = rowOf(id);
        return run && recordOf(run, keys);
      }),
    steps: (id) =>
      commits.read(() => {
        const steps = [...database.rows(sql.steps, id)].map((row) => stepOf(row, keys));
        return counted(steps, rowOf(id)?.steps ?? 0, 'steps');
      }),
    events: (id) =>
      commits.read(() => {
        const events = [...database.rows(sql.events, id)].map(eventOf);
        return counted(events, rowOf(id)?.events ?? 0, 'events').map(({ i, ...event }) => event);
      }),
    listed: (id) =>
      commits.read(() => {
        const listed = [...database.rows(sql.listed, id)].map(listedOf);
        return new Set(counted(listed, rowOf(id)?.listed ?? 0, 'listed'));
      }),
    claims: (origin, scope) => commits.read(() => [...database.rows(sql.claimsOfScope, origin, scope)].map(claimOf)),
    lock: (name, command) => hold(`name-${keys.digest(name)}`, { command }),
    forget: (what) => forget({ commits, database, keys, hold }, what),
    prune: (before, ended = []) => prune({ commits, database }, before, ended),
    async close() {
      try {
        await commits.flush();
      } finally {
        for (const lock of [...held]) lock.release();
        database.close();
        lastCommit?.close();
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
