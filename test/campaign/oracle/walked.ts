/**
 * The laws of many commands in a row, and of their undoing: what each of them may make of what there is. A command that ends with 0 has
 * done what a colleague would have done by hand, and nothing else; an undo takes back what its run has set, where it is still so, and
 * names the rest.
 */
import type { Change, Fields } from '../../support/truth.ts';
import { isOurs, Known } from './known.ts';
import { at, type Call, changed, folded, later, ofExam, same } from './wish.ts';

/** What there is, by what it is: the proctors of an exam are fields of it; whoever is moved stays the same one. */
export type State = ReadonlyMap<string, Fields>;
/** The calls of one command, or of the undo of a run. `moves`: students. `aim`: what it comes to where all is well. */
export type Episode = { line: string; moves: boolean; calls: Call[]; from: number; aim?: State };
/** What the calls of a run have changed of one record: all of its fields, where it was created, deleted or moved. */
/** `isMixed`: somebody else did, too, while they were at work. */
type Done = { was: Fields | undefined; is: Fields | undefined; fields: readonly string[]; isMixed: boolean };

const fixed = new Set(['id', 'status', 'level_of_suspicion']);
const untouched = new Set([2, 3, 4, 5, 6, 7, 8, 11, 12]);
const isSame = (one: Fields | undefined, other: Fields | undefined) => differences(one, other).length === 0;
/** The fields in which two records differ; undefined: there is none. */
function differences(one: Fields | undefined, other: Fields | undefined, fields = Object.keys({ ...one, ...other })): string[] {
  if (!one || !other) return one === other ? [] : ['existence'];
  return fields.filter((name) => !fixed.has(name) && !same(one[name], other[name]));
}
const place = (one: Fields | undefined) => `${one?.exam_id}/${folded(one?.email)}`;

export class Walked extends Known {
  /** What there was before the change with this number. */
  at(n: number, episodes: readonly Episode[]): State {
    const keys = this.#keys(episodes);
    const all = new Map<string, Fields>();
    for (const one of this.tale.record.slice(0, n)) {
      const key = keys[one.n] ?? '';
      const there = all.get(key) ?? {};
      const pool = (users: unknown) => Object.fromEntries((users as number[]).map((user) => [`proctor${user}`, true]));
      if (one.kind === 'mails') continue;
      const users = Object.fromEntries(Object.entries(there).filter(([name]) => name.startsWith('proctor')));
      if (one.kind === 'pool') all.set(key, { ...there, ...gone(users), ...pool(one.after?.users) });
      else if (one.after) all.set(key, { ...users, ...one.after });
      else if (all.get(key)?.id === one.id) all.delete(key);
    }
    return all;
  }

  /**
   * What each change is about: an ID may be another one's by then, and whoever is created and deleted by one command that moves, or by its
   * undo, is the same student.
   */
  #keys(episodes: readonly Episode[]): string[] {
    const { record } = this.tale;
    const times = new Map<string, number>();
    const keys = record.map(({ kind, id, before }) => {
      const what = `${kind === 'session' ? 'session' : 'exam'} ${id}`;
      if (!before && kind !== 'mails') times.set(what, (times.get(what) ?? 0) + 1);
      return `${what}${'+'.repeat((times.get(what) ?? 1) - 1)}`;
    });
    const same = new Map<string, string>();
    for (const { calls } of episodes.filter(({ moves }) => moves)) {
      const isIts = ({ by, kind, before, after }: Change) =>
        kind === 'session' && !(before && after) && calls.some((call) => call.by === by);
      const all = record.filter(isIts);
      for (const made of all.filter(({ before }) => !before)) {
        const left = all.find(
          (one) => !one.after && keys[one.n] !== keys[made.n] && folded(one.before?.email) === folded(made.after?.email),
        );
        const [key, other] = [made, left].map((one) => keys[one?.n ?? -1]);
        if (key && other) same.set(key, same.get(other) ?? other);
      }
    }
    return keys.map((key) => same.get(key) ?? key);
  }

  /** What the calls of a run have made, and of what. */
  #doneBy(calls: readonly Call[], episodes: readonly Episode[]): Map<string, Done> {
    const keys = this.#keys(episodes);
    const own = this.tale.record.filter((one) => one.kind !== 'mails' && calls.some(({ by }) => by === one.by));
    const before = this.at(own[0]?.n ?? 0, episodes);
    const last = (own.at(-1)?.n ?? 0) + 1;
    const after = this.at(last, episodes);
    const from = this.tale.requests.find(({ by }) => by === calls[0]?.by)?.seen ?? 0;
    const others = this.tale.record.slice(from, last).filter((one) => !own.includes(one));
    const mixed = new Set(others.map((one) => keys[one.n]));
    return new Map(
      [...Map.groupBy(own, ({ n }) => keys[n] ?? '')].map(([key, changes]) => {
        const [was, is] = [before.get(key), after.get(key)];
        const isWhole = changes.some((one) => one.kind !== 'pool' && !(one.before && one.after));
        const pool = Object.keys({ ...was, ...is }).filter((name) => name.startsWith('proctor'));
        const fields = isWhole ? Object.keys({ ...was, ...is }) : changes.flatMap((one) => (one.kind === 'pool' ? pool : changed(one)));
        return [
          key,
          {
            was,
            is,
            fields: fields.filter((name) => !fixed.has(name) && (was === undefined || !same(was[name], is?.[name]))),
            isMixed: mixed.has(key),
          },
        ];
      }),
    );
  }

  /** Whose records others than these calls have changed since, with those in their exams. */
  #touched(from: number, calls: readonly Call[], episodes: readonly Episode[]): (key: string, ...all: (Fields | undefined)[]) => boolean {
    const keys = this.#keys(episodes);
    const others = this.tale.record.slice(from).filter((one) => !calls.some(({ by }) => by === one.by));
    const touched = new Set(others.flatMap((one) => [keys[one.n], place(one.after), place(one.before)]));
    const isIn = (exam: unknown) => [...touched].some((key) => key?.replace(/\++$/, '') === `exam ${exam}`);
    // Of whom others have changed, what is new may be a copy.
    return (key, ...all) =>
      touched.has(key) ||
      (touched.size > 0 && !/^(exam|session) \d+\+*$/.test(key)) ||
      all.some((one) => one && (touched.has(place(one)) || (one.exam_id !== undefined && isIn(one.exam_id))));
  }

  /** After each call of a command. */
  judge(call: Call, episode: Episode, episodes: readonly Episode[]): string[] {
    const { calls, from, aim = new Map() } = episode;
    const before = this.at(from, episodes);
    const [wanted, now] = [this.#named(aim, before), this.#named(this.at(this.tale.record.length, episodes), before)];
    const isTouched = this.#touched(from, calls, episodes);
    const found: string[] = [];
    // A timetable first finishes the changes of times that another one has left.
    const left = episodes.filter(
      (one) => one !== episode && one.line.startsWith('exams apply') && one.line.slice(0, 11) === episode.line.slice(0, 11),
    );
    const isLeft = (key: string, is: Fields | undefined, name: string) =>
      left.some(({ aim: its }) => its?.has(key) && same(its.get(key)?.[name], is?.[name]));
    const isWarned = /^warning: (?!The service's clock)/m.test(call.stderr);
    const isAll =
      call.code === 0 &&
      !isWarned &&
      call.words.startsWith(episode.line) &&
      !(episode.calls.length > 1 && episode.line.includes('--accept'));
    for (const key of new Set([...before.keys(), ...wanted.keys(), ...now.keys()])) {
      const [was, aims, is] = [before.get(key), wanted.get(key), now.get(key)];
      if (isTouched(key, was, aims, is)) continue;
      // What a service has made of it was told by the first call.
      const isTold = (name: string) => is !== undefined && this.#isMadeOf(is, name, calls.slice(0, -1));
      const other = differences(aims, is).filter((name) => !isLeft(key, is, name) && !isTold(name));
      if (isAll && other.length > 0) found.push(`success, but ${key} has another ${other}: ${shown(is)}, and not ${shown(aims)}`);
      // On the way from one exam to another, a student is in both.
      const isBetween = is && !was && !aims && [...aim.values()].some((one) => place(one) === place(is));
      const isOtherwise = !/^(exam|session) \d+\+*$/.test(key) && this.tale.record.some((one) => this.#isOtherwise(one, calls));
      if (isAll || isBetween || isOtherwise) continue;
      if (!is && was && aims) found.push(`${key} is lost: ${shown(was)}`);
      if (is && !was && !aims) found.push(`${key} is there, which nobody asked for: ${shown(is)}`);
      const strange = is ? differences(was, is).filter((name) => other.includes(name) && !this.#isMadeOf(is, name, calls)) : [];
      if ((was || aims) && strange.length > 0 && is) found.push(`${key} has ${strange}, which nobody asked for: ${shown(is)}`);
    }
    return [...found, ...this.#general(call)].map((one) => `${one} [${call.by}: ${call.words} → ${call.code ?? 'killed'}]`);
  }

  /** Whether a service has made a value of another one that was sent. */
  #isOtherwise(one: Change, calls: readonly Call[], names = Object.keys(one.after ?? {})): boolean {
    return calls.some(({ by }) => by === one.by) && names.some((name) => !same(this.sent(one)[name], one.after?.[name]));
  }

  /** After each call of an undo, the last of its `own`. `run`: the calls that are undone; `isAll`: no other run has a part in them. */
  judgeUndo(own: readonly Call[], from: number, run: readonly Call[], isAll: boolean, episodes: readonly Episode[]): string[] {
    const [before, after] = [this.at(from, episodes), this.at(this.tale.record.length, episodes)];
    const done = this.#doneBy(run, episodes);
    const call = own.at(-1) as Call;
    const isTouched = this.#touched(from, [call], episodes);
    const found: string[] = [];
    const said = `${call.stdout}\n${call.stderr}`.toLowerCase();
    const isBlocked = /^error: Run \S+ \(.*\) (is unfinished|has changed)/m.test(call.stderr);
    const isForgotten = this.tale.calls.some(({ words }) => words.startsWith('runs forget'));
    for (const key of new Set([...before.keys(), ...after.keys(), ...done.keys()])) {
      const [was, is, its] = [before.get(key), after.get(key), done.get(key)];
      if (its?.isMixed || isTouched(key, was, is)) continue;
      const isBetween = is && !was && !its && [...done.values()].some((one) => place(one.was) === place(is));
      if (!its || its.fields.length === 0) {
        const other = differences(was, is);
        if (other.length > 0 && !isBetween)
          found.push(`${key} has another ${other}, which its run has not set: ${shown(was)} → ${shown(is)}`);
        continue;
      }
      // Back in the exam is a student under whatever ID.
      const again = its.was && [...after.values()].find((one) => one !== is && place(one) === place(its.was));
      const isBack = (one: Fields | undefined) =>
        !one === !its.was && (!one || its.fields.every((name) => this.#isBack(one, its, name, run)));
      const isIts = (name: string) =>
        is &&
        its.fields.includes(name) &&
        (this.#isBack(is, its, name, run) || this.#isMadeOf(is, name, own) || (!isAll && this.#isSet(is, name, run)));
      if (!isSame(was, is)) {
        const isAsLeft = !was === !its.is && differences(was, its.is, its.was ? [...its.fields] : undefined).length === 0;
        const strange = differences(was, is).filter((name) => name !== 'existence' && !isIts(name));
        const others = differences(was, is).filter(
          (name) =>
            was &&
            its.is &&
            name !== 'existence' &&
            !same(was[name], its.is[name]) &&
            !this.#isSet(was, name, isAll ? own : [...own, ...run]),
        );
        if (strange.length > 0 || others.length > 0 || (!is && !isAsLeft && isAll))
          found.push(`the undo made of ${key} ${shown(was)} → ${shown(is)}, and its run ${shown(its.was)} → ${shown(its.is)}`);
      }
      if (isBack(is) || isBack(again) || !isAll) continue;
      if (call.code === 0) found.push(`success, but ${key} is ${shown(is)}, and not ${shown(its.was)} again`);
      const names = [is, its.is, its.was, was].flatMap((one) => (one ? [one.id, one.email, one.name, `exam ${one.exam_id}`] : []));
      const isNamed = names.some((name) => name && said.includes(String(name).toLowerCase()));
      if ((call.code === 9 || call.code === 11) && !isNamed && !isForgotten && !isBlocked)
        found.push(`${key} is not as it was before, and is not named: ${shown(is)}, ${shown(its.was)}`);
    }
    // Mails that a service denies were not sent, as far as anybody is told.
    const isDenied = ({ cause }: Change) => this.tale.requests.some(({ n, denied }) => n === cause && denied);
    const mails = this.tale.record.some((one) => one.kind === 'mails' && run.some(({ by }) => by === one.by) && !isDenied(one));
    if (mails && isAll && call.code === 0) found.push('success, but mails went out');
    return [...found, ...this.#general(call)].map((one) => `${one} [${call.by}: ${call.words} → ${call.code ?? 'killed'}]`);
  }

  /** Whether a field is what it was before a run; in an exam that has moved since, a window as much later. */
  #isBack(one: Fields, { was, is }: Done, name: string, run: readonly Call[]): boolean {
    if (fixed.has(name) || same(one[name], was?.[name])) return true;
    if (!was || !(name in ofExam) || was.exam_id === is?.exam_id) return false;
    const field = ofExam[name as keyof typeof ofExam];
    const first = this.tale.record.findIndex(({ by }) => run.some((call) => call.by === by));
    const [then, now] = [first, this.tale.record.length].map((n) => this.asOf('exam', n).get(Number(was.exam_id))?.[field]);
    return at(now) !== at(then) && same(one[name], later(was[name], (at(now) - at(then) || 0) / 60_000));
  }

  /** Whether these calls have set a field of a record. */
  #isSet({ id }: Fields, name: string, calls: readonly Call[]): boolean {
    const isIts = (one: Change) => one.id === id && calls.some(({ by }) => by === one.by);
    return this.tale.record.some((one) => isIts(one) && (!one.before || changed(one).includes(name)));
  }

  /** Whether a service has made a value of another one that these have sent. */
  #isMadeOf({ id }: Fields, name: string, calls: readonly Call[]): boolean {
    return this.tale.record.some((one) => one.id === id && this.#isOtherwise(one, calls, [name]));
  }

  /** What is new, by what it is called. */
  #named(state: State, known: State): State {
    const named = new Map<string, Fields>();
    const exams = new Map<unknown, string>();
    for (const [key, { id, name, start_time }] of state)
      if (key.startsWith('exam') && !known.has(key)) exams.set(id, `exam ${name} of ${start_time}`);
    for (const [key, one] of state) {
      const fields = exams.has(one.exam_id) ? { ...one, exam_id: exams.get(one.exam_id) } : one;
      let called = known.has(key) ? key : (exams.get(key.startsWith('exam') ? one.id : undefined) ?? place(fields));
      while (named.has(called)) called += ' twice';
      named.set(called, fields);
    }
    return named;
  }

  #general({ by, code, stderr, stdout, words }: Call): string[] {
    const { record, requests } = this.tale;
    const told = (n: number | undefined) => requests.some((one) => one.n === n && one.told);
    const posts = requests.filter((one) => one.by === by && one.line.endsWith('/send_emails')).map(({ line }) => line);
    return [
      ...(code === 1 || `${stderr}${stdout}`.includes('\n    at ') ? [`a bug: ${stderr}`] : []),
      ...(untouched.has(code ?? 0) && record.some((one) => one.by === by && told(one.cause) && !isSame(one.before, one.after))
        ? ['something was written']
        : []),
      ...(new Set(posts).size < posts.length ||
      (posts.length > 0 && !words.startsWith('exams send-emails') && !words.startsWith('runs resume'))
        ? ['mailed twice']
        : []),
    ];
  }

  /** In the end. `isUndone`: all was undone, with 0; `isShared`: by one machine, which knows who relies on which session. */
  judgeEnd(isUndone: boolean, isShared: boolean, episodes: readonly Episode[]): string[] {
    const { record, calls, start } = this.tale;
    const mailed = Map.groupBy(
      record.filter((one) => one.kind === 'mails' && isOurs(one)),
      ({ id }) => id,
    );
    const consents = calls.filter(({ words }) => words.includes('--resend') || words.startsWith('runs forget')).length + 1;
    const keys = this.#keys(episodes);
    const [first, last] = [this.at(start, episodes), this.at(record.length, episodes)];
    const isCalm = !record.slice(start).some((one) => !isOurs(one));
    const isDeleted = (key: string) =>
      episodes.some(({ aim, from }) => aim && !aim.has(key) && this.at(from, episodes).has(key)) ||
      record.some((one) => !isOurs(one) && !one.after && keys[one.n] === key);
    return [
      ...[...mailed].flatMap(([id, { length }]) =>
        length > consents ? [`exam ${id} was mailed ${length} times for ${consents} consents`] : [],
      ),
      ...[...first].flatMap(([key, one]) =>
        last.has(key) || isDeleted(key) || [...last.values()].some((other) => place(other) === place(one))
          ? []
          : [`${key} is lost: ${shown(one)}`],
      ),
      ...[...new Set([...first.keys(), ...last.keys()])].flatMap((key) =>
        isUndone && isShared && isCalm && !isSame(first.get(key), last.get(key))
          ? [`all is undone, but ${key} is ${shown(last.get(key))}, and not ${shown(first.get(key))}`]
          : [],
      ),
    ];
  }
}

const gone = (fields: Fields) => Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]));
const shown = (one: Fields | undefined) =>
  one ? JSON.stringify(Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'level_of_suspicion'))) : 'none';
