/**
 * `changes undo` and `changes resume`: the same sessions, backwards or onwards. Both look at each
 * session, show what they are going to do, ask, and leave alone what somebody else has set since.
 */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { originOf } from '../bulk/target.ts';
import type { Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { formatTime, instantOf, sameInstant, type TimeFormat } from '../model/time.ts';
import { applyTasks, failureOf, isMoment, rowOf, type Task } from './apply.ts';
import { type ChangeJournal, openChange } from './journal.ts';
import { isSettled, type Move, mayBeSet } from './moves.ts';
import type { Moment, Step } from './records.ts';
import { sessions, taskColumns, tellTasks } from './tell.ts';

const words = {
  set: { command: 'resume', verb: 'To extend', ask: 'Extend', dry: 'would be extended' },
  undo: { command: 'undo', verb: 'To set back', ask: 'Set back', dry: 'would be set back' },
} as const satisfies Record<Step, Record<string, string>>;

/** `step`: `undo` takes the change back, `set` brings it to its end. `change` has to be there. Throws `invalid_input` where that makes no sense. */
export async function reviseChange(context: Context, folder: string, change: string, step: Step): Promise<Result> {
  const journal = await openChange(folder, change, context);
  try {
    refuseOthers(context, journal);
    refuseSenseless(journal, step);
    return await revise(context, journal, step);
  } finally {
    await journal.close();
  }
}

async function revise(context: Context, journal: ChangeJournal, step: Step): Promise<Result> {
  const { change } = journal.header;
  const { command, verb, ask, dry } = words[step];
  const client = await context.client();
  if (step === 'set' && journal.moves.state() === 'finished') context.say(`Change ${change} is finished: there is nothing to go on with.`);
  const looked = await look(
    client,
    [...journal.moves.all()].filter((move) => !isSettled(move, step)),
    step,
  );
  const ready = looked.filter(({ stands }) => stands === 'ready').map(({ task }) => task);
  tellTasks(context, ready, verb);
  for (const { task, shown } of looked.filter(({ stands }) => stands === 'changed')) {
    context.warn(`To be left alone: session ${task.session}, whose close_time is ${shown ?? 'not set'} now.`);
  }
  if (context.globals.dryRun) {
    const results = { ready: dry, there: 'is so already', changed: 'would be left alone', unknown: 'cannot be read' };
    return listOf(looked.map(({ task, stands }) => rowOf(task, results[stands])));
  }
  if (ready.length > 0) {
    const where = `at ${client.origin} (profile ${context.settings().profile})`;
    await context.confirm(() => `${ask} ${sessions(ready.length)} of change ${change} ${where}?`);
  }
  // Where nothing was done, there is nothing to take back, and the change is closed with the rest.
  const never = [...journal.moves.all()].filter((move) => !mayBeSet(move) && move.undo === undefined);
  if (step === 'undo') for (const { session } of never) journal.end(session, 'undo', 'left');
  const applied = await applyTasks(
    context,
    journal,
    step,
    looked.map(({ task }) => task),
  );
  const failure = failureOf(applied, step, `Go on with: proctor-cli changes ${command} ${change}`);
  return listOf(applied.rows, failure);
}

function listOf(rows: Row[], failure?: CliError): Result {
  return { kind: 'list', rows, columns: taskColumns, id: 'session', ...(failure ? { failure } : {}) };
}

/** A session as it is: with the value to be replaced, with the one it is to get, with another, or not to be read. */
type Looked = { task: Task; shown: unknown; stands: 'ready' | 'there' | 'changed' | 'unknown' };

async function look(client: Client, moves: readonly Move[], step: Step): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const { session, old, new: next } of moves) {
    const [from, to] = step === 'set' ? [old, next] : [next, restored(old, client)];
    const task = { session, email: null, from, to };
    try {
      const { email, close_time } = await client.get(operations.getSession, { params: { id: session } });
      const stands = isMoment(close_time, to) ? 'there' : isMoment(close_time, from) ? 'ready' : 'changed';
      looked.push({ task: { ...task, email: typeof email === 'string' ? email : null }, shown: close_time, stands });
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'not_found') throw error;
      looked.push({ task, shown: undefined, stands: 'unknown' });
    }
  }
  return looked;
}

/** The value as the service takes it; as it was shown where that form would lose a part of it. */
function restored(old: Moment, { dialect }: Client): Moment {
  const instant = instantOf(old);
  if (instant === undefined) return old;
  const written = formatTime(instant, dialect.timeFormat as TimeFormat);
  return sameInstant(written, old) ? written : old;
}

function refuseOthers(context: Context, { header: { change, origin } }: ChangeJournal) {
  const mine = originOf(context);
  if (origin === mine) return;
  const { profile } = context.settings();
  throw new CliError('invalid_input', `Change ${change} was made at ${origin}, and the profile ${profile} is for ${mine}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}

function refuseSenseless({ header: { change }, moves }: ChangeJournal, step: Step) {
  const why = {
    void: 'sent nothing: its process ended before the first request',
    finished: undefined,
    unfinished: undefined,
    'undo unfinished': step === 'set' ? 'is being undone; go on with that' : undefined,
    undone: 'is undone already',
  }[moves.state()];
  if (why === undefined) return;
  throw new CliError('invalid_input', `Change ${change} ${why}.`, { hint: `Look at it with: proctor-cli changes show ${change}` });
}
