/**
 * Events as lines, for a screen reader or a log and for a pipe: each as it happens, its cells separated by two
 * spaces, nothing cut.
 */
import { cell, kindOf } from './cell.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import type { Renderer } from './view.ts';

export const renderLines: Renderer = ({ rows, shown, columns }, { stdout, timeZone }) =>
  writeLines(rows, lineWriter(stdout, undefined, { blocks: false }), (row) => {
    const masked = shown(row);
    return `${columns.map((column) => cell(masked[column.key], kindOf(column, masked), timeZone)).join('  ')}\n`;
  });
