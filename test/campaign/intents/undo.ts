/** The intent to undo the latest run: only what the runs of this machine did is taken back, to what it was. */
import { notSetBack, torn } from '../oracle/times.ts';
import { type Draw, fieldsOf, type Intent, same, unasked } from './intent.ts';

/** `run`: its ID, as `runs list` printed it. `past`: the invocations of this machine so far; `undoes`: those of the run. */
export function undoRun({ truth }: Draw, run: string, past: ReadonlySet<number>, undoes: ReadonlySet<number>): Intent {
  const began = Date.parse(run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:$6Z'));
  return {
    kind: 'runs undo',
    words: ['runs', 'undo', run],
    undoes,
    forbids(change, sight) {
      const earlier = truth.record.filter(
        ({ n, kind, id, by }) => n < change.n && kind === change.kind && id === change.id && past.has(Number(by)),
      );
      if (earlier.length === 0) return unasked(change);
      if (!change.after) return earlier.some(({ before }) => !before) ? undefined : unasked(change);
      if (!change.before || change.kind === 'pool') return undefined;
      const were = truth.record.filter(({ n, kind, id }) => n < change.n && kind === change.kind && id === change.id);
      const strange = fieldsOf(change).filter((field) => !were.some(({ after }) => same(after?.[field], change.after?.[field])));
      if (strange.length > 0) return `set ${strange.join(', ')} of ${change.kind} ${change.id} to what it never was`;
      return torn(change, sight, earlier[0]?.n ?? 0);
    },
    unmet: (sight) => notSetBack(sight, undoes, began),
  };
}
