/** Many items, one after another: what a failure of one means for the rest, and for the end of the command. */
import { describe, expect, test } from 'vitest';
import { batchFailure, inBatch } from '../../src/api/batch.ts';
import { CliError, type ErrorCode } from '../../src/errors.ts';

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
    ['a refused token, also after an unknown outcome', ['outcome_unknown', 'token_refused'], 'token_refused'],
    ['the failure that all have in common', many('not_found', 2), 'not_found'],
    ['that the batch is partly done, if one item is', ['done', 'not_found'], 'partly_done'],
    ['that the batch is partly done, if the service went away in its midst', ['done', ...many('network', 4)], 'partly_done'],
    ['that the batch is partly done, if all were kept', many('kept', 2), 'partly_done'],
  ] as const)('tells %s.', async (_, ends, code) => {
    expect((await ran(ends)).failure?.code).toBe(code);
  });
});
