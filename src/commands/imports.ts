/** The imports made from this machine: their results, resume and undo. */

import type { Column, Result, Row } from '../command.ts';
import { defineCommand } from '../command.ts';
import { importsFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import type { Run } from '../features/import/journal/runs.ts';
import { firstLines } from '../model/first-of.ts';
import { idAs } from '../model/id.ts';
import { openStates, type RowStateName, rowStateNames } from '../model/row-states.ts';
import { typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { wholeNumber } from './whole-number.ts';

const columns: readonly Column[] = [
  { key: 'run' },
  { key: 'origin' },
  { key: 'exam' },
  { key: 'shard', detail: true },
  { key: 'state' },
  { key: 'rows' },
  ...rowStateNames.map((key) => ({ key })),
  { key: 'removed', detail: true },
  { key: 'started', as: 'time' },
  { key: 'last', as: 'time' },
  { key: 'next', detail: true },
];

/** The columns of states that at least one row has, besides the fixed ones. */
function columnsOf(rows: readonly Row[]): readonly Column[] {
  const empty = new Set<string>(rowStateNames.filter((name) => rows.every((row) => row[name] === 0)));
  return columns.filter(({ key }) => !empty.has(key));
}

const list = defineCommand({
  name: 'imports list',
  summary: 'List the imports of this machine, latest first',
  effect: 'local',
  columns,
  async run(context) {
    const { listRuns } = await import('../features/import/journal/runs.ts');
    const { runs, unreadable } = await listRuns(importsFolder(context.host));
    for (const { message } of unreadable) context.warn(message);
    const rows = runs.map(rowOf);
    return { kind: 'list', rows, columns: columnsOf(rows), id: 'run' };
  },
  output: 'importRun[]',
  examples: [{ line: 'proctor-cli imports list', description: 'which imports are finished, and which can be resumed' }],
});

const show = defineCommand({
  name: 'imports show',
  summary: 'Show one import and how to resume it',
  effect: 'local',
  args: { run: { description: 'ID of the run, from imports list', complete: 'runs' } },
  columns,
  async run(context, { run }) {
    return shown(await found(importsFolder(context.host), run));
  },
  output: 'importRun',
  examples: [{ line: 'proctor-cli imports show 20261121T104057-2e8521', description: 'the outcome of this import, and how to resume it' }],
});

const settle = defineCommand({
  name: 'imports settle',
  summary: 'Record the outcome of a row that no listing can show',
  details:
    'If the answer for a row was lost, and the row has no address or the listing hides addresses, its outcome stays unknown: no listing can identify the student. Check the exam, then record the outcome of the row; imports show RUN -o json lists the open rows. --created reads the session first, and refuses a session of another student, exam or row. A row recorded as --absent is sent again by the same import with --resend-absent.',
  effect: 'local',
  args: { run: { description: 'ID of the run, from imports list', complete: 'runs' } },
  flags: {
    row: { type: 'text', value: 'n', required: true, description: 'number of the row, from the result of the import' },
    created: { type: 'text', value: 'id', description: 'the row created this session' },
    absent: { type: 'boolean', description: 'the student is not in the exam' },
  },
  columns,
  async run(context, { run, row, created, absent = false }) {
    if ((created === undefined) !== absent) {
      throw new CliError('usage', 'Give either --created with the ID of the session, or --absent.', {
        hint: 'See: proctor-cli imports settle --help',
      });
    }
    const { settleByHand } = await import('../features/import/settle-by-hand.ts');
    const folder = importsFolder(context.host);
    const { path } = await found(folder, run);
    await settleByHand(context, path, { row: wholeNumber('--row', row, 1, Number.MAX_SAFE_INTEGER), session: created });
    return shown(await found(folder, run));
  },
  output: 'importRun',
  examples: [
    { line: 'proctor-cli imports settle 20261121T104057-2e8521 --row 3 --created 41', description: 'row 3 created session 41' },
    { line: 'proctor-cli imports settle 20261121T104057-2e8521 --row 3 --absent', description: 'row 3 created no session' },
  ],
});

const undo = defineCommand({
  name: 'imports undo',
  summary: 'Delete the students that an import created and that have not started',
  details:
    'Shows the sessions that the import created and that are still registered or mail_sent and, once confirmed, deletes them. Each session is read again right before its DELETE. A session that belongs to another address or exam by now, or whose student has started, is kept and named, and the status is 9, each time: 0 means that no student of the import is left.',
  effect: 'destroy',
  takes: true,
  args: { run: { description: 'ID of the run, from imports list', complete: 'runs' } },
  async run(context, { run }) {
    const { undoRun } = await import('../features/import/undo.ts');
    const { path } = await found(importsFolder(context.host), run);
    return undoRun(context, path);
  },
  output: 'undoneSession[]',
  examples: [
    {
      line: 'proctor-cli imports undo 20261121T104057-2e8521 --dry-run',
      description: 'which sessions it would delete, and which it would keep',
    },
  ],
});

type Found = {
  path: string;
  row: Row;
  open: { row: number; state: RowStateName; session: ReturnType<typeof idAs> | null; reason: string | null }[];
};

/** A run with its open rows: all for programs, the first for people. */
function shown({ row, open }: Found): Result {
  const inWords = ({ row, state, session, reason }: Found['open'][number]) =>
    sentence`Row ${row}: ${state}${session === null ? '' : `, session ${String(session)}`}${reason === null ? '' : `: ${reason}`}`;
  const advice = firstLines(open, inWords);
  return { kind: 'one', row: { ...row, open_rows: open }, columns: columnsOf([row]), brief: true, id: 'run', advice };
}

async function found(folder: string, run: string): Promise<Found> {
  const [{ findRun, readRun }, { stateOf }] = await Promise.all([
    import('../features/import/journal/runs.ts'),
    import('../features/import/journal/row-state.ts'),
  ]);
  const path = await findRun(folder, run);
  const read = path === undefined ? undefined : await readRun(path);
  if (path === undefined || !read) {
    throw new CliError('not_found', sentence`No import ${JSON.stringify(run)} on this machine.`, {
      hint: 'List them with: proctor-cli imports list',
    });
  }
  const type = read.rows.idType();
  const open = [...read.rows.entries()].flatMap(([row, before]) => {
    const state = stateOf(before);
    const { session = null, reason = null } = before;
    return openStates.includes(state) ? [{ row, state, session: session === null ? null : idAs(session, type), reason }] : [];
  });
  return { path, row: rowOf(read.run), open };
}

function rowOf({ header, counts, state, undone, removed, startedAt, lastAt }: Run): Row {
  const { run, origin, exam, ids, shard, rows } = header;
  return {
    run,
    origin,
    exam: idAs(exam, ids),
    shard: shard ?? null,
    state: state === 'finished' ? 'finished' : 'unfinished',
    rows,
    ...counts,
    removed,
    started: new Date(startedAt).toISOString(),
    last: new Date(lastAt).toISOString(),
    next: state === 'finished' ? null : nextOf(header, undone),
  };
}

function nextOf({ run, exam, shard }: Run['header'], undone: boolean): string {
  const line = undone
    ? `imports undo ${run}`
    : `sessions import FILE ${typedOption('--exam', exam)}${shard === undefined ? '' : ` --shard ${shard}`}`;
  return `Run the same command again: proctor-cli ${line}`;
}

export const imports = [list, show, settle, undo];
