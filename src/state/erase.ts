/**
 * Erasing: a student, an exam, or what is old. First the rows go, in one commit, then the bytes: what SQLite deletes is
 * overwritten, the log of commits is emptied, and the file is built anew.
 */

import { type Forgetting, forgettingOf, stripped } from './forgotten-steps.ts';
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import type { RunDatabase } from './run-database.ts';
import { claimKey, claimOf, eventOf, listedOf, type RunRow, runOf, stepOf } from './run-rows.ts';
import { sql } from './schema.ts';
import type { Claim, Forgotten } from './state.ts';
import type { StudentKeys } from './student-keys.ts';
import type { Turn } from './turn.ts';

type Erasing = { commits: GroupCommit; database: RunDatabase };
type Holds = { keys: StudentKeys; hold(name: string, what: { command: string; run?: string }): Promise<HeldLock> };

export async function forget(
  { commits, database, keys, hold }: Erasing & Holds,
  what: Forgotten,
): Promise<{ runs: number; steps: number }> {
  const forgetting = forgettingOf(what, keys);
  const { known, affected } = await commits.read(() => {
    const known = sessionsIn(database, forgetting, keys);
    return { known, affected: runsOf(database).filter((run) => found(database, run, { forgetting, keys, known }).length > 0) };
  });
  const locks: HeldLock[] = [];
  try {
    for (const { id } of affected) locks.push(await hold(`run-${id}`, { command: 'runs forget', run: id }));
    const forgotten = await commits.addInParts(function* (turn) {
      const gone = { runs: 0, steps: 0, of: new Set<string>() };
      for (const { id } of affected) {
        const run = turn.run(id);
        if (!run) continue;
        const steps = found(database, run, { forgetting, keys, known });
        for (const { n } of steps) {
          dropStep(turn, run, n);
          gone.of.add(`${id}/${n}`);
        }
        gone.runs += 1;
        gone.steps += steps.length;
        if (run.steps === 0) dropRun(turn, id);
        yield;
      }
      for (const { id } of runsOf(database)) {
        const run = turn.run(id);
        if (run) strip(turn, run, forgetting, known.get(run.origin) ?? new Set(), keys);
        yield;
      }
      dropClaims(turn, (claim) => gone.of.has(`${claim.run}/${claim.n}`) || forgetting.isAbout(claim));
      return { runs: gone.runs, steps: gone.steps };
    });
    await scrub({ commits, database });
    return forgotten;
  } finally {
    for (const lock of locks) lock.release();
  }
}

export async function prune({ commits, database }: Erasing, before: number, ended: Iterable<{ origin: string; exam: string }>) {
  const scopes = new Set(Array.from(ended, ({ origin, exam }) => `${origin} exam:${exam}`));
  const pruned = await commits.addInParts(function* (turn) {
    let runs = 0;
    for (const { id, state, lastAt } of runsOf(database)) {
      if (state !== 'finished' || lastAt >= before) continue;
      dropRun(turn, id);
      runs += 1;
      yield;
    }
    return { runs, claims: dropClaims(turn, ({ origin, scope }) => scopes.has(`${origin} ${scope}`)) };
  });
  await scrub({ commits, database });
  return pruned;
}

function runsOf(database: RunDatabase): RunRow[] {
  return [...database.rows(sql.runs)].map(runOf);
}

/** By the origin of the service, the IDs of sessions that steps show to be the student's. */
type Known = ReadonlyMap<string, ReadonlySet<string>>;
type Finding = { forgetting: Forgetting; keys: StudentKeys; known: Known };

function sessionsIn(database: RunDatabase, forgetting: Forgetting, keys: StudentKeys): Known {
  const known = new Map<string, Set<string>>();
  for (const run of runsOf(database)) {
    const sessions = found(database, run, { forgetting, keys, known: new Map() }).flatMap((step) => step.sessions);
    known.set(run.origin, new Set([...(known.get(run.origin) ?? []), ...sessions]));
  }
  return known;
}

/** The steps of a run that are to be forgotten, and the IDs of sessions that they show to be the student's. */
function found(database: RunDatabase, run: RunRow, { forgetting, keys, known }: Finding): { n: number; sessions: string[] }[] {
  const events = Map.groupBy([...database.rows(sql.events, run.id)].map(eventOf), ({ n }) => n);
  const steps: { n: number; sessions: string[] }[] = [];
  for (const row of database.rows(sql.steps, run.id)) {
    const step = stepOf(row, keys);
    const sessions = forgetting.sessionsOf(run, step, events.get(step.n) ?? [], known.get(run.origin) ?? new Set());
    if (sessions) steps.push({ n: step.n, sessions });
  }
  return steps;
}

function dropStep(turn: Turn, run: RunRow, n: number) {
  run.steps -= turn.database.run(sql.dropStep, run.id, n);
  run.events -= turn.database.run(sql.dropEventsOf, run.id, n);
  turn.changed(run);
}

function dropRun(turn: Turn, id: string) {
  turn.dropped(id);
  for (const drop of [sql.dropSteps, sql.dropEvents, sql.dropListed, sql.dropRun]) turn.database.run(drop, id);
}

/** Takes out of what stays of a run whatever else points to a student. */
function strip(turn: Turn, run: RunRow, forgetting: Forgetting, sessions: ReadonlySet<string>, keys: StudentKeys) {
  const { database } = turn;
  stripped(database, run, forgetting, keys);
  const listed = run.listed === 0 || sessions.size === 0 ? [] : [...database.rows(sql.listed, run.id)].map(listedOf);
  for (const id of listed.filter((each) => sessions.has(each))) run.listed -= database.run(sql.dropListedId, run.id, id);
  run.command = run.command
    .split(' ')
    .map((word) => (sessions.has(word) ? 'ID' : word))
    .join(' ');
  turn.changed(run);
}

function dropClaims({ database }: Turn, goes: (claim: Claim) => boolean): number {
  const claims = [...database.rows(sql.claims)].map(claimOf).filter(goes);
  for (const claim of claims) database.run(sql.dropClaim, ...claimKey(claim));
  return claims.length;
}

/** Throws `state_failed` while other processes do not let it, half a minute long. The rows are gone then. */
async function scrub({ commits, database }: Erasing) {
  await commits.alone(() => {
    database.emptyLog();
    database.exec('VACUUM');
    database.emptyLog();
  });
}
