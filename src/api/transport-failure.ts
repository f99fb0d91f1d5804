/** A request without a complete answer: what failed, and whether anything was sent. The wording is ours, the code Node's or OpenSSL's. */
import { type Sentence, sentence } from '../text/sentence.ts';

/** `unreachable`: no connection, or none beyond the proxy. `name`: it could not be resolved. `broken`: the answer is not whole. */
export type FailureKind = 'unreachable' | 'name' | 'tls' | 'timeout' | 'broken' | 'interrupted';

/** `lasting`: it would fail again in the same way. `hint`: what to do, if more is known than the standard hint. */
type Details = { cause?: unknown; lasting?: boolean; hint?: Sentence | undefined };

export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  /** Whether any part of the request may have been sent. False is proof that none was. */
  readonly started: boolean;
  readonly lasting: boolean;
  readonly hint: Sentence | undefined;

  constructor(kind: FailureKind, message: string, started: boolean, { cause, lasting = false, hint }: Details = {}) {
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
    new TransportFailure(kind, message, started, { cause, lasting, hint });
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
