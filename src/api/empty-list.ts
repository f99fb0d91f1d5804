/**
 * Answers without an array that may be empty lists: 204, null in the list's own field, null, an empty body. Services
 * also answer failures like this, and a failure must never look like an exam without students: what does not say
 * clearly that there is nothing takes the setting `emptyList`.
 */
import { fieldAt, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Dialect, words } from './dialect.ts';
import { plain, speaks, vocabularyOf } from './paging-words.ts';

/**
 * What came in the place of a list, `what` in words that continue "the service answered with …". `under`: the field of
 * `body` that should hold the list and is null.
 */
export type Instead = { form: 'empty-body' | 'null' | 'object' | 'value'; what: string; under?: string; body?: JsonObject };

/** `body`: undefined for an empty one; `names`: the fields that may hold the list, which may be paths. */
export function insteadOfList(body: Json | undefined, names: Iterable<string>): Instead {
  if (body === undefined) return { form: 'empty-body', what: 'an empty body' };
  if (body === null) return { form: 'null', what: 'null instead of a list' };
  if (!isJsonObject(body)) return { form: 'value', what: 'a single value' };
  for (const name of names) if (fieldAt(body, name) === null) return { form: 'null', what: `null in "${name}"`, under: name, body };
  return { form: 'object', what: `an object without a list (fields: ${Object.keys(body).slice(0, 8).join(', ')})`, body };
}

/** Why it is no list, and what to do; undefined if it is an empty list. */
export function refusalOfEmpty(
  { form, what, under, body }: Instead,
  status: number,
  dialect: Dialect,
): { what: string; hint?: Sentence } | undefined {
  const { emptyList } = dialect;
  if (form === 'value') return { what };
  if (form === 'empty-body') return status === 204 || emptyList === 'empty-body' ? undefined : { what, hint: setting('empty-body') };
  if (form === 'object') return { what, ...listElsewhere(body ?? {}, dialect) };
  if (emptyList !== 'explicit') return undefined;
  if (under === undefined || !body) return { what, hint: setting('null') };
  const loud = loudIn(body, under, dialect);
  return loud === undefined ? undefined : { what: `${what}, beside "${loud}", which may say why`, hint: setting('null') };
}

function setting(value: Dialect['emptyList']): Sentence {
  return sentence`If this is how the service shows a list without items, set: proctor-cli ${typedCommand('config set dialect.emptyList', [value])}`;
}

function listElsewhere(body: JsonObject, { listKeys }: Dialect): { hint?: Sentence } {
  const [own, ...others] = Object.keys(body).filter((key) => body[key] === null || Array.isArray(body[key]));
  if (own === undefined || others.length > 0 || own.includes(',')) return {};
  return {
    hint: sentence`If the list is in "${own}", set: proctor-cli ${typedCommand('config set dialect.listKeys', [[...words(listKeys), own].join(',')])}`,
  };
}

/** Words of an answer that says that all is well: in a field for a code, a status or a message. */
const well =
  /^(0+|200|true|ok(ay)?|success(ful(ly)?)?|succeeded|completed|no (data|content|results?|records?|rows?|items?|entries|students?|sessions?|exams?|users?|proctors?)( (were |was )?(found|available))?|not? errors?)[.!]?$/i;
/** Fields that describe an answer, whatever it is. */
const describing = /(^|[_-])(id|uuid|time|timestamp|date|at|version|duration|took|self|first|path|url|href|kind|type|object)$/i;

/** The path of the first field beside the null that may say why there is no list. */
function loudIn(body: JsonObject, under: string, dialect: Dialect, at = ''): string | undefined {
  for (const [key, value] of Object.entries(body)) {
    const path = at + key;
    if (
      path === under ||
      !speaks(value) ||
      describing.test(key.replace(/([a-z])([A-Z])/g, '$1_$2')) ||
      vocabularyOf(dialect).has(plain(key))
    )
      continue;
    // A record, such as the exam whose students are listed, describes itself.
    if (isJsonObject(value) && Object.hasOwn(value, dialect.idKey)) continue;
    if (!isJsonObject(value)) {
      if (!well.test(textOfJson(value).trim())) return path;
      continue;
    }
    const inner = loudIn(value, under, dialect, `${path}.`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
