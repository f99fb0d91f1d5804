/**
 * A live result on a full screen: redrawn every second and at every event, changed lines only. The terminal is
 * always restored.
 */

import type { Screen } from '../host/host.ts';
import { painter } from './colors.ts';
import type { Live, Moment } from './result.ts';
import type { View } from './view.ts';

const tick = 1000;
const clear = '\u001b[2J';

/** The number of lines that a key scrolls, on a screen with so many rows. */
const page = (rows: number) => Math.max(1, rows >> 1);
const steps: Readonly<Record<string, (rows: number) => number>> = {
  '\u001b[A': () => -1,
  '\u001bOA': () => -1,
  k: () => -1,
  '\u001b[B': () => 1,
  '\u001bOB': () => 1,
  j: () => 1,
  '\u001b[5~': (rows) => -page(rows),
  '\u001b[6~': page,
  ' ': page,
  '\u001b[H': () => Number.NEGATIVE_INFINITY,
  g: () => Number.NEGATIVE_INFINITY,
  '\u001b[F': () => Number.POSITIVE_INFINITY,
  G: () => Number.POSITIVE_INFINITY,
};

/** Draws each moment until there are no more or q is pressed. Throws what the moments throw. */
export async function showDrawn(
  { moments, stop }: Live,
  artist: Awaited<ReturnType<Live['drawing']>>,
  view: View,
  terminal: NonNullable<View['terminal']>,
): Promise<void> {
  const news = moments[Symbol.asyncIterator]();
  // Before the terminal is taken over, so that an early error appears at the prompt.
  const first = await news.next();
  if (first.done) return;
  let current: Moment = first.value;
  let drawn: string[] = [];
  /** The number of lines scrolled, and its maximum. */
  let [scroll, most] = [0, 0];
  const left = Promise.withResolvers<void>();
  let ended = false;
  const draw = () => show().catch(left.reject);
  const screen: Screen = terminal.screen({
    key(key) {
      if (key.toLowerCase() === 'q') return left.resolve();
      const by = steps[key]?.(screen.rows);
      if (by === undefined) return;
      scroll = Math.max(0, Math.min(most, scroll + by));
      void draw();
    },
    resize() {
      drawn = [];
      void draw();
    },
  });
  const timer = setInterval(draw, tick);
  let last: readonly string[] = [];
  try {
    await draw();
    await Promise.race([follow(), left.promise]);
  } catch (error) {
    last = drawn;
    throw error;
  } finally {
    clearInterval(timer);
    screen.release();
    stop();
    // The terminal is restored; the last screen is printed again, so that it can still be read after an error.
    const shown = last.slice(0, last.findLastIndex((text) => text !== '') + 1);
    if (shown.length > 0) await view.stdout.write(`${shown.join('\n')}\n`).catch(() => {});
  }
  // The last notes, while they are still visible.
  if (ended) for (const note of current.notes ?? []) view.note(note);

  async function follow(): Promise<void> {
    for (;;) {
      const next = await news.next();
      ended = next.done === true;
      if (next.done) return;
      current = next.value;
      void draw();
    }
  }

  async function show(): Promise<void> {
    const { columns, rows } = screen;
    const drawing = artist.draw(current, {
      scroll,
      columns,
      rows,
      now: terminal.now(),
      timeZone: view.timeZone,
      paint: painter(view.color),
      redact: (text) => (view.showSecrets ? text : view.secrets.masked(text)),
    });
    const { lines } = drawing;
    most = drawing.most;
    scroll = Math.min(scroll, most);
    const before = drawn;
    drawn = lines;
    const different = lines.flatMap((text, index) => (text === before[index] ? [] : [`\u001b[${index + 1};1H\u001b[2K${text}`]));
    if (different.length > 0) await screen.write((before.length === 0 ? clear : '') + different.join(''));
  }
}
