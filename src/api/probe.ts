/** Checks the route to an origin without a request: the addresses of its name, and its certificate. Only a handshake is sent. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { trusting } from './http.ts';
import { classify, TransportFailure } from './transport-failure.ts';

/** The addresses of a name. Throws `TransportFailure`; `milliseconds` is how long that may take. */
export async function addressesOf(hostname: string, milliseconds: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswer(milliseconds)), milliseconds);
  });
  try {
    const found = await Promise.race([lookup(hostname, { all: true }), late]);
    return found.map(({ address }) => address);
  } catch (error) {
    throw explained(error);
  } finally {
    clearTimeout(timer);
  }
}

export type Certificate = {
  /** The name that the certificate is for. */
  subject: string;
  issuer: string;
  /** Milliseconds since 1970. */
  ends: number;
  /** Such as TLSv1.3. */
  protocol: string;
};

/** `ca`: PEM text of further authorities. */
type Handshake = { origin: string; ca: string | undefined; milliseconds: number; signal: AbortSignal };

/** The certificate of an https origin, as far as it is trusted. Throws `TransportFailure`. */
export async function certificateOf({ origin, ca, milliseconds, signal }: Handshake): Promise<Certificate> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  const socket = connect({
    host,
    port: Number(port || 443),
    secureContext: await trusting(ca),
    ...(isIP(host) ? {} : { servername: host }),
    rejectUnauthorized: true,
  });
  try {
    await once(socket, 'secureConnect', { signal: end });
    const { subject, issuer, valid_to } = socket.getPeerCertificate();
    return {
      subject: first(subject?.CN),
      issuer: first(issuer?.CN ?? issuer?.O),
      ends: Date.parse(valid_to),
      protocol: socket.getProtocol() ?? 'TLS',
    };
  } catch (error) {
    throw end.aborted ? noAnswer(milliseconds) : explained(error);
  } finally {
    socket.destroy();
  }
}

function first(name: string | string[] | undefined): string {
  return (Array.isArray(name) ? name[0] : name) ?? '(no name)';
}

function noAnswer(milliseconds: number): TransportFailure {
  return new TransportFailure('timeout', `no answer within ${milliseconds / 1000} s`, false);
}

function explained(error: unknown): TransportFailure {
  return error instanceof TransportFailure ? error : classify(error as Error, false);
}
