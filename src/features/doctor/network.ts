/** The way to the service: proxy, name, certificate. The embedded service and plain addresses need none of it. */
import { isIP } from 'node:net';
import { addressesOf, certificateOf } from '../../api/probe.ts';
import { addressOfProxy, proxyFor } from '../../api/proxy.ts';
import { remedyFor, TransportFailure } from '../../api/transport-failure.ts';
import { CliError } from '../../errors.ts';
import { readRegularFile } from '../../host/input-file.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { cut, type DoctorContext, type Finding, ok, skipped, warning } from './doctor-check.ts';

const day = 24 * 60 * 60 * 1000;
/** Milliseconds of validity below which a certificate gets a warning. */
const soon = 14 * day;
const patience = 10_000;
/** The most that is shown of a name in a certificate. */
const shownOfName = 100;

function proxyOf({ host, settings }: DoctorContext) {
  const { sandbox, origin } = settings();
  return sandbox ? undefined : proxyFor(origin, host.env);
}

/** Whether requests really go through a proxy. */
function isProxied(context: DoctorContext): boolean {
  const found = proxyOf(context);
  return found !== undefined && found.exempt === undefined;
}

export function proxy(context: DoctorContext): Finding {
  const found = proxyOf(context);
  if (!found) return ok('none');
  const { variable, exempt } = found;
  if (exempt !== undefined) return ok(`none: NO_PROXY exempts ${exempt} from ${variable}`);
  const { protocol, host } = addressOfProxy(found);
  return ok(`${protocol}//${host} (${variable})`);
}

export async function dns(context: DoctorContext): Promise<Finding> {
  const { sandbox, origin, timeoutMilliseconds } = context.settings();
  if (sandbox) return skipped('the embedded service needs no DNS');
  const { hostname } = new URL(origin);
  if (isIP(hostname.replace(/^\[(.+)\]$/, '$1'))) return skipped(`${hostname} is an address`);
  if (isProxied(context)) return skipped('the proxy resolves the name');
  try {
    return ok(`${hostname} is ${(await addressesOf(hostname, Math.min(patience, timeoutMilliseconds))).join(', ')}`);
  } catch (error) {
    throw failure(
      error,
      `${hostname} was not found`,
      sentence`Check the network and the spelling: proctor-cli config get baseUrl${context.profileOption()}`,
    );
  }
}

export async function tls(context: DoctorContext): Promise<Finding> {
  const { sandbox, origin, caFile, timeoutMilliseconds } = context.settings();
  if (sandbox || !origin.startsWith('https:')) return skipped('http on this machine');
  if (isProxied(context)) return skipped('behind the proxy: the first request checks the certificate');
  const ca = caFile === undefined ? undefined : readRegularFile(caFile, 16 << 20).toString('utf8');
  const milliseconds = Math.min(patience, timeoutMilliseconds);
  const signal = AbortSignal.any([context.host.interrupted, context.deadline]);
  try {
    const { subject, issuer, ends, protocol } = await certificateOf({ origin, ca, milliseconds, signal });
    const until = new Date(ends).toISOString().slice(0, 10);
    const shown = `${protocol}, certificate of ${cut(subject, shownOfName)} by ${cut(issuer, shownOfName)}, until ${until}${caFile === undefined ? '' : `; also trusted: ${caFile}`}`;
    const left = ends - context.host.now();
    if (left > soon) return ok(shown);
    return warning(
      `${shown}: ${Math.max(0, Math.floor(left / day))} days left`,
      "Tell the service's operator that the certificate is about to expire.",
    );
  } catch (error) {
    const known = error instanceof TransportFailure ? remedyFor(error, origin) : undefined;
    const remedy = known ?? sentence`Check the address, the port, and whether a proxy is needed (HTTPS_PROXY).`;
    throw failure(error, origin, remedy);
  }
}

function failure(error: unknown, what: string, hint: Sentence): unknown {
  if (!(error instanceof TransportFailure)) return error;
  return new CliError(error.kind === 'timeout' ? 'timeout' : 'network', sentence`${what}: ${error.message}.`, { hint, cause: error });
}
