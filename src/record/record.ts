/**
 * The record of runs: what each command was to do, how far it has come, and who is at it. One row a step, changed in place. Locks are
 * rows as well, and hold while their holder lives; those of a dead one are taken at once.
 */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Db, places, put, type Query, type Row, refused, type Value } from './db.ts';
import { HeldRun } from './held-run.ts';
import type { KeyFile, Keys } from './keys.ts';
import { type NewRun, type Run, type RunState, rowOfRun, runOf, type StepRow, schemaVersion, stepOf } from './rows.ts';

export type RunFilter = {
  digest?: string;
  since?: number | undefined;
  exam?: string | undefined;
  states?: readonly RunState[] | undefined;
};
export type StepFilter = { exams?: Some; states?: Some; ops?: Some };
type Some = readonly string[];
/** `exam` and `last`: the first and the last of their exams. */
type Count = { run: string; state: string; reason: string | null; exam: string | null; last: string | null; number: number };

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

/** `inWords`: how messages show a moment. */
type World = { db: Db; host: Pick<Host, 'now'>; who: string; inWords(instant: number): string };

export class RunRecord {
  readonly place: string;
  readonly keys: Keys;
  readonly #world: World;
  readonly #db: Db;
  readonly #locks = new Set<string>();

  private constructor(world: World, keys: Keys) {
    this.#world = world;
    this.#db = world.db;
    this.keys = keys;
    this.place = world.db.place;
  }

  /** Keys are only made for a record that is new. Throws `invalid_config` where those that are there are not the record's. */
  static async open(world: World, { path, read, create }: KeyFile): Promise<RunRecord> {
    const { db } = world;
    const keys = await db.transaction(async (query) => {
      const [meta] = await query('SELECT version, key_print FROM meta');
      if (meta && Number(meta.version) > schemaVersion)
        throw refused(db.place, 'a newer version of proctor-cli has written it', 'Nothing was sent. Update proctor-cli on this machine.');
      const there = read();
      if (!meta) {
        const keys = there ?? (await create());
        await put(query, 'meta', ['version'], [{ version: schemaVersion, key_print: keys.print }]);
        return keys;
      }
      if (there && there.print === meta.key_print) return there;
      throw refused(
        db.place,
        `${there ? 'it was made with another key' : 'its key is not on this machine'}, and no student could be recognised`,
        `Nothing was sent. Copy the key of a machine that uses this state, or of a backup, to ${path}, or name its file: export PROCTOR_STATE_KEY_FILE=FILE`,
        'invalid_config',
      );
    });
    return new RunRecord(world, keys);
  }

  /** Takes locks until they are released: all or none. Names that this process has already are skipped. Throws `LockHeld`. */
  async lock(names: readonly string[], command: string): Promise<{ release(): Promise<void> }> {
    const { who, host } = this.#world;
    const fresh = [...new Set(names)].filter((name) => !this.#locks.has(name));
    if (fresh.length === 0) return { async release() {} };
    const { holder } = this.#db;
    await this.#db.transaction(async (query) => {
      await this.#refuseHeld(query, fresh, true);
      this.#db.live();
      const rows = fresh.map((name) => ({ name, holder, who, command, since: host.now() }));
      await put(query, 'locks', ['name'], rows);
    });
    for (const name of fresh) this.#locks.add(name);
    return {
      release: async () => {
        for (const name of fresh) this.#locks.delete(name);
        const own = `DELETE FROM locks WHERE holder = $1 AND name IN (${places(fresh.length, 2)})`;
        // Where that fails, they are free as soon as this process has ended.
        await this.#db.transaction((query) => query(own, [holder, ...fresh])).catch(() => {});
      },
    };
  }

  readonly living = (names?: readonly string[]) => this.#db.transaction((query) => this.#living(query, names));

  async #living(query: Query, names?: readonly string[]): Promise<Lock[]> {
    const [text, values] = where([[names, 'name IN (?)']]);
    const living: Lock[] = [];
    for (const row of await query(`SELECT * FROM locks ${text} ORDER BY name`, values))
      if (await this.#db.isAlive(query, String(row.holder))) living.push({ ...row, since: Number(row.since) } as Lock);
    return living;
  }

  /** `exceptOwn`: the answer to the commit that took them may have been lost. */
  async #refuseHeld(query: Query, names: readonly string[], exceptOwn: boolean): Promise<void> {
    const held = (await this.#living(query, names)).find(({ holder }) => !(exceptOwn && holder === this.#db.holder));
    if (held) throw new LockHeld(held, this.#world.inWords);
  }

  /** Header and steps are recorded with one commit. */
  begin(run: NewRun, steps: readonly StepRow[]): Promise<HeldRun> {
    const now = this.#world.host.now();
    const id = `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
    return this.#held({ ...run, id, state: 'open', at: now, lastAt: now, steps: steps.length }, steps);
  }

  /** A run that goes on. Whoever takes it has the lock of its command. */
  take(run: Run): Promise<HeldRun> {
    return this.#held({ ...run, state: 'open' });
  }

  async #held(run: Run, steps?: readonly StepRow[]): Promise<HeldRun> {
    const held = new HeldRun(run, { db: this.#db, keys: this.keys, now: this.#world.host.now, locks: this.#locks }, steps === undefined);
    await held.save(steps ?? []);
    return held;
  }

  async runs({ digest, since, exam, states }: RunFilter = {}): Promise<Run[]> {
    const [text, values] = where([
      [digest, 'digest = ?'],
      [since, 'last_at >= ?'],
      [exam, 'id IN (SELECT run FROM steps WHERE exam = ?)'],
      [states, 'state IN (?)'],
    ]);
    return this.#read(`SELECT * FROM runs ${text} ORDER BY at DESC, id DESC`, values, runOf);
  }

  /** No run has ever been recorded, or none is left. */
  async isNew(): Promise<boolean> {
    return (await this.#read('SELECT id FROM runs LIMIT 1', [], ({ id }) => id)).length === 0;
  }

  async run(id: string): Promise<Run> {
    const [run] = await this.#read('SELECT * FROM runs WHERE id = $1', [id], runOf);
    if (run) return run;
    throw new CliError('not_found', sentence`No run ${JSON.stringify(id)} is recorded.`, { hint: 'List them with: proctor-cli runs list' });
  }

  async steps(run: string): Promise<StepRow[]> {
    const steps = await this.#read('SELECT * FROM steps WHERE run = $1 ORDER BY n', [run], stepOf);
    // A page that has lost rows is read without a complaint.
    await this.#read('SELECT steps FROM runs WHERE id = $1', [run], ({ steps: all }) => {
      if (steps.length < Number(all)) throw new Error(`${steps.length} of ${all} steps are there`);
    });
    return steps;
  }

  /** Steps of a service, whatever their run, the latest first. */
  async find(origin: string, { exams, states, ops }: StepFilter): Promise<(StepRow & { run: string })[]> {
    const [text, values] = where([
      [origin, 'r.origin = ?'],
      [exams, 's.exam IN (?)'],
      [states, 's.state IN (?)'],
      [ops, 's.op IN (?)'],
    ]);
    const all = `SELECT s.* FROM steps s JOIN runs r ON r.id = s.run ${text} ORDER BY s.at DESC, s.n DESC`;
    return this.#read(all, values, stepOf);
  }

  /** How many steps of each state and reason the runs have. */
  async counts(runs: readonly string[]): Promise<Map<string, Count[]>> {
    const [text, values] = where([[runs, 'run IN (?)']]);
    const counted = 'SELECT run, state, reason, min(exam) AS exam, max(exam) AS last, count(*) AS number FROM steps';
    const groups = `${counted} ${text} GROUP BY run, state, reason ORDER BY state, reason`;
    const counts = await this.#read(groups, values, (row) => ({ ...row, number: Number(row.number) }) as Count);
    return Map.groupBy(counts, ({ run }) => run);
  }

  /** Removes a run of which nothing was begun. */
  async drop(run: string): Promise<void> {
    await this.#db.transaction(async (query) => {
      const begun = await query(`SELECT n FROM steps WHERE run = $1 AND state <> 'planned' LIMIT 1`, [run]);
      if (begun.length === 0) await erase(query, this.keys, 'run = $1', [run]);
    });
  }

  /** Erases what was recorded about a student, an exam or a service, from the bytes, too. Throws `LockHeld` while a living run has such steps. */
  async forget(what: { student: string } | { exam: string } | { origin: string }): Promise<{ runs: number; steps: number }> {
    const [about, value] = aboutOf(what, this.keys);
    // The answer to a commit may have been lost, and nothing is there the second time.
    const erased = { runs: 0, steps: 0 };
    await this.#db.transaction(async (query) => {
      const open = `SELECT r.digest FROM runs r WHERE r.state = 'open' AND r.id IN (SELECT run FROM steps WHERE ${about})`;
      const digests = (await query(open, [value])).map(({ digest }) => String(digest));
      await this.#refuseHeld(query, digests, false);
      const { runs, steps } = await erase(query, this.keys, about, [value]);
      Object.assign(erased, { runs: Math.max(runs, erased.runs), steps: Math.max(steps, erased.steps) });
    });
    await this.#db.compact();
    return erased;
  }

  /** Erases runs that ended, and in which nothing was recorded since. */
  async prune(before: number): Promise<void> {
    await this.#db.transaction(async (query) => {
      const old = `SELECT id FROM runs WHERE state <> 'open' AND last_at < $1`;
      if ((await query(`${old} LIMIT 1`, [before])).length > 0) await erase(query, this.keys, `run IN (${old})`, [before]);
    });
  }

  readonly close = () => this.#db.close();

  /** What is sealed proves itself. */
  async #read<T>(text: string, values: readonly Value[], read: (row: Row, keys: Keys) => T): Promise<T[]> {
    const rows = await this.#db.transaction((query) => query(text, values));
    try {
      return rows.map((row) => read(row, this.keys));
    } catch (cause) {
      throw refused(this.place, 'it is damaged', this.#db.withoutIt, 'state_damaged', cause);
    }
  }
}

function aboutOf(what: Parameters<RunRecord['forget']>[0], keys: Keys): [about: string, value: string] {
  if ('student' in what) return [ofStudent, keys.studentKey(what.student)];
  return 'exam' in what ? ['exam = $1', what.exam] : ['run IN (SELECT id FROM runs WHERE origin = $1)', what.origin];
}

/** Their steps, and what was sent to the sessions that are known to be theirs. */
const ofStudent = `student = $1 OR EXISTS (SELECT 1 FROM runs r, steps t JOIN runs u ON u.id = t.run
  WHERE t.student = $1 AND t.session IS NOT NULL AND r.id = steps.run AND u.origin = r.origin AND t.exam = coalesce(steps.exam, t.exam)
    AND (t.session = steps.session OR (t.session = steps.target AND steps.target <> coalesce(steps.exam, ''))))`;

/** Erases steps, and the runs that are left without any. The command of another one may name the IDs that are to be forgotten. */
async function erase(query: Query, keys: Keys, about: string, values: readonly Value[]): Promise<{ runs: number; steps: number }> {
  const erased = await query(`DELETE FROM steps WHERE ${about} RETURNING run`, values);
  const runs = [...new Set(erased.map(({ run }) => String(run)))];
  for (const id of runs) {
    const [row] = await query('SELECT * FROM runs WHERE id = $1 AND EXISTS (SELECT 1 FROM steps WHERE run = $1)', [id]);
    const run = row && runOf(row, keys);
    const gone = erased.filter((step) => step.run === id).length;
    if (run) await put(query, 'runs', ['id'], [rowOfRun({ ...run, command: run.kind, steps: run.steps - gone }, keys)]);
    else await query('DELETE FROM runs WHERE id = $1', [id]);
  }
  return { runs: runs.length, steps: erased.length };
}

type Condition = readonly [value: Value | readonly Value[] | undefined, text: string];

/** Conditions whose value is given; a list of values takes as many places. */
function where(conditions: readonly Condition[]): [text: string, values: Value[]] {
  const values: Value[] = [];
  const given = conditions.flatMap(([value, text]) => {
    if (value === undefined) return [];
    const all = [value].flat() as Value[];
    const first = values.length + 1;
    values.push(...all);
    return text.replaceAll('?', all.length === 0 ? 'NULL' : places(all.length, first));
  });
  return [given.length === 0 ? '' : `WHERE ${given.join(' AND ')}`, values];
}
