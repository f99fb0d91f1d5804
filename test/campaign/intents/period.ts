/** The intent of an office: the exams of a timetable with their rosters, which it edits and applies again and again. */

import type { Exam } from '../../support/truth.ts';
import type { Machine } from '../story/machine.ts';
import { begins } from '../story/stage.ts';
import {
  byOthers,
  type Draw,
  type Intent,
  keyOf,
  laterBy,
  onlyFields,
  type Sight,
  same,
  sessionsOf,
  takenAway,
  unasked,
} from './intent.ts';

type Course = { key: string; name: string; start: string; end: string; roster: readonly string[] };

const day = 1440;
/** The invocations that have applied a timetable of a machine, and what it said last: a run that was stopped then may be finished. */
const applied = new WeakMap<Machine, { by: Set<ReadonlySet<number>>; courses: readonly Course[] }>();

/** Of some of four courses: each time with a start of two, and with other students. */
function coursesOf({ random }: Draw): Course[] {
  return [0, 1, 2, 3].flatMap((at): Course[] => {
    if (!random.chance(0.7)) return [];
    const start = laterBy(begins, day * (3 + at) + 60 * random.below(2));
    const roster = random.chance(0.6) ? [...new Set(random.several(1, 4, () => `student${random.below(12)}@example.org`))] : [];
    return [{ key: `K${at}`, name: `Course ${at}`, start, end: laterBy(start, 120), roster }];
  });
}

const cell = (time: string) => `${time.slice(0, 10)},${time.slice(11, 16)}`;

export function applyPeriod(draw: Draw): Intent | undefined {
  const { random, machine, number, truth } = draw;
  const courses = coursesOf(draw);
  if (courses.length === 0) return undefined;
  const lines = courses.map(({ key, name, start, end, roster }, at) => {
    const file = `course-${number}-${at}.csv`;
    if (roster.length > 0) machine.file(file, `email,name\n${roster.map((email) => `${email},Student\n`).join('')}`);
    return `${key},${name},${cell(start)},${end.slice(11, 16)},${roster.length > 0 ? file : ''}\n`;
  });
  const file = machine.file('period.csv', `key,name,date,start,end,roster\n${lines.join('')}`);
  const edited = JSON.stringify(courses);
  const removes = random.chance(0.2);
  const flags = [...(random.chance(0.7) ? ['--adopt'] : []), ...(removes ? ['--remove-missing', '--max-removals', '20'] : [])];
  const { by: past, courses: before } = applied.get(machine) ?? { by: new Set<ReadonlySet<number>>(), courses: [] };
  applied.set(machine, { by: past, courses });
  const isOurs = (by: unknown) => [...past].some((invocations) => invocations.has(Number(by)));
  /** By this timetable and the one before. */
  const coursesOfExam = (exam: Exam | undefined) => [...courses, ...before].filter(({ name }) => name === exam?.name);
  /** Those that this machine's timetables have created for a course, and that are there. */
  const made = (course: Course) =>
    truth.record.filter(
      ({ kind, id, before, after, by }) => kind === 'exam' && !before && after?.name === course.name && isOurs(by) && truth.exams.has(id),
    );
  const known = (sight: Sight) => void past.add(sight.invocations);
  return {
    kind: removes ? 'exams apply --remove-missing' : 'exams apply',
    words: ['exams', 'apply', file, ...flags],
    edited,
    byAddress: true,
    // The number of students to delete would have to be typed.
    ...(removes ? {} : { asks: true as const }),
    refuses: (said) =>
      [...said.matchAll(/exam (\d+) of period\.ids\.csv [^ ]+ [^ ]+ does not exist/g)].some(([, id]) => !truth.exams.has(Number(id))),
    forbids(change, sight) {
      known(sight);
      const { kind, before, after } = change;
      if (kind === 'exam') {
        if (!after) return unasked(change);
        const [course] = coursesOfExam((before ?? after) as Exam);
        if (!course) return unasked(change);
        if (!before) return made(course).length > 1 ? `created a second exam for ${course.key}` : undefined;
        return onlyFields(change, ['start_time', 'end_time']);
      }
      if (kind !== 'session') return unasked(change);
      const exam = truth.exams.get(Number((after ?? before)?.exam_id));
      const wanted = coursesOfExam(exam);
      if (wanted.length === 0) return unasked(change);
      const lists = ({ roster }: Course) => roster.some((email) => keyOf(sight, email) === keyOf(sight, (after ?? before)?.email));
      const isListed = wanted.some(lists);
      if (!after)
        return removes && courses.some((one) => wanted.includes(one) && one.roster.length > 0 && !lists(one)) ? undefined : unasked(change);
      if (!before) return isListed ? undefined : unasked(change);
      return onlyFields(change, ['open_time', 'close_time']);
    },
    unmet(sight) {
      known(sight);
      return courses.flatMap((course) => {
        const all = [...truth.exams.values()].filter(({ name }) => name === course.name);
        const [exam] = all;
        if (!exam) return [`${course.name} is not there`];
        if (all.some(({ id }) => byOthers(sight, 'exam', id).length > 0)) return [];
        const isSo = all.some((one) => same(one.start_time, course.start) && same(one.end_time, course.end));
        const absent = course.roster.filter((email) =>
          all.every(({ id }) => sessionsOf(sight, id, email).length === 0 && !takenAway(sight, id, email)),
        );
        return [
          ...(isSo ? [] : [`${course.name} is from ${exam.start_time}, and not from ${course.start}`]),
          ...absent.map((email) => `${email} is not in ${course.name}`),
        ];
      });
    },
  };
}
