/**
 * Turns an unexpected answer into an error: one sentence with the service's message, if there is one, and never the
 * text of an HTML page.
 */
import { CliError, type ErrorCode } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Dialect, type DialectKey, words } from './dialect.ts';
import type { HttpAnswer } from './http.ts';
import { operations, type Repeat } from './operations.ts';

type Request = { does: string; path: string; repeat: Repeat; look?: string };

const longestDetail = 1000;

export function isHtml(answer: Pick<HttpAnswer, 'headers'>, text: string): boolean {
  return /html/i.test(answer.headers['content-type'] ?? '') || /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** The error for an answer with a status outside 200 to 299. */
export function answerError(
  request: Request,
  answer: HttpAnswer,
  detail: string,
  { dialect, tokenRemedy }: { dialect?: Dialect; tokenRemedy?: Sentence | undefined } = {},
): CliError {
  const { status } = answer;
  const said = detail === '' ? '' : `: ${detail}`;
  const after = answer.headers['retry-after'];
  const wait = after === undefined ? {} : { retryAfter: after };
  const fail = (code: ErrorCode, message: Sentence, hint?: Sentence) =>
    new CliError(code, message, { status, ...wait, ...(hint === undefined ? {} : { hint }) });
  if (status >= 300 && status < 400) {
    const message = sentence`The service answered the request to ${request.does} with a redirect (${status}) to ${target(answer)}; redirects are not followed, so that the token is not sent elsewhere.`;
    return request.repeat === 'safe' ? fail('redirected', message) : unknownOutcome(request, message, { status });
  }
  if (status === 401) return fail('token_refused', sentence`The service refused the token (401)${said || '.'}`, tokenRemedy);
  if (status === 403) return fail('token_refused', sentence`The service does not allow this token to ${request.does} (403)${said || '.'}`);
  if (status === 404)
    return fail('not_found', sentence`The service could not ${request.does}: not found (404)${said || '.'}`, whatExists(request.path));
  if (status === 429) {
    const hint =
      after === undefined ? undefined : sentence`Wait as long as the service asks (Retry-After: ${after}), then run the command again.`;
    return fail('rate_limited', sentence`The service did not ${request.does}: too many requests (429)${said || '.'}`, hint);
  }
  if (status >= 500 || status === 408) {
    const message = sentence`The service failed to ${request.does} (${status})${said || '.'}`;
    return request.repeat === 'safe' ? fail('unavailable', message) : unknownOutcome(request, message, { status, ...wait });
  }
  const proposed = dialect && settingFor(status, detail, dialect);
  return fail('rejected', sentence`The service rejected the request to ${request.does} (${status})${said || '.'}`, proposed);
}

/** The dialect setting to check, if the service rejects a format that only the dialect decides. */
function settingFor(status: number, detail: string, dialect: Dialect): Sentence | undefined {
  const propose = (what: string, key: DialectKey, value = 'VALUE') =>
    sentence`Correct what the service's message names. If the service only expects another form of ${what}, set it: proctor-cli ${typedCommand(`config set dialect.${key}`, [value])}`;
  if (status === 415) return propose('the media type', 'contentType');
  if (status !== 400 && status !== 422) return undefined;
  const names = (field: string) =>
    field !== '' && new RegExp(`(?<![\\p{L}\\p{N}_])${field.replace(/\W/g, '\\$&')}(?![\\p{L}\\p{N}_])`, 'iu').test(detail);
  if (/param(eter)? is missing|missing (required )?(param|root|key|wrapper)/i.test(detail)) {
    const [wrapper] = /\b(exam|(student_)?session|student)\b/i.exec(detail) ?? [];
    const resource = wrapper?.toLowerCase() === 'exam' ? 'exam' : 'session';
    if (wrapper) return propose(`the body of ${resource === 'exam' ? 'an exam' : 'a session'}`, `${resource}Wrapper`, wrapper);
  }
  if (/\b(start|end|open|close)_time\b/i.test(detail)) return propose('times', 'timeFormat');
  const renamable = ['proctorsKey', 'studentSelector', 'sessionExamKey', 'examNameKey', 'sessionNameKey'] as const;
  const key = renamable.find((each) => names(dialect[each]));
  return key && propose(`the field ${dialect[key]}`, key);
}

const knownPaths = Object.values(operations).map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));

/** The command that lists the resource named by a path. */
function whatExists(path: string): Sentence {
  const [plain = ''] = path.split('?');
  if (!knownPaths.some((known) => known.test(plain))) return sentence`List the service's paths with: proctor-cli api --list`;
  const exam = /^\/exams\/([^/]+)\/show_student$/.exec(plain)?.[1];
  if (exam !== undefined)
    return sentence`Check both IDs; list the students of the exam with: proctor-cli sessions list ${typedOption('--exam', exam.includes('%') ? 'ID' : exam)}`;
  if (path.startsWith('/institutes/'))
    return sentence`Ask the service's operator for the ID of your institute, and store it with: proctor-cli config set institute ID`;
  if (path.startsWith('/student_sessions/')) return sentence`Check the ID; list the sessions with: proctor-cli sessions list`;
  if (path.startsWith('/exams/')) return sentence`Check the ID; list the exams with: proctor-cli exams list`;
  return sentence`Check the address of the service with: proctor-cli doctor`;
}

/** The error for a success with an unexpected body. */
export function badAnswer(
  does: string,
  status: number,
  what: string,
  { html, ...advice }: { html?: string; hint?: Sentence } = {},
): CliError {
  const title = html === undefined ? undefined : /<title[^>]*>([^<]{1,200})/i.exec(html)?.[1]?.trim();
  const page = title ? ` (a page titled "${title.slice(0, 80)}")` : '';
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what}${page} (${status}).`, {
    status,
    // An HTML page is not from the service: a proxy may have sent it without forwarding the request.
    happened: html === undefined,
    ...advice,
  });
}

/** The command that shows whether the write happened. */
export function lookFirst({ look }: { look?: string }): Sentence {
  return look === undefined
    ? sentence`Check the resource before you run the command again.`
    : sentence`Before you run the command again, check with: proctor-cli ${look}`;
}

/** The error for a write whose outcome is unknown. `happened`: it most likely happened, because the service answered with a success. */
export function unknownOutcome(
  request: Request,
  what: string,
  { happened = false, ...known }: { happened?: boolean; status?: number; retryAfter?: string },
): CliError {
  const verdict = happened ? 'It was most likely carried out.' : 'Its outcome is unknown.';
  return new CliError('outcome_unknown', sentence`${what} ${verdict}`, {
    hint: lookFirst(request),
    happened,
    ...known,
  });
}

/** The service's message in the body of an error; empty if there is none. */
export function detailOf(text: string, answer: HttpAnswer, dialect: Dialect): string {
  if (text.trim() === '') return '';
  if (isHtml(answer, text)) return 'the body is an HTML page, not JSON.';
  const line = wordsOrText(text, words(dialect.errorKeys)).replace(/\s+/g, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(line)) return '';
  const short = line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function wordsOrText(text: string, keys: readonly string[]): string {
  try {
    return wordsIn(parseJson(text), keys) ?? text;
  } catch {
    return text;
  }
}

function wordsIn(value: Json, keys: readonly string[]): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) {
    const parts = value.map((item) => wordsIn(item, keys)).filter((part) => part !== undefined);
    return parts.length > 0 ? parts.join('; ') : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  // The general message first, then those for single fields.
  const inOrder = [...keys.filter((key) => !fieldErrors.includes(key)), ...keys.filter((key) => fieldErrors.includes(key))];
  for (const key of inOrder) {
    const part = Object.hasOwn(value, key) ? wordsIn(value[key] as Json, keys) : undefined;
    if (part !== undefined) return ofField(value, withFields(part, value, key, keys));
  }
  const fields = Object.entries(value).map(([key, item]) => [key, wordsIn(item, keys)] as const);
  const named = fields.filter(([, part]) => part !== undefined).map(([key, part]) => `${key}: ${part}`);
  return named.length > 0 ? named.join('; ') : undefined;
}

/** Fields that may hold the errors of single fields, beside a general message. */
const fieldErrors = [
  'errors',
  'fields',
  'details',
  'violations',
  'field_errors',
  'fieldErrors',
  'invalid_params',
  'invalid-params',
  'invalidParams',
];

/** A message, followed by the errors of single fields in the same body. */
function withFields(said: string, value: JsonObject, used: string, keys: readonly string[]): string {
  const further = fieldErrors.flatMap((key) =>
    key !== used && Object.hasOwn(value, key) ? (wordsIn(value[key] as Json, keys) ?? []) : [],
  );
  const missing = [...new Set(further)].filter((part) => !said.includes(part));
  return missing.length === 0 ? said : `${said.replace(/[.:;]\s*$/, '')}: ${missing.join('; ')}`;
}

/** Fields in which an error names the field that it is about. */
const nameKeys = ['field', 'param', 'parameter', 'property', 'attribute', 'pointer', 'path', 'loc'];

function ofField(value: JsonObject, said: string): string {
  for (const key of nameKeys) {
    const named = [value[key] ?? []].flat().filter((part) => typeof part === 'string' || typeof part === 'number');
    const name = named
      .join('.')
      .replace(/^[/#]+/, '')
      .replaceAll('/', '.');
    if (name !== '') return said.includes(name) ? said : `${name}: ${said}`;
  }
  return said;
}

function target(answer: HttpAnswer): string {
  const location = answer.headers.location ?? '';
  if (location === '') return 'nowhere (no Location header)';
  // The rest of the URL may contain a session or a token.
  return location
    .replace(/[?#].*$/, '')
    .replace(/\/\/[^/@]*@/, '//')
    .slice(0, 300);
}
