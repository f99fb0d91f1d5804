/**
 * The intent of an office: the exams of a timetable with their rosters and proctors, which it edits and applies again and again. A line
 * names its exam by the column id, or by name and start; one that could mean another exam is held back.
 */
import { after, begins } from '../../support/stage.ts';
import { lawOf } from '../oracle/times.ts';
import { fileOn, type Machine } from '../story/machine.ts';
import { type Draw, type Intent, isOne, type Sight, same } from './intent.ts';
import { type By, moving } from './times.ts';

type Course = { id: string; name: string; start: string; end: string; roster: readonly string[]; proctors: readonly number[] };

const day = 1440;
/** What a machine has applied before: a change of times that was stopped then may be finished. */
const applied = new WeakMap<Machine, readonly Course[]>();

/** Of some of four courses: each time with a start of two, and with other students. */
function coursesOf({ random, truth }: Draw): Course[] {
  return [0, 1, 2, 3].flatMap((at): Course[] => {
    if (!random.chance(0.7)) return [];
    const name = `Course ${at}`;
    const start = after(begins, day * (3 + at) + 60 * random.below(2));
    const there = [...truth.exams.values()].filter((exam) => exam.name === name);
    const isThere = there.some(({ start_time }) => same(start_time, start));
    // Copied from an export; without it, another start may mean another exam.
    const id = there.length > 0 && random.chance(0.8) ? String(random.pick(there).id) : isThere || random.chance(0.8) ? '' : 'new';
    const roster = random.chance(0.6) ? [...new Set(random.several(1, 4, () => `student${random.below(12)}@example.org`))] : [];
    const proctors = random.chance(0.4) ? [...new Set(random.several(1, 2, () => 1 + random.below(5)))] : [];
    return [{ id, name, start, end: after(start, 120 + 30 * random.below(2)), roster, proctors }];
  });
}

const cells = (time: string) => [time.slice(0, 10), time.slice(11, 16)];

export function applyTimetable(draw: Draw): Intent | undefined {
  const { random, machine, number, truth } = draw;
  const courses = coursesOf(draw);
  if (courses.length === 0) return undefined;
  const rows = courses.map(({ id, name, start, end, roster, proctors }, at) => {
    const file = roster.length > 0 ? `course-${number}-${at}.csv` : '';
    if (file) fileOn(machine, file, `email,name\n${roster.map((email) => `${email},Student\n`).join('')}`);
    return [id, name, ...cells(start), end.slice(11, 16), file, proctors.map((one) => `proctor${one}@example.org`).join(';')];
  });
  const header = ['id', 'name', 'date', 'start', 'end', 'roster', 'proctors'];
  const file = fileOn(machine, 'timetable.csv', [header, ...rows].map((row) => `${row.join(',')}\n`).join(''));
  const removes = random.chance(0.2);
  const earlier = applied.get(machine) ?? [];
  applied.set(machine, courses);
  type Named = { id: number; name?: unknown; start_time?: unknown };
  const isOf = (course: Course, exam: Named | undefined) =>
    exam !== undefined &&
    (course.id === String(exam.id) || (!/^\d/.test(course.id) && course.name === exam.name && same(exam.start_time, course.start)));
  const ofExam = (list: readonly Course[], exam: Named | undefined) => list.find((course) => isOf(course, exam));
  const lawOfTimes = (list: readonly Course[]) => {
    const minutes = (to: string, from: string | null) => (Date.parse(to) - Date.parse(String(from))) / 60_000;
    const by = (exam: Named & { start_time: string | null; end_time: string | null }): By => {
      const course = ofExam(list, exam);
      return course ? { start_time: minutes(course.start, exam.start_time), end_time: minutes(course.end, exam.end_time) } : {};
    };
    return lawOf(moving(undefined, by));
  };
  const [law, lawBefore] = [lawOfTimes(courses), lawOfTimes(earlier)];
  const examsOf = (course: Course) => [...truth.exams.values()].filter((exam) => isOf(course, exam));
  const isIn = ({ roster }: Course, email: unknown, sight: Sight) => roster.some((one) => isOne(sight.truth, one, email));
  return {
    kind: removes ? 'exams apply --remove-missing' : 'exams apply',
    words: ['exams', 'apply', file, ...(removes ? ['--remove-missing', '20'] : [])],
    edited: JSON.stringify(courses),
    ...{ byAddress: true, anew: true },
    asks: true,
    allows(change, sight) {
      const { kind, before, after } = change;
      if (kind === 'exam' && !before) {
        const course = courses.find(({ name, start }) => name === after?.name && same(start, after.start_time));
        const alike = [...truth.exams.values()].filter((one) => one.name === after?.name && same(one.start_time, after?.start_time));
        if (!course || !same(after?.end_time, course.end)) return false;
        return alike.length < 2 || `created a second exam for ${course.name}`;
      }
      const isOfTimes = kind === 'exam' || (kind === 'session' && before && after);
      if (isOfTimes) return lawBefore.allows(change, sight) === true || law.allows(change, sight);
      const exam = truth.exams.get(kind === 'pool' ? change.id : Number((after ?? before)?.exam_id));
      const course = ofExam(courses, exam);
      if (!course) return false;
      if (kind === 'pool') return course.proctors.length > 0;
      const isListed = isIn(course, (after ?? before)?.email, sight);
      if (!before) return isListed;
      const isMissing = removes && course.roster.length > 0 && !isListed;
      return isMissing || sight.unseenBy(change).length > 0;
    },
    unmet: (sight) => [
      ...law.unmet(sight),
      ...courses.flatMap((course) => {
        const [exam, ...others] = examsOf(course);
        if (!exam) return sight.byOthers('exam').some(({ by }) => by === 'colleague') ? [] : [`${course.name} is not there`];
        if (others.length > 0) return [`${course.name} is there twice`];
        if (!sight.untouched('exam', exam.id)) return [];
        const absent = course.roster.filter((one) => sight.sessionsOf(exam.id, one).length === 0 && !sight.takenAway(exam.id, one));
        const pool = [...(truth.pools.get(exam.id) ?? [])].sort();
        const isPool = course.proctors.length === 0 || pool.join() === [...course.proctors].sort().join();
        const left = truth.inExam(exam.id).filter(({ email, id }) => !isIn(course, email, sight) && sight.untouched('session', id));
        return [
          ...absent.map((email) => `${email} is not in ${course.name}`),
          ...(isPool || !sight.untouched('pool', exam.id) ? [] : [`proctors ${pool.join()} are those of ${course.name}`]),
          ...(removes && course.roster.length > 0 ? left.map(({ email }) => `${email} is in ${course.name}, and not in its roster`) : []),
        ];
      }),
    ],
  };
}
