/**
 * What a failure means: a request without a whole answer, and an answer that is not what was asked for. Each is one sentence (ours, with
 * the service's own words or the code of Node or OpenSSL) and what to do next.
 */
import { CliError, type ErrorCode } from '../errors.ts';
import { typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { isUnclear, type Reply } from './answer.ts';
import { operationAt } from './operations.ts';
import type { Request } from './request.ts';

/** `unreachable`: no connection, or none beyond the proxy. `name`: it could not be resolved. `broken`: the answer is not whole. */
type FailureKind = 'unreachable' | 'name' | 'tls' | 'timeout' | 'broken' | 'interrupted';

/**
 * A request without a whole answer. `started`: any part of it may have been sent; false is proof that none was. `lasting`: it would fail
 * again. `hint`: what to do, if more is known than the standard hint.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  readonly started: boolean;
  readonly lasting: boolean;
  readonly hint: Sentence | undefined;

  constructor(kind: FailureKind, message: string, started: boolean, cause?: unknown, hint?: Sentence, lasting = false) {
    super(message, { cause });
    this.kind = kind;
    this.started = started;
    this.lasting = lasting || kind === 'tls' || kind === 'interrupted';
    this.hint = hint;
  }
}

type Coded = Error & { code?: string; reason?: string; errors?: Coded[] };

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

/** Translates an error of undici or Node. `proxy`: the address of the proxy on the way. */
export function failureOf(cause: Coded, started: boolean, proxy?: string): TransportFailure {
  const code = cause.errors?.[0]?.code ?? cause.code ?? '';
  const failure = (kind: FailureKind, message: string, hint?: Sentence, lasting = false) =>
    new TransportFailure(kind, message, started, cause, hint, lasting);
  const [to, through] = proxy === undefined ? ['', ''] : [` to the proxy ${proxy}`, ` through the proxy ${proxy}`];
  const ofProxy = proxy === undefined ? undefined : checkProxy;
  const [, refusal] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
  // Only a failure of the proxy itself (5xx) may be temporary.
  if (refusal !== undefined)
    return failure('unreachable', `the proxy ${proxy} refused to connect to the service (${refusal})`, ofProxy, Number(refusal) < 500);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return failure('broken', 'the answer is larger than 64 MB', smallerPages, true);
  if (tlsCode.test(code)) return failure('tls', `the secure connection${through} failed: ${wordsOf(cause)} (${code})`, checkTls(code));
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return failure('timeout', `the connection${through} timed out`);
  if (started) return failure('broken', 'the connection broke before the answer was complete');
  if (code === 'ECONNREFUSED') return failure('unreachable', `the connection${to} was refused`, ofProxy);
  if (!proxy && (code === 'ENOTFOUND' || code === 'EAI_AGAIN')) return failure('name', 'its name could not be resolved', checkName);
  return failure('unreachable', `the connection${to} failed (${code.startsWith('UND_') ? cause.message : code || cause.message})`, ofProxy);
}

/** The cause of a failure of TLS: without Node's advice, which names options of Node, and without names of a foreign certificate. */
function wordsOf({ reason, message, code = '' }: Coded): string {
  return code.startsWith('ERR_SSL') && reason ? reason : (message.split(/[;:]/)[0] ?? '');
}

const checkProxy = sentence`Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY, the hosts that are reached without it.`;
const checkName = sentence`Check the network, and the spelling of the base URL: proctor-cli config get baseUrl`;
const smallerPages = sentence`If it is a list, ask for smaller pages: proctor-cli config set dialect.listQuery per_page=1000`;

function checkTls(code: string): Sentence {
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return sentence`Compare the clock of this machine (date -u); if it is right, the service needs a new certificate.`;
  if (/ALTNAME|HOSTNAME|SSL|EPROTO/.test(code))
    return sentence`Another server may be answering there, or one without TLS: check host and port with: proctor-cli config get baseUrl`;
  return sentence`For a private certificate authority, set its PEM file: proctor-cli config set caFile FILE`;
}

/** The error for an answer with a status outside 200 to 299. `token`: what to do about a token that is refused. */
export function errorOf({ does, path }: Pick<Request, 'does' | 'path'>, reply: Reply, token?: Sentence): CliError {
  const { status, headers, words } = reply;
  const said = words === '' ? '.' : `: ${words}`;
  const error = (code: ErrorCode, message: Sentence, hint?: Sentence) => new CliError(code, message, { status, hint });
  if (status < 400) {
    const where = sentence`The service answered the request to ${does} with a redirect (${status}) to ${target(reply)}`;
    return error('redirected', sentence`${where}; redirects are not followed, so that the token is not sent elsewhere.`);
  }
  if (status === 401) return error('token_refused', sentence`The service refused the token (401)${said}`, token);
  if (status === 403) return error('token_refused', sentence`The service does not allow this token to ${does} (403)${said}`);
  if (status === 404) return error('not_found', sentence`The service could not ${does}: not found (404)${said}`, whatExists(path));
  if (status === 429) {
    const after = headers['retry-after'];
    const wait = after && sentence`Wait as long as the service asks (Retry-After: ${after}), then run the command again.`;
    return error('rate_limited', sentence`The service did not ${does}: too many requests (429)${said}`, wait || undefined);
  }
  if (isUnclear(status)) return error('unavailable', sentence`The service failed to ${does} (${status})${said}`);
  return error('rejected', sentence`The service rejected the request to ${does} (${status})${said}`);
}

/** The error for a success with an unexpected body. */
export function badAnswer(does: string, status: number, what: string, hint?: Sentence): CliError {
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what} (${status}).`, { status, hint });
}

/** The command that lists the resource named by a path. */
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
