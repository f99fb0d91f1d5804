/**
 * An import under each fault that can be rehearsed, then the same command until it ends: whatever went wrong, each
 * student of the file is in the exam exactly once, and "verified" is never said before that is so.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Fault, type FaultKind, faultKinds } from '../../../../src/sandbox/faults.ts';
import { type Data, embedded } from '../../../commands/embedded.ts';

const students = Array.from({ length: 24 }, (_, at) => `student${at + 1}@example.org`);
/** Every Nth request meets it, until it is over. */
const often = (kind: FaultKind, every: number): Fault => ({ kind, meets: (count) => count % every === 0 && count < 30 });
const mostRuns = 8;

async function imported(faults: readonly Fault[]) {
  const { home, json, under } = embedded();
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, `email\n${students.join('\n')}\n`);
  let passed = 0;
  const { run } = await under(faults, { now: () => Date.now() + passed });
  const codes: number[] = [];
  for (let time = 0; time < mostRuns && codes.at(-1) !== 0; time += 1) {
    const { code, stdout, stderr } = await run(['sessions', 'import', roster, '--exam', '6', '--yes', '--resend-absent', '-o', 'json'], {
      onSleep(milliseconds) {
        passed += milliseconds;
      },
    });
    codes.push(code);
    expect([0, 4, 7, 8, 9, 10], stderr).toContain(code);
    const inExam = (await json<Data[]>('sessions list --exam 6')).map(({ email }) => String(email));
    expect(students.filter((email) => inExam.filter((address) => address === email).length > 1)).toEqual([]);
    if (stdout !== '' && JSON.parse(stdout).verified) expect(inExam).toEqual(expect.arrayContaining(students));
  }
  return codes;
}

test.each(faultKinds)('%s: no student is lost, and none is there twice', async (kind) => {
  expect((await imported([often(kind, 3)])).at(-1)).toBe(0);
});

test.each([5, 7, 11, 13])(
  'Many faults at once, each in every %i requests or more: no student is lost, and none is there twice',
  async (every) => {
    expect((await imported(faultKinds.map((kind, index) => often(kind, every + index)))).at(-1)).toBe(0);
  },
);
