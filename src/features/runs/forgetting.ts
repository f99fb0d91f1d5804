/** `runs forget`: what is recorded of a student or an exam is erased, once nothing about it is unknown any more. */
import type { Context, Result } from '../../command.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { RunRecord } from '../../record/index.ts';
import { isUnknown, lookAgain, type StepState, worldOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

export type Forgotten = { student: string } | { exam: string };

export async function forget(context: Context, what: Forgotten): Promise<Result> {
  const record = await recordIfThere(context);
  if (record) await settleAbout(context, record, what);
  const { runs, steps } = (await record?.forget(what)) ?? { runs: 0, steps: 0 };
  const row = { runs, records: steps };
  return { kind: 'one', row, columns: [{ key: 'runs' }, { key: 'records' }], id: null };
}

/** Once it is erased, it cannot be looked up any more. Throws `outcome_unknown`, which keeps the records. */
async function settleAbout(context: Context, record: RunRecord, what: Forgotten): Promise<void> {
  const key = 'student' in what ? record.keys.studentKey(what.student) : undefined;
  const hasUnknown = async (run: string) =>
    (await record.steps(run)).some(
      ({ state, student, exam }) => isUnknown({ state: state as StepState }) && ('exam' in what ? exam === what.exam : student === key),
    );
  for (const run of await record.runs({ states: ['open'] })) {
    if (!(await hasUnknown(run.id))) continue;
    await lookAgain(await worldOf(context), run);
    if (!(await hasUnknown(run.id))) continue;
    const what = sentence`Run ${run.id} has sent requests about it whose outcome is unknown. Nothing was erased.`;
    const hint = sentence`End that run, then run this command again: proctor-cli ${typedCommand('runs close', [run.id])}`;
    throw new CliError('outcome_unknown', what, { hint });
  }
}
