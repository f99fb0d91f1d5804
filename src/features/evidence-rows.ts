/** Entries of the record as rows: what `runs export` prints. */
import type { Row } from '../command.ts';
import type { Evidence } from '../runs/index.ts';
import { shownStepRow } from './run-rows.ts';

export function evidenceRow(evidence: Evidence): Row {
  const { at, entry, run, who } = evidence;
  const head = { at: timeOf(at), entry, run: run.id, who };
  if (entry === 'taken') return { ...head, does: 'take the run over' };
  if (entry === 'run')
    return {
      ...head,
      does: run.command,
      profile: run.profile,
      origin: run.origin,
      ...(run.reason === undefined ? {} : { reason: run.reason }),
      undoes: run.undoOf ?? null,
      state: run.state,
      steps: run.steps,
      last: timeOf(run.lastAt),
    };
  const { shown, sentAt } = evidence;
  return {
    ...head,
    ...shownStepRow(shown),
    operation: shown.record.op,
    student: shown.record.sentKey,
    sent: sentAt === undefined ? null : timeOf(sentAt),
  };
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString();
}
