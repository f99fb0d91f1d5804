/**
 * Moves the record of runs from one state to another. First the target is emptied and marked as not whole, then the source
 * as moved, so that nothing more is recorded there; then all rows are copied, read again from both and compared; only then
 * the target may be used. Interrupted anywhere, the same command does it from the beginning. Each mark is changed only from
 * what was seen before, so that a record is never in use in two places.
 */
import { createHash, randomUUID } from 'node:crypto';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import type { CopyEnd, CopyMeta } from './copy-end.ts';
import { copying, isCopying, notInUse } from './moved.ts';
import type { StateOptions } from './options.ts';
import { tables } from './state-tables.ts';

export async function copyState(from: StateOptions, to: StateOptions): Promise<{ rows: number; wasThere: boolean }> {
  const source = await endOf(from);
  try {
    const target = await endOf(to);
    try {
      return await copied(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function endOf(options: StateOptions): Promise<CopyEnd> {
  if (options.team) return (await import('./postgres/team-copy.ts')).teamEnd({ ...options, team: options.team });
  return (await import('./local-copy.ts')).localEnd(options);
}

async function copied(source: CopyEnd, target: CopyEnd): Promise<{ rows: number; wasThere: boolean }> {
  const [own, there] = [await source.meta(), await target.meta()];
  const { keys } = source;
  if (!own || !keys)
    throw new CliError('not_found', sentence`There is no record of runs yet: ${source.place}.`, { hint: 'Nothing was copied.' });
  const isAgain = own.movedTo === target.place;
  if (isCopying(own.movedTo)) throw notInUse(source.place, own.movedTo);
  if (own.movedTo !== '' && !isAgain) throw movedElsewhere(source.place, own.movedTo);
  const isSame = there?.id === own.id;
  if (isSame && there.movedTo === '') {
    if (isAgain) return { rows: (await digestOf(target)).rows, wasThere: true };
    throw new CliError('state_failed', sentence`The states ${source.place} and ${target.place} are the same record, and both are in use.`, {
      hint: 'Nothing was copied. Decide which of them is right; the other was probably restored from a backup.',
    });
  }
  if (isAgain && !(isSame && isCopying(there.movedTo)))
    throw new CliError(
      'state_failed',
      sentence`The record of ${source.place} was moved to ${target.place} before, and is no longer there.`,
      {
        hint: 'Nothing was copied. Look for the database that has it, or restore that one from its backup.',
      },
    );
  // The record that is in use may come back to a place that it has left.
  if (there && !isSame) await refuseOther(target, there);
  if ((there ?? target.keys ?? own).print !== own.print || keys.print !== own.print)
    throw new CliError(
      'invalid_config',
      sentence`The states ${source.place} and ${target.place} have different keys, and no student would be recognised.`,
      {
        hint: 'Nothing was copied. A copy keeps the key: name its file in PROCTOR_STATE_KEY_FILE, and copy to a database without a record.',
      },
    );
  // Of two that copy at the same moment, the later one is the only one that ends.
  const mark = `${copying}${randomUUID()}`;
  if (!(await target.prepare(there, { ...own, movedTo: mark }, keys))) throw another(target.place);
  if (!(await source.mark(own.movedTo, target.place))) throw another(source.place);
  for (const table of tables) for await (const rows of source.rows(table)) await target.add(table, rows);
  const rows = await compared(source, target);
  if (!(await target.mark(mark, ''))) throw another(target.place);
  return { rows, wasThere: false };
}

/** Throws where another record is there that would be lost. */
async function refuseOther(target: CopyEnd, there: CopyMeta): Promise<void> {
  if (isCopying(there.movedTo)) throw notInUse(target.place, there.movedTo);
  if (there.movedTo !== '') throw movedElsewhere(target.place, there.movedTo);
  if (await target.hasRuns())
    throw new CliError('state_failed', sentence`The state ${target.place} has runs of its own.`, {
      hint: 'Nothing was copied. Copy to an empty database.',
    });
}

/** Resolves to the number of rows. */
async function compared(source: CopyEnd, target: CopyEnd): Promise<number> {
  const [one, other] = [await digestOf(source), await digestOf(target)];
  if (one.digest === other.digest) return one.rows;
  throw new CliError(
    'state_failed',
    sentence`The states ${source.place} and ${target.place} are not equal: ${one.rows} and ${other.rows} rows, or other values.`,
    {
      hint: 'Nothing is recorded in either. Copy again with the same command.',
    },
  );
}

async function digestOf(end: CopyEnd): Promise<{ digest: string; rows: number }> {
  const hash = createHash('sha256');
  let count = 0;
  for (const table of tables) {
    // Databases sort texts differently.
    const found: string[] = [];
    for await (const rows of end.rows(table))
      for (const row of rows) found.push(createHash('sha256').update(JSON.stringify(row)).digest('base64'));
    count += found.length;
    hash.update(table).update(found.sort().join(''));
  }
  return { digest: hash.digest('hex'), rows: count };
}

function another(place: string): CliError {
  return new CliError('state_failed', sentence`Another state copy has begun: ${place}.`, {
    hint: 'Wait until it has ended, then look at both with: proctor-cli state status',
  });
}

function movedElsewhere(place: string, to: string): CliError {
  return new CliError('state_failed', sentence`The state ${place} was moved before: ${to}.`, {
    hint: 'Nothing was copied. Copy from there.',
  });
}
