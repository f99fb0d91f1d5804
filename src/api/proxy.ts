/**
 * The only place that decides whether requests to an origin use a proxy, and which one; `doctor` asks it as well.
 * Loopback never uses one, https or not.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

export type Proxy = {
  /** As the variable has it; it may hold a password. */
  address: string;
  variable: string;
  /** The entry of NO_PROXY that exempts the origin: it is then reached directly. */
  exempt: string | undefined;
};

const variables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** The proxy that the environment names for an origin; undefined where there is none. */
export function proxyFor(origin: string, env: Host['env']): Proxy | undefined {
  const url = new URL(origin);
  const variable = url.protocol === 'http:' || isThisMachine(url) ? undefined : variables.find((name) => env[name]);
  if (variable === undefined) return undefined;
  return { address: env[variable] ?? '', variable, exempt: exemption(env.no_proxy || env.NO_PROXY || '', url) };
}

/** Whatever spelling names it: a proxy would look for the service on its own machine. */
function isThisMachine({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  // The URL parser writes an address of IPv4 within IPv6 in hexadecimal: 7f is 127.
  return isLoopback({ hostname: name }) || name.endsWith('.localhost') || /^\[::ffff:7f[0-9a-f]{2}:/.test(name);
}

/** The spellings of this machine for which plain HTTP is allowed. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
}

/** The address of a proxy. Throws `invalid_input` for anything else, without repeating it: it may contain a password. */
export function addressOfProxy({ address, variable }: Proxy): URL {
  const url = URL.parse(address);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CliError('invalid_input', sentence`${variable} is not the address of an http or https proxy.`, {
    hint: sentence`Write it as http://HOST:PORT, or remove it with: unset ${variable}`,
  });
}

/** `name`, `.name` and `*.name` (subdomains only), `*` for all; `:port` may follow. */
function exemption(noProxy: string, { hostname, port }: URL): string | undefined {
  const host = hostname.replace(/^\[(.+)\]$/, '$1').replace(/(.)\.$/, '$1');
  return noProxy.split(/[,\s]+/).find((entry) => {
    // An IPv6 address with a port is in brackets; without brackets the whole text is the address.
    const [, bracketed, plain, address, onPort] = /^(?:\[(.+)\]|([^:]+)|(.*:.*:.*))(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const name = bracketed ?? plain ?? address;
    if (name === undefined || (onPort !== undefined && onPort !== (port || '443'))) return false;
    const domain = name.replace(/^\*?\./, '').replace(/(.)\.$/, '$1');
    return name === '*' || (!name.startsWith('*') && host === domain) || host.endsWith(`.${domain}`);
  });
}
