/**
 * Which run an import resumes: the unfinished one of the same exam and share, if it is of the same file, read in
 * the same way, from the same instant. A run of another import is refused, or abandoned with --start-over.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { showTime } from '../../model/time.ts';
import { Entries } from '../../roster/map/entries.ts';
import type { Mapping } from '../../roster/map/index.ts';
import { journalOrigin } from '../../state/journal/origin.ts';
import { sentence } from '../../text/sentence.ts';
import { changedParts, type Identity, type Journal, openJournal } from './journal/journal.ts';
import type { Rows } from './journal/rows.ts';
import { listRunsOf, type Run, readRun, targetFolder } from './journal/runs.ts';
import type { ImportRequest } from './request.ts';
import { settle, settlingMessage } from './settle.ts';
import { mayShareRows } from './shard.ts';

/** What is imported where, and the folder of its journals. */
export type ImportTarget = { folder: string; identity: Identity };

export function targetOf(
  context: Context,
  { folder, exam, shard, accommodations }: ImportRequest,
  { table, digest }: Mapping,
): ImportTarget {
  const identity: Identity = {
    origin: journalOrigin(context.settings()),
    exam,
    input: table.digest,
    // The zone decides what a local time means.
    mapping: [digest, context.settings().timeZone].filter(Boolean).join(' '),
    ...(shard === undefined ? {} : { shard: `${shard.index}/${shard.count}` }),
    ...(accommodations === undefined ? {} : { accommodations: accommodations.digest }),
  };
  return { folder: targetFolder(folder, identity), identity };
}

/**
 * The instant from which relative times count: that of the run to resume, so that each row means
 * there what it meant before; now, where there is none. Part of the run's identity once it is asked for.
 */
export async function startOf({ host }: Context, { startOver }: ImportRequest, { folder, identity }: ImportTarget): Promise<number> {
  if (identity.start === undefined) {
    const unfinished = startOver ? undefined : await unfinishedRun(folder, identity);
    identity.start = (unfinished?.undone ? undefined : unfinished?.header.start) ?? host.now();
  }
  return identity.start;
}

/**
 * The run that an import would resume, or one of another share that has rows of this one: what it
 * left unknown would be sent again. Throws `journal_damaged`: what cannot be read might be one.
 */
async function unfinishedRun(folder: string, { shard }: Identity): Promise<Run | undefined> {
  const { runs, unreadable } = await listRunsOf(folder);
  const [damaged] = unreadable;
  if (damaged) throw damaged;
  const unfinished = runs.filter(({ state, header }) => state !== 'finished' && mayShareRows(header.shard, shard));
  return unfinished.find(({ header }) => header.shard !== shard) ?? unfinished[0];
}

/** The journal of an unfinished run of the same import. Throws where an unfinished run is of another one. */
export async function runToResume(
  context: Context,
  request: ImportRequest,
  { client, folder, identity }: ImportTarget & { client: Client },
): Promise<Journal | undefined> {
  const unfinished = await unfinishedRun(folder, identity);
  if (!unfinished) return undefined;
  const { run } = unfinished.header;
  const { journal, changed, torn } = await openJournal(unfinished.path, identity, {
    now: context.host.now,
    secrets: context.secrets,
    idType: () => client.idType('session'),
  });
  if (torn > 0) context.say(sentence`The last line of run ${run} was cut short: ${torn} bytes were lost, but no request.`);
  // A run whose undo was begun is not resumed.
  const { undone } = unfinished;
  if (undone || request.startOver) {
    try {
      await lookForUnknown(context, request, { client, journal });
      await journal.note('finished', { reason: undone ? 'undone' : 'started over' });
    } finally {
      await journal.close();
    }
    return runToResume(context, request, { client, folder, identity });
  }
  if (changed.length === 0) {
    context.host.log?.({ event: 'resume', run });
    context.say(sentence`Resuming run ${run} of ${showTime(unfinished.startedAt, context.zone())}.`);
    return journal;
  }
  await journal.close();
  throw anotherImport(unfinished, changed);
}

/** Late requests of an abandoned run must arrive before the listing on which the new plan is based. */
async function lookForUnknown({ say, host }: Context, { exam, settle: wait }: ImportRequest, run: { client: Client; journal: Journal }) {
  const { unknown } = run.journal.rows.counts();
  if (unknown === 0) return;
  say(settlingMessage(unknown, wait, ` of run ${run.journal.header.run}`));
  await settle([], { ...run, host, exam, compared: new Set(), entries: new Entries(), patience: 0, say, wait });
}

/** What an unfinished run of the same import has done so far, for a preview. Throws as the import would. */
export async function rowsToResume({ startOver }: ImportRequest, { folder, identity }: ImportTarget): Promise<Rows | undefined> {
  const unfinished = await unfinishedRun(folder, identity);
  if (!unfinished || unfinished.undone || startOver) return undefined;
  const changed = changedParts(unfinished.header, identity);
  if (changed.length > 0) throw anotherImport(unfinished, changed);
  return (await readRun(unfinished.path))?.rows;
}

function anotherImport({ header: { run, exam } }: Run, changed: readonly (keyof Identity)[]): CliError {
  const words = {
    input: 'the file',
    mapping: 'the meaning of its columns',
    origin: 'the service',
    exam: 'the exam',
    shard: 'the share',
    accommodations: 'the list of accommodations',
    start: 'the time to which its times are relative',
  };
  return new CliError(
    'invalid_input',
    sentence`Run ${run} for exam ${exam} is unfinished, and ${changed.map((part) => words[part]).join(' and ')} changed since then.`,
    {
      hint: sentence`Import the unchanged file to finish the run, or abandon the run with --start-over; see: proctor-cli ${typedCommand('imports show', [run])}`,
    },
  );
}
