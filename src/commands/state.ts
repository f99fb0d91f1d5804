/** `state`: where runs are recorded, on this machine or for a team, who holds locks, and how a record is accepted, made and moved. */
import { type Column, type Context, defineCommand, type Result, type Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { firstLines } from '../model/first-of.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { parseTeamPlace } from '../model/team-place.ts';
import { showTime } from '../model/time.ts';
import type { StateOptions, StateStatus } from '../state/options.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'place' },
  { key: 'standing' },
  { key: 'problem' },
  { key: 'moved_to' },
  { key: 'server' },
  { key: 'latency_ms', title: 'latency (ms)' },
  { key: 'size', as: 'size' },
  { key: 'runs' },
  { key: 'open_runs', title: 'open', as: 'list' },
];

const status = defineCommand({
  name: 'state status',
  summary: 'Show where runs are recorded, open runs, and locks',
  details:
    "standing is none (nothing was recorded yet; a team's database needs state init first), ready, moved (state copy has moved the record), copying (state copy to it has not ended), restored (the database is older than its last commit, or is another database), missing or damaged (its key may be lost, too). Unless it is none or ready, nothing is sent. Of a damaged record, the output names what is wrong, and the status is 3. Of a team's database, the output has the version of the server and how long a question and its answer take. In JSON, size is in bytes.",
  effect: 'local',
  columns,
  run: async (context) => shown(context, await read(context)),
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
    const at = context.settings().state;
    if (typeof at !== 'string')
      throw new CliError('invalid_config', sentence`The state ${at.shown} is a team's; only a record on this machine is accepted.`, {
        hint: 'Ask the operator of its server to restore it.',
      });
    const { acceptState } = await import('../state/open-state.ts');
    const accepted = await acceptState(await options(context), async (restored, open) => {
      const { closeRun, worldOf } = await import('../runs-before/index.ts');
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
  examples: [{ line: 'proctor-cli state accept', description: 'use the database of a backup' }],
});

const statementColumns: readonly Column[] = [{ key: 'statement', whole: true }];

const init = defineCommand({
  name: 'state init',
  summary: "Make the record of runs in a team's database",
  details:
    'Run it once, as the owner of the database. It prints the SQL statements that make a role with exactly the rights that an import needs: it adds to the history, and can neither change nor delete what was recorded. The key of this machine becomes the key of the team, unless PROCTOR_STATE_KEY_FILE names another file.',
  effect: 'local',
  columns: statementColumns,
  async run(context) {
    const at = context.settings().state;
    if (typeof at === 'string')
      throw new CliError(
        'invalid_config',
        sentence`The state is ${at === 'none' ? 'not kept at all' : 'on this machine, and needs no init'}.`,
        {
          hint: 'For a team, first name its database: proctor-cli config set state postgres://USER@HOST/DATABASE',
        },
      );
    const { initState } = await import('../state/open-state.ts');
    const { team, ...local } = await options(context);
    if (!team) return { kind: 'nothing' };
    const { isNew, grants } = await initState({ ...local, team });
    context.say(
      isNew
        ? sentence`The record is at ${at.shown} now. Each other machine needs the key: proctor-cli state key`
        : sentence`The record at ${at.shown} was there already.`,
    );
    const rows = grants.map((statement) => ({ statement }));
    return { kind: 'list', rows, columns: statementColumns, id: 'statement' };
  },
  examples: [{ line: 'proctor-cli state init -o id', description: 'make it, and print the statements for psql' }],
});

const key = defineCommand({
  name: 'state key',
  summary: "Print the key of the record, for a team's vault",
  details:
    'The key turns addresses into what the record has of a student, and opens what is sealed in it. It is never in the database. On another machine, put the line into a file that only you can read, and name the file: PROCTOR_STATE_KEY_FILE, or the setting stateKeyFile.',
  effect: 'local',
  columns: [{ key: 'key' }],
  async run(context) {
    const { stateKey } = await import('../state/open-state.ts');
    return { kind: 'one', row: { key: await stateKey(await options(context)) }, columns: [{ key: 'key' }], only: 'key', reveal: true };
  },
  examples: [{ line: 'proctor-cli state key', description: 'the line to put into a vault, or into a file that only you can read' }],
});

const place = (description: string) => ({ description, complete: 'settingValues' }) as const;

const copy = defineCommand({
  name: 'state copy',
  summary: 'Move the record of runs to another database',
  details:
    "FROM and TO are local, for the database on this machine, or the address of a team's PostgreSQL. Nothing more is recorded in FROM from then on. All rows are copied, read again and compared. If it is interrupted, run the same command again. The record keeps its key. Then name the new place: proctor-cli config set state TO",
  effect: 'local',
  args: { from: place('local, or postgres://USER@HOST/DATABASE'), to: place('local, or postgres://USER@HOST/DATABASE') },
  columns: [{ key: 'from' }, { key: 'to' }, { key: 'rows' }],
  async run(context, { from, to }) {
    const [source, target] = [placeOf('FROM', from), placeOf('TO', to)];
    if (from === to) throw new CliError('usage', 'FROM and TO are the same.', { hint: 'Name two different places.' });
    const { copyState } = await import('../state/open-state.ts');
    context.say(sentence`Copying the record to ${to}.`);
    const { rows, wasThere } = await copyState(await options(context, source), await options(context, target));
    context.say(
      wasThere
        ? sentence`The record was moved to ${to} before.`
        : sentence`The record is at ${to} now; the one at ${from} takes nothing more. Use it: proctor-cli ${typedCommand('config set state', [to])}`,
    );
    return { kind: 'one', row: { from, to, rows }, columns: [{ key: 'from' }, { key: 'to' }, { key: 'rows' }], id: null };
  },
  examples: [
    {
      line: 'proctor-cli state copy local postgres://owner@db.example.org/proctor',
      description: 'take a team into use, with what was done from here',
    },
  ],
});

function placeOf(name: string, text: string): 'local' | ReturnType<typeof parseTeamPlace> {
  if (text === 'local') return text;
  try {
    return parseTeamPlace(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CliError('invalid_input', sentence`${name}: ${error.message}`, error.hint === undefined ? {} : { hint: error.hint });
  }
}

function acceptedInWords(accepted: boolean, { standing }: StateStatus): Sentence {
  if (!accepted) return sentence`There was nothing to accept.`;
  if (standing === 'none')
    return sentence`Accepted: the next command begins a new record. Earlier runs, open ones included, are not known here.`;
  return sentence`Accepted: commands record their runs here again. Runs that came after the backup are not known here.`;
}

async function options(context: Context, at = context.settings().state): Promise<StateOptions> {
  if (at === 'none')
    throw new CliError('invalid_config', 'No record of runs is kept: the setting state is none.', {
      hint: 'unset PROCTOR_STATE, or: proctor-cli config unset state',
    });
  return (await import('../config/state-options.ts')).stateOptions(context, at);
}

async function read(context: Context): Promise<StateStatus> {
  const { stateStatus } = await import('../state/open-state.ts');
  return stateStatus(await options(context));
}

function shown({ zone }: Context, { open, locks, failure, movedTo, server, ...status }: StateStatus): Result {
  const row: Row = {
    ...status,
    ...(failure ? { problem: failure.message } : {}),
    ...(status.standing === 'moved' ? { moved_to: movedTo } : {}),
    ...(server ? { server: sentence`PostgreSQL ${server.version}`, latency_ms: Math.round(server.latency * 10) / 10 } : {}),
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
    ...(standing === 'none' && server === undefined && status.place.startsWith('postgres:')
      ? [sentence`Nothing is sent until it was made, by the owner of the database: proctor-cli state init`]
      : []),
    ...(server?.mayTooMuch
      ? [
          sentence`warning: this user may change and delete what was recorded. Import as a user of the role that this prints: proctor-cli state init`,
        ]
      : []),
    ...firstLines(open, ({ id, command, lastAt }) => sentence`Open: run ${id} (${command}), last recorded ${showTime(lastAt, zone())}.`),
    ...firstLines(locks, ({ name, holder }) =>
      holder === undefined
        ? sentence`Locked: ${name}.`
        : sentence`Locked${holder.run === undefined ? '' : `: run ${holder.run},`} by ${holder.who === undefined ? '' : `${holder.who}, `}process ${holder.pid} on ${holder.machine} since ${showTime(new Date(holder.since).toISOString(), zone())}: ${holder.command}.`,
    ),
  ];
  const isShown: Record<string, boolean> = {
    problem: failure !== undefined,
    moved_to: movedTo !== '',
    server: server !== undefined,
    latency_ms: server !== undefined,
  };
  const shownColumns = columns.filter(({ key: name }) => isShown[name] ?? true);
  return { kind: 'one', row, columns: shownColumns, brief: true, id: 'place', advice, ...(failure ? { failure } : {}) };
}

export const state = [status, accept, init, key, copy];
