/** What a watch has seen so far, one look after the other: the changes, who has had a problem since when, and the picture of it all. */
import { type Change, changesBetween, problemChanges, problemKey } from './changes.ts';
import { countStatuses } from './counts.ts';
import type { Look } from './look.ts';
import type { Picture } from './picture.ts';
import { type Problem, problemsOf } from './problems.ts';

/** More than any screen shows. */
const keptChanges = 200;

export class Course {
  readonly #where: Pick<Picture, 'origin' | 'profile'>;
  readonly #late: number;
  #look: Look;
  #problems: Problem[];
  #changes: Picture['changes'] = [];

  /** `late`: milliseconds after which a student who has not started is a problem. */
  constructor(first: Look, where: Pick<Picture, 'origin' | 'profile'>, late: number) {
    this.#where = where;
    this.#late = late;
    this.#look = first;
    this.#problems = this.#problemsIn(first);
  }

  /** Takes the next look; tells what it shows that the last one did not. */
  saw(look: Look): { changes: Change[]; arisen: Problem[] } {
    const before = new Map(this.#problems.map((problem) => [problemKey(problem), problem]));
    const problems = this.#problemsIn(look).map((problem) => {
      const known = before.get(problemKey(problem));
      return { ...problem, since: known ? known.since : (problem.since ?? look.at + look.ahead) };
    });
    const changes = [...changesBetween(this.#look.students, look.students), ...problemChanges(this.#problems, problems)];
    this.#look = look;
    this.#problems = problems;
    this.#changes = [...changes.map((change) => ({ ...change, at: look.at })).reverse(), ...this.#changes].slice(0, keptChanges);
    return { changes, arisen: problems.filter((problem) => !before.has(problemKey(problem))) };
  }

  get look(): Look {
    return this.#look;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  picture(nextAt: number, trouble?: string): Picture {
    const { exam, students, at, ahead } = this.#look;
    return {
      ...this.#where,
      exam,
      students: students.length,
      counts: countStatuses(students),
      problems: this.#problems,
      changes: this.#changes,
      updatedAt: at,
      nextAt,
      ahead,
      trouble,
    };
  }

  #problemsIn({ at, ahead, exam, students }: Look): Problem[] {
    return problemsOf(students, exam, { now: at + ahead, late: this.#late });
  }
}
