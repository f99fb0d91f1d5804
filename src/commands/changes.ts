/** The changes to many sessions made from this machine: their results, resume and undo. */

import { type Column, type Context, defineCommand, type Row } from '../command.ts';
import { changesFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import type { RecordedChange } from '../features/extend/list-changes.ts';
import { idAs } from '../model/id.ts';
import { sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'change' },
  { key: 'what' },
  { key: 'origin' },
  { key: 'exam' },
  { key: 'state' },
  { key: 'sessions' },
  { key: 'done' },
  { key: 'undone' },
  { key: 'started', as: 'time' },
  { key: 'last', as: 'time', detail: true },
  { key: 'next', detail: true },
];

const change = { description: 'ID of the change, from changes list', complete: 'changes' } as const;

const list = defineCommand({
  name: 'changes list',
  summary: 'List the changes made on this machine, latest first',
  effect: 'local',
  columns,
  async run(context) {
    const { listChanges } = await import('../features/extend/list-changes.ts');
    const { changes, unreadable } = await listChanges(changesFolder(context.host));
    for (const { message } of unreadable) context.warn(message);
    return { kind: 'list', rows: changes.map(rowOf), columns, id: 'change' };
  },
  output: 'change[]',
  examples: [{ line: 'proctor-cli changes list', description: 'which sessions were extended, and which changes are unfinished' }],
});

const sessionColumns: readonly Column[] = [
  { key: 'session' },
  { key: 'old', as: 'time' },
  { key: 'new', as: 'time' },
  { key: 'set' },
  { key: 'undo' },
];

const show = defineCommand({
  name: 'changes show',
  summary: 'Show the sessions of a change, each with its time before and after',
  details:
    'set is the outcome of the change, undo the outcome of undoing it: planned (no request was sent), begun (a request may have been sent), done, failed, unknown, left (skipped: the session had another time or was missing, and nothing was sent).',
  effect: 'local',
  args: { change },
  columns: sessionColumns,
  async run(context, { change }) {
    const { header, moves } = await found(context, change);
    const { next } = nextOf(header.change, moves.state());
    if (next !== null) context.say(sentence`Change ${header.change} (${header.what}): ${moves.state()}. Resume with: ${next}`);
    const rows = [...moves.all()].map(({ ids, session, ...move }) => ({ session: idAs(session, ids), ...move, undo: move.undo ?? null }));
    return { kind: 'list', rows, columns: sessionColumns, id: 'session' };
  },
  output: 'changedSession[]',
  examples: [{ line: 'proctor-cli changes show 20261121T104057-2e8521', description: 'old and new close time of each session' }],
});

const undo = defineCommand({
  name: 'changes undo',
  summary: 'Restore the times that a change has set',
  details:
    'Shows the sessions that still have the new close time and, once confirmed, restores their old one. Sessions that were changed since are named and skipped. Of a change that was stopped, the part that was done is undone.',
  effect: 'write',
  args: { change },
  async run(context, { change }) {
    const known = await found(context, change);
    const { reviseChange } = await import('../features/extend/revise.ts');
    return reviseChange(context, changesFolder(context.host), known, 'undo');
  },
  output: 'movedSession[]',
  examples: [
    {
      line: 'proctor-cli changes undo 20261121T104057-2e8521 --dry-run',
      description: 'which sessions it would restore, and which it would skip',
    },
  ],
});

const resume = defineCommand({
  name: 'changes resume',
  summary: 'Finish a change that was stopped or has failed in part',
  details: 'Reads each unfinished session, and changes those that still have their old time. No session is extended twice.',
  effect: 'write',
  args: { change },
  async run(context, { change }) {
    const known = await found(context, change);
    const { reviseChange } = await import('../features/extend/revise.ts');
    return reviseChange(context, changesFolder(context.host), known, 'set');
  },
  output: 'movedSession[]',
  examples: [{ line: 'proctor-cli changes resume 20261121T104057-2e8521 --yes', description: 'extend the remaining sessions' }],
});

async function found(context: Context, change: string): Promise<RecordedChange> {
  const { findChange } = await import('../features/extend/list-changes.ts');
  const known = await findChange(changesFolder(context.host), change);
  if (known) return known;
  throw new CliError('not_found', sentence`No change ${JSON.stringify(change)} on this machine.`, {
    hint: 'List them with: proctor-cli changes list',
  });
}

function rowOf({ header, moves, startedAt, lastAt }: RecordedChange): Row {
  const all = [...moves.all()];
  const state = moves.state();
  return {
    change: header.change,
    what: header.what,
    origin: header.origin,
    exam: header.exam === undefined ? null : idAs(header.exam, header.ids),
    state,
    sessions: all.length,
    done: all.filter(({ set }) => set === 'done').length,
    undone: all.filter(({ undo }) => undo === 'done').length,
    started: new Date(startedAt).toISOString(),
    last: new Date(lastAt).toISOString(),
    ...nextOf(header.change, state),
  };
}

function nextOf(change: string, state: ReturnType<RecordedChange['moves']['state']>): { next: string | null } {
  if (state === 'unfinished') return { next: `proctor-cli changes resume ${change}` };
  return { next: state === 'undo unfinished' ? `proctor-cli changes undo ${change}` : null };
}

export const changes = [list, show, undo, resume];
