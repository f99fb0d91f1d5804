/** The error for an answer that is no success, or cannot be used: one sentence, with the service's own words, and what to do next. */
import { CliError, type ErrorCode } from '../errors.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { badAnswer, isSuccess, isUnclear, type Reply } from './answer.ts';
import { operationAt } from './operations.ts';
import type { Request } from './request.ts';

/** `token`: what to do about a token that is refused. */
export function refusalOf({ does, path }: Pick<Request, 'does' | 'path'>, reply: Reply, token?: Sentence): CliError {
  const { status, headers, words, broken = '' } = reply;
  if (isSuccess(reply)) return badAnswer(does, status, broken);
  const said = words === '' ? '.' : `: ${words}`;
  const error = (code: ErrorCode, message: Sentence, hint?: Sentence) => new CliError(code, message, { status, hint });
  if (status < 400) {
    const where = sentence`The service answered the request to ${does} with a redirect (${status}) to ${target(reply)}`;
    return error('redirected', sentence`${where}; redirects are not followed, so that the token is not sent elsewhere.`);
  }
  if (status === 401) return error('token_refused', sentence`The service refused the token (401)${said}`, token);
  if (status === 403) {
    const hint = sentence`Ask the operator of the service for a token that may ${does}. See which is used: proctor-cli auth status`;
    return error('token_refused', sentence`The service does not allow this token to ${does} (403)${said}`, hint);
  }
  if (status === 404) return error('not_found', sentence`The service could not ${does}: not found (404)${said}`, whatExists(path));
  if (status === 429) {
    const after = headers['retry-after'];
    const wait = after && sentence`Wait as long as the service asks (Retry-After: ${after}), then run the command again.`;
    return error('rate_limited', sentence`The service did not ${does}: too many requests (429)${said}`, wait || undefined);
  }
  if (isUnclear(status)) return error('unavailable', sentence`The service failed to ${does} (${status})${said}`);
  return error('rejected', sentence`The service rejected the request to ${does} (${status})${said}`);
}

function whatExists(path: string): Sentence {
  const { operation, params = {} } = operationAt(path.split('?')[0] ?? '') ?? {};
  if (!operation) return sentence`List the service's paths with: proctor-cli api --list`;
  if (operation.id === 'showStudent') {
    const option = typedOption('--exam', decodeURIComponent(params.id ?? ''));
    return sentence`Check both IDs; list the students of the exam with: proctor-cli sessions list ${option}`;
  }
  if (path.startsWith('/institutes/'))
    return sentence`Ask the service's operator for the ID of your institute, and store it with: proctor-cli config set institute ID`;
  if (path.startsWith('/student_sessions/'))
    return sentence`Find the student with: proctor-cli ${typedCommand('sessions find', [decodeURIComponent(params.id ?? '')])}`;
  if (path.startsWith('/exams/')) return sentence`Check the ID; list the exams with: proctor-cli exams list`;
  return sentence`Check the address of the service with: proctor-cli config get baseUrl`;
}

/** Where a redirect leads: without the query, which may contain a session or a token. */
function target({ headers: { location = '' } }: Reply): string {
  if (location === '') return 'nowhere (no Location header)';
  return location.replace(/(?<=\/\/)[^/@]*@|[?#].*$/gs, '').slice(0, 300);
}
