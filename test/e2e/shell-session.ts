/** A shell on a terminal, with the program as it ships and the embedded service: what a person types, and what is seen. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freshHome } from '../commands/embedded.ts';
import { root } from '../docs/pages.ts';
import { compiledCode, installInto } from './program.ts';
import { openScreen, type Screen } from './screen.ts';

/** In a home with the program and the roster of the demo; `files` are written there. */
export function openShell({ columns = 110, rows = 100, files = {} as Readonly<Record<string, string>> } = {}): Screen {
  const home = freshHome();
  installInto(home);
  symlinkSync(join(root, 'test'), join(home, 'test'));
  for (const [name, text] of Object.entries({ '.prompt': "PS1='$ '\n", ...files })) writeFileSync(join(home, name), text);
  return openScreen(
    `cd '${home}' && bash --rcfile .prompt`,
    {
      ...{ PATH: `${home}:${process.env.PATH}`, HOME: home, ...compiledCode },
      ...{ PROCTOR_PROFILE: 'sandbox', PROCTOR_TIMEZONE: 'Europe/Vienna' },
    },
    { columns, rows },
  );
}

/** Types a command and confirms what it asks, until the shell is ready again. */
export async function enter(shell: Screen, line: string): Promise<void> {
  const ready = shell.lines().length;
  /** How many lines there were at the last question. */
  let answered = 0;
  shell.type(line);
  shell.press('Enter');
  for (const enough = Date.now() + 20_000; ; await setTimeout(50)) {
    const seen = shell.lines();
    if (seen.length > ready && seen.at(-1) === '$') return;
    // A busy machine may show the answer later than it is looked for.
    if (/\(y\/N\)$/i.test(seen.at(-1) ?? '') && seen.length > answered) {
      answered = seen.length;
      shell.type('y');
      shell.press('Enter');
    }
    if (Date.now() > enough) throw new Error(`"${line}" did not end:\n${seen.join('\n')}`);
  }
}

/** Without what is another at each run: times, ports, IDs of runs, progress and pace. */
export function lasting(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?( ?[+-]\d\d:\d\d|Z)?( +)/g, 'TIME ')
      .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?( ?[+-]\d\d:\d\d|Z)?/g, 'TIME')
      // The edge of the terminal may divide an address anywhere.
      .replaceAll(/1\n?2\n?7\n?\.\n?0\n?\.\n?0\n?\.\n?1\n?:(?:\n?\d)+/g, '127.0.0.1:PORT')
      .replaceAll(/\d{8}T\d{6}-[0-9a-f]{6}/g, 'ID')
      .replaceAll(/^█.*\n/gm, '')
      .replaceAll(/\(TIME to .*\)/g, '(WINDOW)')
      .replaceAll(/\b\d+ (h \d+ )?(h|min|s)\b/g, 'SPAN')
      .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
      .replaceAll(/^(Seconds|Lines\/s) +[\d.]+$/gm, '$1 PACE')
  );
}
