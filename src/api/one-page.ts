/** Whether the answer to a single request is one page of a list: the command `api` prints answers as they are. */
import { CliError } from '../errors.ts';
import { fieldAt, isJsonObject, type Json } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Answer } from './answer.ts';
import { type Dialect, listNames } from './dialect.ts';
import type { Operation } from './operations.ts';
import { firstPage, pageAfter } from './paging.ts';

type Service = { dialect: Dialect; origin: string; basePath: string };

/** The warning for an answer to the request for a list that shows, or may mean, that there are more items; undefined for any other. */
export function onePageWarning(operation: Operation, path: string, answer: Answer, service: Service): Sentence | undefined {
  const { data, headers = {}, status } = answer;
  const items = listedIn(data, operation, service.dialect);
  if (operation.answer !== 'list' || !items) return undefined;
  const siblings = isJsonObject(data) ? data : undefined;
  const page = { ...firstPage(path, service.dialect), path, status, headers, siblings, items: items.length };
  try {
    const next = pageAfter(page, items.length, { ...service, does: operation.does });
    if (!next || next.doubt) return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
  return sentence`warning: the answer is one page of the list, or may be: it has ${items.length} items. The commands that list read all pages; api prints one answer.`;
}

function listedIn(data: Json | undefined, { resource }: Operation, dialect: Dialect): Json[] | undefined {
  if (Array.isArray(data)) return data;
  if (!isJsonObject(data)) return undefined;
  const lists = listNames(resource, dialect).map((name) => fieldAt(data, name));
  return lists.find((list) => Array.isArray(list));
}
