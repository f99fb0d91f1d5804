/**
 * The examples in the help of the program and of its topics work: on the embedded service, if they need one.
 * Those of the commands run in outputs.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstSteps } from '../../src/cli/help/pages.ts';
import { topics } from '../../src/cli/help/topics/index.ts';
import type { Command } from '../../src/command.ts';
import { allCommands } from '../cli/all-commands.ts';
import { type ExampleRuns, examples, startExamples, withoutTeam } from './example-runs.ts';

let runs: ExampleRuns;
beforeAll(async () => {
  runs = await startExamples();
});
afterAll(() => runs.close());

const sections = (await Promise.all(topics.map(({ load }) => load()))).flatMap((page) => page.sections);
const ofCommands = new Set(examples.map(([line]) => line));
const inHelp = [...sections.flatMap((section) => section.examples ?? []), ...firstSteps]
  .map(({ line }) => line)
  .filter((line) => !ofCommands.has(line));

// They run with the others in outputs.test.ts.
test.skipIf(withoutTeam !== undefined)(
  `the examples with a team's database run${withoutTeam === undefined ? '' : ` (skipped: ${withoutTeam})`}`,
  () => {
    expect([...ofCommands].filter((line) => line.includes('postgres:'))).not.toEqual([]);
  },
);

test('No example names a file that only a checkout has', () => {
  for (const line of [...inHelp, ...ofCommands]) expect(line).not.toMatch(/(?:^|\s)(?:test|src|scripts)\//);
});

test.each(inHelp)('%s', async (line) => {
  const command = allCommands.find(({ name }) => `${line} `.includes(` ${name.split(' ')[0]} `)) as Command;
  const { code, stderr } = await runs.run(line, command);
  expect(stderr).not.toContain('error:');
  expect(code, stderr).toBe(0);
});
