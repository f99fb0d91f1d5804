/**
 * Erasing: a student, an exam, all of a service, or what is old. First the rows go, in one commit, then the bytes: what
 * SQLite deletes is overwritten, the log of commits is emptied, and the file is built anew.
 */
import { addressKey } from '../model/address-key.ts';
import type { Json } from '../model/json.ts';
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import type { Claim, Forgotten } from './state.ts';
import type { Rows } from './state-tables.ts';
import type { Reads, Store, Transaction } from './store.ts';
import type { StudentKeys } from './student-keys.ts';

type Erasing = { commits: GroupCommit; store: Store; keys: StudentKeys };
type Run = Rows['runs'];

/** What is about a student, an exam or a service that is to be forgotten. */
type Forgetting = {
  /** `known`: sessions of the same service that other steps have shown to be the student's. */
  isStep(run: Run, step: Rows['steps'], events: readonly Rows['events'][], known: ReadonlySet<string>): boolean;
  isClaim(claim: Claim): boolean;
  /** Of a student, who can be in what is left of other steps as well. */
  student?: { key: string; isIn(value: Json): boolean };
};

export async function forget({ commits, store, keys }: Erasing, what: Forgotten): Promise<{ runs: number; steps: number }> {
  const forgetting = forgettingOf(what, keys);
  const known = new Map<string, Set<string>>();
  const knownAt = (origin: string) => known.get(origin) ?? new Set();
  const about = async (reads: Reads, run: Run) => {
    const events = Map.groupBy(await reads.all('events', run.id), ({ n }) => n);
    return (await reads.all('steps', run.id))
      .filter((step) => forgetting.isStep(run, step, events.get(step.n) ?? [], knownAt(run.origin)))
      .map((step) => ({ step, events: events.get(step.n) ?? [] }));
  };
  const affected = await store.read(async (reads) => {
    const runs = await reads.all('runs');
    for (const run of runs)
      for (const { step, events } of await about(reads, run))
        for (const id of [step.target === step.exam ? null : step.target, ...events.map(({ session }) => session)])
          if (id) known.set(run.origin, knownAt(run.origin).add(id));
    const found: string[] = [];
    for (const run of runs) if ((await about(reads, run)).length > 0) found.push(run.id);
    return found;
  });
  const forgotten = await holding(store, affected, () =>
    commits.alone(async (transaction) => {
      const gone = new Set<string>();
      let runs = 0;
      for (const id of affected) {
        const [run, standing] = [await transaction.get('runs', id), await transaction.get('standings', id)];
        if (!run || !standing) continue;
        runs += 1;
        for (const { step, events } of await about(transaction, run)) {
          for (const { i } of events) await transaction.drop('events', id, i);
          await transaction.drop('steps', id, step.n);
          gone.add(`${id}/${step.n}`);
          standing.steps -= 1;
          standing.events -= events.length;
        }
        if (standing.steps === 0) await dropRun(transaction, id);
        else await transaction.put('standings', [standing]);
      }
      if (forgetting.student) await strip(transaction, forgetting.student, knownAt, keys);
      await dropClaims(transaction, (claim) => gone.has(`${claim.run}/${claim.n}`) || forgetting.isClaim(claim));
      return { runs, steps: gone.size };
    }),
  );
  // Their locks are free then, so that nothing of them is left.
  await store.scrub();
  return forgotten;
}

async function holding<T>(store: Store, runs: readonly string[], work: () => Promise<T>): Promise<T> {
  const held: HeldLock[] = [];
  try {
    for (const run of runs) held.push(await store.lock(`run-${run}`, { command: 'runs forget', run }));
    return await work();
  } finally {
    for (const lock of held) lock.release();
  }
}

/** Erases finished runs with nothing recorded since `before`. Their claims stay, because students are still in exams then. */
export async function dropOld(transaction: Transaction, before: number, isMeant: (run: Run) => boolean): Promise<void> {
  const standings = await transaction.all('standings');
  const old = new Set(standings.flatMap(({ run, state, lastAt }) => (state === 'finished' && lastAt < before ? run : [])));
  for (const run of await transaction.all('runs')) if (old.has(run.id) && isMeant(run)) await dropRun(transaction, run.id);
}

/** Deletes a run with all that is recorded of it, except for its claims. */
async function dropRun(transaction: Transaction, id: string): Promise<void> {
  for (const table of ['runs', 'standings', 'steps', 'events', 'listed'] as const) await transaction.drop(table, id);
}

async function dropClaims(transaction: Transaction, goes: (claim: Claim) => boolean): Promise<void> {
  for (const { origin, scope, key, number } of (await transaction.all('claims')).filter(goes))
    await transaction.drop('claims', origin, scope, key, number);
}

/**
 * Takes a student out of what is left: the key of an address that was shown, a sealed value with the address, IDs of sessions that were
 * listed, or named in a command.
 */
async function strip(
  transaction: Transaction,
  { key, isIn }: Required<Forgetting>['student'],
  sessionsAt: (origin: string) => ReadonlySet<string>,
  keys: StudentKeys,
): Promise<void> {
  for (const { shownKey, ...event } of await transaction.all('events')) if (shownKey === key) await transaction.put('events', [event]);
  for (const step of await transaction.all('steps'))
    if (step.personal !== null && isIn(keys.open(step.personal, `${step.run}/${step.n}`)))
      await transaction.put('steps', [{ ...step, personal: null }]);
  for (const run of await transaction.all('runs')) {
    const sessions = sessionsAt(run.origin);
    if (sessions.size === 0) continue;
    const words = run.command.split(' ').map((word) => (sessions.has(word) ? 'ID' : word));
    await transaction.put('runs', [{ ...run, command: words.join(' ') }]);
    for (const { ids } of await transaction.all('listed', run.id))
      if (ids.some((one) => sessions.has(one)))
        await transaction.put('listed', [{ run: run.id, ids: ids.filter((one) => !sessions.has(one)) }]);
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
    isClaim: ({ scope, origin: at }) => isThere(at) && scope === `exam:${id}`,
  };
}
