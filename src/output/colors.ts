/** Colours on a terminal: few, and never the only sign of a meaning. */
import { Chalk } from 'chalk';
import { type SessionStatus, statusOf } from '../model/status.ts';
import type { Column, Row } from './cell.ts';

export type Painter = ReturnType<typeof painter>;

export function painter(color: boolean) {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const statusColors = new Map<unknown, typeof chalk>([
    ['exam_session_opened', chalk.cyan],
    ['exam_started', chalk.cyan],
    ['exam_finished', chalk.green],
  ] satisfies [SessionStatus, typeof chalk][]);
  return {
    label: (text: string): string => chalk.bold(text),
    /** The text of a row's value in a column. */
    value(text: string, row: Row, column: Column): string {
      const value = row[column.key];
      if (column.as === 'suspicion' && value === 2) return chalk.yellow(text);
      if (column.as === 'suspicion' && value === 3) return chalk.red(text);
      if (column.key === 'status') return statusColors.get(statusOf(value))?.(text) ?? text;
      return text;
    },
  };
}
