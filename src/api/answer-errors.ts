/** What an answer means that is not what was asked for: one sentence with the service's own words, and what to do next. */
import { CliError, type ErrorCode } from '../errors.ts';
import { typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { isUnclear, type Reply } from './answer.ts';
import { operationAt, operations } from './operations.ts';
import type { Request } from './request.ts';

const codes: Readonly<Record<number, ErrorCode>> = { 401: 'token_refused', 403: 'token_refused', 404: 'not_found', 429: 'rate_limited' };

/** The error for an answer with a status outside 200 to 299. `token`: what to do about a token that is refused. */
export function errorOf({ does, path }: Pick<Request, 'does' | 'path'>, reply: Reply, token?: Sentence): CliError {
  const { status, headers } = reply;
  const isRedirect = status >= 300 && status < 400;
  const code = isRedirect ? 'redirected' : (codes[status] ?? (isUnclear(status) ? 'unavailable' : 'rejected'));
  const said = reply.words === '' ? '.' : `: ${reply.words}`;
  const after = headers['retry-after'];
  const messages: Partial<Record<ErrorCode, Sentence>> = {
    redirected: sentence`The service answered the request to ${does} with a redirect (${status}) to ${target(reply)}; redirects are not followed, so that the token is not sent elsewhere.`,
    token_refused:
      status === 401
        ? sentence`The service refused the token (401)${said}`
        : sentence`The service does not allow this token to ${does} (403)${said}`,
    not_found: sentence`The service could not ${does}: not found (404)${said}`,
    rate_limited: sentence`The service did not ${does}: too many requests (429)${said}`,
    unavailable: sentence`The service failed to ${does} (${status})${said}`,
  };
  const hints: Partial<Record<ErrorCode, Sentence | undefined>> = {
    token_refused: status === 401 ? token : undefined,
    not_found: whatExists(path),
    rate_limited:
      after === undefined ? undefined : sentence`Wait as long as the service asks (Retry-After: ${after}), then run the command again.`,
  };
  return new CliError(code, messages[code] ?? sentence`The service rejected the request to ${does} (${status})${said}`, {
    status,
    hint: hints[code],
  });
}

/** The error for a success with an unexpected body. */
export function badAnswer(does: string, status: number, what: string, hint?: Sentence): CliError {
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what} (${status}).`, { status, hint });
}

/** The command that lists the resource named by a path. */
function whatExists(path: string): Sentence {
  const [plain = ''] = path.split('?');
  const found = operationAt(plain);
  if (!found) return sentence`List the service's paths with: proctor-cli api --list`;
  const { operation, params } = found;
  if (operation.id === operations.showStudent.id) {
    const option = typedOption('--exam', decodeURIComponent(params.id ?? ''));
    return sentence`Check both IDs; list the students of the exam with: proctor-cli sessions list ${option}`;
  }
  if (path.startsWith('/institutes/'))
    return sentence`Ask the service's operator for the ID of your institute, and store it with: proctor-cli config set institute ID`;
  if (path.startsWith('/student_sessions/'))
    return sentence`Check the ID, or find the session by a name with: proctor-cli sessions find NAME`;
  if (path.startsWith('/exams/')) return sentence`Check the ID; list the exams with: proctor-cli exams list`;
  return sentence`Check the address of the service with: proctor-cli doctor`;
}

/** Where a redirect leads: without the query, which may contain a session or a token. */
function target({ headers: { location = '' } }: Reply): string {
  if (location === '') return 'nowhere (no Location header)';
  return location
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//')
    .slice(0, 300);
}
