/** What was asked for and is not so in the end; and what an undo has left. */
import type { Change, Fields } from '../../support/truth.ts';
import { isAlike, isOurs, Known, type Of } from './known.ts';
import { at, type Call, changed, folded, later, ofExam, type Request, same, type Wish } from './wish.ts';

const windows = ['open_time', 'close_time'] as const;

export class Ends extends Known {
  /** `forGood`: also what an undo of an undo cannot do, as a deletion stays. */
  unmet(call: Call, forGood = true): string[] {
    const wishes = this.tale.due ?? this.tale.wishes;
    const isMove = wishes.some((wish) => wish.is === 'gone' && wish.moved);
    const canBe = ({ is }: Wish) => forGood || isMove || !['student', 'exam', 'raw', 'mails'].includes(is);
    return wishes.filter(canBe).flatMap((wish) => this.#unmet(wish, call));
  }

  #unmet(wish: Wish, call: Call): string[] {
    const { exams, sessions, pools, requests, record } = this.tale;
    switch (wish.is) {
      case 'mails':
        return requests.some(({ line, told }) => told && line === `POST /exams/${wish.exam}/send_emails`) ||
          record.some(({ kind, id }) => kind === 'mails' && id === wish.exam)
          ? []
          : [`exam ${wish.exam} was not mailed`];
      case 'raw':
        return requests.some(({ line, done }) => line === wish.line && done) ? [] : [`${wish.line} did not arrive`];
      case 'pool':
        return !exams.has(wish.exam) || this.isTheirs('pool', wish.exam, undefined, call) ? [] : unmetPool(wish, pools.get(wish.exam));
      case 'gone':
        return (wish.kind === 'exam' ? exams : sessions).has(wish.id) && !this.#isStarted(wish, call)
          ? [`${wish.kind} ${wish.id} is still there`]
          : [];
      case 'exam':
        return this.#unmetExam(wish, call);
      case 'student':
        return this.#unmetStudent(wish, call);
      default:
        return this.#unmetChange(wish, call);
    }
  }

  /** Who has started is not deleted, and is named; an undo of an undo does again what was undone, and leaves it at the name that the first run told. */
  #isStarted({ id }: Of<'gone'>, call: Call): boolean {
    const { status, email } = this.tale.sessions.get(id) ?? {};
    const names = [email, ...this.values('session', id, 'name')];
    const said = (call.words.startsWith('runs undo') ? this.tale.calls : [call]).map(({ stdout, stderr }) => `${stdout}${stderr}`);
    return status === 'exam_started' && names.some((name) => typeof name === 'string' && said.some((text) => text.includes(name)));
  }

  #unmetChange(wish: Of<'set'> | Of<'by'> | Of<'along'> | Of<'least'>, call: Call): string[] {
    const kind = wish.is === 'least' || wish.is === 'along' ? 'session' : wish.kind;
    const now = (kind === 'exam' ? this.tale.exams : this.tale.sessions).get(wish.id);
    const isExcused = this.isTheirs(kind, wish.id, undefined, call) || this.isUnplanned(kind, wish.id, call);
    if (!now) return isExcused ? [] : [`${kind} ${wish.id} is gone`];
    if (wish.is === 'set') return this.differing(kind, now, wish.fields, call);
    if (wish.is === 'least')
      return at(now.close_time) >= at(wish.close_time) ? [] : this.differing(kind, now, { close_time: wish.close_time }, call);
    const wrong = (minutes: readonly (readonly [string, number])[], last: (field: string) => unknown) =>
      this.times(call.by).map((many) => {
        const moved = minutes.map(([field, by]) => [field, later(last(field), many * by)] as const);
        return this.differing(kind, now, Object.fromEntries(moved), call);
      });
    const isBy = wish.is === 'by';
    const minutes = isBy ? Object.entries(wish.minutes) : windows.map((field) => [field, this.#along(wish, field, call)] as const);
    const ofExamSet = (field: (typeof windows)[number]) =>
      isBy ? 0 : (this.alongBy(wish, field, [this.lastSet('exam', wish.exam, ofExam[field])])[0] ?? 0);
    const anew = isBy ? minutes : windows.map((field) => [field, ofExamSet(field)] as const);
    const isMadeOther = (one: Change) =>
      isOurs(one) && one.after && changed(one).some((name) => !same(this.sent(one)[name], one.after?.[name]));
    const [once = [], ...more] = [
      ...wrong(minutes, (field) => this.values(kind, wish.id, field).at(-1)),
      ...(this.tale.record.some(isMadeOther) ? wrong(anew, (field) => this.lastSet(kind, wish.id, field)) : []),
    ];
    return more.some(({ length }) => length === 0) ? [] : once;
  }

  /** A window moves once with its exam; what was set of it since that was planned stays, and the run that moved the exam has named it. */
  #along(wish: Of<'along'>, field: (typeof windows)[number], { by }: Call): number {
    const isOf = (one: Change, kind: string, id: number, name: string) => one.kind === kind && one.id === id && changed(one).includes(name);
    const mover = this.tale.record.findLast((one) => isOurs(one) && Number(one.by) <= by && isOf(one, 'exam', wish.exam, ofExam[field]));
    // A run that is resumed was planned by an earlier command.
    const isResumed = this.tale.calls.some((call) => call.by === mover?.by && call.words.startsWith('runs resume'));
    const isOfPlan = (one: Request) => one.by === mover?.by || (isResumed && one.by < Number(mover?.by) && one.seen >= this.tale.start);
    const plan = mover && this.tale.requests.find((one) => isOfPlan(one) && this.reads(one, 'session', wish.id, wish.exam));
    const { email } = this.tale.sessions.get(wish.id) ?? {};
    const isNamed = this.tale.calls.some(
      (call) => call.by < by && call.code && call.stderr.split(/\W+/).some((word) => [String(wish.id), email].includes(word)),
    );
    const isSet = (one: Change) =>
      isOf(one, 'session', wish.id, field) && (!isOurs(one) || !same(this.sent(one)[field], one.after?.[field]));
    const isKept = plan && isNamed && this.tale.record.some((one) => one.n >= plan.seen && isSet(one));
    return isKept ? 0 : (this.alongBy(wish, field).at(-1) ?? 0);
  }

  #unmetExam({ name, fields, pool }: Of<'exam'>, call: Call): string[] {
    const found = [...this.tale.exams.values()].filter((one) => one.name === name && same(one.start_time, fields.start_time));
    const made = this.since.filter((one) => one.kind === 'exam' && isOurs(one) && !one.before && one.after?.name === name);
    if (made.some(({ id }) => this.isTheirs('exam', id, undefined, call) && found.length === 0)) return [];
    const [first, ...others] = found.map((one) => [
      ...this.differing('exam', one, fields, call),
      ...unmetPool({ add: pool }, this.tale.pools.get(Number(one.id))),
    ]);
    return first === undefined ? [`exam ${name} is not there`] : others.some(({ length }) => length === 0) ? [] : first;
  }

  #unmetStudent(wish: Of<'student'>, call: Call): string[] {
    const found = [...this.tale.sessions.values()].filter((one) => this.isStudent(wish, one));
    const taken = this.since.filter(
      (one) => one.kind === 'session' && !isOurs(one) && this.isStudent(wish, one.before) && !this.isStudent(wish, one.after),
    );
    if (wish.from !== undefined && !this.base('session').has(wish.from)) return [];
    const isTaken = taken.some(({ id }) => this.isTheirs('session', id, undefined, call));
    // Whom a colleague has registered in the place of the deleted one, no undo has to do with.
    if (isTaken && call.words.startsWith('runs undo') && !found.some(({ id }) => this.isMade('session', Number(id)))) return [];
    const others = [...this.base('session').values()].filter((one) => wish.beside && this.isStudent(wish, one));
    if (found.length < others.length + 1) {
      return isTaken ? [] : [`${wish.email} is not in exam ${wish.exam}${wish.beside ? ' twice' : ''}`];
    }
    if (wish.added && found.some(({ id }) => !this.isMade('session', Number(id)))) return [];
    // Whom an earlier command has added stays as they are: what the service has made of them, that one has named.
    const asAdded = (one: Fields) => {
      const made = this.made('session', Number(one.id));
      return wish.added && made && Number(made.by) < call.by ? { ...one, ...this.sent(made) } : one;
    };
    const wrong = found.flatMap((one) => this.fieldsOf(wish).map((fields) => this.differing('session', asAdded(one), fields, call)));
    return wrong.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  /** What is not as if only colleagues had been at work. `forGood`: also what cannot be taken back. */
  notUndone(call: Call, forGood = true): string[] {
    const { exams, pools, requests } = this.tale;
    // Mails that a service denies were not sent, as far as anybody is told.
    const isDenied = ({ cause }: Change) => requests.some(({ n, denied }) => n === cause && denied);
    const isOther = ([exam, { users }]: [number, Fields]) =>
      exams.has(exam) && String(users) !== String([...(pools.get(exam) ?? [])]) && !this.isTheirs('pool', exam, undefined, call);
    return [
      ...this.#left('exam', call, forGood),
      ...this.#left('session', call, forGood),
      ...[...this.base('pool')].filter(isOther).map(([exam]) => `the pool of exam ${exam} is another one`),
      ...(forGood && this.since.some((one) => one.kind === 'mails' && isOurs(one) && !isDenied(one)) ? ['mails went out'] : []),
    ];
  }

  #left(kind: 'exam' | 'session', call: Call, forGood: boolean): string[] {
    const there: ReadonlyMap<number, Fields> = kind === 'exam' ? this.tale.exams : this.tale.sessions;
    const base = this.base(kind);
    // Who was put back is another session than before.
    const twinOf = (id: number, fields: Fields) => there.get(id) ?? [...there.values()].find((one) => isAlike(one, fields));
    const isTaken = (fields: Fields) =>
      this.since.some((one) => !isOurs(one) && isAlike(one.before, fields) && this.isTheirs(kind, one.id, undefined, call));
    const other = [...base].flatMap(([id, fields]) => {
      const now = twinOf(id, fields);
      const { id: _id, status: _status, level_of_suspicion: _level, ...kept } = fields;
      const moved = windows.map((field) => [field, later(fields[field], this.shiftOf(fields.exam_id, field))] as const);
      const isBack = now && now.id !== id;
      // Whom a colleague has registered again, shows what that one gave.
      if (isBack && !this.isMade(kind, Number(now.id))) return [];
      // What was set in the instant of a deletion, no read has shown.
      const gone = this.since.findLast((one) => isOurs(one) && one.kind === kind && one.id === id && !one.after);
      const isUnseen = (field: string) => {
        const theirs = gone && this.theirs(kind, id, field).findLast((one) => one.n < gone.n);
        return theirs && !this.wasSeen(theirs, Number(gone.by), gone.cause);
      };
      if (isBack) for (const field of Object.keys(kept)) if (isUnseen(field)) delete kept[field];
      const back = moved.filter(([field]) => field in kept);
      if (now) return this.differing(kind, now, isBack ? { ...kept, ...Object.fromEntries(back) } : kept, call);
      const isForGood = this.wishesOf('gone').some((wish) => !wish.moved && this.isGone(wish, { kind, id, before: fields }));
      return isTaken(fields) || (!forGood && isForGood) ? [] : [`${kind} ${id} (${fields.email ?? fields.name}) is not there again`];
    });
    const isTwin = (id: number) => [...base].some(([first, fields]) => twinOf(first, fields)?.id === id);
    // Whom a colleague deleted in the instant of an undo, the command that it prints registers again.
    const isAgain = (id: number) =>
      this.tale.calls.some((one) => one.by === this.made(kind, id)?.by && one.way === 'both' && one.words.startsWith('sessions create')) &&
      this.since.some((one) => !isOurs(one) && !one.after && isAlike(one.before, there.get(id)));
    // Whom a deletion that was asked for has left no other session, keeps this one.
    const isOnlyOne = (id: number) => {
      const isThem = (one: Fields) => folded(one.email) === folded(there.get(id)?.email);
      const lost = [...base].filter(
        ([first, one]) => isThem(one) && this.wishesOf('gone').some((wish) => !wish.moved && wish.id === first),
      );
      return kind === 'session' && lost.length > 0 && [...there.values()].filter(isThem).length === 1;
    };
    const isLeft = (id: number) =>
      this.isMade(kind, id) && !isTwin(id) && !isAgain(id) && !isOnlyOne(id) && !this.isTheirs(kind, id, undefined, call);
    const stays = [...there.keys()].filter(isLeft);
    return [...other, ...stays.map((id) => `${kind} ${id} (${there.get(id)?.email ?? there.get(id)?.name}) is still there`)];
  }

  /** Whether that deletion is asked for: of an exam with its students; put back, a student who is moved is another session. */
  protected isGone({ kind, id, moved }: Of<'gone'>, change: Pick<Change, 'kind' | 'id' | 'before'>): boolean {
    if (kind === 'exam') return (change.kind === kind ? change.id : change.before?.exam_id) === id;
    return change.kind === kind && (change.id === id || (moved === true && isAlike(this.made(kind, id)?.after, change.before)));
  }
}

function unmetPool(
  { add = [], remove = [] }: { add?: readonly number[] | undefined; remove?: readonly number[] },
  pool?: ReadonlySet<number>,
): string[] {
  const absent = add.filter((user) => !pool?.has(user)).map((user) => `proctor ${user} is not in the pool`);
  return [...absent, ...remove.filter((user) => pool?.has(user)).map((user) => `proctor ${user} is still in the pool`)];
}
