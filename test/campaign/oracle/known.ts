/** What is known of a story: who did what, what there would be without the program, and what it had read by when. */
import type { Change, Fields } from '../../support/truth.ts';
import { at, type Call, changed, folded, later, ofExam, type Request, same, type Tale, type Wish } from './wish.ts';

type Kind = Change['kind'];
export type Of<Is extends Wish['is']> = Extract<Wish, { is: Is }>;

/** Two sessions of one student in one exam. */
export const isAlike = (one: Fields | undefined, other: Fields | undefined) =>
  one?.exam_id !== undefined && one.exam_id === other?.exam_id && folded(one.email) === folded(other?.email);
export const isOurs = ({ by }: Change) => typeof by === 'number';
/** Whether a change is one of this record, or of a field of it. */
const isOf = (one: Change, kind: Kind, id: number, field?: string) =>
  one.kind === kind && one.id === id && (field === undefined || changed(one).includes(field));

export class Known {
  readonly tale: Tale;

  constructor(tale: Tale) {
    this.tale = tale;
  }

  protected wishesOf<Is extends Wish['is']>(is: Is): Of<Is>[] {
    return this.tale.wishes.filter((wish) => wish.is === is) as Of<Is>[];
  }

  /** What has changed since the story began. */
  protected get since(): readonly Change[] {
    return this.tale.record.slice(this.tale.start);
  }

  /** The changes of colleagues to a record since then, or to a field of it. */
  protected theirs(kind: Kind, id: number, field?: string): Change[] {
    return this.since.filter((one) => !isOurs(one) && isOf(one, kind, id, field));
  }

  /** All values of a field that colleagues have set, from the first one on, or that a service made of another one. */
  protected values(kind: Kind, id: number, field: string): unknown[] {
    const isOthers = (one: Change) => !isOurs(one) || !same(this.sent(one)[field], one.after?.[field]);
    const all = this.tale.record.filter((one) => isOf(one, kind, id) && one.after && isOthers(one));
    return all.flatMap((one) => (!one.before || changed(one).includes(field) ? [one.after?.[field]] : []));
  }

  /** The last value that a colleague has set, which an undo restores in place of what a service has made of another one. */
  protected lastSet(kind: Kind, id: number, field: string): unknown {
    const isSet = (one: Change) => !isOurs(one) && isOf(one, kind, id) && one.after && (!one.before || changed(one).includes(field));
    return this.tale.record.findLast(isSet)?.after?.[field];
  }

  /** The record after a change as it was sent: what a service makes of it is not the program's. */
  protected sent({ before, after = {}, cause }: Change): Fields {
    const { body = {}, method } = this.tale.requests.find(({ n }) => n === cause) ?? {};
    const fields = Object.entries(method === 'DELETE' ? {} : body);
    return { ...after, ...Object.fromEntries(fields.filter(([name]) => name in after && !same(after[name], before?.[name]))) };
  }

  /** Whether a colleague deleted a session for whose deletion a request from here was sent that nobody denied: no read shows whose it was. */
  protected isAlsoOurs({ after, kind, id, n }: Change): boolean {
    const isAsked = ({ line, denied, seen }: Request) => !denied && seen <= n && line === `DELETE /student_sessions/${id}`;
    return !after && kind === 'session' && this.tale.requests.some(isAsked);
  }

  /** What there would be if only colleagues had been at work. */
  protected base(kind: Kind, n = Number.POSITIVE_INFINITY): Map<number, Fields> {
    const base = new Map<number, Fields>();
    for (const one of this.tale.record) {
      if (one.kind !== kind || isOurs(one) || this.isAlsoOurs(one) || one.n >= n) continue;
      const there = base.get(one.id);
      if (!one.after) base.delete(one.id);
      else if (!one.before) base.set(one.id, { ...one.after });
      else if (there) for (const name of changed(one)) there[name] = one.after[name];
    }
    return base;
  }

  /** What there was before the change with this number. */
  protected asOf(kind: Kind, n: number): Map<number, Fields> {
    const all = new Map<number, Fields>();
    for (const one of this.tale.record.slice(0, n)) {
      if (one.kind !== kind) continue;
      if (one.after) all.set(one.id, one.after);
      else all.delete(one.id);
    }
    return all;
  }

  /** Whether a request reads a record: by its ID, or with others. */
  protected reads({ method, path, told }: Request, kind: Kind, id: number, exam?: unknown): boolean {
    const ofSession = [`/student_sessions/${id}`, `/exams/${exam}/student_sessions`, '/student_sessions'];
    const paths = kind === 'session' ? ofSession : kind === 'pool' ? [`/exams/${id}/proctor_pool`] : [`/exams/${id}`, '/exams'];
    return method === 'GET' && told && paths.includes(path);
  }

  /** Whether an invocation read a record after this change to it, and before the request with this number. */
  protected wasSeen({ n, kind, id, before, after }: Change, by: number, until = Number.POSITIVE_INFINITY): boolean {
    const isAfter = (one: Request) => one.by === by && one.n < until && one.seen > n;
    return this.tale.requests.some((one) => isAfter(one) && this.reads(one, kind, id, (after ?? before)?.exam_id));
  }

  protected made(kind: Kind, id: number): Change | undefined {
    return this.tale.record.findLast((one) => isOf(one, kind, id) && !one.before);
  }

  protected isMade(kind: Kind, id: number): boolean {
    const made = this.made(kind, id);
    return made !== undefined && isOurs(made);
  }

  /** Whether an exam is the one that a wish means: by its ID, or created from here under this name. */
  protected isExam(exam: number | string, id: unknown): boolean {
    const made = this.made('exam', Number(id));
    return exam === id || (made !== undefined && isOurs(made) && this.sent(made).name === exam);
  }

  protected isStudent({ exam, email }: Of<'student'>, one: Fields | undefined): boolean {
    return one !== undefined && this.isExam(exam, one.exam_id) && folded(email) === folded(one.email);
  }

  /** How often an amount may have been added by this invocation: once, and once more for each consent. */
  protected times(by: unknown): number[] {
    const consents = this.tale.calls.filter((call) => call.by <= Number(by) && /--again|^runs forget/.test(call.words));
    return [1, ...consents.map((_, more) => more + 2)];
  }

  /** By how many minutes colleagues have moved the exam in which a student is put back. */
  protected shiftOf(exam: unknown, field: keyof typeof ofExam): number {
    const times = this.values('exam', Number(exam), ofExam[field]);
    return (at(times.at(-1)) - at(times[0])) / 60_000;
  }

  /** By how many minutes a time of a session may move along with its exam. */
  protected alongBy(
    { exam, to }: Pick<Of<'along'>, 'exam' | 'to'>,
    field: keyof typeof ofExam,
    from = this.values('exam', exam, ofExam[field]),
  ): number[] {
    const target = to[ofExam[field]];
    return target === undefined ? [0] : from.map((time) => (at(target) - at(time)) / 60_000);
  }

  /** The values that a student may have: given, or those of another session, moved. */
  protected fieldsOf({ fields, from, minutes = 0 }: Of<'student'>): Fields[] {
    if (from === undefined) return [fields ?? {}];
    const moved = (name: string, value: unknown) => (name.endsWith('_time') ? later(value, minutes) : value);
    return ['name', 'skip_requirements', 'open_time', 'close_time'].reduce<Fields[]>(
      (sets, name) => {
        const values = [...new Set(this.values('session', from, name))];
        return sets.flatMap((set) => values.map((value) => ({ ...set, [name]: moved(name, value) })));
      },
      [{}],
    );
  }

  /** Whether a colleague has made of it what it is, or had: unread by this invocation, or after it was done, or unread when it was overwritten. */
  protected isTheirs(kind: Kind, id: number, field: string | undefined, { by }: Call): boolean {
    const last = this.theirs(kind, id, field).at(-1);
    if (last === undefined) return false;
    const ours = this.since.filter((one) => isOurs(one) && (isOf(one, kind, id, field) || (isOf(one, kind, id) && !one.before)));
    const isBlind = (one: Change) => one.n > last.n && !this.wasSeen(last, Number(one.by), one.cause);
    return !this.wasSeen(last, by) || ours.some((one) => one.n < last.n || isBlind(one));
  }

  /** Whether a colleague deleted it before it could be in a plan. */
  protected isUnplanned(kind: Kind, id: number, { by, words }: Call): boolean {
    const gone = this.theirs(kind, id).find(({ after }) => !after);
    const isIts = (one: Request) => (words.startsWith('runs') || one.by === by) && one.seen >= this.tale.start;
    const first = this.tale.requests.find((one) => isIts(one) && this.reads(one, kind, id, gone?.before?.exam_id));
    return gone !== undefined && (first?.seen ?? 0) > gone.n && !words.split(' ').includes(String(id));
  }

  protected differing(kind: Kind, record: Fields, fields: Fields, call: Call): string[] {
    const isSo = (name: string, value: unknown) => same(record[name], value) || this.isTheirs(kind, Number(record.id), name, call);
    const wrong = Object.entries(fields).filter(([name, value]) => !isSo(name, value));
    return wrong.map(([name, value]) => `${name} of ${kind} ${record.id} is ${record[name]}, and not ${value}`);
  }
}
