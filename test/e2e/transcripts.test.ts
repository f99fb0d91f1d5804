/**
 * The transcripts in the README and in docs are what a person sees: each command is typed on a terminal, with
 * the program as it ships, and shows what the page shows. `npm run pictures`
 * writes what is seen into the pages.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { blocks, root } from '../docs/pages.ts';
import { type Screen, withoutScreen } from './screen.ts';
import { enter, lasting, openShell } from './shell-session.ts';

const transcripts = blocks('console transcript').map(({ page, text }) => ({ page, text, title: text.split('\n')[0] ?? '' }));

let screen: Screen | undefined;
afterEach(() => screen?.close());

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

  test.each(transcripts)('$page: $title', async ({ page, text }) => {
    screen = openShell();
    await screen.shows(/^\$/);
    for (const [, line = ''] of text.matchAll(/^\$ (.*)$/gm)) await enter(screen, line);
    const seen = `${screen.lines().slice(0, -1).join('\n')}\n`;
    record(page, text, seen);
  });
});
