/** The words of results that a timetable and a clone share, on the engine before. */
import type { Context } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Ended, isUndoable, type Outcome } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';

/** Where a run can be undone, the command is said once; `isRunning`: with the reason that an exam that runs asks for. */
export function sayUndo(context: Context, { run, outcomes }: Ended, isRunning = false): void {
  if (run === undefined || context.globals.quiet || !context.host.stderr.isTTY) return;
  for (const { ours, state, step } of outcomes()) {
    if (!ours || state !== 'done' || !isUndoable(step)) continue;
    context.say(sentence`Undo it with: proctor-cli ${typedCommand('runs undo', [run], isRunning ? '--during-exam "REASON"' : '')}`);
    return;
  }
}

/** The user's word for what became of a step. */
export function wordOf(state: Outcome['state'], did: string, error: CliError | undefined): string {
  switch (state) {
    case 'done':
    case 'there':
      return did;
    case 'unknown':
    case 'confirmed':
    case 'absent':
    case 'sending':
      return 'unknown';
    case 'changed':
      return 'kept';
    case 'planned':
      return error ? 'failed' : 'not tried';
    case 'skipped':
      return 'skipped';
    default:
      return 'failed';
  }
}
