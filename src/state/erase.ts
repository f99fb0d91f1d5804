/**
 * Erasing: a student, an exam, all of a service, or what is old. First the rows go, in one commit, then the bytes: what
 * SQLite deletes is overwritten, the log of commits is emptied, and the file is built anew.
 */
import { addressKey } from '../model/address-key.ts';
import type { Json } from '../model/json.ts';
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import type { RunDatabase } from './run-database.ts';
import type { RunLocks } from './run-locks.ts';
import type { Claim, Forgotten } from './state.ts';
import type { Rows, RunRow } from './state-tables.ts';
import type { StudentKeys } from './student-keys.ts';
import type { Turn } from './turn.ts';

type Erasing = { commits: GroupCommit; database: RunDatabase; keys: StudentKeys; locks: RunLocks };

/** What is about a student, an exam or a service that is to be forgotten. */
type Forgetting = {
  /** `known`: sessions of the same service that other steps have shown to be the student's. */
  isStep(run: RunRow, step: Rows['steps'], events: readonly Rows['events'][], known: ReadonlySet<string>): boolean;
  isClaim(claim: Claim): boolean;
  /** Of a student, who can be in what is left of other steps as well. */
  student?: { key: string; isIn(value: Json): boolean };
};

export async function forget({ commits, database, keys, locks }: Erasing, what: Forgotten): Promise<{ runs: number; steps: number }> {
  const forgetting = forgettingOf(what, keys);
  const known = new Map<string, Set<string>>();
  const knownAt = (origin: string) => known.get(origin) ?? new Set();
  const about = (run: RunRow) => {
    const events = Map.groupBy(database.all('events', run.id), ({ n }) => n);
    const steps = [...database.all('steps', run.id)];
    return steps
      .filter((step) => forgetting.isStep(run, step, events.get(step.n) ?? [], knownAt(run.origin)))
      .map((step) => ({ step, events: events.get(step.n) ?? [] }));
  };
  const affected = await commits.read(() => {
    const runs = [...database.all('runs')];
    for (const run of runs)
      for (const { step, events } of about(run))
        for (const id of [step.target === step.exam ? null : step.target, ...events.map(({ session }) => session)])
          if (id) known.set(run.origin, knownAt(run.origin).add(id));
    return runs.filter((run) => about(run).length > 0);
  });
  const held: HeldLock[] = [];
  try {
    for (const { id } of affected) held.push(await locks.hold(`run-${id}`, { command: 'runs forget', run: id }));
    const forgotten = await commits.add((turn) => {
      const gone = new Set<string>();
      const runs = affected.flatMap(({ id }) => turn.run(id) ?? []);
      for (const run of runs) {
        for (const { step, events } of about(run)) {
          for (const { i } of events) database.drop('events', run.id, i);
          database.drop('steps', run.id, step.n);
          gone.add(`${run.id}/${step.n}`);
          run.steps -= 1;
          run.events -= events.length;
        }
        if (run.steps === 0) turn.drop(run.id);
      }
      if (forgetting.student) strip(turn, forgetting.student, knownAt, keys);
      dropClaims(turn, (claim) => gone.has(`${claim.run}/${claim.n}`) || forgetting.isClaim(claim));
      return { runs: runs.length, steps: gone.size };
    });
    await commits.scrub();
    return forgotten;
  } finally {
    for (const lock of held) lock.release();
  }
}

/** Erases finished runs with nothing recorded since `before`. Their claims stay. */
export function dropOld(turn: Turn, before: number, isMeant: (run: RunRow) => boolean = () => true): number {
  const isOld = (run?: RunRow) => run?.state === 'finished' && run.lastAt < before && isMeant(run);
  // One that has been taken in this very turn is as the turn has it.
  const old = [...turn.database.all('runs')].filter((run) => isOld(run) && isOld(turn.run(run.id)));
  for (const { id } of old) turn.drop(id);
  return old.length;
}

/** Erases claims on students of exams that have ended, except for those of open runs, whose steps are still to be settled. */
export function dropEnded(turn: Turn, ended: Iterable<{ origin: string; exam: string }>): number {
  const scopes = new Set(Array.from(ended, ({ origin, exam }) => `${origin} exam:${exam}`));
  return dropClaims(turn, ({ origin, scope, run }) => scopes.has(`${origin} ${scope}`) && turn.run(run)?.state !== 'open');
}

function dropClaims({ database }: Turn, goes: (claim: Claim) => boolean): number {
  const claims = [...database.all('claims')].filter(goes);
  for (const { origin, scope, key, number } of claims) database.drop('claims', origin, scope, key, number);
  return claims.length;
}

/**
 * Takes a student out of what is left: the key of an address that was shown, a sealed value with the address, IDs of sessions that were
 * listed, or named in a command.
 */
function strip(
  turn: Turn,
  { key, isIn }: Required<Forgetting>['student'],
  sessionsAt: (origin: string) => ReadonlySet<string>,
  keys: StudentKeys,
) {
  const { database } = turn;
  for (const { shownKey, ...event } of [...database.all('events')]) if (shownKey === key) database.put('events', event);
  for (const step of [...database.all('steps')])
    if (step.personal !== null && isIn(keys.open(step.personal, `${step.run}/${step.n}`)))
      database.put('steps', { ...step, personal: null });
  for (const { id } of [...database.all('runs')]) {
    const run = turn.run(id);
    const sessions = sessionsAt(run?.origin ?? '');
    if (!run || sessions.size === 0) continue;
    const words = run.command.split(' ').map((word) => (sessions.has(word) ? 'ID' : word));
    run.command = words.join(' ');
    for (const { ids } of [...database.all('listed', id)])
      if (ids.some((one) => sessions.has(one))) database.put('listed', { run: id, ids: ids.filter((one) => !sessions.has(one)) });
  }
}

function forgettingOf(what: Forgotten, keys: StudentKeys): Forgetting {
  if ('student' in what) return aStudent(what.student, keys);
  if ('exam' in what) return anExam(what);
  return { isStep: ({ origin }) => origin === what.origin, isClaim: ({ origin }) => origin === what.origin };
}

/** A step is the student's by the address that was sent, or by the one that the service made of it. */
function aStudent(address: string, keys: StudentKeys): Forgetting {
  const [key, spelling] = [keys.studentKey(address), addressKey(address)];
  const isIn = (value: Json): boolean => {
    if (typeof value === 'string') return [value, ...value.split(/[\s<>,;"]+/)].some((part) => addressKey(part) === spelling);
    return typeof value === 'object' && value !== null && Object.values(value).some(isIn);
  };
  return {
    isStep(_run, { sentKey, target, exam }, events, known) {
      // What was sent to a session by its ID alone, as `api` does.
      const isByIdOnly = sentKey === null && target !== null && target !== exam && known.has(target);
      return isByIdOnly || sentKey === key || events.some(({ shownKey, ours }) => shownKey === key && ours);
    },
    isClaim: (claim) => claim.key === key || claim.shownKey === key,
    student: { key, isIn },
  };
}

/** A step without an exam is about the exam that it is for, or has created. */
function anExam({ exam: id, origin }: { exam: string; origin?: string }): Forgetting {
  const isThere = (at: string) => origin === undefined || at === origin;
  return {
    isStep(run, { exam, target }, events) {
      const about = exam ?? target;
      return (about === null ? events.some(({ session }) => session === id) : about === id) && isThere(run.origin);
    },
    isClaim: ({ scope, key, ...claim }) => isThere(claim.origin) && (scope === `exam:${id}` || (scope === 'mails' && key === id)),
  };
}
