/** A live result on a full screen, drawn every second and at every event. */
import type { Screen } from '../host/host.ts';
import { painter } from './canvas.ts';
import type { Live, Snapshot, View } from './result.ts';

const tick = 1000;

/** Until there are no more moments or the person leaves. Throws what the moments throw. */
export async function showDrawn({ moments, drawing, stop }: Live, view: View, terminal: NonNullable<View['terminal']>): Promise<void> {
  const artist = await drawing();
  const left = Promise.withResolvers<void>();
  let current: Snapshot | undefined;
  let screen: Screen | undefined;
  let drawn: readonly string[] = [];
  let last: readonly string[] = [];
  let isOver = false;
  const draw = () => void show().catch(left.reject);
  const timer = setInterval(draw, tick);
  try {
    await Promise.race([follow(), left.promise]);
  } catch (error) {
    last = drawn.slice(0, drawn.findLastIndex((text) => text !== '') + 1);
    throw error;
  } finally {
    clearInterval(timer);
    screen?.release();
    stop();
    // After an error the last screen can still be read.
    if (last.length > 0) await view.stdout.write(`${last.join('\n')}\n`).catch(() => {});
  }
  if (isOver) for (const note of current?.notes ?? []) view.note(note);

  async function follow(): Promise<void> {
    for await (current of moments) {
      // Not before the first moment: an early error appears at the prompt.
      screen ??= await terminal.screen({
        key: (key) => (artist.key(key) ? left.resolve() : draw()),
        resize() {
          drawn = [];
          draw();
        },
      });
      draw();
    }
    isOver = true;
  }

  async function show(): Promise<void> {
    if (!current || !screen) return;
    const { columns, rows } = screen;
    const { timeZone, masked, color } = view;
    const canvas = { columns, rows, now: terminal.now(), timeZone, masked, paint: painter(color) };
    const before = drawn.join('\n');
    drawn = artist.draw(current, canvas);
    if (drawn.join('\n') === before) return;
    // An erased screen would flicker; erased behind a full line, its last character would go.
    await screen.write(drawn.map((text, row) => `\u001b[${row + 1};1H\u001b[2K${text}`).join(''));
  }
}
