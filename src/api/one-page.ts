/** Whether the answer to a single request is one page of a list: the command `api` prints answers as they are. */
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Answer } from './answer.ts';
import { listedIn } from './list-body.ts';
import type { Operation } from './operations.ts';
import { firstPage, pageAfter, type Where } from './paging.ts';

type Service = Omit<Where, 'does' | 'dialect'> & { dialect: Parameters<typeof listedIn>[2] & Where['dialect'] };

/** The warning for an answer to the request for a list that shows, or may mean, that there are more items; undefined for any other. */
export function onePageWarning(
  operation: Operation,
  path: string,
  { data, headers, status }: Answer,
  service: Service,
): Sentence | undefined {
  if (operation.answer !== 'list') return undefined;
  const listed = listedIn(data, operation.resource, service.dialect);
  if (!listed) return undefined;
  const items = listed.items.length;
  try {
    const page = { ...firstPage(path, service.dialect), status, headers, envelopes: listed.envelopes, items };
    const next = pageAfter(page, items, { ...service, does: operation.does });
    if (next === undefined || next === 'unsure') return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
  return sentence`warning: the answer may be only one page of the list: it has ${items} items. Commands such as sessions list read all pages; api prints one answer.`;
}
