/**
 * One ID a line, for xargs. All or nothing: a partial list must not start a partial action behind the pipe, and an
 * ID that would read as two is refused.
 */
import { CliError } from '../errors.ts';
import { hasHidden } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';
import { collect, type Renderer, writeLines } from './view.ts';

export const renderId: Renderer = async (answer, { stdout }) => {
  const own = answer.id === undefined ? answer.only : answer.id;
  if (own === null) return;
  const key = own ?? 'id';
  const values = (await collect(answer)).map((row) => row[key]);
  // The service's resources have an ID; a record of our own may have nothing that stands for it.
  const given = own === undefined ? values : values.filter((value) => value !== undefined && value !== null);
  const ids = given.map((value, index) => idOf(value, key, answer.kind === 'one' ? 'The answer' : `Row ${index + 1}`));
  // A record of our own may be about one of the times of a resource: its other times have the same ID.
  await writeLines(own === undefined ? ids : new Set(ids), stdout, (id) => `${id}\n`);
};

function idOf(value: unknown, key: string, where: string): string {
  const id = ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : '';
  if (id !== '' && !hasHidden(id)) return id;
  throw id === ''
    ? new CliError('bad_answer', sentence`${where} has no ID in the field ${key}.`, {
        hint: 'If the service uses another field, set it with: proctor-cli config set dialect.idKey NAME',
      })
    : new CliError('bad_answer', sentence`${where} has an ID that does not fit on one line: ${id}`, {
        hint: 'Use --output json, which keeps all characters.',
      });
}
