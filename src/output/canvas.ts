/**
 * A canvas the size of the terminal, lines made of styled parts, and their colours: few, and never the only sign of a meaning. No line is
 * ever wider than its space, and no text contains hidden characters.
 */
import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { type SessionStatus, statusOf } from '../model/status.ts';
import { visible } from '../text/characters.ts';
import { type Column, clip, type Row } from './cell.ts';
import { laidOut, type Painter, textsOf } from './view.ts';

/** A terminal of a size at a moment, and how texts get there. */
export type Canvas = {
  columns: number;
  rows: number;
  /** Milliseconds since 1970. */
  now: number;
  timeZone: string;
  paint: Painter;
  masked(text: string): string;
};

/** A text, and how it is coloured once it has been cut to its room. */
export type Part = string | readonly [text: string, paint: (text: string) => string];

/** The parts one after the other, as far as they fit into the width. */
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

/** A table as lines: the headings, then the rows. */
export function tableOn(canvas: Canvas, columns: readonly Column[], rows: readonly Row[]): string[] {
  const { columns: width, paint } = canvas;
  return laidOut(rows, columns, textsOf(rows, columns, canvas), { width, paint, measure: stringWidth });
}

export function painter(color: boolean): Painter {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const statusColors = new Map<unknown, typeof chalk>([
    ['exam_session_opened', chalk.cyan],
    ['exam_started', chalk.cyan],
    ['exam_finished', chalk.green],
  ] satisfies [SessionStatus, typeof chalk][]);
  return {
    label: (text) => chalk.bold(text),
    value(text, row, column) {
      const level = column.as === 'suspicion' && row.level_of_suspicion;
      if (level === 2) return chalk.yellow(text);
      if (level === 3) return chalk.red(text);
      if (column.key === 'status') return statusColors.get(statusOf(row.status))?.(text) ?? text;
      return text;
    },
  };
}
