/** Turns an unexpected answer into an error: one sentence with the service's message, if there is one, and what to do next. */
import { CliError, type ErrorCode } from '../errors.ts';
import { typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { HttpAnswer } from './http.ts';
import { operations, type Repeat, type TypedLook } from './operations.ts';

type Request = { does: string; path: string; repeat: Repeat; look?: TypedLook };

/** The error for a success whose body is compressed. */
export function compressed(does: string, status: number, coding: string): CliError {
  return badAnswer(does, status, `a compressed body (Content-Encoding: ${coding}), although none was requested`, {
    hint: sentence`Ask the operator of the service, or of the proxy in front of it, to compress only where Accept-Encoding allows it.`,
  });
}

/** Whether a status says that the request was not carried out. After a 408 that is unknown. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !unclear.has(status);
}

/** A time-out, a request that came too early, and a client that was gone: each may have been carried out. */
const unclear: ReadonlySet<number> = new Set([408, 425, 499]);

/** Whether a status says nothing but that the service, or what stands before it, cannot answer now. */
export function failsForNow(status: number): boolean {
  return status >= 500 || status === 429 || unclear.has(status);
}

/** The error for an answer with a status outside 200 to 299. */
export function answerError(request: Request, answer: HttpAnswer, detail: string, tokenRemedy?: Sentence): CliError {
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
  if (failsForNow(status)) {
    const message = sentence`The service failed to ${request.does} (${status})${said || '.'}`;
    return request.repeat === 'safe' ? fail('unavailable', message) : unknownOutcome(request, message, { status, ...wait });
  }
  return fail('rejected', sentence`The service rejected the request to ${request.does} (${status})${said || '.'}`);
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
  if (path.startsWith('/student_sessions/'))
    return sentence`Check the ID, or find the session by a name with: proctor-cli sessions find NAME`;
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
  const title = html === undefined ? undefined : /<title[^<>]*>([^<]{1,200})/i.exec(html)?.[1]?.trim();
  const page = title ? ` (a page titled "${title.slice(0, 80)}")` : '';
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what}${page} (${status}).`, {
    status,
    // An HTML page is not from the service: a proxy may have sent it without forwarding the request.
    happened: html === undefined,
    ...advice,
  });
}

/** The command that shows whether the write happened. */
export function lookFirst({ look }: { look?: TypedLook }): Sentence {
  return look === undefined
    ? sentence`Check the resource before you run the command again.`
    : sentence`Before you run the command again, check with: proctor-cli ${look}`;
}

const verdicts = { happened: 'It was most likely carried out.', unknown: 'Its outcome is unknown.' } as const;

/** What an error of `unknownOutcome` says without its verdict, for one that a read has decided since. */
export function withoutVerdict({ message }: CliError): Sentence {
  const verdict = Object.values(verdicts).find((words) => message.endsWith(` ${words}`)) ?? '';
  return sentence`${message.slice(0, message.length - verdict.length).trimEnd()}`;
}

/** The error for a write whose outcome is unknown. `happened`: it most likely happened, because the service answered with a success. */
export function unknownOutcome(
  request: Request,
  what: string,
  { happened = false, ...known }: { happened?: boolean; status?: number; retryAfter?: string },
): CliError {
  return new CliError('outcome_unknown', sentence`${what} ${happened ? verdicts.happened : verdicts.unknown}`, {
    hint: lookFirst(request),
    happened,
    ...known,
  });
}

/** What a success whose body says no means. `said`: the reason in the service's words, or empty; `partly`: it says yes as well. */
export function notCarriedOut(does: string, status: number, { said, partly = false }: { said: string; partly?: boolean }): Sentence {
  const what = partly ? 'not all of it was carried out' : 'it was not carried out';
  return sentence`The service accepted the request to ${does} (${status}), but its answer says that ${what}${said === '' ? '.' : `: ${said}`}`;
}

/** The error for a write that was answered with a success whose body says no; `said`: the reason in the service's words, or empty. */
export function saidNo(request: Request, status: number, said: string): CliError {
  return new CliError('outcome_unknown', notCarriedOut(request.does, status, { said }), { hint: lookFirst(request), status, saidNo: true });
}

function target(answer: HttpAnswer): string {
  const location = answer.headers.location ?? '';
  if (location === '') return 'nowhere (no Location header)';
  // The rest of the URL may contain a session or a token.
  return location
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//')
    .slice(0, 300);
}
