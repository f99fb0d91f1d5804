/**
 * JSON, as one document or one object a line: every field and every digit as the service sent it.
 * Characters that could command a terminal stand as escapes, which changes no value.
 */
import { stringifyJson } from '../model/json.ts';
import { escapeHidden } from '../text/characters.ts';
import { type Renderer, writeLines } from './view.ts';

/** An array for a list, an object for one resource; indented on a terminal, compact elsewhere. Written when all rows are there. */
export const renderJson: Renderer = async ({ kind, rows, shown }, { stdout }) => {
  const indent = stdout.isTTY ? 2 : 0;
  const texts = await Array.fromAsync(rows, (row) => escapeHidden(stringifyJson(shown(row), indent)));
  if (kind === 'one') return stdout.write(`${texts.join('')}\n`);
  if (texts.length === 0) return stdout.write('[]\n');
  const [open, between, close] = indent ? ['[\n  ', ',\n  ', '\n]\n'] : ['[', ',', ']\n'];
  const last = texts.length - 1;
  await writeLines(
    texts.entries(),
    stdout,
    ([index, text]) => (index === 0 ? open : between) + (indent ? text.replaceAll('\n', '\n  ') : text) + (index === last ? close : ''),
  );
};

export const renderNdjson: Renderer = ({ rows, shown, live }, { stdout }) =>
  writeLines(rows, stdout, (row) => `${escapeHidden(stringifyJson(shown(row)))}\n`, live);
