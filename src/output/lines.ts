/**
 * News as lines, for a person who reads them one by one and for a pipe: each when it comes, the cells
 * of its columns with two spaces between, nothing cut.
 */
import { cell } from './cell.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import type { Renderer } from './view.ts';

export const renderLines: Renderer = ({ rows, shown, columns }, { stdout, timeZone }) =>
  writeLines(rows, lineWriter(stdout, undefined, { blocks: false }), (row) => {
    const masked = shown(row);
    return `${columns.map(({ key, as }) => cell(masked[key], as, timeZone)).join('  ')}\n`;
  });
