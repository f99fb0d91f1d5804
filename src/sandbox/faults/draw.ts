/**
 * Draws the faults of a request from the seed and the request itself, never from the clock or from
 * chance. The n-th request of the same method, target and body meets the same faults whatever else is in
 * flight; only `after`, `for` and `every` count requests in the order of arrival. Times in a body do not count: the
 * data of a rehearsal is dated from the day on which it was made, and so are changes of it.
 */
import { createHash } from 'node:crypto';
import { fieldRules } from '../../model/fields.ts';
import { type FaultName, faultKind } from './fault-kinds.ts';
import type { Rule } from './rules.ts';
import { matches } from './scope.ts';

export type FaultPlan = { rules: readonly Rule[]; seed: string };

export type Asked = {
  method: string;
  /** Path and query below the version, as they were sent. */
  target: string;
  body: string;
  /** Whether it requests a list. */
  list: boolean;
};

export type Drawn = {
  name: FaultName;
  options: Rule['options'];
  /** The fault's strength within its range, from 0 to 1. */
  extent: number;
};

export class Draws {
  readonly #rules: readonly (Rule & { label: string })[];
  readonly #seed: string;
  /** How many requests have come, by rule, and by method, target and body. */
  readonly #counts = new Map<string, number>();

  constructor({ rules, seed }: FaultPlan) {
    const before = new Map<FaultName, number>();
    this.#seed = seed;
    // What a rule draws does not depend on other rules.
    this.#rules = rules.map((rule) => ({ ...rule, label: `${rule.name} ${next(before, rule.name)}` }));
  }

  /** The faults of a request, in the order of their rules. Counts the request. */
  of({ method, target, body, list }: Asked): Drawn[] {
    const request = digest([method, target, withoutTimes(body)]).toString('base64');
    const time = next(this.#counts, request);
    const [path = ''] = target.split('?');
    return this.#rules.flatMap(({ label, name, rate, scope, after, for: span, every, options }) => {
      if (!matches(scope, method, path) || (faultKind(name).group === 'list' && !list)) return [];
      const place = (next(this.#counts, label) - 1) % every;
      if (place < after || place >= after + span) return [];
      const chances = digest([this.#seed, label, request, String(time)]);
      return share(chances, 0) < rate ? [{ name, options, extent: share(chances, 4) }] : [];
    });
  }
}

const times = Object.values(fieldRules).flatMap((fields) => Object.keys(fields).filter((name) => fields[name]?.type === 'time'));
const timesInBody = new RegExp(`("(?:${[...new Set(times)].join('|')})"\\s*:\\s*)(?:"[^"]*"|\\d[\\d.]*)`, 'g');

function withoutTimes(body: string): string {
  return body.replace(timesInBody, '$1""');
}

function next<K>(counts: Map<K, number>, key: K): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** Hashes the parts with their lengths, so that no two lists of parts collide. */
function digest(parts: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest();
}

function share(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) / 2 ** 32;
}
