/**
 * `changes undo` and `changes resume`: the same sessions, backwards or forwards. Both read each
 * session, show the change, ask, and keep every value that another client has set since.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { formatTime, instantOf, sameInstant } from '../../model/time.ts';
import { refuseElsewhere } from '../../state/journal/origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { applyTasks } from './apply.ts';
import { withChangesLock } from './changes-lock.ts';
import { type CloseTime, inWords, shows } from './close-time.ts';
import { type ChangeJournal, openChange } from './journal.ts';
import type { RecordedChange } from './list-changes.ts';
import { inQuestion, tellPassedOver, tellTasks } from './messages.ts';
import { isSettled, type Move, mayBeSet, mayStand } from './moves.ts';
import type { ExtendStep } from './records.ts';
import { type ExtendTask, failureOf, listOf, rowOf } from './result.ts';
import { emailOf, examOf, readSession } from './session.ts';

const words = {
  set: { command: 'resume', verb: 'To extend', ask: 'Extend', dry: 'would be extended' },
  undo: { command: 'undo', verb: 'To restore', ask: 'Restore', dry: 'would be restored' },
} as const satisfies Record<ExtendStep, Record<string, string>>;

/** The sessions that a step may still change. After a later change is undone, a session may have its earlier value again. */
const concerns: Record<ExtendStep, (move: Move) => boolean> = { set: (move) => !isSettled(move, 'set'), undo: mayStand };

/** `step`: `undo` takes the change back, `set` resumes it. Throws `invalid_input` if the change allows neither, `already_running`. */
export async function reviseChange(context: Context, folder: string, { header }: RecordedChange, step: ExtendStep): Promise<Result> {
  const { change, origin } = header;
  refuseElsewhere(`Change ${change} was made at`, origin, context.settings());
  return withChangesLock(context, { folder, command: `changes ${words[step].command} ${change}` }, async () => {
    // Not before the lock: its last holder may have written more.
    const journal = await openChange(folder, change, context);
    try {
      refuseSenseless(journal, step);
      return await revise(context, journal, step);
    } finally {
      await journal.close();
    }
  });
}

async function revise(context: Context, journal: ChangeJournal, step: ExtendStep): Promise<Result> {
  const { change } = journal.header;
  const { command, verb, ask, dry } = words[step];
  const client = await context.client();
  if (step === 'set' && journal.moves.state() === 'finished')
    context.say(sentence`Change ${change} is finished; there is nothing to resume.`);
  const looked = await look(client, [...journal.moves.all()].filter(concerns[step]), step);
  const ready = looked.filter(({ stands }) => stands === 'ready').map(({ task }) => task);
  tellTasks(context, ready, verb);
  const changed = looked.filter(({ stands }) => stands === 'changed');
  const passedOver = changed.map(
    ({ task, shown }) => sentence`Skipped: session ${task.session}, whose close_time is now ${inWords(shown, context.zone())}.`,
  );
  tellPassedOver(context, [...passedOver, ...looked.flatMap(({ problem = [] }) => problem)]);
  return context.act({
    steps: looked,
    show: (steps) =>
      listOf(
        client,
        steps.map(({ task, stands, problem }) => rowOf(task, { ...notReady, ready: dry }[stands], problem)),
      ),
    async perform(steps) {
      if (ready.length > 0) {
        const { what, exam } = journal.header;
        const question = async () =>
          sentence`${ask} ${await inQuestion(context, ready, exam)}, changed by ${change} (${what}), ${context.place()}?`;
        await context.confirm(question);
      }
      // Where nothing was done, there is nothing to take back, and the change is closed with the rest.
      const never = [...journal.moves.all()].filter((move) => !mayBeSet(move) && move.undo === undefined);
      if (step === 'undo') for (const { session } of never) journal.end(session, 'undo', 'left');
      const tasks = steps.map(({ task }) => task);
      const applied = await applyTasks(context, journal, step, tasks);
      const open = [...journal.moves.all()].some((move) => !isSettled(move, step));
      const resume = open ? sentence`Resume with: proctor-cli changes ${command} ${shellQuoted(change)}` : undefined;
      return listOf(client, applied.rows, failureOf(client, applied, step, resume));
    },
  });
}

/** What a dry run says of sessions that get no request. */
const notReady = { there: 'already so', changed: 'would be skipped', unknown: 'cannot be read' } as const;

/** A session as it is: with the value to be replaced, with the one it is to get, with another, or not to be read. */
type Resolution = { task: ExtendTask; stands: 'ready' | 'there' | 'changed' | 'unknown'; shown?: unknown; problem?: Sentence };

async function look(client: Client, moves: readonly Move[], step: ExtendStep): Promise<Resolution[]> {
  const looked: Resolution[] = [];
  for (const { session, old, new: next } of moves) {
    const [from, to] = step === 'set' ? [old, next] : [next, restored(old, client)];
    const found = await readSession(client, session);
    if (found instanceof CliError) {
      looked.push({ task: { session, email: null, from, to }, stands: 'unknown', problem: found.message });
      continue;
    }
    const shown = found.close_time;
    const stands = shows(shown, to) ? 'there' : shows(shown, from) ? 'ready' : 'changed';
    looked.push({ task: { session, email: emailOf(found), from, to, of: examOf(found, client) }, stands, shown });
  }
  return looked;
}

/** The value as the service takes it; as it was shown where that form would lose a part of it. */
function restored(old: CloseTime, { dialect }: Client): CloseTime {
  const instant = instantOf(old);
  if (instant === undefined) return old;
  const written = formatTime(instant, dialect.timeFormat);
  return sameInstant(written, old) ? written : old;
}

function refuseSenseless({ header: { change }, moves }: ChangeJournal, step: ExtendStep) {
  const why = {
    void: 'sent nothing: its process ended before the first request',
    finished: undefined,
    unfinished: undefined,
    'undo unfinished': step === 'set' ? 'is being undone; resume the undo' : undefined,
    undone: step === 'undo' && [...moves.all()].some(mayStand) ? undefined : 'has already been undone',
  }[moves.state()];
  if (why === undefined) return;
  throw new CliError('invalid_input', sentence`Change ${change} ${why}.`, {
    hint: sentence`Show it with: proctor-cli changes show ${shellQuoted(change)}`,
  });
}
