/**
 * JSON, as one document or one object a line: every field and every digit as the service sent it.
 * Characters that could command a terminal stand as escapes, which changes no value.
 */
import { stringifyJson } from '../model/json.ts';
import { escapeHidden } from '../text/characters.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import type { Renderer } from './view.ts';

/** An array for a list, an object for one resource; indented on a terminal, compact elsewhere. Written when all rows are there. */
export const renderJson: Renderer = async ({ kind, rows, shown }, { stdout }) => {
  const texts: string[] = [];
  const indent = stdout.isTTY ? 2 : 0;
  for await (const row of rows) texts.push(escapeHidden(stringifyJson(shown(row), indent)));
  if (kind === 'one') return stdout.write(`${texts.join('')}\n`);
  if (texts.length === 0) return stdout.write('[]\n');
  const [open, between, close] = indent ? ['[\n  ', ',\n  ', '\n]\n'] : ['[', ',', ']\n'];
  const writer = lineWriter(stdout);
  for (const [index, text] of texts.entries()) {
    const full = writer.add((index === 0 ? open : between) + (indent ? text.replaceAll('\n', '\n  ') : text));
    if (full) await full;
  }
  writer.add(close);
  await writer.flush();
};

export const renderNdjson: Renderer = ({ rows, shown, live }, { stdout }) =>
  writeLines(rows, lineWriter(stdout, escapeHidden, { blocks: !live }), (row) => `${stringifyJson(shown(row))}\n`);
