/**
 * What the service of the tests holds, and an append-only record of every change to it: what it was, what it is, when, and by whom.
 * Everything that the program prints is held against this. It knows nothing of HTTP.
 */
export type Fields = Record<string, unknown>;
export type Exam = Fields & { id: number; name?: string; start_time: string | null; end_time: string | null };
export type Session = Fields & {
  id: number;
  exam_id: number;
  email: string | null;
  status: string;
  open_time: string | null;
  close_time: string | null;
};

/** As a service shows it that leaves out unset fields. */
export const withoutUnset = (record: Fields): Fields => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

/** Who did it: the number of an invocation of the program, or a colleague in the browser. */
export type By = number | 'colleague';
export type Kind = 'exam' | 'session' | 'pool' | 'mails';
/**
 * `before` is undefined for what is created, `after` for what is deleted. `id`: of the exam, for pools and mails. `cause`: the number
 * of the request.
 */
export type Change = {
  n: number;
  at: number;
  by: By;
  cause: number | undefined;
  kind: Kind;
  id: number;
  before?: Fields | undefined;
  after?: Fields | undefined;
};

export type Habits = {
  /** How an address is kept; as it was sent, unless this says otherwise. */
  kept?: ((address: string) => string) | undefined;
  /** How a time is kept. */
  keptTime?: ((time: string) => string) | undefined;
  /** IDs of what was deleted are used again. */
  reuses?: boolean | undefined;
  /** The first ID; 100, unless this says otherwise. */
  firstId?: number | undefined;
  /** The first ID of an exam, where exams are counted by themselves. */
  firstExam?: number | undefined;
};

const plural = { exam: 'exams', session: 'sessions' } as const;
type Kept = { exams: ReadonlyMap<number, Fields>; sessions: ReadonlyMap<number, Fields>; pools: ReadonlyMap<number, ReadonlySet<number>> };

export class Truth {
  readonly exams = new Map<number, Exam>();
  readonly sessions = new Map<number, Session>();
  readonly pools = new Map<number, Set<number>>();
  readonly users = [1, 2, 3, 4, 5].map((id) => ({ id, name: `Proctor ${id}`, email: `proctor${id}@example.org` }));
  readonly record: Change[] = [];
  /** The request that is being performed: who sent it, its number, and when it was done. */
  request: { by: By; n: number; at: number } | undefined;
  readonly #now: () => number;
  readonly #habits: Habits;
  #free: { exam: number[]; session: number[] } = { exam: [], session: [] };
  #next: number;
  #nextExam: number | undefined;

  constructor(now: () => number, habits: Habits = {}) {
    this.#now = now;
    this.#habits = habits;
    this.#next = habits.firstId ?? 100;
    this.#nextExam = habits.firstExam;
  }

  inExam(exam: number): Session[] {
    return [...this.sessions.values()].filter(({ exam_id }) => exam_id === exam);
  }

  /** The address as this service keeps it. */
  kept(address: string): string {
    return this.#habits.kept?.(address) ?? address;
  }

  createExam(fields: Fields, by: By = 'colleague', id = this.#newId('exam')): Exam {
    const none = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: false };
    const exam = { name: '', start_time: null, end_time: null, save_recording: true, ...none, ...this.#normal(fields), id } as Exam;
    return this.set('exam', exam, by) as Exam;
  }

  createSession(exam_id: number, fields: Fields, by: By = 'colleague'): Session {
    const empty = { email: null, name: null, status: 'registered', open_time: null, close_time: null, skip_requirements: false };
    const session = { ...empty, ...this.#normal(fields), level_of_suspicion: 0, exam_id, id: this.#newId('session') } as Session;
    return this.set('session', session, by) as Session;
  }

  /** Adds a record whose ID is new, or puts it in the place of another one: as it is given. */
  set(kind: 'exam' | 'session', given: Fields, by: By = 'colleague'): Fields {
    const kept: Map<number, Fields> = kind === 'exam' ? this.exams : this.sessions;
    const id = given.id as number;
    const there = kept.get(id);
    this.#note({ by, kind, id, before: there && { ...there }, after: { ...given } });
    const record = rewritten(there ?? {}, given);
    kept.set(id, record);
    return record;
  }

  /** What a request creates: its ID is the service's. */
  insert(kind: 'exam' | 'session', fields: Fields, by: By): Fields {
    return this.set(kind, { ...this.#normal(fields), id: this.#newId(kind) }, by);
  }

  /** False if there is none. */
  change(kind: 'exam' | 'session', id: number, fields: Fields, by: By = 'colleague'): boolean {
    const found = kind === 'exam' ? this.exams.get(id) : this.sessions.get(id);
    if (found) this.set(kind, { ...found, ...this.#normal(fields), id }, by);
    return found !== undefined;
  }

  /** What a record is after a request: all of its fields. */
  replace(kind: 'exam' | 'session', id: number, fields: Fields, by: By): void {
    const { exam_id } = (kind === 'exam' ? this.exams : this.sessions).get(id) ?? {};
    this.set(kind, { id, ...(exam_id === undefined ? {} : { exam_id }), ...this.#normal(fields) }, by);
  }

  remove(kind: 'exam' | 'session', id: number, by: By = 'colleague'): boolean {
    const found = kind === 'exam' ? this.exams.get(id) : this.sessions.get(id);
    if (!found) return false;
    if (kind === 'exam') for (const session of this.inExam(id)) this.remove('session', session.id, by);
    (kind === 'exam' ? this.exams : this.sessions).delete(id);
    if (kind === 'exam') this.pools.delete(id);
    this.#free[kind].push(id);
    this.#note({ by, kind, id, before: { ...found } });
    return true;
  }

  /** One mail to each of these students of the exam. */
  mailed(exam: number, to: readonly number[], by: By): void {
    this.#note({ by, kind: 'mails', id: exam, after: { to: [...to] } });
  }

  /** A colleague mails the exam. */
  mail(exam: number): void {
    const to = this.inExam(exam);
    const ids = to.map(({ id }) => id);
    this.mailed(exam, ids, 'colleague');
    for (const { id, status } of to) if (status === 'registered') this.change('session', id, { status: 'mail_sent' });
  }

  /** Whether that changed anything. */
  pool(exam: number, users: readonly number[], how: 'add' | 'remove', by: By = 'colleague'): boolean {
    const before = this.pools.get(exam) ?? new Set();
    const after = new Set(before);
    for (const user of users) how === 'add' ? after.add(user) : after.delete(user);
    if (after.size === before.size) return false;
    this.pools.set(exam, after);
    this.#note({ by, kind: 'pool', id: exam, before: { users: [...before] }, after: { users: [...after] } });
    return true;
  }

  /** What there was at a moment. */
  asOf(moment: number): Kept {
    if ((this.record.at(-1)?.at ?? 0) <= moment) return this;
    const kept = {
      exams: new Map<number, Fields>(this.exams),
      sessions: new Map<number, Fields>(this.sessions),
      pools: new Map(this.pools),
    };
    for (const { kind, id, before } of this.record.filter(({ at }) => at > moment).reverse()) {
      if (kind === 'mails') continue;
      if (kind === 'pool') kept.pools.set(id, new Set(before?.users as number[]));
      else if (before) kept[plural[kind]].set(id, before);
      else kept[plural[kind]].delete(id);
    }
    return kept;
  }

  /** What takes all back that is done from now on; but for the IDs, if it spends them. */
  point(spendsIds = false): () => void {
    const kept = [this.exams, this.sessions].map((map: Map<number, Fields>) => ({
      map,
      entries: [...map].map(([id, record]) => ({ id, record, was: { ...record } })),
    }));
    const pools = [...this.pools];
    const [changes, next, nextExam, free] = [this.record.length, this.#next, this.#nextExam, structuredClone(this.#free)];
    return () => {
      for (const { map, entries } of kept) {
        map.clear();
        for (const { id, record, was } of entries) map.set(id, rewritten(record, was));
      }
      this.pools.clear();
      for (const [exam, pool] of pools) this.pools.set(exam, pool);
      this.record.length = changes;
      if (spendsIds) return;
      this.#next = next;
      this.#nextExam = nextExam;
      this.#free = free;
    };
  }

  #newId(kind: 'exam' | 'session'): number {
    const again = this.#habits.reuses ? this.#free[kind].pop() : undefined;
    if (again === undefined && kind === 'exam' && this.#nextExam !== undefined) return this.#nextExam++;
    return again ?? this.#next++;
  }

  #normal(fields: Fields): Fields {
    const { kept, keptTime } = this.#habits;
    const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
      if (name === 'email' && typeof value === 'string' && kept) return [name, kept(value)];
      if (name.endsWith('_time') && typeof value === 'string' && !Number.isNaN(Date.parse(value))) {
        const time = `${new Date(value).toISOString().slice(0, 19)}Z`;
        return [name, keptTime?.(time) ?? time];
      }
      return [name, value];
    });
    return Object.fromEntries(entries);
  }

  #note(change: Omit<Change, 'n' | 'at' | 'cause'>): void {
    const { n, at } = (change.by === 'colleague' ? undefined : this.request) ?? { n: undefined, at: this.#now() };
    this.record.push({ n: this.record.length, at, cause: n, ...change });
  }
}

/** The same object, with these fields and no others. */
function rewritten(record: Fields, fields: Fields): Fields {
  for (const name of Object.keys(record)) delete record[name];
  return Object.assign(record, fields);
}
