/**
 * One ID a line, for xargs. All or nothing: a partial list must not start a partial action behind the pipe, and an
 * ID that would read as two is refused.
 */
import { CliError } from '../errors.ts';
import { hasHidden, visible } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import type { Renderer } from './view.ts';

export const renderId: Renderer = async (answer, { stdout }) => {
  const own = answer.id === undefined ? answer.only : answer.id;
  if (own === null) return;
  const key = own ?? 'id';
  const ids: string[] = [];
  for await (const row of answer.rows) {
    const value = answer.shown(row)[key];
    // The service's resources have an ID; a record of our own may have nothing that stands for it.
    if (own !== undefined && (value ?? null) === null) continue;
    ids.push(idOf(value, key, answer.kind === 'one' ? 'The answer' : `Row ${ids.length + 1}`));
  }
  // A record of our own may be about one of the times of a resource: its other times have the same ID.
  await writeLines(own === undefined ? ids : [...new Set(ids)], lineWriter(stdout), (id) => `${id}\n`);
};

function idOf(value: unknown, key: string, where: string): string {
  const isId = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  if (!isId || value === '') {
    throw new CliError('bad_answer', sentence`${where} has no ID in the field ${visible(key)}.`, {
      hint: 'If the service uses another field, set it with: proctor-cli config set dialect.idKey NAME',
    });
  }
  const id = String(value);
  if (hasHidden(id)) {
    throw new CliError('bad_answer', sentence`${where} has an ID that does not fit on one line: ${visible(id)}`, {
      hint: 'Use --output json, which keeps all characters.',
    });
  }
  return id;
}
