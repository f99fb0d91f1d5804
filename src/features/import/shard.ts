/** A stable share of the lines, by key, so that the parallel jobs of a CI system split one roster. */
import { createHash } from 'node:crypto';
import { addressKey } from '../../model/address-key.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Entry } from '../../roster/map/entries.ts';
import type { ListedSession } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

/** The `index`th of `count` shares, from 1. */
export type Shard = { index: number; count: number };

/** One share, or any that is left, one after the other. */
export type Shares = Shard | { anyOf: number };

/** Undefined: the whole file. */
export function eachShare(shares: Shares | undefined): (Shard | undefined)[] {
  if (!shares || !('anyOf' in shares)) return [shares];
  const count = shares.anyOf;
  return Array.from({ length: count }, (_, at) => ({ index: at + 1, count }));
}

/** The value of `--shard`; `env`: the variables of a CI system. Undefined if there is only one job. */
export function parseShares(text: string, env: Readonly<Record<string, string | undefined>>): Shares | undefined {
  if (text === 'auto') return shardOf(env);
  if (text === 'any') return parseShares(`any/${totalOf(env)}`, env);
  const [, index, total] = /^(\d+|any)\/(\d+)$/.exec(text) ?? [];
  const count = Number(total);
  if (index === 'any' && count >= 1) return { anyOf: count };
  const shard = { index: Number(index), count };
  if (shard.index >= 1 && shard.index <= count) return shard;
  throw new InvalidValue(
    sentence`"${text}" is not a share of the lines.`,
    'Give the number of this job and the number of jobs, such as --shard 2/4, or --shard any/4 for each share that is left.',
  );
}

function totalOf({ CI_NODE_TOTAL: total }: Readonly<Record<string, string | undefined>>): string {
  if (total) return total;
  throw new InvalidValue(sentence`--shard any needs CI_NODE_TOTAL, which is not set.`, 'Give the number of shares, such as --shard any/4.');
}

export function shareInWords({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** The share of `--shard auto`, from the variables of a CI system (`CI_NODE_INDEX` counts from 1); undefined if there is only one job. */
function shardOf(env: Readonly<Record<string, string | undefined>>): Shares | undefined {
  const { CI_NODE_INDEX: index, CI_NODE_TOTAL: total } = env;
  if (total === '1') return undefined;
  if (!index || !total) {
    throw new InvalidValue(
      sentence`--shard auto needs CI_NODE_INDEX and CI_NODE_TOTAL, which are not set.`,
      'Give the share itself, such as --shard 2/4.',
    );
  }
  return parseShares(`${index}/${total}`, env);
}

/** Whether a row belongs to a share. The same address is always in the same one, whatever else the file holds. */
export function inShard({ email, row }: Entry, shard: Shard | undefined): boolean {
  return hasKey(shard, email === undefined ? `row ${row}` : addressKey(email));
}

/** The same of a student who is in the exam and not in the file. */
export function missingInShard({ email, id = '' }: Pick<ListedSession, 'email' | 'id'>, shard: Shard | undefined): boolean {
  return hasKey(shard, email === undefined ? `session ${id}` : addressKey(email));
}

function hasKey(shard: Shard | undefined, key: string): boolean {
  if (!shard) return true;
  return createHash('sha256').update(key).digest().readUInt32BE(0) % shard.count === shard.index - 1;
}
