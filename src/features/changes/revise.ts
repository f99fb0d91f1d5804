/**
 * `changes undo` and `changes resume`: the same moves, backwards or forwards. Both read each exam and
 * session, show the change, ask, and keep every value that another client has set since.
 */
import { type Client, examOf } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { refuseElsewhere } from '../../state/journal/origin.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { applyTasks } from './apply.ts';
import { type ChangeTask, changedFields } from './change-move.ts';
import { withChangesLock } from './changes-lock.ts';
import { type ChangeJournal, openChange } from './journal.ts';
import { wordsOf } from './kinds.ts';
import type { RecordedChange } from './list-changes.ts';
import { inQuestion, tellMoves, tellPassedOver } from './messages.ts';
import { isSettled, type Move, mayBeSet, mayStand } from './moves.ts';
import { emailOf, readResource } from './read.ts';
import type { ChangeStep } from './records.ts';
import { failureOf, listOf, shapeOf } from './result.ts';
import { asTaken, type ChangedFields, inWords, shows } from './value.ts';

const commands = { set: 'resume', undo: 'undo' } as const satisfies Record<ChangeStep, string>;

/** `step`: `undo` takes the change back, `set` resumes it. Throws `invalid_input` if the change allows neither, `already_running`. */
export async function reviseChange(context: Context, folder: string, { header }: RecordedChange, step: ChangeStep): Promise<Result> {
  const { change, origin } = header;
  refuseElsewhere(`Change ${change} was made at`, origin, context.settings());
  return withChangesLock(context, { folder, command: `changes ${commands[step]} ${change}` }, async () => {
    // Opened only under the lock: its last holder may have written more.
    const journal = await openChange(folder, change, context);
    try {
      refuseSenseless(journal, step);
      return await revise(context, journal, step);
    } finally {
      await journal.close();
    }
  });
}

async function revise(context: Context, journal: ChangeJournal, step: ChangeStep): Promise<Result> {
  const { change, kind, what, exam } = journal.header;
  const { verb, did, dry } = wordsOf(kind, step);
  const command = commands[step];
  const shape = shapeOf(kind);
  const client = await context.client();
  if (step === 'set' && journal.moves.state() === 'finished')
    context.say(sentence`Change ${change} is finished; there is nothing to resume.`);
  const resolutions = await resolved(client, concerns(journal.moves.all(), step), step);
  const ready = resolutions.filter(({ stands }) => stands === 'ready').map(({ task }) => task);
  tellMoves(context, ready, verb);
  const zone = context.zone();
  const passedOver = resolutions.flatMap(({ task, stands, field = '', shown }) =>
    stands === 'changed' ? [sentence`Skipped: ${task.kind} ${task.id}, whose ${field} is now ${inWords(shown, zone)}.`] : [],
  );
  tellPassedOver(context, [...passedOver, ...resolutions.flatMap(({ problem = [] }) => problem)]);
  return context.act({
    steps: resolutions,
    show: (steps) =>
      listOf(
        client,
        shape,
        steps.flatMap(({ task, stands, problem }) => shape.rows(task, { ...notReady, ready: dry }[stands], problem)),
      ),
    async perform(steps) {
      if (ready.length > 0) {
        const question = async () =>
          sentence`${capitalised(verb)} ${await inQuestion(context, ready, exam)}, changed by ${change} (${what}), ${context.place()}?`;
        await context.confirm(question);
      }
      if (step === 'set' || journal.moves.state() === 'undo unfinished') context.host.log?.({ event: 'resume', change });
      // Moves that were never made have nothing to undo, and are closed with the rest.
      const never = journal.moves.all().filter((move) => !mayBeSet(move) && move.undo === undefined);
      if (step === 'undo') for (const { number } of never) journal.end(number, 'undo', 'left');
      const applied = await applyTasks(
        context,
        journal,
        step,
        steps.map(({ task }) => task),
      );
      const open = journal.moves.all().some((move) => !isSettled(move, step));
      const hint = open ? sentence`Resume with: proctor-cli ${typedCommand(`changes ${command}`, [change])}` : undefined;
      const rows = applied.outcomes.flatMap(({ task, result, problem }) => shape.rows(task, result, problem));
      return listOf(client, shape, rows, failureOf(client, applied, { did, hint }));
    },
  });
}

/**
 * The moves that a step may still make. After a later change is undone, an earlier value may be back. A
 * move that others wait for is checked again even if it was left: it may show its new times by now.
 */
function concerns(moves: readonly Move[], step: ChangeStep): Move[] {
  if (step === 'undo') return moves.filter(mayStand);
  const open = moves.filter((move) => !isSettled(move, 'set'));
  const latest = new Map<string, number>();
  for (const { exam = '', phase = 1 } of open) latest.set(exam, Math.max(phase, latest.get(exam) ?? 0));
  return moves.filter((move) => !isSettled(move, 'set') || (move.set === 'left' && (move.phase ?? 1) < (latest.get(move.exam ?? '') ?? 0)));
}

/** The results of moves without a request in a dry run. */
const notReady = { there: 'already so', changed: 'would be skipped', unknown: 'cannot be read' } as const;

/**
 * The state of a move on the service: it shows the values to be replaced, the new ones, or others, or
 * cannot be read.
 */
type Resolution = {
  task: ChangeTask;
  stands: 'ready' | 'there' | 'changed' | 'unknown';
  /** The first field with another value, and that value. */
  field?: string;
  shown?: unknown;
  problem?: Sentence;
};

async function resolved(client: Client, moves: readonly Move[], step: ChangeStep): Promise<Resolution[]> {
  const resolutions: Resolution[] = [];
  const read = new Map<string, Awaited<ReturnType<typeof readResource>>>();
  for (const { number, kind, id, exam, fields, phase } of moves) {
    const key = `${kind} ${id}`;
    const found = read.get(key) ?? (await readResource(client, kind, id));
    read.set(key, found);
    const known = {
      number,
      kind,
      id,
      fields: step === 'set' ? fields : backwards(fields, client),
      ...(phase === undefined ? {} : { phase }),
    };
    if (found instanceof CliError) {
      resolutions.push({ task: { ...known, exam, email: null }, stands: 'unknown', problem: found.message });
      continue;
    }
    const session = kind === 'session' ? { email: emailOf(found), started: phaseOf(found.status) === 'writing' } : { email: null };
    const task: ChangeTask = { ...known, ...session, exam: exam ?? (kind === 'exam' ? id : examOf(found, client)) };
    const open = changedFields(task).filter(({ field, to }) => !shows(found[field], to));
    const other = open.find(({ field, from }) => !shows(found[field], from));
    if (other) resolutions.push({ task, stands: 'changed', field: other.field, shown: found[other.field] });
    else resolutions.push({ task, stands: open.length === 0 ? 'there' : 'ready' });
  }
  return resolutions;
}

/** From the new values to the old ones. */
function backwards(fields: ChangedFields, { dialect }: Client): ChangedFields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, { old, new: next }]) => [field, { old: next, new: asTaken(old, dialect.timeFormat) }]),
  );
}

function refuseSenseless({ header: { change }, moves }: ChangeJournal, step: ChangeStep) {
  const why = {
    void: 'sent nothing: its process ended before the first request',
    finished: undefined,
    unfinished: undefined,
    'undo unfinished': step === 'set' ? 'is being undone; resume the undo' : undefined,
    undone: step === 'undo' && moves.all().some(mayStand) ? undefined : 'has already been undone',
  }[moves.state()];
  if (why === undefined) return;
  throw new CliError('invalid_input', sentence`Change ${change} ${why}.`, {
    hint: sentence`Show it with: proctor-cli ${typedCommand('changes show', [change])}`,
  });
}
