/** The intent to undo the latest run: only what the runs of this machine did is taken back, to what it was. */
import type { Fields } from '../../support/truth.ts';
import { notSetBack, torn } from '../oracle/times.ts';
import { type Draw, fieldsOf, fresh, type Intent, keyOf, same, unasked } from './intent.ts';

/** `run`: its ID, as `runs list` printed it. `past`: the invocations of this machine so far; `undoes`: those of the run, which moved students or not. */
export function undoRun({ truth }: Draw, run: string, past: ReadonlySet<number>, undoes: ReadonlySet<number>, isMove: boolean): Intent {
  const began = Date.parse(run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:$6Z'));
  return {
    kind: 'runs undo',
    words: ['runs', 'undo', run],
    undoes,
    forbids(change, sight) {
      const were = truth.record.filter(({ n, kind, id }) => n < change.n && kind === change.kind && id === change.id);
      const earlier = were.filter(({ by }) => past.has(Number(by)));
      const deletedBy =
        (invocations: ReadonlySet<number>) =>
        ({ email }: Fields) =>
          truth.record.filter(
            ({ n, kind, before, after, by }) =>
              n < change.n &&
              kind === 'session' &&
              !after &&
              invocations.has(Number(by)) &&
              keyOf(sight.truth, before?.email) === keyOf(sight.truth, email),
          );
      const { before, after } = change;
      if (change.kind === 'session' && after) {
        // A student who was moved is put back, or registered again as a message says.
        const isBack =
          !before && deletedBy(new Set([...past, ...sight.invocations]))(after).some((one) => one.before?.exam_id === after.exam_id);
        if (isBack || were.some((one) => !one.before && sight.invocations.has(Number(one.by)))) return undefined;
      }
      if (earlier.length === 0) return unasked(change);
      if (!after) {
        const [from] = deletedBy(undoes)(before ?? {}).filter((one) => one.before?.exam_id !== before?.exam_id);
        if (isMove && change.kind === 'session' && from && sight.sessionsOf(from.before?.exam_id, String(from.before?.email)).length === 0)
          return `deleted ${String(before?.email)}, who is not back in exam ${String(from.before?.exam_id)}`;
        return earlier.some((one) => !one.before) ? undefined : unasked(change);
      }
      if (!before || change.kind === 'pool') return undefined;
      const strange = fieldsOf(change).filter((field) => !were.some((one) => same(one.after?.[field], after[field])));
      if (strange.length > 0) return `set ${strange.join(', ')} of ${change.kind} ${change.id} to what it never was`;
      const { n: since = 0, at = 0 } = earlier[0] ?? {};
      // What a colleague has set right before the write, nobody can set back.
      const isUnseen = were.some((one) => one.by === 'colleague' && one.n < since && one.at >= at - fresh);
      return isUnseen ? undefined : torn(change, sight, since);
    },
    unmet: (sight) => notSetBack(sight, undoes, began),
  };
}
