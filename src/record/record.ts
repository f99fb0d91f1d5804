/** The record of runs: what each command was to do, how far it came, and who is at it. */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { addressKey } from '../model/listing.ts';
import { valuesIn } from '../model/pool.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { firstInLine, type Sentence, sentence } from '../text/sentence.ts';
import { type Db, type DbRow, type DbValue, places, put, type Query, stateRefused } from './db.ts';
import type { KeyFile, Keys } from './keys.ts';
import type { NewRun, Run, RunState, StepRow } from './rows.ts';
import { damagedStep, rowOfRun, rowOfStep, runOf, schemaVersion, stepOf } from './rows.ts';
import { RunWriter } from './run-writer.ts';

export type RunFilter = {
  id?: string;
  digest?: string;
  origin?: string | undefined;
  undoOf?: string;
  since?: number | undefined;
  exam?: string | undefined;
  states?: readonly RunState[] | undefined;
};
/** `ids`: of what was created, or is written to. */
export type StepFilter = { exams?: Some; students?: Some; states?: Some; ops?: Some; ids?: Some };
type Some = readonly string[];
/** `exam` and `last`: the first and the last exam, by ID. */
type StepCount = {
  run: string;
  state: string;
  reason: string | null;
  exam: string | null;
  last: string | null;
  number: number;
};

/** A lock holds as long as its holder lives. */
export type Lock = { name: string; holder: string; who: string; command: string; since: number };

export class LockHeld extends CliError<Sentence> {
  readonly lock: Lock;
  readonly by: Sentence;
  constructor(lock: Lock, inWords: (instant: number) => string) {
    const by = sentence`${lock.who}, process ${lock.holder.split('-')[0]}, since ${inWords(lock.since)}`;
    super('already_running', sentence`Another proctor-cli is at work: ${lock.command} (${by}).`);
    this.lock = lock;
    this.by = by;
  }
}

type RecordContext = { db: Db; host: Pick<Host, 'now'>; who: string; inWords(instant: number): string };

export class RunRecord {
  readonly place: string;
  readonly keys: Keys;
  readonly #world: RecordContext;
  readonly #db: Db;
  readonly #locks = new Set<string>();

  private constructor(world: RecordContext, keys: Keys) {
    this.#world = world;
    this.#db = world.db;
    this.keys = keys;
    this.place = world.db.place;
  }

  /** Makes keys for a new record only. Throws `invalid_config` where the keys are not the record's. */
  static async open(world: RecordContext, { path, read, create }: KeyFile): Promise<RunRecord> {
    const { db } = world;
    const keys = await db.transaction(async (query) => {
      const [meta] = await query('SELECT version, key_print FROM meta');
      if (meta && Number(meta.version) > schemaVersion) {
        const hint = 'Nothing was sent. Update proctor-cli on this machine.';
        throw stateRefused(db.place, 'a newer version of proctor-cli has written it', hint);
      }
      if (meta && Number(meta.version) < schemaVersion)
        throw older(db, await query(`SELECT id FROM runs WHERE state = 'open' ORDER BY id`));
      const there = read();
      if (!meta) {
        const keys = there ?? (await create());
        await put(query, 'meta', ['version'], [{ version: schemaVersion, key_print: keys.print }]);
        return keys;
      }
      if (there && there.print === meta.key_print) return there;
      const why = there ? 'it was made with another key' : 'its key is not on this machine';
      const hint = `Nothing was sent. Copy the key of a machine that uses this state, or of a backup, to ${path}, or name its file: ${typedVariable('PROCTOR_STATE_KEY_FILE', 'FILE')}`;
      throw stateRefused(db.place, `${why}, and no student could be recognised`, hint, 'invalid_config');
    });
    return new RunRecord(world, keys);
  }

  /** Takes all of these locks or none, beside those that are taken. Throws `LockHeld`. */
  async lock(names: readonly string[], command: string): Promise<{ release(): Promise<void> }> {
    const { who, host } = this.#world;
    const fresh = [...new Set(names)].filter((name) => !this.#locks.has(name));
    if (fresh.length === 0) return { async release() {} };
    const { holder } = this.#db;
    await this.#db.transaction(async (query) => {
      await this.#refuseHeld(query, fresh, holder);
      this.#db.live();
      const rows = fresh.map((name) => ({ name, holder, who, command, since: host.now() }));
      await put(query, 'locks', ['name'], rows);
    });
    for (const name of fresh) this.#locks.add(name);
    return {
      release: async () => {
        for (const name of fresh) this.#locks.delete(name);
        const own = `DELETE FROM locks WHERE holder = $1 AND name IN (${places(fresh.length, 2)})`;
        // Where that fails, they are free once this process has ended.
        await this.#db.transaction((query) => query(own, [holder, ...fresh])).catch(() => {});
      },
    };
  }

  /** `except`: own locks, where the answer to the commit that took them may have been lost. */
  async #refuseHeld(query: Query, names: readonly string[], except?: string): Promise<void> {
    const [text, values] = where([[names, 'name IN (?)']]);
    for (const row of await query(`SELECT * FROM locks ${text} ORDER BY name`, values)) {
      const lock = { ...row, since: Number(row.since) } as Lock;
      const isLiving = await this.#db.isAlive(query, lock.holder);
      if (isLiving && lock.holder !== except) throw new LockHeld(lock, this.#world.inWords);
    }
  }

  /** Records the run and its steps with one commit. */
  startRun(run: NewRun, steps: readonly StepRow[]): Promise<RunWriter> {
    const now = this.#world.host.now();
    const moment = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '');
    const id = `${moment}-${randomBytes(3).toString('hex')}`;
    return this.#held({ ...run, id, state: 'open', at: now, lastAt: now, steps: steps.length }, steps);
  }

  /** Goes on with a run. The lock of its command is taken. */
  take(run: Run): Promise<RunWriter> {
    return this.#held({ ...run, state: 'open' });
  }

  async #held(run: Run, steps?: readonly StepRow[]): Promise<RunWriter> {
    const holding = { db: this.#db, keys: this.keys, now: this.#world.host.now, locks: this.#locks };
    const held = new RunWriter(run, holding, steps === undefined);
    await held.save(steps ?? []);
    return held;
  }

  async runs({ id, digest, origin, undoOf, since, exam, states }: RunFilter = {}): Promise<Run[]> {
    const [text, values] = where([
      [id, 'id = ?'],
      [digest, 'digest = ?'],
      [origin, 'origin = ?'],
      [undoOf, 'undo_of = ?'],
      [since, 'last_at >= ?'],
      [exam, 'id IN (SELECT run FROM steps WHERE exam = ?)'],
      [states, 'state IN (?)'],
    ]);
    return this.#read(`SELECT * FROM runs ${text} ORDER BY at DESC, id DESC`, values, runOf);
  }

  async isNew(): Promise<boolean> {
    const [any] = await this.#read('SELECT id FROM runs LIMIT 1', [], ({ id }) => id);
    return any === undefined;
  }

  async run(id: string): Promise<Run> {
    const [run] = await this.runs({ id });
    if (run) return run;
    const what = sentence`No run ${JSON.stringify(id)} is recorded.`;
    throw new CliError('not_found', what, { hint: 'List them with: proctor-cli runs list' });
  }

  async steps(run: string): Promise<StepRow[]> {
    const steps = await this.#read('SELECT * FROM steps WHERE run = $1 ORDER BY n', [run], stepOf);
    const [whole] = await this.runs({ id: run });
    // A page that has lost rows is read without a complaint.
    const isDamaged = whole && (whole.more.damaged === true || steps.length < whole.steps);
    return isDamaged ? steps.map(damagedStep) : steps;
  }

  /** Steps of a service, or of all, whatever their run, the latest first. */
  async find(origin: string | undefined, { exams, students, states, ops, ids }: StepFilter) {
    const [text, values] = where([
      [origin, 'r.origin = ?'],
      [exams, 's.exam IN (?)'],
      [students, 's.student IN (?)'],
      [states, 's.state IN (?)'],
      [ops, 's.op IN (?)'],
      [ids, 's.id IN (?)'],
    ]);
    const all = `SELECT s.* FROM steps s JOIN runs r ON r.id = s.run ${text} ORDER BY s.at DESC, s.n DESC`;
    return this.#read(all, values, stepOf);
  }

  async counts(runs: readonly string[]) {
    const [text, values] = where([[runs, 'run IN (?)']]);
    const columns = 'run, state, reason, min(exam) AS exam, max(exam) AS last, count(*) AS number';
    const groups = `SELECT ${columns} FROM steps ${text} GROUP BY run, state, reason ORDER BY state, reason`;
    const counts = await this.#read(groups, values, (row) => ({ ...row, number: Number(row.number) }) as StepCount);
    return Map.groupBy(counts, ({ run }) => run);
  }

  /** Removes a run that began nothing. */
  async drop(run: string): Promise<void> {
    await this.#db.transaction(async (query) => {
      const begun = await query(`SELECT n FROM steps WHERE run = $1 AND state <> 'planned' LIMIT 1`, [run]);
      if (begun.length === 0) await erase(query, 'id = $1', [run]);
    });
  }

  /** Erases what was recorded about it, from the bytes, too. Throws `LockHeld`, and `outcome_unknown` for an open run. */
  async forget(what: Forgotten): Promise<Erased> {
    let erased: Erased = { runs: 0, steps: 0 };
    await this.#db.transaction(async (query) => {
      const steps = await stepsAbout(query, what, this.keys);
      const runs = new Set(steps.map(({ run }) => run));
      const open = (await query(`SELECT id, digest FROM runs WHERE state = 'open'`)).filter(({ id }) => runs.has(String(id)));
      const digests = open.map(({ digest }) => String(digest));
      await this.#refuseHeld(query, digests);
      const [first] = open;
      // What is erased can be neither resumed nor looked up.
      if (first && ('student' in what || what.exam !== undefined))
        throw new CliError('outcome_unknown', sentence`Run ${first.id ?? ''} is unfinished, and has steps about it. Nothing was erased.`, {
          hint: sentence`End that run, then run this command again: proctor-cli runs close ${first.id ?? ''}`,
        });
      const now = await forgetSteps(query, this.keys, steps);
      // The answer to a commit may have been lost: then nothing is there the second time.
      if (now.steps > 0) erased = now;
    });
    await this.#db.compact();
    return erased;
  }

  async prune(before: number): Promise<void> {
    await this.#db.transaction((query) => erase(query, `state <> 'open' AND last_at < $1`, [before]));
  }

  readonly close = () => this.#db.close();

  async #read<T>(text: string, values: readonly DbValue[], read: (row: DbRow, keys: Keys) => T): Promise<T[]> {
    const rows = await this.#db.transaction((query) => query(text, values));
    return rows.map((row) => read(row, this.keys));
  }
}

type Forgotten = { student: string } | { origin: string; exam?: string };

function aboutOf(what: Forgotten, keys: Keys): [about: string, values: string[]] {
  if ('student' in what) return [ofStudent, [keys.studentKey(what.student)]];
  const ofService = 'run IN (SELECT id FROM runs WHERE origin = $1)';
  return what.exam === undefined ? [ofService, [what.origin]] : [`${ofService} AND exam = $2`, [what.origin, what.exam]];
}

/** Also finds the steps that set the address, and those whose student the service stored under it: both have it sealed. */
async function stepsAbout(query: Query, what: Forgotten, keys: Keys) {
  const [about, values] = aboutOf(what, keys);
  const found = await query(`SELECT * FROM steps WHERE ${about}`, values);
  const steps = found.map((row) => stepOf(row, keys));
  if (!('student' in what && what.student.includes('@'))) return steps;
  const others = (await query('SELECT * FROM steps')).map((row) => stepOf(row, keys));
  const address = addressKey(what.student);
  const isFound = ({ run, n }: (typeof steps)[number]) => steps.some((step) => step.run === run && step.n === n);
  return [...steps, ...others.filter((step) => valuesIn(step.plan).includes(address) && !isFound(step))];
}

/** The student's steps, and what was sent to sessions that are known to be the student's. */
const ofStudent = `student = $1 OR EXISTS (SELECT 1 FROM runs r, steps t JOIN runs u ON u.id = t.run
  WHERE t.student = $1 AND t.id IS NOT NULL
    AND r.id = steps.run AND u.origin = r.origin AND t.exam = coalesce(steps.exam, t.exam)
    AND (t.id = steps.id OR (t.id = steps.target AND steps.target <> coalesce(steps.exam, ''))))`;

type Erased = { runs: number; steps: number };

async function erase(query: Query, which: string, values: readonly DbValue[]): Promise<void> {
  await query(`DELETE FROM steps WHERE run IN (SELECT id FROM runs WHERE ${which})`, values);
  await query(`DELETE FROM runs WHERE ${which}`, values);
}

/** Other steps refer to a step by its number: the number and the state stay. The words of the command go, as they may name IDs. */
async function forgetSteps(query: Query, keys: Keys, rows: Awaited<ReturnType<typeof stepsAbout>>): Promise<Erased> {
  const fresh = rows.filter(({ plan }) => !plan.forgotten || plan.code === 'damaged');
  for (const [id, steps] of Map.groupBy(fresh, ({ run }) => run)) {
    const all = (await query('SELECT * FROM steps WHERE run = $1', [id])).map((row) => stepOf(row, keys));
    const kept = all.filter(({ n, plan }) => !plan.forgotten && !steps.some((step) => step.n === n));
    const [row] = await query('SELECT * FROM runs WHERE id = $1', [id]);
    if (kept.length === 0 || !row) {
      await erase(query, 'id = $1', [id]);
      continue;
    }
    const run = runOf(row, keys);
    await put(query, 'runs', ['id'], [rowOfRun({ ...run, command: run.kind }, keys)]);
    const without = steps.map(({ n, op, state, reason, seen, at }) =>
      rowOfStep({ ...forgotten, n, op, state, reason, seen, at }, id, keys),
    );
    await put(query, 'steps', ['run', 'n'], without);
  }
  return { runs: new Set(fresh.map(({ run }) => run)).size, steps: fresh.length };
}

const forgotten = {
  line: null,
  exam: null,
  target: null,
  student: null,
  id: null,
  ours: false,
  plan: { forgotten: true },
};

type Condition = readonly [value: DbValue | readonly DbValue[] | undefined, text: string];

function where(conditions: readonly Condition[]): [text: string, values: DbValue[]] {
  const values: DbValue[] = [];
  const given = conditions.flatMap(([value, text]) => {
    if (value === undefined) return [];
    const all = [value].flat() as DbValue[];
    const first = values.length + 1;
    values.push(...all);
    return text.replaceAll('?', all.length === 0 ? 'NULL' : places(all.length, first));
  });
  return [given.length === 0 ? '' : `WHERE ${given.join(' AND ')}`, values];
}

/** A record of an older version describes its steps in another way. */
function older({ place, moveAway }: Db, open: readonly DbRow[]): CliError {
  const runs = firstInLine(open, ({ id }) => String(id), 5);
  const finish = open.length === 0 ? '' : `Finish the open runs with that version (${runs}). `;
  const hint = `Nothing was sent. ${finish}Then begin without it; earlier runs can then be neither resumed nor undone: ${moveAway}`;
  return stateRefused(place, 'an older version of proctor-cli has written it', hint);
}
