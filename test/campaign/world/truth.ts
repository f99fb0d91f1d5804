/**
 * What the service holds, and an append-only record of every change to it: what it was, what it is, when, and by whom.
 * Everything that the program prints is held against this. It knows nothing of HTTP.
 */
export type Fields = Record<string, unknown>;
export type Exam = Fields & { id: number; name: string; start_time: string | null; end_time: string | null };
export type Session = Fields & {
  id: number;
  exam_id: number;
  email: string | null;
  status: string;
  open_time: string | null;
  close_time: string | null;
};

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

export const restrictions = ['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'] as const;

export type Habits = {
  /** How an address is kept; as it was sent, unless this says otherwise. */
  kept?: ((address: string) => string) | undefined;
  /** How a time is kept. */
  keptTime?: ((time: string) => string) | undefined;
  /** IDs of deleted sessions are used again. */
  reuses?: boolean | undefined;
  /** The first ID; 100, unless this says otherwise. */
  firstId?: number | undefined;
};

export class Truth {
  readonly exams = new Map<number, Exam>();
  readonly sessions = new Map<number, Session>();
  readonly pools = new Map<number, Set<number>>();
  readonly users = [1, 2, 3].map((id) => ({ id, name: `Proctor ${id}`, email: `proctor${id}@example.org` }));
  readonly record: Change[] = [];
  /** The number of the request that is being performed. */
  cause: number | undefined;
  readonly #now: () => number;
  readonly #habits: Habits;
  readonly #free: number[] = [];
  #next: number;

  constructor(now: () => number, habits: Habits = {}) {
    this.#now = now;
    this.#habits = habits;
    this.#next = habits.firstId ?? 100;
  }

  inExam(exam: number): Session[] {
    return [...this.sessions.values()].filter(({ exam_id }) => exam_id === exam);
  }

  /** The address as this service keeps it. */
  kept(address: string): string {
    return this.#habits.kept?.(address) ?? address;
  }

  createExam(fields: Fields, by: By = 'colleague', id = this.#newId('exam')): Exam {
    const none = Object.fromEntries(restrictions.map((name) => [name, false]));
    const exam: Exam = { name: '', start_time: null, end_time: null, save_recording: true, ...none, ...this.#normal(fields), id };
    this.exams.set(id, exam);
    this.pools.set(id, new Set());
    this.#note({ by, kind: 'exam', id, after: { ...exam } });
    return exam;
  }

  createSession(exam_id: number, fields: Fields, by: By = 'colleague'): Session {
    const empty = { email: null, name: null, status: 'registered', open_time: null, close_time: null, skip_requirements: false };
    const session: Session = { ...empty, ...this.#normal(fields), level_of_suspicion: 0, exam_id, id: this.#newId('session') };
    this.sessions.set(session.id, session);
    this.#note({ by, kind: 'session', id: session.id, after: { ...session } });
    return session;
  }

  /** False if there is none. */
  change(kind: 'exam' | 'session', id: number, fields: Fields, by: By = 'colleague'): boolean {
    const found = kind === 'exam' ? this.exams.get(id) : this.sessions.get(id);
    if (!found) return false;
    const before = { ...found };
    // The known defect of the service: restrictions that are left out are reset.
    const reset = kind === 'exam' && restrictions.some((name) => name in fields);
    const lost = reset ? Object.fromEntries(restrictions.map((name) => [name, false])) : {};
    Object.assign(found, lost, this.#normal(fields), { id });
    this.#note({ by, kind, id, before, after: { ...found } });
    return true;
  }

  remove(kind: 'exam' | 'session', id: number, by: By = 'colleague'): boolean {
    const found = kind === 'exam' ? this.exams.get(id) : this.sessions.get(id);
    if (!found) return false;
    if (kind === 'exam') for (const session of this.inExam(id)) this.remove('session', session.id, by);
    (kind === 'exam' ? this.exams : this.sessions).delete(id);
    if (kind === 'session') this.#free.push(id);
    this.#note({ by, kind, id, before: { ...found } });
    return true;
  }

  /** One mail to each student of the exam. */
  mail(exam: number, by: By = 'colleague'): void {
    const to = this.inExam(exam);
    this.#note({ by, kind: 'mails', id: exam, after: { to: to.map(({ id }) => id) } });
    for (const { id, status } of to) if (status === 'registered') this.change('session', id, { status: 'mail_sent' }, by);
  }

  pool(exam: number, users: readonly number[], how: 'add' | 'remove', by: By = 'colleague'): void {
    const pool = this.pools.get(exam) ?? new Set();
    const before = { users: [...pool] };
    for (const user of users) how === 'add' ? pool.add(user) : pool.delete(user);
    this.pools.set(exam, pool);
    this.#note({ by, kind: 'pool', id: exam, before, after: { users: [...pool] } });
  }

  /** The exams and sessions as they were at a moment. */
  asOf(moment: number): { exams: Map<number, Fields>; sessions: Map<number, Fields> } {
    const [exams, sessions] = [new Map<number, Fields>(this.exams), new Map<number, Fields>(this.sessions)];
    for (let at = this.record.length - 1; at >= 0; at -= 1) {
      const change = this.record[at];
      if (!change || change.at <= moment) break;
      if (change.kind !== 'exam' && change.kind !== 'session') continue;
      const kept = change.kind === 'exam' ? exams : sessions;
      if (change.before) kept.set(change.id, change.before);
      else kept.delete(change.id);
    }
    return { exams, sessions };
  }

  #newId(kind: 'exam' | 'session'): number {
    const again = this.#habits.reuses && kind === 'session' ? this.#free.pop() : undefined;
    return again ?? this.#next++;
  }

  #normal(fields: Fields): Fields {
    const { kept, keptTime } = this.#habits;
    const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
      if (name === 'email' && typeof value === 'string' && kept) return [name, kept(value)];
      if (name.endsWith('_time') && typeof value === 'string') {
        const time = `${new Date(value).toISOString().slice(0, 19)}Z`;
        return [name, keptTime?.(time) ?? time];
      }
      return [name, value];
    });
    return Object.fromEntries(entries.filter(([name]) => name !== 'level_of_suspicion'));
  }

  #note(change: Omit<Change, 'n' | 'at' | 'cause'>): void {
    this.record.push({ n: this.record.length, at: this.#now(), cause: this.cause, ...change });
  }
}
