/**
 * The examples in the help of the program and of its topics work: on the embedded service, if they need one.
 * Those of the commands run in outputs.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstSteps } from '../../src/cli/help/pages.ts';
import { topics } from '../../src/cli/help/topics/index.ts';
import type { Command } from '../../src/command.ts';
import { allCommands } from '../cli/all-commands.ts';
import { type ExampleRuns, examples, startExamples } from './example-runs.ts';

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

test.each(inHelp)('%s', async (line) => {
  const command = allCommands.find(({ name }) => `${line} `.includes(` ${name.split(' ')[0]} `)) as Command;
  const { code, stderr } = await runs.run(line, command);
  expect(stderr).not.toContain('error:');
  expect(code, stderr).toBe(0);
});
