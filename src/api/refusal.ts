/** What the client says of an answer that is no success. Loaded for the first one. */
import { CliError, type ErrorCode } from '../errors.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { badAnswer, isSuccess, isUnclear, type Reply } from './answer.ts';
import { operationAt } from './operations.ts';
import type { Request } from './request.ts';

/** `token`: what to do about a refused one. */
export function refusalOf({ does, path }: Pick<Request, 'does' | 'path'>, reply: Reply, token?: Sentence): CliError {
  const { status, headers, words, broken = '' } = reply;
  if (isSuccess(reply)) return badAnswer(does, status, broken);
  const said = words === '' ? '.' : `: ${words}`;
  const error = (code: ErrorCode, message: Sentence, hint?: Sentence) => new CliError(code, message, { status, hint });
  if (status < 400) {
    const what = sentence`The service answered the request to ${does} with a redirect (${status}) to ${target(reply)}`;
    return error('redirected', sentence`${what}; the token is not sent there.`);
  }
  const failed = sentence`The service failed to ${does} (${status})${said}`;
  if (isUnclear(status)) return error('unavailable', failed);
  switch (status) {
    case 401:
      return error('token_refused', sentence`The service refused the token (401)${said}`, token);
    case 403: {
      const message = sentence`The service does not allow this token to ${does} (403)${said}`;
      const ask = sentence`Ask the operator of the service for a token that may ${does}.`;
      return error('token_refused', message, sentence`${ask} See which is used: proctor-cli auth status`);
    }
    case 404:
      return error('not_found', sentence`The service could not ${does}: not found (404)${said}`, whatExists(path));
    case 429: {
      const after = headers['retry-after'];
      const wait = sentence`Wait as long as the service asks (Retry-After: ${after}), then run the command again.`;
      const message = sentence`The service did not ${does}: too many requests (429)${said}`;
      return error('rate_limited', message, after === undefined ? undefined : wait);
    }
    default:
      return error('rejected', sentence`The service rejected the request to ${does} (${status})${said}`);
  }
}

function whatExists(path: string): Sentence {
  const { operation, params = {} } = operationAt(path.split('?')[0] ?? '') ?? {};
  if (!operation) return sentence`List the service's paths with: proctor-cli api --list`;
  const id = decodeURIComponent(params.id ?? '');
  if (operation.id === 'showStudent') {
    const list = typedCommand('sessions list', [], typedOption('--exam', id));
    return sentence`Check both IDs. The students of the exam: proctor-cli ${list}`;
  }
  if (path.startsWith('/institutes/'))
    return sentence`Ask the service's operator for your institute's ID. To store it: proctor-cli config set institute ID`;
  if (path.startsWith('/student_sessions/')) return sentence`Find the student with: proctor-cli ${typedCommand('sessions find', [id])}`;
  if (path.startsWith('/exams/')) return sentence`Check the ID; list the exams with: proctor-cli exams list`;
  return sentence`Check the address of the service with: proctor-cli config get baseUrl`;
}

/** Without the query, which may contain a token. */
function target({ headers: { location = '' } }: Reply): string {
  if (location === '') return 'nowhere (no Location header)';
  return location.replace(/(?<=\/\/)[^/@]*@|[?#].*$/gs, '').slice(0, 300);
}
