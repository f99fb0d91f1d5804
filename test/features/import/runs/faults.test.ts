/**
 * An import under each fault that can be rehearsed, then the same command until it ends: whatever went wrong, each
 * student of the file is in the exam exactly once, and "verified" is never said before that is so.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FaultName, faultKind, faultNames } from '../../../../src/sandbox/faults/fault-kinds.ts';
import { faultPlanOf } from '../../../../src/sandbox/faults/fault-plan.ts';
import { type Data, embedded } from '../../../commands/embedded.ts';

const students = Array.from({ length: 24 }, (_, at) => `student${at + 1}@example.org`);
/** Short, and over after a while. A list that lies does so each time: one that only sometimes does deceives the run after a finished one. */
function ruleOf(name: FaultName, rate = '30%'): string {
  const short = { latency: ',delay=1ms,spread=5ms', 'slow-body': ',over=20ms', 'list-lag': ',by=2s' }[name as string] ?? '';
  return `${name}=${isOfLists(name) ? '1,for=6' : `${rate},for=30`}${short}`;
}
const isOfLists = (name: FaultName) => faultKind(name).group === 'list';
const mostRuns = 8;

async function imported(faults: readonly string[], seed: string) {
  const { home, json, under } = embedded();
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, `email\n${students.join('\n')}\n`);
  let passed = 0;
  const { run } = await under(faultPlanOf({ faults, seed }), { now: () => Date.now() + passed });
  const codes: number[] = [];
  for (let time = 0; time < mostRuns && codes.at(-1) !== 0; time += 1) {
    const { code, stdout, stderr } = await run(['sessions', 'import', roster, '--exam', '6', '--yes', '--resend-absent', '-o', 'json'], {
      onSleep(milliseconds) {
        passed += milliseconds;
      },
    });
    codes.push(code);
    // A list that shows no address of anybody is refused as long as it does.
    expect([0, 4, 7, 8, 9, 10, ...(stderr.includes('shows no address of ') ? [3] : [])], stderr).toContain(code);
    const inExam = (await json<Data[]>('sessions list --exam 6')).map(({ email }) => String(email));
    expect(students.filter((email) => inExam.filter((address) => address === email).length > 1)).toEqual([]);
    if (stdout !== '' && JSON.parse(stdout).verified) expect(inExam).toEqual(expect.arrayContaining(students));
  }
  return codes;
}

test.each(faultNames)('%s: no student is lost, and none is there twice', async (name) => {
  expect((await imported([ruleOf(name)], 'monday')).at(-1)).toBe(0);
});

test.each(['monday', 'tuesday', 'wednesday', 'thursday'])(
  'Many faults at once, %s: no student is lost, and none is there twice',
  async (seed) => {
    const faults = faultNames.filter((name) => !isOfLists(name)).map((name) => ruleOf(name, '5%'));
    expect((await imported(faults, seed)).at(-1)).toBe(0);
  },
);
