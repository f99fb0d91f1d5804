/** The state of a watch, poll by poll: the changes, the problems and their start, and the snapshot. */

import { statusOf } from '../../model/status.ts';
import { countStatuses } from './counts.ts';
import type { Poll } from './poll.ts';
import { problemsOf, type WatchProblem } from './problems.ts';
import type { Snapshot } from './snapshot.ts';
import { changesBetween, problemChanges, problemKey, type WatchChange } from './status-changes.ts';
import type { WatchedStudent } from './watched-students.ts';

/** More than any screen shows. */
const keptChanges = 200;

export class WatchState {
  readonly #where: Pick<Snapshot, 'origin' | 'profile'>;
  readonly #late: number;
  /** When the watch saw each check begin; undefined for one that had begun before it. */
  #checks: ReadonlyMap<WatchedStudent['session'], number | undefined> = new Map();
  #poll: Poll;
  #problems: WatchProblem[];
  #changes: Snapshot['changes'] = [];

  /** `late`: milliseconds after which a student who has not started is a problem. */
  constructor(first: Poll, where: Pick<Snapshot, 'origin' | 'profile'>, late: number) {
    this.#where = where;
    this.#late = late;
    this.#poll = first;
    this.#checks = this.#checksIn(first, undefined);
    this.#problems = this.#problemsIn(first);
  }

  /** Takes the next poll; returns what has changed since the last one. */
  saw(poll: Poll): WatchChange[] {
    const before = new Map(this.#problems.map((problem) => [problemKey(problem), problem]));
    this.#checks = this.#checksIn(poll, poll.at);
    const problems = this.#problemsIn(poll).map((problem) => {
      const known = before.get(problemKey(problem));
      // Suspicion is as old as the look that found it.
      const seen = problem.problem === 'check_not_completed' ? undefined : poll.at;
      return { ...problem, since: known ? known.since : (problem.since ?? seen) };
    });
    const changes = [...changesBetween(this.#poll.students, poll.students), ...problemChanges(this.#problems, problems)];
    this.#poll = poll;
    this.#problems = problems;
    this.#changes = [...changes.map((change) => ({ ...change, at: poll.at })).reverse(), ...this.#changes].slice(0, keptChanges);
    return changes;
  }

  get poll(): Poll {
    return this.#poll;
  }

  get problems(): readonly WatchProblem[] {
    return this.#problems;
  }

  snapshot(nextAt: number, trouble?: string): Snapshot {
    const { exam, students, at } = this.#poll;
    return {
      ...this.#where,
      exam,
      students: students.length,
      counts: countStatuses(students),
      problems: this.#problems,
      changes: this.#changes,
      updatedAt: at,
      nextAt,
      trouble,
    };
  }

  #problemsIn({ at, exam, students }: Poll): WatchProblem[] {
    const checkBegan = (session: WatchedStudent['session']) => this.#checks.get(session);
    return problemsOf(students, exam, { now: at, late: this.#late, checkBegan });
  }

  #checksIn({ students }: Poll, now: number | undefined): ReadonlyMap<WatchedStudent['session'], number | undefined> {
    const checking = students.filter(({ status }) => statusOf(status) === 'check_started');
    return new Map(checking.map(({ session }) => [session, this.#checks.has(session) ? this.#checks.get(session) : now]));
  }
}
