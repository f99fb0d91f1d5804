/**
 * Every example does what it shows: on the embedded service, where it needs one. The first of each command
 * runs in every format in outputs.test.ts, and only there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstSteps } from '../../src/cli/pages.ts';
import { topics } from '../../src/cli/topics/index.ts';
import type { Command } from '../../src/command.ts';
import { allCommands } from '../cli/all-commands.ts';
import { type ExampleRuns, examples, firstExamples, startExamples } from './example-runs.ts';

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
const first = new Set(firstExamples.map(([line]) => line));

describe('the example', () => {
  test.each(examples.filter(([line]) => !first.has(line)))('%s', async (line, command) => {
    const { code, stderr, lasts } = await runs.run(line, command);
    if (lasts) return expect([0, 130], stderr).toContain(code);
    expect(stderr).not.toContain('error:');
    expect(code, stderr).toBe(0);
  });

  test.each(inHelp)('in the help of the program or a topic: %s', async (line) => {
    const command = allCommands.find(({ name }) => `${line} `.includes(` ${name.split(' ')[0]} `)) as Command;
    const { code, stderr } = await runs.run(line, command);
    expect(stderr).not.toContain('error:');
    expect(code, stderr).toBe(0);
  });
});
