/**
 * A request without a complete answer: what failed, where, and whether anything was sent. The wording is ours; only
 * the code of some failures comes from Node or OpenSSL.
 */
import { type Sentence, sentence } from '../text/sentence.ts';
import { isLoopback } from './proxy.ts';

/** `unread`: the reader stopped before the end of the answer. */
export type FailureKind = 'dns' | 'refused' | 'tls' | 'proxy' | 'timeout' | 'broken' | 'unread' | 'interrupted';

export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  /** Whether any part of the request may have been sent. False is proof that none was. */
  readonly started: boolean;
  /** It would fail again in the same way, so it is not retried. */
  readonly lasting: boolean;

  constructor(kind: FailureKind, message: string, started: boolean, cause?: unknown, lasting = kind === 'tls' || kind === 'interrupted') {
    super(message, { cause });
    this.kind = kind;
    this.started = started;
    this.lasting = lasting;
  }

  /** For debug lines: the code of the library's error too. */
  get details(): string {
    const code = this.cause instanceof Error ? codeOf(this.cause) : '';
    return code === '' || this.message.includes(code) ? this.message : `${this.message} (${code})`;
  }
}

/** No connection to the proxy itself, as opposed to the service behind it. */
export class UnreachableProxy extends Error {
  override readonly name = 'UnreachableProxy';

  constructor(cause: Error) {
    super('the proxy cannot be reached', { cause });
  }
}

type Coded = Error & { code?: string; errors?: Error[] };

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

const unknownAuthority = 'its certificate was issued by an authority that this machine does not trust';
const selfSigned = 'its certificate is self-signed';
const otherName = 'its certificate is for another name';
const revoked = 'its certificate is revoked';
const noTls = 'it answers without TLS';
const certificateProblems: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain ends at a self-signed authority that this machine does not trust',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not yet valid',
  CERT_REVOKED: revoked,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_HTTP_REQUEST: noTls,
};

function codeOf(error: Coded): string {
  const inner: Coded = error.errors?.[0] ?? error;
  return inner.code ?? (inner.cause as Coded | undefined)?.code ?? error.code ?? '';
}

/** Why a secure connection failed, and the code in parentheses. */
function tlsProblem(code: string): string {
  const words = Object.hasOwn(certificateProblems, code) ? `: ${certificateProblems[code]}` : '';
  return `${words} (${code})`;
}

/** Translates an error of undici or Node. `proxy`: the address of the proxy in use, without credentials. */
export function classify(error: Error, started: boolean, proxy?: string): TransportFailure {
  if (error instanceof UnreachableProxy) return classifyProxy(error.cause as Error, proxy, error);
  const code = codeOf(error);
  const failure = (kind: FailureKind, message: string) => new TransportFailure(kind, message, started, error);
  const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (status !== undefined) return refusedByProxy(Number(status), proxy, error);
  if (code === 'UND_ERR_PRX_CONN') return classifyProxy(error, proxy, error);
  const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return failure('dns', 'its name could not be resolved');
  if (tlsCode.test(code)) return failure('tls', `the secure connection failed${tlsProblem(code)}`);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return failure('timeout', `the connection timed out${through}`);
  if (code === 'ECONNREFUSED') return failure('refused', 'the connection was refused');
  if (!started) return failure('refused', `the connection failed${through} (${code || error.message})`);
  return failure('broken', 'the connection broke before the answer was complete');
}

/** The proxy could not be reached: nothing was sent. */
export function classifyProxy(error: Error, proxy: string | undefined, cause: Error = error): TransportFailure {
  const code = codeOf(error);
  const name = proxyNamed(proxy);
  const failure = (message: string, lasting = false) => new TransportFailure('proxy', message, false, cause, lasting);
  if (code === 'ECONNREFUSED') return failure(`${name} refused the connection`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return failure(`the name of ${name} could not be resolved`);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return failure(`${name} could not be reached in time`);
  if (code === 'UND_ERR_PRX_CONN' || code === 'ECONNRESET') return failure(`${name} closed the connection`);
  if (tlsCode.test(code)) return failure(`the secure connection to ${name} failed${tlsProblem(code)}`, true);
  return failure(`${name} could not be reached (${code || error.message})`);
}

/** A proxy's refusal to connect. Only a failure of the proxy itself (5xx) may be temporary. */
export function refusedByProxy(status: number, proxy: string | undefined, cause?: unknown): TransportFailure {
  const did = status === 407 ? 'asks for a user name and a password' : 'refused to connect to the service';
  return new TransportFailure('proxy', `${proxyNamed(proxy)} ${did} (${status})`, false, cause, status < 500);
}

function proxyNamed(address: string | undefined): string {
  return address === undefined ? 'the proxy' : `the proxy ${address}`;
}

/** The hint for a failure, if more is known than the standard hint. `variable`: the variable that names the proxy. */
export function remedyFor(failure: TransportFailure, origin: string, variable = 'HTTPS_PROXY'): Sentence | undefined {
  if (failure.kind === 'proxy') {
    return failure.message.endsWith('(407)')
      ? sentence`Add them to ${variable}: http://USER:PASSWORD@HOST:PORT; NO_PROXY lists the hosts that are reached without a proxy.`
      : sentence`Check ${variable} and NO_PROXY.`;
  }
  if (failure.kind !== 'tls') return undefined;
  const code = codeOf(failure.cause as Error);
  const problem = Object.hasOwn(certificateProblems, code) ? certificateProblems[code] : undefined;
  if (problem === noTls) {
    return isLoopback(new URL(origin))
      ? sentence`It answers plain http: try ${origin.replace(/^https:/, 'http:')}`
      : sentence`Plain http is refused, because the token would travel unencrypted: check the host and the port of the service.`;
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return sentence`Compare the clock of this machine (date -u); if it is right, the service needs a new certificate.`;
  if (problem === otherName)
    return sentence`Another server may be answering there; check the base URL with: proctor-cli config get baseUrl`;
  if (problem === revoked) return sentence`Tell the service's operator, and send nothing there until it has a new certificate.`;
  if (problem !== undefined) return sentence`For a private certificate authority, set its PEM file: proctor-cli config set caFile FILE`;
  return sentence`Check the address, the port and the network with: proctor-cli doctor`;
}
