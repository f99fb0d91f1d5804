/** Many items, one after another: what a failure of one means for the rest, and for the end of the command. */
import { describe, expect, test } from 'vitest';
import { batchFailure, inBatch, inPacedBatch } from '../../src/api/batch.ts';
import { Pacer } from '../../src/api/pacer.ts';
import { CliError, type ErrorCode } from '../../src/errors.ts';
import type { Host } from '../../src/host/host.ts';
import { virtualTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;

/** Runs a batch whose items end like this, and tells what each came to. */
async function ran(ends: readonly (ErrorCode | 'done' | 'kept')[], interrupted = never) {
  const { ends: all, stopped } = await inBatch(ends, { interrupted }, async (end) => {
    if (end === 'done') return {};
    return { error: new CliError(end === 'kept' ? 'not_applied' : end, 'words of the error') };
  });
  const tried = all.filter(({ end }) => end);
  const failures = tried.flatMap(({ item, end }, at) => (end?.error ? [{ id: String(at), error: end.error, kept: item === 'kept' }] : []));
  const counts = { done: tried.length - failures.length, all: all.length, untried: all.length - tried.length };
  return { tried: tried.length, failure: batchFailure({ ...counts, failures, stopped }, { did: 'done', idType: 'text' }) };
}

const many = (end: ErrorCode | 'done' | 'kept', times: number) => Array.from({ length: times }, () => end);

describe('A batch continues', () => {
  test.each<ErrorCode>(['not_found', 'rejected', 'invalid_input', 'not_applied'])(
    'after any number of items that end with %s.',
    async (code) => {
      expect(await ran(many(code, 20))).toMatchObject({ tried: 20, failure: { code } });
    },
  );

  test('after two items in a row without a clear answer.', async () => {
    const ends = ['network', 'timeout', 'done', 'unavailable', 'network', 'not_found', 'rate_limited', 'network', 'done'] as const;
    expect(await ran(ends)).toMatchObject({ tried: 9, failure: { code: 'partly_done' } });
  });
});

describe('A batch stops', () => {
  test.each<ErrorCode>(['network', 'timeout', 'unavailable', 'rate_limited', 'bad_answer', 'outcome_unknown'])(
    'after three items in a row that end with %s, and has that status.',
    async (code) => {
      const { tried, failure } = await ran(many(code, 500));
      expect({ tried, code: failure?.code }).toEqual({ tried: 3, code });
      expect(failure?.message).toBe('0 of 500 done, 3 failed, 497 not tried: words of the error');
    },
  );

  test('also where the three end in different ways.', async () => {
    expect(await ran(['network', 'unavailable', 'timeout', 'done'])).toMatchObject({ tried: 3, failure: { code: 'network' } });
  });

  test.each<ErrorCode>(['token_refused', 'not_logged_in', 'interrupted', 'terminated'])('at once after %s.', async (code) => {
    expect(await ran(['done', code, 'done'])).toMatchObject({ tried: 2, failure: { code } });
  });

  test('before the next item once it is interrupted.', async () => {
    const interruption = AbortSignal.abort(new CliError('interrupted', 'Interrupted.'));
    expect(await ran(['done', 'done'], interruption)).toMatchObject({ tried: 0, failure: { code: 'interrupted' } });
  });
});

describe('The status', () => {
  test.each([
    ['that all are done', many('done', 3), undefined],
    ['an unknown outcome, whatever else failed', ['not_found', 'outcome_unknown', 'done'], 'outcome_unknown'],
    ['an unknown outcome, also if a refused token has stopped the rest', ['outcome_unknown', 'token_refused'], 'outcome_unknown'],
    ['an interruption, also after an unknown outcome', ['outcome_unknown', 'interrupted'], 'interrupted'],
    ['the failure that all have in common', many('not_found', 2), 'not_found'],
    ['that the batch is partly done, if one item is', ['done', 'not_found'], 'partly_done'],
    ['that the batch is partly done, if the service went away in its midst', ['done', ...many('network', 4)], 'partly_done'],
    ['that the batch is partly done, if all were kept', many('kept', 2), 'partly_done'],
  ] as const)('tells %s.', async (_, ends, code) => {
    expect((await ran(ends)).failure?.code).toBe(code);
  });
});

describe('A batch of as many at a time as the pacer allows', () => {
  type Item = { group: number; number: number };
  /** Groups of items that take 80 ms each, at a service that `answers` by how often it was asked. */
  async function paced(sizes: readonly number[], answers: (asked: number) => ErrorCode | undefined = () => undefined) {
    const { now, sleep, until } = virtualTime();
    const host = { now, sleep, interrupted: never } as unknown as Host;
    const pacer = new Pacer(host);
    const ended: Item[] = [];
    const early: Item[] = [];
    const counts = { inFlight: 0, most: 0, asked: 0 };
    const groups = sizes.map((size, group) => Array.from({ length: size }, (_, number): Item => ({ group, number })));
    const act = async (item: Item) => {
      const departure = await pacer.departure();
      counts.inFlight += 1;
      counts.asked += 1;
      counts.most = Math.max(counts.most, counts.inFlight);
      const code = answers(counts.asked);
      if (ended.length < groups.slice(0, item.group).flat().length) early.push(item);
      await sleep(80);
      counts.inFlight -= 1;
      ended.push(item);
      pacer.ended(departure, code === undefined ? 'answered' : 'failed');
      return code === undefined ? {} : { error: new CliError(code, 'words of the error') };
    };
    const batch = await until(inPacedBatch(groups, host, act, { pacer }));
    return { ...batch, ...counts, ended, early, groups, seconds: now() / 1000 };
  }

  test('tells the ends in the order of the items.', async () => {
    const { ends, groups, most, seconds } = await paced([600]);
    expect(ends).toEqual(groups.flat().map((item) => ({ item, end: {} })));
    expect(most).toBe(64);
    expect(seconds).toBeLessThan(2);
  });

  test('begins no group before the one before it has ended.', async () => {
    const { early, ended } = await paced([1, 200, 1, 50]);
    expect(early).toEqual([]);
    expect(ended).toHaveLength(252);
  });

  test('begins no further item after an error that concerns them all, and tells it once those in flight have ended.', async () => {
    const { now, sleep, until } = virtualTime();
    const host = { now, sleep, interrupted: never } as unknown as Host;
    let [inFlight, begun, full] = [0, 0, false];
    const act = async () => {
      if (full) throw new Error('begun after the error');
      inFlight += 1;
      const number = ++begun;
      await sleep(80 + number);
      inFlight -= 1;
      if (number !== 20) return {};
      full = true;
      throw new Error('the disk is full');
    };
    const batch = inPacedBatch([Array(500).fill(0), [1]], host, act, { pacer: new Pacer(host) });
    expect(await until(batch.catch((error) => error))).toEqual(new Error('the disk is full'));
    expect({ inFlight, begun }).toEqual({ inFlight: 0, begun: 27 });
  });

  test('stops after three items in a row without a clear answer, also in three groups.', async () => {
    const { ends, stopped, asked } = await paced([1, 1, 1, 1], () => 'network');
    expect({ asked, code: stopped?.code }).toEqual({ asked: 3, code: 'network' });
    expect(ends.map(({ end }) => end !== undefined)).toEqual([true, true, true, false]);
  });

  test('counts those that fail together once, and goes on with fewer.', async () => {
    const { stopped, asked } = await paced([100], (asked) => (asked > 8 && asked <= 24 ? 'unavailable' : undefined));
    expect({ stopped, asked }).toEqual({ stopped: undefined, asked: 100 });
  });
});
