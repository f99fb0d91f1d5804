/**
 * The order of moves: those of one exam by their phases, and in reverse to undo them, so that no window is narrower in
 * between than before or after.
 */
import type { CliError } from '../../errors.ts';
import type { ChangeTask } from './change-move.ts';
import type { ChangeStep, MoveState } from './records.ts';

/** `gone`: the resource no longer exists, so no other move has to wait for it. */
export type TaskEnd = { is: Exclude<MoveState, 'begun'>; gone?: boolean; error?: CliError; evidence?: string };

/** The tasks in their order, in waves: no task of a wave waits for another of it, or is about the same resource. */
export function wavesOf<Task extends ChangeTask>(tasks: readonly Task[], step: ChangeStep): Task[][] {
  const waves: Task[][] = [];
  const before = earlierIn(step);
  const lastOf = new Map<string, Task>();
  const resources = new Set<string>();
  for (const task of step === 'undo' ? wayBack(tasks) : tasks) {
    const resource = `${task.kind} ${task.id}`;
    const other = task.exam === undefined ? undefined : lastOf.get(task.exam);
    if (waves.length === 0 || resources.has(resource) || (other && (before(other, task) || before(task, other)))) {
      waves.push([]);
      lastOf.clear();
      resources.clear();
    }
    waves.at(-1)?.push(task);
    resources.add(resource);
    if (task.exam !== undefined) lastOf.set(task.exam, task);
  }
  return waves;
}

/** Whether one task of an exam comes before another. */
function earlierIn(step: ChangeStep) {
  return ({ phase: a = 1 }: ChangeTask, { phase: b = 1 }: ChangeTask) => (step === 'set' ? a < b : a > b);
}

/** Exam by exam, the last phase first. */
function wayBack<Task extends ChangeTask>(tasks: readonly Task[]): readonly Task[] {
  if (tasks.every(({ phase = 1 }) => phase === 1)) return tasks;
  const byExam = [...Map.groupBy(tasks, ({ exam }) => exam).values()];
  return byExam.flatMap((all) => all.toSorted((a, b) => (b.phase ?? 1) - (a.phase ?? 1)));
}

/** The moves that wait for others of their exam. An undo skips what was changed since, and waits for the rest. */
export function phases(step: ChangeStep) {
  const stuck = new Map<string, ChangeTask>();
  const before = earlierIn(step);
  const cause = (task: ChangeTask) => {
    const found = task.exam === undefined ? undefined : stuck.get(task.exam);
    return found && before(found, task) ? found : undefined;
  };
  return {
    /** The tasks of each wave that need not wait for one that was not made. */
    *open(waves: readonly (readonly ChangeTask[])[]): Generator<ChangeTask[]> {
      for (const wave of waves) yield wave.filter((task) => !cause(task));
    },
    see(task: ChangeTask, { is, gone = false }: TaskEnd) {
      if (task.exam === undefined || is === 'done' || gone || (step === 'undo' && is === 'left')) return;
      const found = stuck.get(task.exam);
      if (!found || before(task, found)) stuck.set(task.exam, task);
    },
    reason(task: ChangeTask): string | undefined {
      const found = cause(task);
      return found && `waits for ${found.kind} ${found.id}`;
    },
  };
}
