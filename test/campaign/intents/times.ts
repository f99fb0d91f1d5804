/** Intents about times: exams moved by an amount or to a fixed time, students extended or given times, and extra time from a list. */
import { after, begins } from '../../support/stage.ts';
import type { Exam, Session } from '../../support/truth.ts';
import { lawOf } from '../oracle/times.ts';
import { fileOn } from '../story/machine.ts';
import { type Draw, type Intent, keyOf, main, second, type Times } from './intent.ts';

const minute = 60_000;
const at = (time: unknown) => Date.parse(String(time));
/** Of each time of an exam, the one of a session that moves along. */
const along = { start_time: 'open_time', end_time: 'close_time' } as const;
type ExamTime = keyof typeof along;
export type By = Partial<Record<ExamTime, number>>;

/** Exams (undefined: any) by as many minutes as `by` says of one, and with them the windows of their students. `set`: other fields of the exam. */
export function moving(exams: readonly number[] | undefined, by: (exam: Exam) => By, set = {}): Times {
  const moves = (exam: Exam) =>
    (exams?.includes(exam.id) !== false ? Object.entries(by(exam)).filter(([, minutes]) => minutes !== 0) : []) as [ExamTime, number][];
  return {
    exam: (exam) => ({
      ...(exams?.includes(exam.id) ? set : {}),
      ...Object.fromEntries(moves(exam).map(([field, minutes]) => [field, after(exam[field], minutes)])),
    }),
    session(session, exam) {
      const own = moves(exam).filter(([field]) => session[along[field]] && !(field === 'start_time' && session.status === 'exam_started'));
      return Object.fromEntries(own.map(([field, minutes]) => [along[field], after(session[along[field]], minutes)]));
    },
  };
}

/** The exams of a selection, as it is typed: IDs, a name, or those that start before a time, which are others once they have been moved. */
function selection({ random, truth }: Draw): { exams: readonly number[]; words: readonly string[] } {
  const both = truth.exams.has(second) ? [main, second] : [main];
  const until = after(begins, 600);
  const before = [...truth.exams.values()].filter(({ start_time }) => at(start_time) < at(until)).map(({ id }) => id);
  return random.pick([
    { exams: [main], words: [String(main)] },
    { exams: both, words: both.map(String) },
    { exams: both, words: both.flatMap((id) => ['--exam', String(id)]) },
    ...(before.length > 0 ? [{ exams: before, words: ['--until', until] }] : []),
  ]);
}

/** A person may say beforehand that it is wanted once more. */
const again = ({ random }: Draw) => (random.chance(0.2) ? ['--again'] : []);

export function moveExams(draw: Draw): Intent {
  const [{ words, exams }, consent] = [selection(draw), again(draw)];
  const [how, by, minutes] = draw.random.pick([
    ['delay', '15m', { end_time: 15 }],
    ['delay', '1h30m', { end_time: 90 }],
    ['shift', '7d', { start_time: 7 * 1440, end_time: 7 * 1440 }],
    ['shift', '-1d2h', { start_time: -26 * 60, end_time: -26 * 60 }],
    ['shift', '90m', { start_time: 90, end_time: 90 }],
  ] as [string, string, By][]);
  return delayed(['exams', how, ...words, '--by', by, ...consent], exams, minutes);
}

const delayed = (words: readonly string[], exams: readonly number[], minutes: By): Intent => ({
  ...{ kind: words.slice(0, 2).join(' '), words, listed: true, asks: true, byAddress: true },
  // Moved away, an exam is not selected any more; one that has begun is not shifted.
  refuses: (said) => /nothing is selected|no exam|taken by|started|in the past/i.test(said),
  ...lawOf(moving(exams, () => minutes)),
});

/** The same fifteen minutes of the same exam, typed in two ways. */
export function delayedTwice({ truth }: Draw): readonly [Intent, Intent] {
  const name = String(truth.exams.get(main)?.name);
  const typed = (...words: string[]) => delayed(['exams', 'delay', ...words, '--by', '15m'], [main], { end_time: 15 });
  return [typed(String(main)), typed('--name', name)];
}

export function updateTimes({ random, truth }: Draw, restriction = random.pick(['', 'headphones', 'whiteboard'])): Intent {
  const exam = truth.exams.get(main);
  const shift = random.pick([0, 0, 30, -20, 1440, -1500]);
  const start = after(exam?.start_time ?? begins, shift);
  const end = after(exam?.end_time ?? begins, shift + random.pick([15, 45, -10]));
  const flags = [...(shift === 0 ? [] : ['--start', start]), '--end', end, ...(restriction ? [`--allow-${restriction}`] : [])];
  const to = (time: string, from: string | null) => (at(time) - at(from)) / minute;
  const by = (one: { start_time: string | null; end_time: string | null }) => ({
    ...(shift === 0 ? {} : { start_time: to(start, one.start_time) }),
    end_time: to(end, one.end_time),
  });
  return {
    ...{ kind: 'exams times', words: ['exams', 'update', String(main), ...flags], listed: true, asks: true, byAddress: true },
    refuses: (said) => /Give all four|would close before it opens/.test(said),
    ...lawOf(moving([main], by, restriction ? { [`allow_${restriction}`]: true } : {})),
  };
}

/** `given`: by how much all are extended, without a consent; else that is drawn. */
export function extendStudents(draw: Draw, given?: string): Intent | undefined {
  const [asked, all, consent] = given ? [given, true, []] : [draw.random.pick(['15m', '30m', '20%']), draw.random.chance(0.5), again(draw)];
  const ids = draw.truth.inExam(main).map(({ id }) => id);
  const chosen = all ? undefined : ids.slice(0, 2);
  if (ids.length === 0) return undefined;
  const words = ['sessions', 'extend', ...(chosen?.map(String) ?? ['--exam', String(main)]), '--by', asked, ...consent];
  let by = asked;
  const times: Times = {
    session({ id, exam_id, close_time }, exam, now) {
      if (!(chosen?.includes(id) ?? exam_id === main)) return {};
      const closes = at(close_time ?? exam.end_time);
      const length = at(exam.end_time) - at(exam.start_time);
      const more = by.endsWith('%') ? Math.ceil((length * Number.parseFloat(by)) / 100 / minute) * minute : Number.parseFloat(by) * minute;
      const from = closes < now ? Math.ceil(now / minute) * minute : closes;
      return { close_time: after(new Date(from).toISOString(), more / minute) };
    },
  };
  return {
    ...{ kind: 'sessions extend', words, listed: true, asks: true },
    typed: (line) => {
      by = line.includes('--by') ? (line[line.indexOf('--by') + 1] ?? asked) : by;
    },
    // All or none are extended.
    refuses: (said) => /finished|start and end|can mean two things/.test(said),
    ...lawOf(times),
  };
}

export function updateSessions({ random, truth }: Draw): Intent | undefined {
  const found = truth.inExam(main).filter(() => random.chance(0.6));
  const ids = found.map(({ id }) => id);
  const { start_time, end_time } = truth.exams.get(main) ?? {};
  if (ids.length === 0) return undefined;
  const [open, close] = [after(start_time ?? begins, random.below(20) - 10), after(end_time ?? begins, random.below(90))];
  const opens = random.chance(0.3);
  const fields = { close_time: close, ...(opens ? { open_time: open } : {}) };
  return {
    kind: 'sessions times',
    words: ['sessions', 'update', ...ids.map(String), '--close-time', close, ...(opens ? ['--open-time', open] : [])],
    asks: true,
    ...lawOf({ ofFinished: true, session: ({ id }) => (ids.includes(id) ? fields : {}) }),
  };
}

/** As an office writes it, with the minutes that it means of an exam of so many. */
const extras = { '20m': () => 20, '25%': (length: number) => length / 4, '10% + 5m': (length: number) => length / 10 + 5 };

export function applyExtraTime({ random, truth, machine, number }: Draw): Intent | undefined {
  const listed = truth
    .inExam(main)
    .flatMap(({ email }) => (email && random.chance(0.6) ? [{ email, extra: random.pick(Object.entries(extras)) }] : []));
  const rows = [...new Map(listed.map((row) => [row.email.toLowerCase(), row])).values()];
  if (rows.length === 0) return undefined;
  // What names an exam wins there.
  const [first] = random.chance(0.4) && truth.exams.has(second) ? rows : [];
  const exams = first || random.chance(0.3) ? [main, second] : [main];
  const lines = rows.map(({ email, extra }) => `${email},${extra[0]},\n`).concat(first ? [`${first.email},40m,${second}\n`] : []);
  const file = fileOn(machine, `list-${number}.csv`, `email,extra,exams\n${lines.join('')}`);
  const key = (address: unknown) => keyOf(truth, address);
  const lengthOf = ({ start_time, end_time }: Exam) => (at(end_time) - at(start_time)) / minute;
  const rowOf = ({ email, exam_id }: Session) => (exams.includes(exam_id) ? rows.find((one) => key(one.email) === key(email)) : undefined);
  /** A share of a shorter window of the student's own can mean two things, in full minutes: only a person can decide. */
  const isDoubtful = (session: Session, exam: Exam) => {
    const { open_time, close_time } = session;
    const length = lengthOf(exam);
    const own = open_time && close_time ? (at(close_time) - at(open_time)) / minute : length;
    const share = rowOf(session)?.extra[1] ?? (() => 0);
    return own < length && Math.ceil(share(own)) !== Math.ceil(share(length));
  };
  const law = lawOf({
    session(one, exam) {
      const { exam_id, open_time, close_time } = one;
      const row = rowOf(one);
      if (!row) return {};
      const length = lengthOf(exam);
      const opens = at(open_time ?? exam.start_time) > at(exam.start_time) ? open_time : exam.start_time;
      const target = after(opens, length + (row === first && exam_id === second ? 40 : row.extra[1](length)));
      return isDoubtful(one, exam) || (close_time && at(close_time) >= at(target)) ? {} : { close_time: target };
    },
  });
  const isOneDoubtful = (one: Session) => {
    const exam = truth.exams.get(one.exam_id);
    return exam !== undefined && isDoubtful(one, exam);
  };
  return {
    kind: 'accommodations apply',
    words: ['accommodations', 'apply', file, ...exams.filter((id) => truth.exams.has(id)).flatMap((id) => ['--exam', String(id)])],
    ...{ listed: true, asks: true },
    refuses: (said) => said.includes('Only a person can decide'),
    ...law,
    stands: (sight) => law.stands?.(sight) || [...truth.sessions.values()].some(isOneDoubtful),
  };
}
