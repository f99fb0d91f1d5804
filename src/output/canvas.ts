/**
 * Lines that fit their space, without hidden characters. No colour is the only sign of a meaning. And a live result on a full screen, drawn
 * every second and at every event.
 */
import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import type { Screen } from '../host/host.ts';
import { type SessionStatus, statusOf } from '../model/status.ts';
import { visible } from '../text/characters.ts';
import { type Column, clip, type Row } from './cell.ts';
import { laidOut, type Painter, tableTexts } from './layout.ts';
import type { Canvas, Live, Snapshot, View } from './result.ts';

export type { Canvas };

/** A text, and how it is coloured once it is cut to its room. */
type Part = string | readonly [text: string, paint: (text: string) => string];

export function line(width: number, ...parts: readonly Part[]): string {
  let left = width;
  let made = '';
  for (const part of parts) {
    const [text, paint] = typeof part === 'string' ? [part, undefined] : part;
    if (text === '' || left <= 0) continue;
    const fitting = clip(visible(text), left, stringWidth);
    left -= stringWidth(fitting);
    made += paint ? paint(fitting) : fitting;
  }
  return made;
}

/** The headings, then the rows. */
export function tableOn(canvas: Canvas, columns: readonly Column[], rows: readonly Row[]): string[] {
  const { columns: width, paint } = canvas;
  return laidOut(rows, columns, tableTexts(rows, columns, canvas), { width, paint, measure: stringWidth });
}

export function painter(color: boolean): Painter {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const colors: Partial<Record<SessionStatus, typeof chalk>> = {
    exam_session_opened: chalk.cyan,
    exam_started: chalk.cyan,
    exam_finished: chalk.green,
  };
  return {
    label: (text) => chalk.bold(text),
    value(text, row, column) {
      const level = column.as === 'suspicion' && row.level_of_suspicion;
      if (level === 2) return chalk.yellow(text);
      if (level === 3) return chalk.red(text);
      // The exam's own time.
      if (column.as === 'time' && text.startsWith('(')) return chalk.dim(text);
      const status = column.key === 'status' ? statusOf(row.status) : undefined;
      return (status && colors[status])?.(text) ?? text;
    },
  };
}

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
