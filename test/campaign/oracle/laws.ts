/**
 * The laws of runs, held against what a service has and was sent. It knows what was asked for, what colleagues did, and which request had
 * been handled when; it has no exceptions. Each sentence that it returns is a broken law.
 */
import type { Change, Fields } from '../../support/truth.ts';
import { at, type Call, changed, folded, later, type Record, type Request, same, type Tale, type Wish } from './wish.ts';

const statuses = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130, 143]);
/** With these nothing was written. */
const untouched = new Set([2, 3, 4, 5, 6, 7, 8, 11, 12]);
const stackTrace = /\n\s+at .+[:(]\d+:\d+\)?/;
const windows = ['open_time', 'close_time'] as const;
type Of<Kind extends Wish['is']> = Extract<Wish, { is: Kind }>;

export class Laws {
  readonly #tale: Tale;

  constructor(tale: Tale) {
    this.#tale = tale;
  }

  #wishes<Kind extends Wish['is']>(is: Kind): Of<Kind>[] {
    return this.#tale.wishes.filter((wish) => wish.is === is) as Of<Kind>[];
  }

  /** After each invocation. `counts`: its success means that all is so that was asked for. */
  judge(call: Call, counts: boolean): string[] {
    const { code, stderr, stdout, words } = call;
    const broken: string[] = [];
    const say = (sentence: string | undefined) => sentence && broken.push(`${sentence} [${call.by}: ${words} → ${code ?? 'killed'}]`);
    if (code !== null && !statuses.has(code)) say(`status ${code}: ${stderr.slice(-300)}`);
    if (stackTrace.test(stderr) || stackTrace.test(stdout)) say('a stack trace was printed');
    const tale = this.#tale;
    if (tale.elsewhere > 0) say('another service was written to');
    for (const sentence of this.changes()) say(sentence);
    const own = tale.requests.filter(({ by }) => by === call.by);
    const written = tale.record.filter(({ by, cause }) => by === call.by && own.some(({ n, told }) => n === cause && told));
    const isReal = ({ before, after, kind }: Change) =>
      kind === 'mails' || !before || !after || changed({ before, after } as Change).length > 0;
    if (code !== null && untouched.has(code) && written.some(isReal)) say('something was written');
    for (const { exam } of this.#wishes('mails')) say(this.#mails(exam));
    const hidden = this.#hidden(call);
    if (code === 0) say(hidden);
    if (code === 0 && counts)
      for (const sentence of call.way === 'back' ? this.notUndone(call, !words.startsWith('runs resume')) : this.unmet(call))
        say(`success, but ${sentence}`);
    if ((code === 9 || code === 11) && call.way === 'back') for (const sentence of this.#unnamed(call)) say(sentence);
    return broken;
  }

  /** Of what has changed since the last time. */
  changes(): string[] {
    const { judged, record } = this.#tale;
    this.#tale.judged = record.length;
    return record.slice(judged).flatMap((change) => this.#changed(change));
  }

  // What the truth was, and what was read of it.

  #isOurs({ by }: Change): boolean {
    return typeof by === 'number';
  }

  /** The changes of colleagues to a record since the story began: to this value, or any. */
  #theirs(kind: Change['kind'], id: number, field?: string): Change[] {
    const { record, start } = this.#tale;
    return record
      .slice(start)
      .filter((one) => !this.#isOurs(one) && one.kind === kind && one.id === id && (!field || changed(one).includes(field)));
  }

  /** All values of a field that colleagues have set, from the first one on. */
  #values(kind: Change['kind'], id: number, field: string): unknown[] {
    const all = this.#tale.record.filter((one) => one.kind === kind && one.id === id && one.after && !this.#isOurs(one));
    return all.flatMap((one) => (!one.before || changed(one).includes(field) ? [one.after?.[field]] : []));
  }

  /** What there would be if only colleagues had been at work. */
  #base(kind: Change['kind']): Map<number, Fields> {
    const base = new Map<number, Fields>();
    for (const one of this.#tale.record) {
      if (one.kind !== kind || this.#isOurs(one)) continue;
      const there = base.get(one.id);
      if (!one.after) base.delete(one.id);
      else if (!one.before) base.set(one.id, { ...one.after });
      else if (there) for (const name of changed(one)) there[name] = one.after[name];
    }
    return base;
  }

  #reads(kind: Change['kind'], id: number, exam?: unknown): (request: Request) => boolean {
    const paths =
      kind === 'session' ? [`/student_sessions/${id}`, `/exams/${exam}/student_sessions`, '/student_sessions'] : [`/exams/${id}`, '/exams'];
    return ({ method, path, told }) =>
      method === 'GET' && told && (kind === 'pool' ? path === `/exams/${id}/proctor_pool` : paths.includes(path));
  }

  /** Whether an invocation read a record after this change to it, and before the request with this number. */
  #wasSeen(change: Change, by: number, before = Number.POSITIVE_INFINITY): boolean {
    const reads = this.#reads(change.kind, change.id, (change.after ?? change.before)?.exam_id);
    return this.#tale.requests.some((one) => one.by === by && one.n < before && one.seen > change.n && reads(one));
  }

  #wayOf({ by }: Change): Call['way'] | undefined {
    return this.#tale.calls.find((one) => one.by === by)?.way;
  }

  #made(kind: Change['kind'], id: number): Change | undefined {
    return this.#tale.record.findLast((one) => one.kind === kind && one.id === id && !one.before);
  }

  #isExam(exam: number | string, id: unknown): boolean {
    const made = this.#made('exam', Number(id));
    return exam === id || (made !== undefined && this.#isOurs(made) && made.after?.name === exam);
  }

  // One change of the program.

  #changed(kept: Change): string[] {
    if (!this.#isOurs(kept)) return [];
    const change = this.#asSent(kept);
    const way = this.#wayOf(change);
    const isAllowed = (way !== 'back' && this.#isWanted(change)) || (way !== 'on' && this.#takesBack(change));
    const { kind, id, before, after } = change;
    const what = `${before ? (after ? `changed ${changed(change).join(', ')} of` : 'deleted') : 'created'} ${kind} ${id} (${(after ?? before)?.email ?? (after ?? before)?.name ?? ''})`;
    const to =
      before && after ? ` from ${changed(change).map((name) => before[name])} to ${changed(change).map((name) => after[name])}` : '';
    const found = [
      isAllowed ? undefined : `${what}${to}, which is not asked for`,
      this.#overwritten(change),
      this.#double(change),
      this.#lost(change),
      this.#torn(change),
    ];
    return found.filter((one) => one !== undefined);
  }

  /** A change with what was sent: what a service makes of it is not the program's. */
  #asSent(change: Change): Change {
    const { before, after, cause } = change;
    const { body = {}, method } = this.#tale.requests.find(({ n }) => n === cause) ?? {};
    if (!after || method === 'DELETE') return change;
    const sent = Object.entries(body).filter(([name]) => name in after && !same(after[name], before?.[name]));
    return { ...change, after: { ...after, ...Object.fromEntries(sent) } };
  }

  /** Whether a change is what was asked for. */
  #isWanted(change: Change): boolean {
    const { kind, id, before, after } = change;
    if (kind === 'mails') return this.#wishes('mails').some(({ exam }) => exam === id);
    if (kind === 'pool')
      return (
        this.#wishes('pool').some(({ exam }) => exam === id) ||
        this.#wishes('exam').some(({ name, pool }) => pool && this.#isExam(name, id))
      );
    if (!after) return this.#wishes('gone').some((wish) => this.#isGone(wish, change));
    if (!before && kind === 'exam') return this.#wishes('exam').some(({ name }) => name === after.name);
    if (!before)
      return this.#wishes('student').some(({ exam, email }) => this.#isExam(exam, after.exam_id) && folded(email) === folded(after.email));
    return changed(change).every((field) => this.#isWantedValue(change, field));
  }

  /** Put back, a student who is moved is another session. */
  #isGone({ kind, id, moved }: Of<'gone'>, change: Change): boolean {
    const { before } = change;
    if (kind === 'exam') return (change.kind === kind ? change.id : before?.exam_id) === id;
    const first = this.#made(kind, id)?.after;
    const isTwin = moved && first?.exam_id === before?.exam_id && folded(first?.email) === folded(before?.email);
    return change.kind === kind && (change.id === id || isTwin === true);
  }

  #isWantedValue({ kind, id, before, after, by }: Change, field: string): boolean {
    const values = this.#values(kind, id, field);
    const value = after?.[field];
    const again = this.#tale.calls.filter((call) => call.words.includes('--again') && call.by <= Number(by)).length;
    const times = Array.from({ length: again + 1 }, (_, more) => more + 1);
    const own = this.#made(kind, id);
    return this.#tale.wishes.some((wish) => {
      if (wish.is === 'mails') return kind === 'session' && field === 'status' && before?.exam_id === wish.exam;
      if (wish.is === 'set') return wish.kind === kind && wish.id === id && same(wish.fields[field], value);
      if (wish.is === 'by')
        return (
          wish.kind === kind &&
          wish.id === id &&
          values.some((from) => times.some((many) => same(later(from, many * (wish.minutes[field] ?? 0)), value)))
        );
      if (wish.is === 'least')
        return kind === 'session' && wish.id === id && field === 'close_time' && at(value) > at(before?.close_time ?? 0);
      // What a POST cannot set follows in a PATCH.
      if (wish.is !== 'student' || !own || folded(own.after?.email) !== folded(wish.email)) return false;
      const isUpdate = this.#tale.calls.some((call) => call.by === by && call.words.includes('--update'));
      if (!isUpdate && !this.#isOurs(own)) return false;
      return this.#fieldsOf(wish).some((fields) => same(fields[field], value));
    });
  }

  /** The values that a student may have: given, or those of another session, moved. */
  #fieldsOf({ fields, from, minutes = 0 }: Of<'student'>): Fields[] {
    if (from === undefined) return [fields ?? {}];
    const names = ['name', 'skip_requirements', ...windows] as const;
    const moved = (name: string, value: unknown) => (name.endsWith('_time') ? later(value, minutes) : value);
    const all = names.map((name) => [...new Set(this.#values('session', from, name))].map((value) => [name, moved(name, value)] as const));
    return all.reduce<Fields[]>((sets, values) => sets.flatMap((set) => values.map(([name, value]) => ({ ...set, [name]: value }))), [{}]);
  }

  /** Whether a change restores what was before the program. */
  #takesBack(change: Change): boolean {
    const { kind, id, before, after, n } = change;
    const made = this.#made(kind, id);
    if (kind === 'pool') return true;
    if (kind === 'mails') return false;
    if (before && !after) {
      const exam = kind === 'session' ? this.#made('exam', Number(before.exam_id)) : undefined;
      // With an exam that was created from here goes who is in it.
      return (
        [made, exam].some((one) => one !== undefined && this.#isOurs(one)) &&
        this.#theirs(kind, id).every(
          (one) => !changed(one).some((name) => name !== 'status') || !this.#wasSeen(one, Number(change.by), change.cause),
        )
      );
    }
    if (!before)
      return (
        kind === 'session' &&
        this.#tale.record.some(
          (one) =>
            one.n < n &&
            one.kind === kind &&
            this.#isOurs(one) &&
            !one.after &&
            one.before?.exam_id === after?.exam_id &&
            folded(one.before?.email) === folded(after?.email),
        )
      );
    // Who is put back is another session than before.
    const twins = this.#tale.record.filter((one) => one.kind === kind && (one.id === id || this.#isAlike(one.before, after)));
    return changed(change).every((field) =>
      twins.some((twin) => this.#values(kind, twin.id, field).some((value) => same(value, after?.[field]))),
    );
  }

  #isAlike(one: Fields | undefined, other: Fields | undefined): boolean {
    return one?.exam_id !== undefined && one.exam_id === other?.exam_id && folded(one.email) === folded(other?.email);
  }

  /** What a colleague has set after it was planned, and was read before the write, stays. */
  #overwritten(change: Change): string | undefined {
    const { kind, id, by, cause, before } = change;
    if (kind === 'mails' || kind === 'pool' || !before) return undefined;
    const first = this.#tale.requests.find((one) => one.by === by && this.#reads(kind, id, before.exam_id)(one));
    const isBack = this.#wayOf(change) === 'back';
    for (const field of change.after ? changed(change) : changed({ before, after: {} } as Change)) {
      const theirs = this.#theirs(kind, id, field).findLast((one) => one.n < change.n && one.before);
      if (!theirs || !same(before[field], theirs.after?.[field]) || (field === 'status' && change.after)) continue;
      const ours = this.#tale.record.findLast(
        (one) =>
          one.n < theirs.n && one.kind === kind && one.id === id && this.#isOurs(one) && (!one.before || changed(one).includes(field)),
      );
      const isPlanned = isBack ? ours !== undefined : (first?.seen ?? 0) <= theirs.n;
      if (isPlanned && this.#wasSeen(theirs, Number(by), cause))
        return `took ${field} of ${kind} ${id} from a colleague, who had set ${theirs.after?.[field]}`;
    }
    return undefined;
  }

  /** Nobody twice without a consent: another session of the student, which was made from here, or was there to be read. */
  #double({ kind, id, before, after, n, by, cause }: Change): string | undefined {
    if (before || !after || (kind !== 'session' && kind !== 'exam')) return undefined;
    const alike = (one: Fields | undefined) =>
      kind === 'session'
        ? one?.exam_id === after.exam_id && folded(one?.email) === folded(after.email)
        : one?.name === after.name && same(one?.start_time, after.start_time);
    const isBeside = this.#wishes('student').some(({ beside, email }) => beside && folded(email) === folded(after.email));
    const mayBe = isBeside ? this.#tale.calls.filter((call) => call.way !== 'back' && call.by <= Number(by)).length : 0;
    const there = new Map<number, Change>();
    for (const one of this.#tale.record.slice(0, n))
      if (one.kind === kind && one.id !== id) one.after ? there.set(one.id, one) : there.delete(one.id);
    const others = [...there.values()].filter((one) => alike(one.after)).slice(mayBe);
    const mine = others.find((one) => this.#isOurs(one) || this.#wasSeen(this.#made(kind, one.id) ?? one, Number(by), cause));
    return mine && `${after.email ?? after.name} was created again as ${kind} ${id} beside ${mine.id}`;
  }

  /** Whether somebody is there twice by this invocation and a colleague, which is to be said. */
  #hidden({ by }: Call): string | undefined {
    if (this.#wishes('student').some(({ beside }) => beside)) return undefined;
    const created = this.#tale.record.filter((one) => one.by === by && one.kind === 'session' && !one.before);
    const all = [...this.#tale.sessions.values()];
    const double = created.find(({ id, after }) =>
      all.some(
        (one) =>
          one.id !== id &&
          one.exam_id === after?.exam_id &&
          folded(one.email) === folded(after?.email) &&
          this.#wasSeen(this.#made('session', Number(one.id)) as Change, by),
      ),
    );
    return double && this.#tale.sessions.has(double.id) ? `success, but ${double.after?.email} is there twice` : undefined;
  }

  /** Who was in an exam is in one, unless a deletion was asked for. */
  #lost(change: Change): string | undefined {
    const { kind, id, before, after, n, by, cause } = change;
    if (kind !== 'session' || !before || after) return undefined;
    if (this.#wishes('gone').some((wish) => wish.kind === kind && wish.id === id && !wish.moved)) return undefined;
    const key = folded(before.email);
    const isOfFirst = this.#tale.record.some(
      (one) => one.n < n && !this.#isOurs(one) && one.kind === kind && folded(one.after?.email) === key,
    );
    const there = new Map<number, Fields>();
    const gone: Change[] = [];
    for (const one of this.#tale.record.slice(0, n)) {
      if (one.kind !== kind) continue;
      if (one.after) there.set(one.id, one.after);
      else there.delete(one.id);
      if (!one.after && !this.#isOurs(one) && folded(one.before?.email) === key) gone.push(one);
    }
    there.delete(id);
    const isThere = [...there.values()].some(({ email }) => folded(email) === key);
    return isThere || !isOfFirst || gone.some((one) => !this.#wasSeen(one, Number(by), cause))
      ? undefined
      : `${key} is in no exam any more`;
  }

  /** At each moment a student has the whole old or the whole new window. */
  #torn(change: Change): string | undefined {
    const isOfTimes = change.after && change.before && changed(change).some((name) => name.endsWith('_time'));
    if (!isOfTimes || !this.#wishes('by').some(({ kind }) => kind === 'exam')) return undefined;
    const now = this.#asOf(change.n + 1);
    for (const [key, session] of now) {
      if (!key.startsWith('session')) continue;
      const exam = now.get(`exam ${session.exam_id}`);
      const id = Number(session.id);
      const made = this.#made('session', id);
      if (!exam || !made || made.n >= this.#tale.start || session.status === 'exam_finished') continue;
      const all = (['start', 'end'] as const).map((side, which) => {
        const own = windows[which] as string;
        const wish = (kind: Record, of: number) => this.#wishes('by').find((one) => one.kind === kind && one.id === of)?.minutes ?? {};
        const owns = this.#values('session', id, own).filter((time) => time !== null);
        const exams = this.#values('exam', Number(exam.id), `${side}_time`);
        const by = Number(wish('exam', Number(exam.id))[`${side}_time`] ?? 0);
        const times = owns.length > 0 ? owns : exams;
        return {
          now: at(session[own] ?? exam[`${side}_time`]),
          old: times.map(at),
          next: [...times, ...(owns.length > 0 ? [] : [])].map((time) => at(later(time, by))),
        };
      });
      const [opens, closes] = all as [(typeof all)[0], (typeof all)[0]];
      const covers = (which: 'old' | 'next') =>
        opens[which].some((time) => opens.now <= time) && closes[which].some((time) => closes.now >= time);
      if (!covers('old') && !covers('next'))
        return `${session.email} has neither the old nor the new window after a change of ${change.kind} ${change.id}`;
    }
    return undefined;
  }

  #asOf(n: number): Map<string, Fields> {
    const all = new Map<string, Fields>();
    for (const { kind, id, after } of this.#tale.record.slice(0, n)) {
      if (kind !== 'exam' && kind !== 'session') continue;
      if (after) all.set(`${kind} ${id}`, after);
      else all.delete(`${kind} ${id}`);
    }
    return all;
  }

  /** One mail for each student and consent. */
  #mails(exam: number): string | undefined {
    const { record, calls, requests } = this.#tale;
    const ours = record.filter((one) => one.kind === 'mails' && one.id === exam && this.#isOurs(one));
    const consents = calls.filter(({ words }) => words.includes('--resend')).length + 1;
    const per = calls.find(
      ({ by }) => requests.filter((one) => one.by === by && one.line === `POST /exams/${exam}/send_emails`).length > 1,
    );
    if (per) return `exam ${exam} was mailed twice by one command`;
    return ours.length > consents ? `exam ${exam} was mailed ${ours.length} times for ${consents} consents` : undefined;
  }

  // What is so in the end.

  /** Whether a colleague has made of it what it is: unread by this invocation, or after it was done. */
  #isTheirs(kind: Change['kind'], id: number, field: string | undefined, { by }: Call): boolean {
    const last = this.#theirs(kind, id, field).at(-1);
    if (!last) return false;
    const { record, start } = this.#tale;
    const ours = record
      .slice(start, last.n)
      .some((one) => this.#isOurs(one) && one.kind === kind && one.id === id && (!field || !one.before || changed(one).includes(field)));
    return ours || !this.#wasSeen(last, by);
  }

  /** What was asked for and is not so. `forGood`: also what an undo of an undo cannot do, as a deletion stays. */
  unmet(call: Call, forGood = true): string[] {
    const wishes = this.#tale.due ?? this.#tale.wishes;
    const isMove = wishes.some((wish) => wish.is === 'gone' && wish.moved);
    const canBe = ({ is }: Wish) => forGood || isMove || !['student', 'exam', 'raw', 'mails'].includes(is);
    return wishes.filter(canBe).flatMap((wish) => this.#unmet(wish, call));
  }

  #unmet(wish: Wish, call: Call): string[] {
    const { exams, sessions, pools, requests, record } = this.#tale;
    if (wish.is === 'mails')
      return record.some(({ kind, id }) => kind === 'mails' && id === wish.exam) ? [] : [`exam ${wish.exam} was not mailed`];
    if (wish.is === 'raw') return requests.some(({ line, done }) => line === wish.line && done) ? [] : [`${wish.line} did not arrive`];
    if (wish.is === 'pool') return this.#isTheirs('pool', wish.exam, undefined, call) ? [] : this.#unmetPool(wish, pools.get(wish.exam));
    if (wish.is === 'gone') {
      const isThere = (wish.kind === 'exam' ? exams : sessions).has(wish.id);
      return isThere ? [`${wish.kind} ${wish.id} is still there`] : [];
    }
    if (wish.is === 'exam') {
      const found = [...exams.values()].filter(({ name, start_time }) => name === wish.name && same(start_time, wish.fields.start_time));
      const made = record.filter((one) => one.kind === 'exam' && this.#isOurs(one) && !one.before && one.after?.name === wish.name);
      if (found.length === 0)
        return made.some(({ id }) => this.#isTheirs('exam', id, undefined, call)) ? [] : [`exam ${wish.name} is not there`];
      const isRight = found.some((exam) => this.#differing('exam', exam, wish.fields, call).length === 0);
      const pool = wish.pool ? found.flatMap(({ id }) => this.#unmetPool({ add: wish.pool ?? [] }, pools.get(Number(id)))) : [];
      return [...(isRight ? [] : this.#differing('exam', found[0] as Fields, wish.fields, call)), ...pool];
    }
    if (wish.is === 'student') return this.#unmetStudent(wish, call);
    const kind = wish.is === 'least' ? 'session' : wish.kind;
    const record_ = (kind === 'exam' ? exams : sessions).get(wish.id);
    if (!record_) return this.#isTheirs(kind, wish.id, undefined, call) ? [] : [`${kind} ${wish.id} is gone`];
    if (wish.is === 'least')
      return at(record_.close_time) >= at(wish.close_time) || this.#isTheirs(kind, wish.id, 'close_time', call)
        ? []
        : [`session ${wish.id} closes at ${record_.close_time}`];
    if (wish.is === 'set') return this.#differing(kind, record_, wish.fields, call);
    const moved = Object.entries(wish.minutes).flatMap(([field, minutes]) => {
      const last = this.#values(kind, wish.id, field).at(-1);
      return last === null ? [] : [[field, later(last, minutes)] as const];
    });
    return this.#differing(kind, record_, Object.fromEntries(moved), call);
  }

  #unmetPool(
    { add = [], remove = [] }: { add?: readonly number[]; remove?: readonly number[] },
    pool: ReadonlySet<number> = new Set(),
  ): string[] {
    return [
      ...add.filter((user) => !pool.has(user)).map((user) => `proctor ${user} is not in the pool`),
      ...remove.filter((user) => pool.has(user)).map((user) => `proctor ${user} is still in the pool`),
    ];
  }

  #unmetStudent(wish: Of<'student'>, call: Call): string[] {
    const { sessions, record } = this.#tale;
    const isIt = (one: Fields | undefined) =>
      one !== undefined && this.#isExam(wish.exam, one.exam_id) && folded(one.email) === folded(wish.email);
    const found = [...sessions.values()].filter(isIt);
    const taken = record
      .slice(this.#tale.start)
      .filter((one) => one.kind === 'session' && !this.#isOurs(one) && isIt(one.before) && !isIt(one.after));
    if (wish.from !== undefined && !this.#base('session').has(wish.from)) return [];
    if (found.length < (wish.beside ? 2 : 1))
      return taken.some(({ id }) => this.#isTheirs('session', id, undefined, call))
        ? []
        : [`${wish.email} is not in exam ${wish.exam}${wish.beside ? ' twice' : ''}`];
    const wrong = found.map(
      (one) =>
        this.#fieldsOf(wish)
          .map((fields) => this.#differing('session', one, fields, call))
          .toSorted((a, b) => a.length - b.length)[0] ?? [],
    );
    return wrong.some(({ length }) => length === 0) ? [] : (wrong[0] ?? []);
  }

  #differing(kind: Record, record: Fields, fields: Fields, call: Call): string[] {
    const id = Number(record.id);
    return Object.entries(fields).flatMap(([name, value]) =>
      same(record[name], value) || this.#isTheirs(kind, id, name, call)
        ? []
        : [`${name} of ${kind} ${id} is ${record[name]}, and not ${value}`],
    );
  }

  /** What an undo that succeeded has left: all is as if only colleagues had been at work. */
  notUndone(call: Call, forGood = true): string[] {
    const { exams, sessions, pools, record, start } = this.#tale;
    const left = (['exam', 'session'] as const).flatMap((kind) => {
      const [base, there] = [this.#base(kind), kind === 'exam' ? exams : sessions];
      const twin = (one: Fields) =>
        [...sessions.values()].find(
          ({ email, exam_id }) => kind === 'session' && exam_id === one.exam_id && folded(email) === folded(one.email),
        );
      const changedOnes = [...base].flatMap(([id, fields]) => {
        const now = there.get(id) ?? twin(fields);
        const isForGood = this.#wishes('gone').some((wish) => !wish.moved && this.#isGone(wish, { kind, id, before: fields } as Change));
        const isTaken = record.some(
          (one) =>
            one.n >= start && !this.#isOurs(one) && this.#isAlike(one.before, fields) && this.#isTheirs(kind, one.id, undefined, call),
        );
        if (!now && isTaken) return [];
        if (!now) return forGood || !isForGood ? [`${kind} ${id} (${fields.email ?? fields.name}) is not there again`] : [];
        const { id: _id, status: _status, level_of_suspicion: _, ...kept } = fields;
        return this.#differing(kind, { ...now }, kept, call);
      });
      const ours = record.filter((one) => one.kind === kind && this.#isOurs(one) && !one.before && there.has(one.id));
      const stays = ours.filter(
        ({ id }) => ![...base.values()].some((one) => twin(one)?.id === id) && !this.#isTheirs(kind, id, undefined, call),
      );
      return [...changedOnes, ...stays.map(({ id, after }) => `${kind} ${id} (${after?.email ?? after?.name}) is still there`)];
    });
    const ofPools = [...this.#base('pool')].filter(
      ([exam, { users }]) =>
        exams.has(exam) && !same(String(users), String([...(pools.get(exam) ?? [])])) && !this.#isTheirs('pool', exam, undefined, call),
    );
    const mailed = forGood && record.some((one) => one.kind === 'mails' && this.#isOurs(one)) ? ['mails went out'] : [];
    return [...left, ...ofPools.map(([exam]) => `the pool of exam ${exam} is another one`), ...mailed];
  }

  /** Whom colleagues have changed since, and an undo left as they are, it names. */
  #unnamed({ by, stdout, stderr }: Call): string[] {
    const { record, start } = this.#tale;
    const ours = (kind: string, id: number, n: number) =>
      record.slice(start, n).some((one) => this.#isOurs(one) && one.kind === kind && one.id === id && one.by !== by);
    const theirs = record
      .slice(start)
      .filter((one) => !this.#isOurs(one) && one.kind === 'session' && ours('session', one.id, one.n) && this.#wasSeen(one, by));
    const named = (one: Change) =>
      [String(one.id), one.before?.email, one.after?.email].some((word) => typeof word === 'string' && `${stdout}${stderr}`.includes(word));
    return [
      ...new Set(theirs.filter((one) => !named(one)).map(({ id }) => `session ${id}, which a colleague has changed since, is not named`)),
    ];
  }

  /** Where the printed commands have led. `isPassing`: what happened to the requests is over, and no colleague did anything. */
  judgeWay(call: Call, isPassing: boolean): string[] {
    const { code } = call;
    const isFirst = code === 0 && !call.words.startsWith('runs resume');
    const unmet = call.way === 'back' ? this.notUndone(call, isFirst) : this.unmet(call, isFirst || !call.words.startsWith('runs undo'));
    const tail = `[${call.by}: ${call.words} → ${code}] ${call.stderr.trim().slice(-240)}`;
    if (code === 0) return unmet.map((sentence) => `the printed commands end well, but ${sentence} ${tail}`);
    // An ID that is gone is named with 6.
    const isRefused = code === 3 || code === 6 || code === 11 || code === 12;
    if (unmet.length === 0 ? isRefused : isRefused && !isPassing) return [];
    return [`the printed commands do not lead on: ${unmet[0] ?? 'all is so that was asked for'} ${tail}`];
  }
}
