/** A stable share of the lines, by key, so that the parallel jobs of a CI system split one roster. */
import { createHash } from 'node:crypto';
import { addressKey } from '../../model/address-key.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Entry } from '../../roster/map/entries.ts';
import { sentence } from '../../text/sentence.ts';

/** The `index`th of `count` shares, from 1. */
export type Shard = { index: number; count: number };

export function parseShard(text: string): Shard {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (shard.index >= 1 && shard.index <= shard.count) return shard;
  throw new InvalidValue(
    sentence`"${text}" is not a share of the lines.`,
    'Give the number of this job and the number of jobs, such as --shard 2/4.',
  );
}

/** The share of `--shard auto`, from the variables of a CI system (`CI_NODE_INDEX` counts from 1); undefined if there is only one job. */
export function shardOf(env: Readonly<Record<string, string | undefined>>): Shard | undefined {
  const { CI_NODE_INDEX: index, CI_NODE_TOTAL: total } = env;
  if (total === '1') return undefined;
  if (!index || !total) {
    throw new InvalidValue(
      sentence`--shard auto needs CI_NODE_INDEX and CI_NODE_TOTAL, which are not set.`,
      'Give the share itself, such as --shard 2/4.',
    );
  }
  return parseShard(`${index}/${total}`);
}

/** Whether a row belongs to a share. The same address is always in the same one, whatever else the file holds. */
export function inShard({ email, row }: Entry, shard: Shard | undefined): boolean {
  if (!shard) return true;
  const key = email === undefined ? `row ${row}` : addressKey(email);
  return createHash('sha256').update(key).digest().readUInt32BE(0) % shard.count === shard.index - 1;
}
