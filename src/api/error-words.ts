/**
 * The service's own words in the body of an error: its message, then what stands under `errors`. A body without either is shown as it
 * came. Never the text of an HTML page.
 */
import { isJsonObject, type Json, parseJson } from '../model/json.ts';
import { maskSecretKeys } from '../model/secret-keys.ts';
import type { HttpAnswer } from './http.ts';

/** Foreign text is cut before anything else is done with it. Characters of a sentence. */
const longestDetail = 500;

/** Fields of an error's body that may hold the service's message, in this order. */
const messageKeys = ['message', 'error', 'detail', 'title'];

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
  if (Array.isArray(value)) return joined(value.map((item) => (isJsonObject(item) ? joined(textsIn(item), ' ') : wordsIn(item))));
  if (!isJsonObject(value)) return undefined;
  const part = (key: string) => (Object.hasOwn(value, key) ? wordsIn(value[key] as Json) : undefined);
  const message = messageKeys.map(part).find((words) => words !== undefined);
  const errors = part('errors');
  if (message !== undefined && errors !== undefined) return `${message.replace(/[.:;]\s*$/, '')}: ${errors}`;
  return message ?? errors ?? joined(Object.keys(value).map((key) => (part(key) === undefined ? undefined : `${key}: ${part(key)}`)));
}

/** The texts of an error in a list of errors, whatever their fields are called: which field it is about, and what is wrong with it. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return Array.isArray(value) || isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function joined(parts: readonly (string | undefined)[], by = '; '): string | undefined {
  const words = parts.filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join(by);
}
