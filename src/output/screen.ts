/** A live result on a full screen: drawn anew every second and at every event. The terminal is always restored. */
import type { Screen } from '../host/host.ts';
import { painter } from './colors.ts';
import type { Artist, Live, Moment } from './result.ts';
import type { View } from './view.ts';

const tick = 1000;

/** Draws each moment until there are no more or the person leaves. Throws what the moments throw. */
export async function showDrawn(
  { moments, stop }: Live,
  artist: Artist,
  view: View,
  terminal: NonNullable<View['terminal']>,
): Promise<void> {
  const news = moments[Symbol.asyncIterator]();
  // Before the terminal is taken over, so that an early error appears at the prompt.
  const first = await news.next();
  if (first.done) return;
  let current: Moment = first.value;
  let drawn: readonly string[] = [];
  const left = Promise.withResolvers<void>();
  let ended = false;
  const draw = () => show().catch(left.reject);
  const screen: Screen = terminal.screen({
    key(key) {
      if (artist.key(key)) left.resolve();
      else void draw();
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
    const redact = (text: string) => (view.showSecrets ? text : view.secrets.masked(text));
    const canvas = { columns, rows, now: terminal.now(), timeZone: view.timeZone, paint: painter(view.color), redact };
    const before = drawn.join('\n');
    drawn = artist.draw(current, canvas);
    if (drawn.join('\n') === before) return;
    // Line by line over what is there: an erased screen would flicker. Erased behind a full line, its last character would go.
    await screen.write(drawn.map((text, row) => `\u001b[${row + 1};1H\u001b[2K${text}`).join(''));
  }
}
