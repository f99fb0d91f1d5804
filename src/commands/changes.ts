/** The changes to exams and sessions made from this machine: their results, resume and undo. */

import { type Column, type Context, defineCommand, type Row } from '../command.ts';
import { changesFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import type { RecordedChange } from '../features/changes/list-changes.ts';
import type { Move } from '../features/changes/moves.ts';
import type { ChangeHeader } from '../features/changes/records.ts';
import { idAs } from '../model/id.ts';
import { sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'change' },
  { key: 'what' },
  { key: 'origin' },
  { key: 'exam' },
  { key: 'state' },
  { key: 'exams' },
  { key: 'sessions' },
  { key: 'done' },
  { key: 'undone' },
  { key: 'started', as: 'time' },
  { key: 'last', as: 'time', detail: true },
  { key: 'next', detail: true },
  { key: 'reason', detail: true },
];

const change = { description: 'ID of the change, from changes list', complete: 'changes' } as const;

const list = defineCommand({
  name: 'changes list',
  summary: 'List the changes made on this machine, latest first',
  effect: 'local',
  columns,
  async run(context) {
    const { listChanges } = await import('../features/changes/list-changes.ts');
    const { changes, unreadable } = await listChanges(changesFolder(context.host));
    for (const { message } of unreadable) context.warn(message);
    return { kind: 'list', rows: changes.map(rowOf), columns, id: 'change' };
  },
  output: 'change[]',
  examples: [{ line: 'proctor-cli changes list', description: 'what was extended, delayed or shifted, and which changes are unfinished' }],
});

const standing: readonly Column[] = [{ key: 'old', as: 'time' }, { key: 'new', as: 'time' }, { key: 'set' }, { key: 'undo' }];
const sessionColumns: readonly Column[] = [{ key: 'session' }, ...standing];
const timeColumns: readonly Column[] = [{ key: 'exam' }, { key: 'session' }, { key: 'field' }, ...standing];

const show = defineCommand({
  name: 'changes show',
  summary: 'Show the exams and sessions of a change, each time before and after',
  details:
    'A change of exams, or of several times, has a row for each time; set is the outcome of the change, undo the outcome of undoing it: planned (no request was sent), begun (a request may have been sent), done, failed, unknown, left (skipped: there was another time, or the exam or session was missing, and nothing was sent).',
  effect: 'local',
  args: { change },
  columns: sessionColumns,
  async run(context, { change }) {
    const { header, moves } = await found(context, change);
    const { next } = nextOf(header.change, moves.state());
    if (next !== null) context.say(sentence`Change ${header.change} (${header.what}): ${moves.state()}. Resume with: ${next}`);
    // An extension is shown as it has been since the first version: its sessions have one time each.
    if ((header.kind ?? 'extend') === 'extend')
      return { kind: 'list', rows: moves.all().map(sessionRow), columns: sessionColumns, id: 'session' };
    return {
      kind: 'list',
      rows: moves.all().flatMap((move) => timeRows(move, header)),
      columns: timeColumns,
      id: null,
    };
  },
  output: ['changedSession[]', 'changedTime[]'],
  examples: [{ line: 'proctor-cli changes show 20261121T104057-2e8521', description: 'old and new close time of each session' }],
});

const undo = defineCommand({
  name: 'changes undo',
  summary: 'Restore the times that a change has replaced',
  details:
    'Shows the exams and sessions that still have the new times and, once confirmed, restores the old ones. Those that were changed since are named and skipped. Of a change that was stopped, the part that was done is undone.',
  effect: 'write',
  takes: true,
  args: { change },
  async run(context, { change }) {
    const known = await found(context, change);
    const { reviseChange } = await import('../features/changes/revise.ts');
    return reviseChange(context, changesFolder(context.host), known, 'undo');
  },
  output: ['movedSession[]', 'movedTime[]'],
  examples: [
    {
      line: 'proctor-cli changes undo 20261121T104057-2e8521 --dry-run',
      description: 'what it would restore, and what it would skip',
    },
  ],
});

const resume = defineCommand({
  name: 'changes resume',
  summary: 'Finish a change that was stopped or has failed in part',
  details: 'Reads each exam and session that is unfinished, and changes those that still have their old times. Nothing is changed twice.',
  effect: 'write',
  takes: true,
  args: { change },
  async run(context, { change }) {
    const known = await found(context, change);
    const { reviseChange } = await import('../features/changes/revise.ts');
    return reviseChange(context, changesFolder(context.host), known, 'set');
  },
  output: ['movedSession[]', 'movedTime[]'],
  examples: [{ line: 'proctor-cli changes resume 20261121T104057-2e8521 --yes', description: 'make the remaining changes' }],
});

async function found(context: Context, change: string): Promise<RecordedChange> {
  const { findChange } = await import('../features/changes/list-changes.ts');
  const known = await findChange(changesFolder(context.host), change);
  if (known) return known;
  throw new CliError('not_found', sentence`No change ${JSON.stringify(change)} on this machine.`, {
    hint: 'List them with: proctor-cli changes list',
  });
}

function rowOf({ header, moves, startedAt, lastAt }: RecordedChange): Row {
  const state = moves.state();
  const resources = [...Map.groupBy(moves.all(), ({ kind, id }) => `${kind} ${id}`).values()];
  const number = (counts: (move: Move) => boolean) => resources.filter((all) => all.every(counts)).length;
  return {
    change: header.change,
    what: header.what,
    origin: header.origin,
    exam: header.exam === undefined ? null : idAs(header.exam, header.ids),
    state,
    exams: number(({ kind }) => kind === 'exam'),
    sessions: number(({ kind }) => kind === 'session'),
    done: number(({ set }) => set === 'done'),
    undone: number(({ undo }) => undo === 'done'),
    started: new Date(startedAt).toISOString(),
    last: new Date(lastAt).toISOString(),
    ...nextOf(header.change, state),
    ...(header.reason === undefined ? {} : { reason: header.reason }),
  };
}

function sessionRow({ id, ids, fields, set, undo }: Move): Row {
  const { old, new: next } = fields.close_time ?? {};
  return { session: idAs(id, ids), old, new: next, set, undo: undo ?? null };
}

function timeRows({ kind, id, ids, exam, fields, set, undo }: Move, header: ChangeHeader): Row[] {
  const shown = idAs(id, ids);
  const of =
    kind === 'exam' ? { exam: shown, session: null } : { exam: exam === undefined ? null : idAs(exam, header.ids), session: shown };
  return Object.entries(fields).map(([field, { old, new: next }]) => ({ ...of, field, old, new: next, set, undo: undo ?? null }));
}

function nextOf(change: string, state: ReturnType<RecordedChange['moves']['state']>): { next: string | null } {
  if (state === 'unfinished') return { next: `proctor-cli changes resume ${change}` };
  return { next: state === 'undo unfinished' ? `proctor-cli changes undo ${change}` : null };
}

export const changes = [list, show, undo, resume];
