/** `state`: where runs are recorded, which processes hold locks, and the acceptance of a record that was restored from a backup. */
import { type Column, type Context, defineCommand, type Result, type Row } from '../command.ts';
import { stateFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import { firstLines } from '../model/first-of.ts';
import { showTime } from '../model/time.ts';
import type { StateOptions } from '../state/sqlite-state.ts';
import type { StateStatus } from '../state/state-status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'place' },
  { key: 'standing' },
  { key: 'problem' },
  { key: 'size', as: 'size' },
  { key: 'runs' },
  { key: 'open_runs', title: 'open', as: 'list' },
];

const status = defineCommand({
  name: 'state status',
  summary: 'Show where runs are recorded, open runs, and locks',
  details:
    'standing is none (nothing was recorded yet), ready, restored (the database is older than its last commit, or is another database), missing or damaged (its key may be lost, too). In the last three cases, nothing is sent. Of a damaged record, the output names what is wrong, and the status is 3. In JSON, size is in bytes.',
  effect: 'local',
  columns,
  run: async (context) => shown(context, await read(context)),
  output: 'state',
  examples: [{ line: 'proctor-cli state status', description: 'place, size, open runs, and who holds a lock' }],
});

const accept = defineCommand({
  name: 'state accept',
  summary: 'Accept a record that was restored from a backup',
  details:
    'The record lacks all that was done after the backup. Its open runs are looked up first, because their requests may have been sent since; those that stay unknown stay open. Runs that came after the backup are not known here: before you repeat an extension, a shift or mails of that time, look at the exam. Where the record is missing, the next command begins a new one: earlier runs, open ones included, are then not known here.',
  effect: 'local',
  columns,
  async run(context) {
    const { acceptState } = await import('../state/state-status.ts');
    const accepted = await acceptState(options(context), async (restored, open) => {
      const { closeRun, worldOf } = await import('../runs/index.ts');
      const world = await worldOf(context, undefined, restored);
      for (const run of open) {
        const { stopped } = await closeRun(world, run);
        if (stopped) throw stopped;
      }
    });
    const now = await read(context);
    context.say(acceptedInWords(accepted, now));
    return shown(context, now);
  },
  output: 'state',
  examples: [{ line: 'proctor-cli state accept', description: 'use the database of a backup' }],
});

function acceptedInWords(accepted: boolean, { standing }: StateStatus): Sentence {
  if (!accepted) return sentence`There was nothing to accept.`;
  if (standing === 'none')
    return sentence`Accepted: the next command begins a new record. Earlier runs, open ones included, are not known here.`;
  return sentence`Accepted: commands record their runs here again. Runs that came after the backup are not known here.`;
}

function options({ host, zone }: Context): StateOptions {
  refuseNone(host.env);
  return { folder: stateFolder(host), host, inWords: (instant) => showTime(instant, zone()) };
}

function refuseNone(env: Context['host']['env']) {
  if (env.PROCTOR_STATE !== 'none') return;
  throw new CliError('invalid_config', 'No record of runs is kept: PROCTOR_STATE is none.', { hint: 'unset PROCTOR_STATE' });
}

async function read(context: Context): Promise<StateStatus> {
  const { stateStatus } = await import('../state/state-status.ts');
  return stateStatus(options(context));
}

function shown({ zone }: Context, { open, locks, failure, ...status }: StateStatus): Result {
  const row: Row = {
    ...status,
    ...(failure ? { problem: failure.message } : {}),
    open_runs: open.map(({ id }) => id),
    locks: locks.map(({ name, holder }) => ({
      name,
      process: holder?.pid ?? null,
      machine: holder?.machine ?? null,
      since: holder === undefined ? null : new Date(holder.since).toISOString(),
      command: holder?.command ?? null,
      run: holder?.run ?? null,
    })),
  };
  const { standing } = status;
  const advice = [
    ...(standing === 'restored' || standing === 'missing'
      ? [sentence`Nothing is sent until this record is accepted; to accept it: proctor-cli state accept`]
      : []),
    ...firstLines(open, ({ id, command, lastAt }) => sentence`Open: run ${id} (${command}), last recorded ${showTime(lastAt, zone())}.`),
    ...firstLines(locks, ({ name, holder }) =>
      holder === undefined
        ? sentence`Locked: ${name}.`
        : sentence`Locked${holder.run === undefined ? '' : `: run ${holder.run},`} by process ${holder.pid} on ${holder.machine} since ${showTime(new Date(holder.since).toISOString(), zone())}: ${holder.command}.`,
    ),
  ];
  // A sound state has no problem to show.
  const shownColumns = columns.filter(({ key }) => key !== 'problem' || failure);
  return { kind: 'one', row, columns: shownColumns, brief: true, id: 'place', advice, ...(failure ? { failure } : {}) };
}

export const state = [status, accept];
