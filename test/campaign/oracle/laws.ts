/**
 * The laws of runs, held against what a service has and was sent. It knows what was asked for, what colleagues did, and which request had
 * been handled when; it has no exceptions. Each sentence that it returns is a broken law.
 */
import type { Change, Fields } from '../../support/truth.ts';
import { Ends } from './ends.ts';
import { isAlike, isOurs } from './known.ts';
import { at, type Call, changed, folded, later, ofExam, same } from './wish.ts';

const statuses = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130, 143]);
/** With these nothing was written. */
const untouched = new Set([2, 3, 4, 5, 6, 7, 8, 11, 12]);
/** Those that say what is in the way; an ID that is gone is named with 6. */
const refused = new Set([3, 6, 11, 12]);
const isTime = (field: string): field is keyof typeof ofExam => field in ofExam;
const stackTrace = /\n\s+at .+[:(]\d+:\d+\)?/;

export class Laws extends Ends {
  /** After each invocation. `counts`: its success means that all is so that was asked for. */
  judge(call: Call, counts: boolean): string[] {
    const { code, stderr, stdout, words, by, way } = call;
    const { elsewhere, requests, record } = this.tale;
    const found = [...this.changes(), ...this.wishesOf('mails').map(({ exam }) => this.#mails(exam))];
    if (code !== null && !statuses.has(code)) found.push(`status ${code}: ${stderr.slice(-300)}`);
    if (stackTrace.test(stderr) || stackTrace.test(stdout)) found.push('a stack trace was printed');
    if (elsewhere > 0) found.push('another service was written to');
    const isTold = ({ cause }: Change) => requests.some(({ n, told }) => n === cause && told);
    // What a colleague has set back before a look, no look shows as done, and an answer proves nothing.
    const isSetBack = (one: Change, field: string) =>
      this.theirs(one.kind, one.id, field).some((other) => other.n > one.n && same(other.after?.[field], one.before?.[field]));
    const isReal = (one: Change) =>
      one.kind === 'mails' || changed(one).some((field) => !one.before || !one.after || !isSetBack(one, field));
    if (untouched.has(code ?? 0) && record.some((one) => one.by === by && isTold(one) && isReal(one))) found.push('something was written');
    if (code === 0 && counts) {
      // What cannot be taken back is no step of the undo's own run.
      const unmet = way === 'back' ? this.notUndone(call, !words.startsWith('runs resume')) : this.unmet(call);
      found.push(...unmet.map((sentence) => `success, but ${sentence}`));
    }
    if (code === 0) found.push(this.#hidden(call));
    if ((code === 9 || code === 11) && words.startsWith('runs undo')) found.push(...this.#unnamed(call));
    return found.filter((one) => one !== undefined).map((one) => `${one} [${by}: ${words} → ${code ?? 'killed'}]`);
  }

  /** Of what has changed since the last time. */
  changes(): string[] {
    const { judged, record } = this.tale;
    this.tale.judged = record.length;
    return record
      .slice(judged)
      .filter(isOurs)
      .flatMap((change) => this.#changed(change.after ? { ...change, after: this.sent(change) } : change));
  }

  /** Where the printed commands have led. `isPassing`: what happened to the requests is over, and no colleague did anything. */
  judgeWay(call: Call, isPassing: boolean): string[] {
    const { code, words, by, stderr, way } = call;
    const isFirst = code === 0 && !words.startsWith('runs resume');
    const unmet = way === 'back' ? this.notUndone(call, isFirst) : this.unmet(call, isFirst || !words.startsWith('runs undo'));
    const tail = `[${by}: ${words} → ${code}] ${stderr.trim().slice(-240)}`;
    if (code === 0) return unmet.map((sentence) => `the printed commands end well, but ${sentence} ${tail}`);
    // Whether to mail again where nobody knows whether mails went out, only a person can tell.
    const mayRefuse = !isPassing || this.wishesOf('mails').length > 0;
    const isRight = unmet.length === 0 ? refused.has(code ?? 0) || code === 9 : refused.has(code ?? 0) && mayRefuse;
    // Nothing is called absent beside a new session that no run explains: it is named, with the command that ends the run.
    const isStranger = (one: Change) => !isOurs(one) && !one.before && `${call.stdout}${stderr}`.includes(`unknown origin (${one.id})`);
    const isNamed = code === 10 && stderr.includes('runs close') && this.since.some(isStranger);
    return isRight || isNamed ? [] : [`the printed commands do not lead on: ${unmet[0] ?? 'all is so that was asked for'} ${tail}`];
  }

  #changed(change: Change): string[] {
    const way = this.tale.calls.find(({ by }) => by === change.by)?.way;
    const isAllowed = (way !== 'back' && this.#isWanted(change)) || (way !== 'on' && this.#takesBack(change));
    const found = [
      isAllowed ? undefined : `${told(change)}, which is not asked for`,
      this.#overwritten(change, way),
      this.#double(change),
      this.#lost(change),
      this.#torn(change),
    ];
    return found.filter((one) => one !== undefined);
  }

  /** Whether a change is what was asked for. */
  #isWanted(change: Change): boolean {
    const { kind, id, before, after } = change;
    if (kind === 'mails') return this.wishesOf('mails').some(({ exam }) => exam === id);
    if (kind === 'pool')
      return (
        this.wishesOf('pool').some(({ exam }) => exam === id) ||
        this.wishesOf('exam').some(({ name, pool }) => pool && this.isExam(name, id))
      );
    if (!after) return this.wishesOf('gone').some((wish) => this.isGone(wish, change));
    if (before) return changed(change).every((field) => this.#isWantedValue(change, field));
    return kind === 'exam'
      ? this.wishesOf('exam').some(({ name }) => name === after.name)
      : this.wishesOf('student').some((wish) => this.isStudent(wish, after));
  }

  #isWantedValue({ kind, id, before, after, by, n }: Change, field: string): boolean {
    const value = after?.[field];
    const upTo = this.tale.calls.filter((call) => call.by <= Number(by));
    // What the service had made of a value, the undo of its undo restores.
    const isRestored = (one: Change) => one.n < n && one.kind === kind && one.id === id && isOurs(one) && same(one.after?.[field], value);
    if (upTo.at(-1)?.words.startsWith('runs undo') && this.tale.record.some(isRestored)) return true;
    const isUpdate = upTo.some((call) => call.by === by && call.words.includes('--update'));
    const isMoved = (minutes = 0) =>
      this.values(kind, id, field).some((from) => this.times(by).some((many) => same(later(from, many * minutes), value)));
    return this.tale.wishes.some((wish) => {
      if (wish.is === 'mails') return kind === 'session' && field === 'status' && before?.exam_id === wish.exam;
      if (wish.is === 'set') return wish.kind === kind && wish.id === id && same(wish.fields[field], value);
      if (wish.is === 'by') return wish.kind === kind && wish.id === id && isMoved(wish.minutes[field]);
      if (wish.is === 'along')
        return kind === 'session' && wish.id === id && isTime(field) && this.alongBy(wish, field).some((minutes) => isMoved(minutes));
      if (wish.is === 'least')
        return wish.id === id && field === 'close_time' && (same(value, wish.close_time) || at(value) > at(before?.close_time ?? 0));
      // Of an exam that was created under this name, what the service has made of it is set right.
      if (wish.is === 'exam')
        return kind === 'exam' && this.isExam(wish.name, id) && same({ name: wish.name, ...wish.fields }[field], value);
      // What a POST cannot set follows in a PATCH.
      const isIts = wish.is === 'student' && kind === 'session' && this.isStudent(wish, after) && (isUpdate || this.isMade(kind, id));
      return isIts && this.fieldsOf(wish).some((fields) => same(fields[field], value));
    });
  }

  /** Whether a change restores what was before the program. */
  #takesBack(change: Change): boolean {
    const { kind, id, before, after, n, by, cause } = change;
    if (kind === 'pool' || kind === 'mails') return kind === 'pool';
    if (before && !after) {
      // With an exam that was created from here goes who is in it.
      const isOfUs = this.isMade(kind, id) || (kind === 'session' && this.isMade('exam', Number(before.exam_id)));
      const isKept = (one: Change) => changed(one).some((name) => name !== 'status') && this.wasSeen(one, Number(by), cause);
      return isOfUs && !this.theirs(kind, id).some(isKept);
    }
    const earlier = this.tale.record.filter((one) => one.kind === kind && one.n < n);
    if (!before)
      return kind === 'session' && earlier.some((one) => (isOurs(one) || this.isAlsoOurs(one)) && !one.after && isAlike(one.before, after));
    // Who is put back is another session than before.
    const ids = new Set(earlier.filter((one) => one.id === id || isAlike(one.before, after)).map((one) => one.id));
    const values = (field: string) => [...ids].flatMap((one) => [this.made(kind, one)?.after?.[field], ...this.values(kind, one, field)]);
    const moved = (value: unknown, field: string) => (isTime(field) ? later(value, this.shiftOf(after?.exam_id, field)) : value);
    return changed(change).every((field) =>
      values(field).some((value) => same(value, after?.[field]) || same(moved(value, field), after?.[field])),
    );
  }

  /** What a colleague has set after it was planned, and was read before the write, stays. */
  #overwritten({ kind, id, n, by, cause, before, after }: Change, way: Call['way'] | undefined): string | undefined {
    const isCarried = !after && this.wishesOf('gone').some((wish) => wish.moved && this.isGone(wish, { kind, id, before: before ?? {} }));
    if (kind === 'mails' || kind === 'pool' || !before || isCarried) return undefined;
    // What is read first says which locks are to be held.
    const reads = this.tale.requests.filter((one) => one.by === by && one.n < Number(cause) && this.reads(one, kind, id, before.exam_id));
    const planned = (reads[1] ?? reads[0])?.seen ?? 0;
    for (const field of changed({ before, after } as Change)) {
      const theirs = this.theirs(kind, id, field).findLast((one) => one.n < n && one.before);
      if (!theirs || !same(before[field], theirs.after?.[field]) || (field === 'status' && (after || before.status === 'mail_sent')))
        continue;
      const isSet = (one: Change) =>
        isOurs(one) && one.n < theirs.n && one.kind === kind && one.id === id && (!one.before || changed(one).includes(field));
      const isPlanned = way === 'back' ? this.since.some(isSet) : planned <= theirs.n;
      if (isPlanned && this.wasSeen(theirs, Number(by), cause))
        return `took ${field} of ${kind} ${id} from a colleague, who had set ${theirs.after?.[field]}`;
    }
    return undefined;
  }

  /** Nobody twice without a consent: beside another session of the student, which was made from here, or was there to be read. */
  #double({ kind, id, before, after, n, by, cause }: Change): string | undefined {
    if (before || !after || (kind !== 'session' && kind !== 'exam')) return undefined;
    const isSame = (one: Fields) =>
      kind === 'session' ? isAlike(one, after) : one.name === after.name && same(one.start_time, after.start_time);
    const isBeside = this.wishesOf('student').some(({ beside, email }) => beside && folded(email) === folded(after.email));
    const others = [...this.asOf(kind, n)].filter(
      ([other, one]) => other !== id && isSame(one) && (!isBeside || this.made(kind, other)?.by === by),
    );
    const isKnown = ([other]: [number, Fields]) =>
      this.isMade(kind, other) || this.wasSeen(this.made(kind, other) as Change, Number(by), cause);
    const found = others.find(isKnown);
    return found && `${after.email ?? after.name} was created again as ${kind} ${id} beside ${found[0]}`;
  }

  /** Whether somebody is there twice by this invocation and a colleague, which is to be said. */
  #hidden({ by }: Call): string | undefined {
    const isBeside = this.wishesOf('student').some(({ beside }) => beside);
    const all = [...this.tale.sessions.values()];
    const own = all.filter(({ id }) => this.made('session', Number(id))?.by === by);
    const isTwice = (one: Fields) =>
      all.some((other) => other.id !== one.id && isAlike(other, one) && this.wasSeen(this.made('session', Number(other.id)) as Change, by));
    const double = isBeside ? undefined : own.find(isTwice);
    return double && `success, but ${double.email} is there twice`;
  }

  /** Who was in an exam is in one, unless a deletion was asked for. */
  #lost({ kind, id, before, after, n, by, cause }: Change): string | undefined {
    if (kind !== 'session' || !before || after) return undefined;
    if (this.wishesOf('gone').some((wish) => !wish.moved && this.isGone(wish, { kind, id, before }))) return undefined;
    const isThem = (one: Fields | undefined) => one !== undefined && folded(one.email) === folded(before.email);
    const earlier = this.tale.record.filter((one) => one.kind === kind && one.n < n && !isOurs(one));
    const isThere = [...this.asOf(kind, n)].some(([other, one]) => other !== id && isThem(one));
    const isUnseen = earlier.some((one) => !one.after && isThem(one.before) && !this.wasSeen(one, Number(by), cause));
    const isElsewhere = [...this.base(kind, n).values()].some(isThem);
    return isThere || isUnseen || !isElsewhere ? undefined : `${before.email} is in no exam any more`;
  }

  /** At each moment a student has the whole old or the whole new window. */
  #torn(change: Change): string | undefined {
    const isOfTimes = change.after && change.before && changed(change).some((name) => name.endsWith('_time'));
    const moves = this.wishesOf('by').filter(({ kind }) => kind === 'exam');
    const to = this.wishesOf('along')[0];
    if (!isOfTimes || (moves.length === 0 && !to)) return undefined;
    const exams = this.asOf('exam', change.n + 1);
    for (const [id, session] of this.asOf('session', change.n + 1)) {
      const exam = exams.get(Number(session.exam_id));
      if (!exam || this.isMade('session', id) || session.status === 'exam_finished') continue;
      const side = (own: keyof typeof ofExam, covers: (now: number, time: number) => boolean) => {
        const owns = this.values('session', id, own).filter((time) => time !== null);
        const times = owns.length > 0 ? owns : this.values('exam', Number(exam.id), ofExam[own]);
        const by = to ? this.alongBy(to, own) : [Number(moves[0]?.minutes[ofExam[own]] ?? 0)];
        const now = at(session[own] ?? exam[ofExam[own]]);
        const isCovered = (more: number) => times.some((time) => covers(now, at(later(time, more))));
        return { old: isCovered(0), next: by.some((minutes) => this.times(change.by).some((many) => isCovered(many * minutes))) };
      };
      const opens = side('open_time', (now, time) => now <= time);
      const closes = side('close_time', (now, time) => now >= time);
      if (!(opens.old && closes.old) && !(opens.next && closes.next))
        return `${session.email} has neither the old nor the new window after ${told(change)}`;
    }
    return undefined;
  }

  /** One POST for each consent. */
  #mails(exam: number): string | undefined {
    const { record, calls, requests } = this.tale;
    const mailed = record.filter((one) => one.kind === 'mails' && one.id === exam && isOurs(one)).length;
    const consents = calls.filter(({ words }) => words.includes('--resend')).length + 1;
    const posts = (by: number) => requests.filter((one) => one.by === by && one.line === `POST /exams/${exam}/send_emails`).length;
    if (calls.some(({ by }) => posts(by) > 1)) return `exam ${exam} was mailed twice by one command`;
    return mailed > consents ? `exam ${exam} was mailed ${mailed} times for ${consents} consents` : undefined;
  }

  /** Whom colleagues have changed since, and an undo left as they are, it names; what an undo had taken back by then is none of its run's. */
  #unnamed({ by, way, words, stdout, stderr }: Call): string[] {
    // All others are left to the same command once more.
    if (stderr.includes('Only the students who were there twice are undone')) return [];
    // What its run has set, or another one before that, its ID says: that is the time at which it began.
    const [, ...parts] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(words) ?? [];
    const [year, month, day, ...time] = parts;
    const begun = Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`) + 999;
    const first = this.tale.calls.findLast(({ at }) => at <= begun)?.by ?? 0;
    const wayBy = (one: Change | undefined) => this.tale.calls.find((call) => call.by === one?.by)?.way;
    const isEarlier = (one: Change, other: Change) =>
      isOurs(other) &&
      other.n < one.n &&
      other.by !== by &&
      Number(other.by) >= first &&
      other.kind === one.kind &&
      other.id === one.id &&
      (!other.before || changed(other).some((name) => name !== 'status' && changed(one).includes(name)));
    const isRuns = (one: Change) => {
      const last = this.since.findLast((other) => isEarlier(one, other));
      return last !== undefined && wayBy(last) !== way;
    };
    // What was set in the place of theirs, or deleted, no read shows.
    const isOver = (one: Change, later: Change) =>
      isOurs(later) &&
      later.kind === 'session' &&
      later.id === one.id &&
      later.n > one.n &&
      (!later.after || changed(one).every((name) => changed(later).includes(name)));
    const isUndone = (one: Change) => this.isAlsoOurs(one) || this.since.some((later) => isOver(one, later));
    const theirs = this.since.filter(
      (one) => !isOurs(one) && one.kind === 'session' && !isUndone(one) && isRuns(one) && this.wasSeen(one, by),
    );
    // What was gone when its deletion was refused, the call that asked for it has told.
    const saidOf = (one: Change) => {
      const isAsked = (other: Call) =>
        this.tale.requests.some(({ by: asks, line }) => asks === other.by && line === `DELETE /student_sessions/${one.id}`);
      const told = one.after ? [] : this.tale.calls.filter(isAsked);
      return [stdout, stderr, ...told.flatMap((other) => [other.stdout, other.stderr])].join('\n');
    };
    const isNamed = (one: Change) => {
      const said = saidOf(one);
      return [String(one.id), one.before?.email, one.after?.email].some((word) => typeof word === 'string' && said.includes(word));
    };
    const all = new Set(theirs.filter((one) => !isNamed(one)).map(({ id }) => id));
    return [...all].map((id) => `session ${id}, which a colleague has changed since, is not named`);
  }
}

function told(change: Change): string {
  const { kind, id, before, after } = change;
  const { email, name } = (after ?? before) as Fields;
  const fields = changed(change);
  const what = before ? (after ? `changed ${fields.join(', ')} of` : 'deleted') : 'created';
  const values = before && after ? ` from ${fields.map((field) => before[field])} to ${fields.map((field) => after[field])}` : '';
  return `${what} ${kind} ${id} (${email ?? name ?? ''})${values}`;
}
