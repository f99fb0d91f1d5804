/**
 * The transcripts in the README and in docs are what a person sees: each command is typed on a terminal, with
 * the program as it ships, and shows what the page shows. `RECORD=1 npx vitest run test/e2e/transcripts.test.ts`
 * writes what is seen into the pages.
 */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { freshHome } from '../commands/embedded.ts';
import { blocks, root } from '../docs/pages.ts';
import { compiledCode, installInto } from './program.ts';
import { openScreen, type Screen, withoutScreen } from './screen.ts';

const titled = (kind: string) => blocks(kind).map(({ page, text }) => ({ page, text, title: text.split('\n')[0] ?? '' }));
const transcripts = titled('console transcript');
/** The screen of a command, below the line that starts it. */
const screens = titled('console screen');

let screen: Screen | undefined;
afterEach(() => screen?.close());

/** A shell on a terminal of 110 columns, in a home with the program and the roster of the demo. */
function openShell(rows = 100): Screen {
  const home = freshHome();
  installInto(home);
  symlinkSync(join(root, 'test'), join(home, 'test'));
  writeFileSync(join(home, '.prompt'), "PS1='$ '\n");
  return openScreen(
    `cd '${home}' && bash --rcfile .prompt`,
    {
      ...{ PATH: `${home}:${process.env.PATH}`, HOME: home, ...compiledCode },
      ...{ PROCTOR_PROFILE: 'sandbox', PROCTOR_TIMEZONE: 'Europe/Vienna' },
    },
    { columns: 110, rows },
  );
}

/** Types a command and confirms what it asks, until the shell is ready again. */
async function enter(shell: Screen, line: string): Promise<void> {
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

/** Without what is another at each run: times, ports, IDs of imports and changes, progress and pace. */
function lasting(text: string): string {
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
      .replaceAll(/^(Seconds|Rate) +[\d.]+$/gm, '$1 PACE')
  );
}

/** Compares what is seen with a block of a page, or writes it there. */
function record(page: string, text: string, seen: string) {
  if (process.env.RECORD && lasting(seen) !== lasting(text)) {
    const file = join(root, page);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(text, () => seen),
    );
  } else {
    expect(lasting(seen)).toBe(lasting(text));
  }
}

describe.skipIf(withoutScreen)('a transcript shows what a terminal shows', () => {
  test('there are some', () => expect(transcripts.length).toBeGreaterThanOrEqual(3));

  test.each(screens)('$page: the screen of $title', async ({ page, text, title }) => {
    screen = openShell(24);
    await screen.shows(/^\$/);
    screen.type(`clear; ${title.slice(2)}`);
    screen.press('Enter');
    await screen.shows(/^Updated /m);
    record(page, text, `${title}\n${screen.lines().join('\n')}\n`);
    screen.press('q');
    await screen.shows(/^\$$/m);
  });

  test.each(transcripts)('$page: $title', async ({ page, text }) => {
    screen = openShell();
    await screen.shows(/^\$/);
    for (const [, line = ''] of text.matchAll(/^\$ (.*)$/gm)) await enter(screen, line);
    const seen = `${screen.lines().slice(0, -1).join('\n')}\n`;
    record(page, text, seen);
  });
});
