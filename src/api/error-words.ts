/**
 * The service's own words in the body of an error: its message, then the errors of single fields, each behind the name of
 * its field. Never the text of an HTML page.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { maskSecretKeys } from '../model/secret-keys.ts';
import type { HttpAnswer } from './http.ts';

/** Foreign text is cut before anything else is done with it. Characters of a sentence. */
const longestDetail = 500;

/** Fields of an error's body that may hold the service's message, in this order. */
const messageKeys = ['message', 'error', 'errors', 'detail', 'title'];

export function isHtml(answer: Pick<HttpAnswer, 'headers'>, text: string): boolean {
  return /html/i.test(answer.headers['content-type'] ?? '') || /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** The coding of a compressed body, which no request asks for; undefined for a plain one. */
export function codingOf({ headers }: Pick<HttpAnswer, 'headers'>): string | undefined {
  const coding = headers['content-encoding']?.trim() ?? '';
  return coding === '' || /^identity$/i.test(coding) ? undefined : coding.slice(0, 40);
}

/** The service's message in the body of an error; empty if there is none. */
export function detailOf(text: string, answer: HttpAnswer): string {
  if (text.trim() === '') return '';
  const coding = codingOf(answer);
  if (coding !== undefined) return `the body is compressed (${coding}).`;
  if (isHtml(answer, text)) return 'the body is an HTML page, not JSON.';
  if (text.includes('\ufffd') && hasControls(text)) return 'the body is not text.';
  return asDetail(wordsOrText(text));
}

/** The service's message in the body of a success that says no; empty if there is none. */
export function wordsOf(data: Json): string {
  return asDetail(wordsIn(maskSecretKeys(data)) ?? '');
}

function asDetail(text: string): string {
  const line = text
    .slice(0, 4 * longestDetail)
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(line)) return '';
  const short = line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function hasControls(text: string): boolean {
  return Array.from(text.slice(0, longestDetail)).some((character) => character < '\t');
}

function wordsOrText(text: string): string {
  try {
    return wordsIn(maskSecretKeys(parseJson(text))) ?? text;
  } catch {
    return text;
  }
}

function wordsIn(value: Json): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) {
    const parts = value.map((item) => (isJsonObject(item) ? wordsOfItem(item) : wordsIn(item)));
    return parts.some((part) => part !== undefined) ? parts.filter((part) => part !== undefined).join('; ') : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  // The general message first, then those for single fields.
  const inOrder = [...messageKeys.filter((key) => !holdsFields(key)), ...messageKeys.filter(holdsFields)];
  for (const key of inOrder) {
    const part = Object.hasOwn(value, key) ? wordsIn(value[key] as Json) : undefined;
    if (part !== undefined) return behindName(fieldNamed(value), withFields(part, value, key));
  }
  const fields = Object.entries(value).map(([key, item]) => [key, wordsIn(item)] as const);
  const named = fields.filter(([, part]) => part !== undefined).map(([key, part]) => `${key}: ${part}`);
  return named.length > 0 ? named.join('; ') : undefined;
}

/** Words of an error in a list of errors, where its message fields hold none. */
const itemKeys = ['msg', 'reason', 'description', 'text', 'rule', 'code', 'type'];

/** An error in a list of errors, which says which field it is about in one of many ways. */
function wordsOfItem(item: JsonObject): string | undefined {
  const field = fieldNamed(item) || (typeof item.name === 'string' ? item.name : '');
  const key = field === '' ? undefined : [...messageKeys, ...itemKeys].find((each) => typeof item[each] === 'string' && item[each] !== '');
  return key === undefined ? wordsIn(item) : behindName(field, withFields(String(item[key]), item, key));
}

/** Whether a field of an error's body holds the errors of single fields, beside a general message: `errors`, `invalid-params`. */
function holdsFields(key: string): boolean {
  return /^(errors|fields|details|violations|problems|issues|failures)$|(errors|violations|messages|details)$|^invalid.?params$/i.test(key);
}

/** A message, followed by the errors of single fields in the same body. */
function withFields(said: string, value: JsonObject, used: string): string {
  const further = Object.keys(value).flatMap((key) => (key !== used && holdsFields(key) ? (wordsIn(value[key] as Json) ?? []) : []));
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_: ]+/g, ' ');
  const added = [...new Set(further)].filter((part) => !plain(said).includes(plain(part)));
  return added.length === 0 ? said : `${said.replace(/[.:;]\s*$/, '')}: ${added.join('; ')}`;
}

/** Fields in which an error names the field that it is about. */
const nameKeys = ['field', 'param', 'parameter', 'property', 'propertyPath', 'attribute', 'pointer', 'path', 'loc'];

/** The field that an error is about, without the parts of its path that every body has; empty where it names none. */
function fieldNamed(value: JsonObject): string {
  const source = isJsonObject(value.source) ? value.source : {};
  for (const key of nameKeys) {
    const parts = [value[key] ?? source[key] ?? []].flat().filter((part) => typeof part === 'string' || typeof part === 'number');
    const name = parts
      .join('.')
      .replace(/^[/#]+/, '')
      .replaceAll('/', '.')
      .replace(/^((body|query|data|attributes)\.)+/, '');
    if (name !== '') return name;
  }
  return '';
}

function behindName(name: string, said: string): string {
  return name === '' || said.includes(name) ? said : `${name}: ${said}`;
}
