/**
 * The law of times: at each change of the service a student has the whole old or the whole new window; an amount is added once; a
 * session that is finished is never changed; success means that all of it is so. It is held against the record of the service alone.
 */
import type { Change, Exam, Fields, Session } from '../../support/truth.ts';
import { fieldsOf, fresh, type Intent, isOfTimes, onlyFields, type Sight, same, type Times, timeNames } from '../intents/intent.ts';

/** For so long an amount is refused. Milliseconds. */
const hour = 3_600_000;

/** An exam, or a session with its exam. */
type Subject = { exam: Exam; session?: Session };

/** What an intent about times allows, and what it has to come to. */
export function lawOf(wanted: Times): Pick<Intent, 'allows' | 'unmet' | 'stands'> {
  const unmet = (sight: Sight) => unmoved(wanted, sight);
  return {
    allows: (change, sight) => unwanted(wanted, change, sight) ?? torn(change, sight, sight.from, wanted) ?? true,
    unmet,
    // Half of it is not all; and what was set within the hour shows a time that was set by somebody here.
    stands(sight) {
      const { truth, arrived } = sight;
      const set = truth.record.filter((one) => typeof one.by === 'number' && one.at >= (arrived.at(-1)?.at ?? 0) - hour && isOfTimes(one));
      return set.some((one) => sight.isOwn(one)) ? unmet(sight).length === 0 : set.length > 0;
    },
  };
}

/** A record before the change with this number. `others`: as others have left it since the intent began. */
function asOf(sight: Sight, [kind, id]: readonly ['exam' | 'session', number], n: number, others: boolean): Fields | undefined {
  let fields: Fields | undefined;
  for (const one of sight.truth.record) {
    if (one.n >= n) break;
    if (one.kind !== kind || one.id !== id || (others && fields && one.after && sight.isOwn(one))) continue;
    const changed = fieldsOf(one).map((name) => [name, one.after?.[name]] as const);
    fields = one.after && { ...fields, ...Object.fromEntries(changed) };
  }
  return fields;
}

function subjectOf(sight: Sight, [kind, id]: readonly ['exam' | 'session', number], n: number, others = true): Subject | undefined {
  const session = kind === 'session' ? (asOf(sight, ['session', id], n, others) as Session | undefined) : undefined;
  if (kind === 'session' && !session) return undefined;
  const exam = asOf(sight, ['exam', session?.exam_id ?? id], n, others) as Exam | undefined;
  return exam && { exam, ...(session ? { session } : {}) };
}

/** What is to become of it. `now`: when that was computed. */
function becomes({ exam, session }: Subject, wanted: Times, now: number): Fields {
  if (!session) return wanted.exam?.(exam) ?? {};
  return session.status === 'exam_finished' && !wanted.ofFinished ? {} : wanted.session(session, exam, now);
}

/** Why a change is not what was asked for: of another record or field, to another time, or by the amount a second time. */
function unwanted(wanted: Times, change: Change, sight: Sight): string | false | undefined {
  const { n, kind, id, before, after, at } = change;
  if ((kind !== 'exam' && kind !== 'session') || !before || !after) return false;
  const own = sight.arrived.filter(({ by }) => sight.invocations.has(by));
  // The clock of a service shows whole seconds.
  const moments = new Set([at, ...own.flatMap((one) => [one.at, Math.floor(one.at / 1000) * 1000])]);
  const earlier = sight.truth.record.filter((one) => one.n < n && isOfTimes(one));
  const isOfExam = (one: Change) => one.kind === 'exam' && one.id === (before.exam_id ?? id);
  const isHere = (one: Change) => isOfExam(one) && sight.isOwn(one);
  const isBack = (one: Change) =>
    fieldsOf(one).every((name) => earlier.some((was) => was.id === one.id && was.n < one.n && same(was.before?.[name], one.after?.[name])));
  // From what somebody or an undo has made of it since it was moved here, and from what it was an hour ago, it moves once more.
  const isNew = (one: Change) =>
    one.by === 'colleague'
      ? isOfExam(one) && earlier.some((other) => other.n < one.n && isHere(other))
      : sight.isOwn(one) && (one.at < at - hour || isBack(one));
  const subjects = [
    ...[n, ...sight.unseenBy(change).map((one) => one.n)].map((each) => subjectOf(sight, [kind, id], each)),
    ...earlier.filter(isNew).map((one) => subjectOf(sight, [kind, id], one.n + 1, false)),
  ].filter((one) => one !== undefined);
  const possible = subjects.flatMap((subject) => [...moments].map((moment) => becomes(subject, wanted, moment)));
  const fields = possible.flatMap((one) => Object.keys(one));
  if (fields.length === 0) return before.status === 'exam_finished' && `changed session ${id}, which is finished`;
  const wrong = fieldsOf(change).find((name) => !possible.some((one) => same(one[name], after[name])));
  const others = onlyFields(change, fields);
  return typeof others === 'string' ? others : wrong && `${wrong} of ${kind} ${id} became ${after[wrong]}, and not ${possible[0]?.[wrong]}`;
}

/** The window of a student: their own times, and those of the exam where there are none. */
const windowOf = ({ exam, session }: Subject): readonly [number, number] => [
  Date.parse(session?.open_time ?? exam.start_time ?? '0000'),
  Date.parse(session?.close_time ?? exam.end_time ?? '9999'),
];

/** Why a student has after a change neither the whole of a window of before, since the change `since`, nor of the new one. */
export function torn(change: Change, sight: Sight, since: number, wanted?: Times): string | undefined {
  const { n, kind, id } = change;
  if (!isOfTimes(change) || sight.unseenBy(change).length > 0) return undefined;
  // Who was added meanwhile is in no plan.
  for (const session of kind === 'session' ? [id] : sessionsBefore(sight, since)) {
    const today = subjectOf(sight, ['session', session], n + 1, false);
    if (!today?.session || (kind === 'exam' && today.exam.id !== id)) continue;
    // Who is cut off all lists is known to nobody.
    if (sight.isCut && !sight.seen.some((one) => one.id === session && sight.invocations.has(one.by))) continue;
    const [opens, closes] = windowOf(today);
    const covers = (subject: Subject) => {
      const [from, to] = windowOf(subject);
      return opens < from + 60_000 && closes > to - 60_000;
    };
    const isOf = (one: Change) => (one.kind === 'session' ? one.id === session : one.kind === 'exam' && one.id === today.exam.id);
    const others = sight.truth.record.slice(since, n).filter((one) => isOf(one) && !sight.isOwn(one));
    // Taken back, a window is what it was, in the exam as it is.
    const first = wanted ? undefined : subjectOf(sight, ['session', session], since)?.session;
    if (first && covers({ exam: today.exam, session: first })) continue;
    const isWhole = [since, ...others.map((one) => one.n + 1)].some((moment) => {
      const was = subjectOf(sight, ['session', session], moment);
      if (!was?.session) return false;
      const exam = wanted ? { ...was.exam, ...becomes({ exam: was.exam }, wanted, change.at) } : was.exam;
      const next = [
        { ...was.session, ...becomes(was, wanted ?? { session: () => ({}) }, change.at) },
        ...(moment > since ? [was.session] : []),
      ];
      return covers(was) || next.some((each) => covers({ exam, session: each }));
    });
    const shown = [opens, closes].map((time) => new Date(time).toISOString().slice(5, 16)).join(' to ');
    if (!isWhole) return `session ${session} is open from ${shown} after a change of ${kind} ${id}: neither its old nor its new window`;
  }
  return undefined;
}

function sessionsBefore({ truth }: Sight, n: number): number[] {
  return [...new Set(truth.record.slice(0, n).flatMap((one) => (one.kind === 'session' ? [one.id] : [])))];
}

/** What was to be changed, and was changed by nobody: of those who were added meanwhile, where the exam was changed after that. */
function unmoved(wanted: Times, sight: Sight): string[] {
  const { truth, from } = sight;
  const all = [
    ...[...truth.exams.keys()].map((id) => ['exam', id] as const),
    ...[...truth.sessions.keys()].map((id) => ['session', id] as const),
  ];
  return all.flatMap(([kind, id]) => {
    const [basis, shown] = [subjectOf(sight, [kind, id], truth.record.length), (kind === 'exam' ? truth.exams : truth.sessions).get(id)];
    if (!basis || !shown) return [];
    const made = truth.record.find((one) => one.kind === kind && one.id === id && !one.before);
    const isNew = made !== undefined && made.n >= from;
    const ours = truth.record.slice(made?.n).filter((one) => sight.isOwn(one));
    const moved = truth.record.filter((one) => one.kind === 'exam' && one.id === basis.exam.id && sight.isOwn(one));
    if (isNew && !(wanted.exam && moved.some(({ n, by }) => n > made.n && by === Math.max(...sight.invocations)))) return [];
    const others = [...sight.byOthers(kind, id), ...sight.byOthers('exam', basis.exam.id)];
    if (others.some((one) => one.by === 'colleague' && one !== made)) return [];
    // Once the exam had moved, somebody gave them other times.
    if (kind === 'session' && others.some((one) => one !== made && isOfTimes(one) && moved.some(({ n }) => n < one.n))) return [];
    const at = sight.arrived.at(-1)?.at ?? 0;
    // Where the end alone moves, a window that is over and would be over all the same stays.
    const { start_time = basis.exam.start_time } = wanted.exam?.(basis.exam) ?? {};
    const isEndAlone = kind === 'session' && wanted.exam !== undefined && same(start_time, basis.exam.start_time);
    const isOver = (value: unknown) => isEndAlone && Date.parse(String(value)) <= at;
    return Object.entries(becomes(basis, wanted, at)).flatMap(([name, value]) =>
      same(shown[name], value) ||
      (isOver(shown[name]) && isOver(value)) ||
      ours.some((one) => one.kind === kind && one.id === id && fieldsOf(one).includes(name))
        ? []
        : [`${name} of ${kind} ${id} is ${shown[name]}, and not ${value}${isNew ? ', as it was added meanwhile' : ''}`],
    );
  });
}

/** What an undo has not set back, where one invocation set it, in a run that began at this moment. */
export function notSetBack(sight: Sight, undoes: ReadonlySet<number>, began: number): string[] {
  const done = sight.truth.record.filter(
    (one) => undoes.has(Number(one.by)) && one.at >= began && one.at < began + fresh * 60 && one.n < sight.from && one.before && one.after,
  );
  if (new Set(done.map(({ by }) => by)).size !== 1) return [];
  const { truth } = sight;
  return [...Map.groupBy(done, ({ kind, id }) => `${kind} ${id}`)].flatMap(([record, ours]) => {
    const [{ kind, id, n, before = {} }] = ours as [Change];
    const shown = (kind === 'exam' ? truth.exams : truth.sessions).get(id);
    const isIt = (one: Change) => one.kind === kind && one.id === id && !sight.isOwn(one) && !ours.includes(one);
    // What a colleague sets between the read and the write, nobody can set back.
    const isUnseen = (one: Change) => one.by === 'colleague' && one.n < n && one.at >= (ours[0]?.at ?? 0) - fresh;
    if (!shown || truth.record.filter(isIt).some((one) => one.n > n || isUnseen(one))) return [];
    const wrong = timeNames.filter((name) => ours.some((one) => fieldsOf(one).includes(name)) && !same(shown[name], before[name]));
    return wrong.map((name) => `${name} of ${record} is ${shown[name]}, and was ${before[name]}`);
  });
}
