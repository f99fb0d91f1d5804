/** `changes resume` of students who went to another exam: the moves that are open, as they stand now. */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { refuseElsewhere } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { isSettled, openChange, type RecordedChange, withChangesLock } from '../changes/index.ts';
import { requestsOf } from './plan.ts';
import { runTransfers } from './run.ts';
import { taskOf } from './task.ts';

/** Throws `invalid_input` if it sent nothing, `already_running`. */
export async function resumeTransfers(context: Context, folder: string, { header }: RecordedChange): Promise<Result> {
  const { change, origin, kind, what } = header;
  refuseElsewhere(`Change ${change} was made at`, origin, context.settings());
  return withChangesLock(context, { folder, command: `changes resume ${change}` }, async () => {
    // Not before the lock: its last holder may have written more.
    const journal = await openChange(folder, change, context);
    try {
      if (journal.moves.state() === 'void') {
        throw new CliError('invalid_input', sentence`Change ${change} sent nothing: its process ended before the first request.`, {
          hint: 'Run the command again.',
        });
      }
      const stays = kind === 'copy';
      const tasks = journal.moves
        .all()
        .filter((move) => !isSettled(move, 'set'))
        .map((move) => taskOf(move, stays));
      if (tasks.length === 0) context.say(sentence`Change ${change} is finished; there is nothing to resume.`);
      const shown = await requestsOf(
        await context.client(),
        tasks.map((task) => ({ task })),
      );
      return await context.act({
        steps: tasks,
        show: () => shown,
        async perform(steps) {
          const question = async () => sentence`Resume ${change} (${what}) for ${students(steps.length)} ${context.place()}?`;
          if (steps.length > 0) await context.confirm(question);
          context.host.log?.({ event: 'resume', change });
          return runTransfers(context, journal, steps, { did: stays ? 'copied' : 'moved' });
        },
      });
    } finally {
      await journal.close();
    }
  });
}

/** Students are not moved back as a change: their sessions there may have started, or been mailed. */
export function refuseUndo({ header, moves }: RecordedChange): never {
  const made = moves
    .all()
    .flatMap(({ made: session, proven, fields }) => (session === undefined || !proven ? [] : [{ session, from: fields.exam?.old }]));
  const sessions = made.map(({ session }) => session);
  const [first] = made;
  const [message, hint] =
    header.kind === 'copy'
      ? [
          sentence`Change ${header.change} copied students, which is not undone as a change.`,
          sentence`Delete the copies with: proctor-cli ${typedCommand('sessions delete', sessions)}`,
        ]
      : [
          sentence`Change ${header.change} moved students, which is not undone as a change.`,
          sentence`Move them back with: proctor-cli ${typedCommand('sessions move', sessions, typedOption('--exam', String(first?.from ?? 'ID')))}`,
        ];
  throw new CliError('invalid_input', message, made.length === 0 ? {} : { hint });
}
