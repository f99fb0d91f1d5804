/**
 * sessions extend while requests get lost, refused or answered by proxies: what it says is what the service has,
 * no session is extended twice, and the same command extends what is left once the trouble is over.
 */
import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../../src/sandbox/faults.ts';
import { between } from '../../commands/embedded.ts';
import { extending, type Moved } from './extending.ts';

const ids = ['37', '38', '39'];
const [ten, half] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z'];

/** Three sessions that close at ten, at a service whose second PATCH meets this fault. */
async function troubled(fault: FaultKind) {
  const service = extending();
  for (const id of ids) await service.closing(id, ten);
  const { run, tally } = await service.under([between(fault, 2, 2, 'PATCH')]);
  return {
    tally,
    times: () => ids.map((id) => service.closeTime(id)),
    extend: () => run(['sessions', 'extend', ...ids, '--by', '30m', '--yes', '-o', 'json']),
  };
}

/** One for each way in which a read settles it; the table of answers is tested row by row in `test/runs/answers.test.ts`. */
const carriedOut = ['lost-after', '504'] as const;
const notCarriedOut = ['lost-before', '409'] as const;

describe('A PATCH without a clear answer', () => {
  test.each(carriedOut)('that was carried out counts as extended: %s', async (fault) => {
    const { extend, times, tally } = await troubled(fault);
    const { code, stdout, stderr } = await extend();
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).map(({ result }: Moved) => result)).toEqual(['extended', 'extended', 'extended']);
    expect(times()).toEqual([half, half, half]);
    expect(tally.faulty).toBe(1);
  });

  test.each(notCarriedOut)('that was not carried out is named, and the same command extends that session once: %s', async (fault) => {
    const { extend, times, tally } = await troubled(fault);
    const { code, stdout } = await extend();
    expect(code).toBe(9);
    expect(times()).toEqual([half, ten, half]);
    expect(JSON.parse(stdout).map((moved: Moved) => moved.result)).toEqual(['extended', 'failed', 'extended']);
    expect(tally.faulty).toBe(1);
    const again = await extend();
    expect(again.code, again.stderr).toBe(0);
    expect(times()).toEqual([half, half, half]);
  });

  test('from a service that refuses the token stops the run; the same command extends the rest', async () => {
    const { extend, times } = await troubled('401');
    expect((await extend()).code).toBe(9);
    expect(times()).toEqual([half, ten, ten]);
    expect((await extend()).code).toBe(0);
    expect(times()).toEqual([half, half, half]);
  });
});
