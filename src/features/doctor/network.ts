/** The way to the service: proxy, name, certificate. The embedded service and plain addresses need none of it. */
import { isIP } from 'node:net';
import { addressesOf, type Certificate, certificateOf } from '../../api/probe.ts';
import { addressOfProxy, proxyFor } from '../../api/proxy.ts';
import { remedyFor, TransportFailure } from '../../api/transport-failure.ts';
import { CliError } from '../../errors.ts';
import { readRegularFile } from '../../host/input-file.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Check, type DoctorContext, failed, ok, skipped, warning } from './check.ts';

const day = 24 * 60 * 60 * 1000;
/** Milliseconds of validity below which a certificate gets a warning. */
const soon = 14 * day;
const patience = 10_000;

function proxyOf({ host, settings }: DoctorContext) {
  const { sandbox, origin } = settings();
  return sandbox ? undefined : proxyFor(origin, host.env);
}

/** The proxy that requests really go through. */
function proxyUsed(context: DoctorContext): string | undefined {
  const found = proxyOf(context);
  return found?.exempt === undefined ? found?.address : undefined;
}

export const proxy: Check = {
  name: 'proxy',
  after: ['origin'],
  find(context) {
    const found = proxyOf(context);
    if (!found) return ok('none');
    const { variable, exempt } = found;
    if (exempt !== undefined) return ok(`none: NO_PROXY exempts ${exempt} from ${variable}`);
    const { protocol, host } = addressOfProxy(found);
    return ok(`${protocol}//${host} (${variable})`);
  },
};

export const dns: Check = {
  name: 'DNS',
  network: true,
  after: ['origin', 'proxy'],
  async find(context) {
    const { sandbox, origin, timeoutMilliseconds } = context.settings();
    if (sandbox) return skipped('the embedded service needs no DNS');
    const { hostname } = new URL(origin);
    if (isIP(hostname.replace(/^\[(.+)\]$/, '$1'))) return skipped(`${hostname} is an address`);
    if (proxyUsed(context) !== undefined) return skipped('the proxy resolves the name');
    try {
      return ok(`${hostname} is ${(await addressesOf(hostname, Math.min(patience, timeoutMilliseconds))).join(', ')}`);
    } catch (error) {
      throw failure(
        error,
        `${hostname} was not found`,
        sentence`Check the network and the spelling: proctor-cli config get baseUrl${context.profileOption()}`,
      );
    }
  },
};

export const tls: Check = {
  name: 'TLS',
  network: true,
  after: ['origin', 'proxy', 'DNS'],
  async find(context) {
    const { sandbox, origin, caFile, timeoutMilliseconds } = context.settings();
    if (sandbox || !origin.startsWith('https:')) return skipped('http on this machine');
    const door = {
      origin,
      proxy: proxyUsed(context),
      ca: caFile === undefined ? undefined : readRegularFile(caFile, 16 << 20).toString('utf8'),
      milliseconds: Math.min(patience, timeoutMilliseconds),
      signal: AbortSignal.any([context.host.interrupted, context.deadline]),
    };
    try {
      return judged(await certificateOf(door), context);
    } catch (error) {
      const known = error instanceof TransportFailure ? remedyFor(error, origin, proxyOf(context)?.variable) : undefined;
      const remedy = known ?? sentence`Check the address, the port, and whether a proxy is needed (HTTPS_PROXY).`;
      throw failure(error, `no secure connection to ${origin}`, remedy);
    }
  },
};

function judged({ subject, issuer, ends, protocol, problem }: Certificate, context: DoctorContext) {
  const { caFile } = context.settings();
  const until = new Date(ends).toISOString().slice(0, 10);
  const shown = `certificate of ${subject} by ${issuer}, until ${until}`;
  const left = ends - context.host.now();
  if (problem === 'CERT_HAS_EXPIRED') {
    return failed(
      'network',
      `the ${shown}, has expired`,
      'If the clock of this machine is right, the service needs a new certificate. Check the clock: date -u',
    );
  }
  if (problem === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return failed(
      'network',
      `the ${shown}, is not for this address`,
      `Another server answers there. Compare the address with the one you were given: proctor-cli config get baseUrl${context.profileOption()}`,
    );
  }
  if (problem !== undefined) {
    return failed(
      'network',
      `the ${shown}, is not trusted (${problem})`,
      // The names in the certificate come from whatever server answers, so no hint repeats them.
      `If the issuer is a private authority, set its PEM file: proctor-cli config set caFile FILE${context.profileOption()}`,
    );
  }
  const trusted = `${protocol}, ${shown}${caFile === undefined ? '' : `; also trusted: ${caFile}`}`;
  if (left > soon) return ok(trusted);
  return warning(
    `${trusted}: ${Math.max(0, Math.floor(left / day))} days left`,
    "Tell the service's operator that the certificate is about to expire.",
  );
}

function failure(error: unknown, what: string, hint: Sentence): unknown {
  if (!(error instanceof TransportFailure)) return error;
  return new CliError(error.kind === 'timeout' ? 'timeout' : 'network', sentence`${what}: ${error.message}.`, { hint, cause: error });
}
