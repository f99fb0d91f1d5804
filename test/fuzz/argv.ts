/** Command lines: words of the program's own grammar with wrong values, in any order, and mutated. */
import { allCommands } from '../cli/all-commands.ts';
import { answering } from './answers.ts';
import { mutated } from './mutate.ts';
import type { Random } from './random.ts';
import { type Input, listIn, type Target } from './target.ts';
import { broken, brokenFiles, removeWritten, run } from './world.ts';

/** Commands that wait for input, a signal or a port, or write to a given path, are not fuzzed. */
const endless = /^(sandbox|sessions watch|auth (log|switch)|config (set|unset)|completion|doctor)/;
const commands = allCommands.filter(({ name }) => !endless.test(name));
const values = [
  '1',
  '0',
  '-1',
  'x',
  '',
  ' ',
  '9;touch x',
  '../1',
  '1e400',
  '9007199254740993',
  '2026-11-21T09:00Z',
  '+2h',
  '25%',
  'now',
  'json',
  'ndjson',
  'csv',
  'id',
  'table',
  'a=b',
  'close_time=+2h',
  'email',
  'email=Mail',
  'true',
  'null',
  '{"a":1}',
  '[',
  '-',
  '--',
  '--help',
  'é',
  '\u202e',
  '\u001b[31m',
  'Europe/Vienna',
  '1/2',
  '0/0',
  '30s',
  'GET',
  'POST',
  '/exams',
  'nowhere.csv',
];
const globals = [
  '-o',
  '--output',
  '--dry-run',
  '--yes',
  '--no-input',
  '--quiet',
  '--debug',
  '--timezone',
  '--timeout',
  '--profile',
  '--plain',
  '-F',
  '-f',
  '--body',
];

function draw(random: Random): Input {
  const command = random.pick(commands);
  const flags = Object.keys(command.flags ?? {}).map((key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  const words = random.several(0, 6, () => {
    const kind = random.next();
    if (kind < 0.35) return random.pick(flags.length > 0 && random.chance(0.7) ? flags : globals);
    if (kind < 0.42) return `${random.pick([...flags, ...globals])}=${random.pick(values)}`;
    return random.pick(values);
  });
  const line = [
    ...(random.chance(0.97) ? command.name.split(' ') : random.several(0, 2, () => random.pick(command.name.split(' ')))),
    ...words,
  ];
  if (random.chance(0.25) && line.length > 0) {
    const at = random.below(line.length);
    line[at] = mutated(line[at] as string, random)
      .slice(0, 2000)
      .replaceAll('\0', '');
  }
  return { line: written(line) };
}

/** Without the options that write a file or run a program where the line says. */
function written(line: string[]): string[] {
  return line.filter((word) => !/^--(rejects|report|html|out|token|ca-file|config|base-url|install)/.test(word));
}

export const argv: Target = {
  name: 'argv',
  weight: 10,
  draw,
  async judge(input) {
    const line = listIn(input, 'line');
    if (endless.test(line.filter((word) => !word.startsWith('-')).join(' '))) return undefined;
    removeWritten();
    return broken(await run(line, answering([]), '', {}), line.includes('--debug') ? ['-o', ''] : line, line.join(' ')) ?? brokenFiles();
  },
};
