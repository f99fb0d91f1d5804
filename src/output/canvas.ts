/** Lines that fit their space, without hidden characters. No colour is the only sign of a meaning. */
import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { type SessionStatus, statusOf } from '../model/status.ts';
import { visible } from '../text/characters.ts';
import { type Column, clip, type Row } from './cell.ts';
import { laidOut, type Painter, tableTexts } from './layout.ts';

export type Canvas = {
  columns: number;
  rows: number;
  /** Milliseconds since 1970. */
  now: number;
  timeZone: string;
  paint: Painter;
  masked(text: string): string;
};

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
