/** What is unknown of a student or an exam is looked up before its records are erased: nobody could do so later. */
import { CliError } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { RunRecord, State, StepRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { settleParts } from './drive.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { recordedRun } from './recorded.ts';
import { resumedParts } from './resume.ts';
import { settleUnknown } from './settle.ts';
import type { World } from './world.ts';

type About = { student: string } | { exam: string };

/**
 * `world`: made only where something is to be looked up. Throws `outcome_unknown`, which keeps the records, and `invalid_input` for a run
 * of another service.
 */
export async function settleAbout(state: State, what: About, world: () => Promise<World>): Promise<void> {
  for (const run of await state.runs()) {
    if (run.state !== 'open' || !(await isUnknown(state, run, what))) continue;
    const made = await world();
    const parts = await resumedParts(made, run, new ExamGate(made), { resendAbsent: false });
    try {
      await settleUnknown(settleParts(parts));
    } finally {
      await parts.run.close(parts.book.isOpen ? 'open' : 'finished');
    }
    if (!(await isUnknown(state, run, what))) continue;
    throw new CliError(
      'outcome_unknown',
      sentence`Run ${run.id} has sent requests about it whose outcome is unknown. Nothing was erased.`,
      {
        hint: sentence`End that run, then run this command again: proctor-cli ${typedCommand('runs close', [run.id])}`,
      },
    );
  }
}

async function isUnknown(state: State, { id }: RunRecord, what: About): Promise<boolean> {
  const { records, book, shownKeys } = await recordedRun(state, id);
  const key = 'student' in what ? state.studentKey(what.student) : undefined;
  const isAbout = ({ n, sentKey, exam }: StepRecord) =>
    'exam' in what ? exam === what.exam : sentKey === key || shownKeys.get(n - 1) === key;
  return records.some((record) => record && ['unknown', 'confirmed'].includes(book.state(record.n - 1)) && isAbout(record));
}
