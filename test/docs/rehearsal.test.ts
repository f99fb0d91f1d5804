/**
 * The lines of docs/rehearsal.md: each block serves the faults of its first line, and the others end with the
 * statuses and the words that stand behind them. Delays are shortened, which changes no draw; pauses only move the clock.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import type { FaultPlan } from '../../src/sandbox/faults/draw.ts';
import { faultPlanOf } from '../../src/sandbox/faults/fault-plan.ts';
import { weatherNames } from '../../src/sandbox/faults/weathers.ts';
import { embedded, wordsOf } from '../commands/embedded.ts';
import { blocks } from './pages.ts';

type Line = { line: string; statuses: number[]; said: string };

const rehearsals = blocks('sh rehearsal').map(({ text }) => {
  const [serve = '', ...lines] = text.trimEnd().split('\n');
  return { serve, lines: lines.map(expected) };
});

/** `proctor-cli … # 0 or 9: "words"` */
function expected(text: string): Line {
  const [line = '', note = ''] = text.split(/ +# /);
  const [statuses = '', said = ''] = note.split(':');
  return { line, statuses: statuses.match(/\d+/g)?.map(Number) ?? [], said: /"(.*)"/.exec(said)?.[1] ?? '' };
}

/** What a line of `sandbox serve` asks for. */
function planOf(line: string): FaultPlan | undefined {
  const given: Record<string, string[]> = {};
  for (const [, flag = '', value = ''] of line.matchAll(/--(\w+) (\S+)/g)) given[flag] = [...(given[flag] ?? []), value];
  const plan = faultPlanOf({ faults: given.fault ?? [], weather: given.weather?.[0], seed: given.seed?.[0] });
  const short = { delay: 1, spread: 4, over: 20 };
  return (
    plan && {
      ...plan,
      rules: plan.rules.map((rule) =>
        ['latency', 'slow-body'].includes(rule.name) ? { ...rule, options: { ...rule.options, ...short } } : rule,
      ),
    }
  );
}

/** As `seq` writes them on the page. */
const students = Array.from({ length: 40 }, (_, at) => `student${at + 1}@example.org`);

test('Each weather has its rehearsal', () => {
  expect(weatherNames.filter((name) => !rehearsals.some(({ serve }) => serve.includes(`--weather ${name}`)))).toEqual([]);
});

describe.each(rehearsals)('$serve', ({ serve, lines }) => {
  test('ends as the page says, and no student is lost or there twice', async () => {
    const { home, json, under } = embedded();
    const roster = join(home, 'roster.csv');
    writeFileSync(roster, `email\n${students.join('\n')}\n`);
    let passed = 0;
    const { run } = await under(planOf(serve), { now: () => Date.now() + passed });
    for (const { line, statuses, said } of lines) {
      const stop = new AbortController();
      let polls = 0;
      const { code, stdout, stderr } = await run(
        wordsOf(line)
          .slice(1)
          .map((word) => (word === 'roster.csv' ? roster : word)),
        {
          interrupt: stop.signal,
          onSleep(milliseconds) {
            passed += milliseconds;
            polls += 1;
            if (line.includes(' watch ') && polls > 20) stop.abort(new CliError('interrupted', 'Stopped by the test.'));
          },
        },
      );
      expect(statuses, `${line}\n${stdout}${stderr}`).toContain(code);
      expect(stdout + stderr).toContain(said);
      expect(stderr).not.toMatch(/Internal error|bug in proctor-cli/);
    }
    const addresses = (await json<{ email: string | null }[]>('sessions list --exam 6')).flatMap(({ email }) => email ?? []);
    expect(new Set(addresses).size).toBe(addresses.length);
    if (lines.some(({ said }) => said === 'Verified')) expect(addresses).toEqual(expect.arrayContaining(students));
  });
});
