/** What the client says of an answer that is no success, or of none. Loaded for the first one. */
import { CliError, type ErrorCode } from '../errors.ts';
import { durationInWords } from '../model/duration.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { badAnswer, dateOf, isLimit, isSuccess, isUnclear, type Reply, TransportFailure } from './answer.ts';
import { operationAt, type Request } from './operations.ts';
import { waitAsked } from './pacer.ts';

/** `token`: what to do about a refused one. */
export function refusalOf({ does, path }: Pick<Request, 'does' | 'path'>, reply: Reply, token?: Sentence): CliError {
  const { status, headers, words, broken = '' } = reply;
  if (isSuccess(reply)) return badAnswer(does, status, broken);
  const said = words === '' ? '.' : `: ${words}`;
  const error = (code: ErrorCode, message: Sentence, hint?: Sentence) => new CliError(code, message, { status, hint });
  if (status < 400) {
    const what = sentence`The service answered the request to ${does} with a redirect (${status}) to ${redirectTarget(reply)}`;
    return error('redirected', sentence`${what}; the token is not sent there.`);
  }
  if (isUnclear(status)) return error('unavailable', sentence`The service failed to ${does} (${status})${said}`);
  if (status === 401) return error('token_refused', sentence`The service refused the token (401)${said}`, token);
  if (status === 404) return error('not_found', sentence`The service could not ${does}: not found (404)${said}`, whatExists(path));
  if (isLimit(reply)) {
    const after = headers['retry-after'];
    const asked = waitAsked(after, dateOf(headers) ?? Number.NaN);
    const long = asked === undefined ? '' : ` (${durationInWords(asked)})`;
    const wait = sentence`Wait as long as the service asks${long}, then run the command again.`;
    const message = sentence`The service did not ${does}: too many requests (${status})${said}`;
    return error('rate_limited', message, after === undefined ? undefined : wait);
  }
  if (status === 403) {
    const message = sentence`The service does not allow this token to ${does} (403)${said}`;
    const ask = sentence`Ask the operator of the service for a token that may ${does}.`;
    return error('token_refused', message, sentence`${ask} See which is used: proctor-cli auth status`);
  }
  return error('rejected', sentence`The service rejected the request to ${does} (${status})${said}`);
}

export const instituteNeeded = sentence`Ask the service's operator for your institute's ID. Give it with --institute ID, or store it: proctor-cli config set institute ID`;

function whatExists(path: string): Sentence {
  const { operation, params = {} } = operationAt(path.split('?')[0] ?? '') ?? {};
  if (!operation) return sentence`List the service's paths with: proctor-cli api --list`;
  const id = decodeURIComponent(params.id ?? '');
  if (operation.id === 'showStudent') {
    const list = typedCommand('sessions list', [], typedOption('--exam', id));
    return sentence`Check both IDs. The students of the exam: proctor-cli ${list}`;
  }
  if (path.startsWith('/institutes/')) return instituteNeeded;
  if (path.startsWith('/student_sessions/')) return sentence`Find the student with: proctor-cli ${typedCommand('sessions find', [id])}`;
  if (path.startsWith('/exams/')) return sentence`Check the ID; list the exams with: proctor-cli exams list`;
  return sentence`Check the address of the service with: proctor-cli config get baseUrl`;
}

const longestTarget = 300;

/** Where a redirect leads, without the query, which may contain a token. */
function redirectTarget({ headers: { location = '' } }: Reply): string {
  if (location === '') return 'nowhere (no Location header)';
  const shown = location.replace(/(?<=\/\/)[^/@]*@|[?#].*$/gs, '');
  return shown.length > longestTarget ? `${shown.slice(0, longestTarget)}…` : shown;
}

type Coded = Error & { code?: string; reason?: string; header?: string; errors?: Coded[] };

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

export function transportFailureOf(cause: Coded, started: boolean, proxy?: string): TransportFailure {
  const code = cause.errors?.[0]?.code ?? cause.code ?? '';
  const failure = (message: string, hint?: Sentence, lasting = false) =>
    new TransportFailure('network', message, started, { cause, hint, lasting });
  const to = proxy === undefined ? '' : ` to the proxy ${proxy}`;
  const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  const ofProxy = proxy === undefined ? undefined : checkProxy;
  const [, refusal] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
  if (refusal !== undefined) {
    const message = `the proxy ${proxy} refused to connect to the service (${refusal})`;
    return failure(message, ofProxy, Number(refusal) < 500);
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return failure('the answer is larger than 64 MB', smallerPages, true);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return failure('the headers of the answer are larger than 16 kB', mendAnswer, true);
  if (cause.name === 'HTTPParserError') {
    const what = cause.header === undefined ? 'it' : `its header ${cause.header}`;
    const [, why = 'it ends too early'] = /\(([^()]+)\)/.exec(cause.message) ?? [];
    return failure(`the answer is not valid HTTP: ${what} is refused (${why})`, mendAnswer, true);
  }
  if (tlsCode.test(code)) {
    // Behind ";" and ":" stand names of a foreign certificate, and advice about options of Node.
    const reason = (code.startsWith('ERR_SSL') && cause.reason) || cause.message.split(/[;:]/)[0];
    return failure(`the secure connection${through} failed: ${reason} (${code})`, checkTls(code), true);
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return new TransportFailure('timeout', `the connection${through} timed out`, started, { cause });
  if (started) return failure('the connection broke before the answer was complete');
  if (code === 'ECONNREFUSED') return failure(`the connection${to} was refused`, ofProxy);
  if (!proxy && ['ENOTFOUND', 'EAI_AGAIN'].includes(code)) return failure('its name could not be resolved', checkName);
  const reason = code === '' || code.startsWith('UND_') ? cause.message : code;
  return failure(`the connection${to} failed (${reason})`, ofProxy);
}

const checkProxy = sentence`Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY (hosts to reach without it).`;
const mendAnswer = sentence`Tell the service's operator, or the administrator of a proxy before it: any HTTP client may refuse such an answer.`;
export const checkName = sentence`Check the network and the base URL. Where it is set: proctor-cli config list`;
const smallerPages = sentence`For a list, set smaller pages: proctor-cli config set dialect.listQuery per_page=1000`;

function checkTls(code: string): Sentence {
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return sentence`Check this machine's clock (date -u); if it is right, the service needs a new certificate.`;
  if (/ALTNAME|HOSTNAME|SSL|EPROTO/.test(code)) return sentence`Another server, or one without TLS, may answer there. Check host and port.`;
  return sentence`For a private certificate authority, set its PEM file: proctor-cli config set caFile FILE`;
}
