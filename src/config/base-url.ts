/**
 * The address of the service: a domain, or a domain with a path that ends in /api/v1. Anything that could send
 * the token to another host than it appears to is refused: the address is used as written.
 */
import { InvalidValue } from '../model/invalid-value.ts';
import { hasHidden } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';

const apiPath = '/api/v1';
const like = sentence`Write it like https://proctor.example.org or https://proctor.example.org/api/v1.`;

const loginHint = sentence`The token is stored with: proctor-cli auth login`;

const refuse = (why: string, hint = like) => new InvalidValue(sentence`The base URL ${why}.`, hint);

/**
 * The base URL in its one spelling: scheme, host, and a path that ends in /api/v1 without a slash
 * behind it. Throws `InvalidValue`, which repeats nothing of a text that may hold a password.
 */
export function parseBaseUrl(text: string): string {
  if (text === '') throw refuse('is empty');
  if (/\s/.test(text) || hasHidden(text)) throw refuse('contains a space or a control character');
  if (text.includes('\\')) throw refuse('contains a backslash');
  if (text.includes('@')) throw refuse('must not contain a user name or password', loginHint);
  if (/[?#]/.test(text)) throw refuse('must not contain a query or a fragment ("?" or "#")');

  const [, scheme = 'https', written = '', path = ''] = /^(?:([^:/]+):\/\/)?([^/]*)(\/.*)?$/.exec(text) ?? [];
  if (!['http', 'https'].includes(scheme.toLowerCase()))
    throw refuse(`begins with "${scheme}:"`, sentence`Only https is supported, and http on this machine.`);
  const url = urlOf(`${scheme}://${written}`);
  const host = written.toLowerCase().replace(/:\d+$/, '');
  // It may be a token, which is not repeated and not sent to a name server.
  if (!/[.:/]/.test(text) && host !== 'localhost') throw refuse('is no domain: it has no dot', loginHint);
  checkHost(host, url);
  if (url.protocol === 'http:' && !isLoopback(host)) {
    throw refuse(
      `sends the token unencrypted to ${url.host}`,
      sentence`Write https://${url.host}; http is for localhost, 127.0.0.0/8 and [::1] only.`,
    );
  }
  return `${url.origin}${prefixOf(path, url)}${apiPath}`;
}

function urlOf(text: string): URL {
  const url = text.endsWith(':') ? null : URL.parse(text);
  if (!url) throw refuse('is not an address');
  return url;
}

/**
 * The URL parser reads 0x7f.1 and 2130706433 as 127.0.0.1; apart from international names, the host must be written
 * as the parser reads it.
 */
function checkHost(written: string, { hostname }: URL) {
  const international = /[^\0-\x7f]/.test(written) && /(^|\.)xn--/.test(hostname);
  if (written !== hostname && !international)
    throw refuse(`writes the host ${hostname} in an unusual form`, sentence`If that is the host you mean, write ${hostname}.`);
}

/** Checks the host as it was written, so that no unusual spelling of another host counts as loopback. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The path before /api/v1; empty for a bare domain. */
function prefixOf(path: string, url: URL): string {
  const trimmed = path.replace(/\/$/, '');
  if (trimmed === '') return '';
  const version = /\/api\/(v(?!1(?:\/|$))[^/]*)/i.exec(trimmed)?.[1];
  if (version !== undefined)
    throw refuse(`is for version ${version} of the service`, sentence`proctor-cli supports version 1: ${url.origin}${apiPath}`);
  const plain = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(trimmed);
  if (!plain || !trimmed.endsWith(apiPath))
    throw refuse(`has a path that does not end in ${apiPath}`, sentence`Leave out the path: ${url.origin}`);
  return trimmed.slice(0, -apiPath.length);
}
