/**
 * Resolves the path of `api METHOD PATH` before anything is sent: the removed operation is recognised in any
 * spelling, the origin is never left, and a path of the table gets the rules of its operation.
 */
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { endExam, type Method, type Operation, operations } from './operations.ts';
import { endExamRefused } from './refusals.ts';

export type RawPath = {
  /** Path and query below the base URL. */
  path: string;
  /** The operation of the table with this path, if there is one. */
  operation: Operation | undefined;
  params: Record<string, string>;
};

/** Throws `unsupported` for the removed operation, `invalid_input` for a path that leads elsewhere. */
export function rawPath(method: Method, typed: string, { baseUrl, origin }: { baseUrl: string; origin: string }): RawPath {
  if (isEndExam(typed)) throw endExamRefused();
  const refuse = (why: string, hint: Sentence) =>
    new CliError('invalid_input', sentence`The path ${JSON.stringify(typed)} ${why}. Nothing was sent.`, { hint });
  const example = sentence`Write it below the base URL, such as /exams/42.`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\\\s#\u0000-\u001f\u007f]/.test(typed))
    throw refuse('contains a backslash, a space, a # or a control character', sentence`Percent-encode the characters of a name.`);
  let below = typed;
  if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(typed)) {
    const url = URL.canParse(typed, origin) ? new URL(typed, origin) : undefined;
    if (url?.origin !== origin || url.username !== '' || url.password !== '')
      throw refuse(`leads away from ${origin}, where the token must not be sent`, example);
    below = typed.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?]*/i, '');
  }
  const basePath = new URL(baseUrl).pathname;
  if (below === basePath || below.startsWith(`${basePath}/`)) below = below.slice(basePath.length);
  if (!below.startsWith('/')) below = `/${below}`;
  const [path = '', ...query] = below.split('?');
  const segments = path.slice(1).split('/');
  if (segments.some((segment) => /^\.{1,2}$/.test(decoded(segment))))
    throw refuse('has a segment of dots, which would lead to another path', example);
  if (segments.slice(0, -1).includes('')) throw refuse('has an empty segment', example);
  return { path: query.length > 0 ? `${path}?${query.join('?')}` : path, ...operationAt(method, path) };
}

/** The operation that a service might take the path for: encoded slashes and suffixes (`.json`, `;v=1`) count as what they may mean. */
export function operationAt(method: Method, path: string): Pick<RawPath, 'operation' | 'params'> {
  const used = decoded(path)
    .split('/')
    .filter((segment) => segment !== '');
  for (const operation of Object.values<Operation>(operations)) {
    const pattern = operation.path.slice(1).split('/');
    if (operation.method !== method || pattern.length !== used.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((part, index) => {
      const segment = used[index] ?? '';
      if (!part.startsWith(':')) return segment.replace(/[.;].*$/s, '').toLowerCase() === part;
      params[part.slice(1)] = segment;
      return true;
    });
    if (fits) return { operation, params };
  }
  return { operation: undefined, params: {} };
}

/** Whether a path means the removed operation, in any case, encoding, or company of slashes and suffixes. */
function isEndExam(typed: string): boolean {
  const [name] = endExam.path.split('/').slice(-1);
  const plain = decoded(typed.split('?')[0] ?? '')
    .normalize('NFKC')
    .toLowerCase();
  const segments = plain.split(/[/\\?#;]/).map((segment) => segment.replace(/[^a-z_.]/g, ''));
  return segments.some((segment) => segment === name || segment.startsWith(`${name}.`));
}

/** Percent-decoded until nothing changes; what cannot be decoded stays. */
export function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < 8; round += 1) {
    const next = plain.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString());
    if (next === plain) break;
    plain = next;
  }
  return plain;
}
