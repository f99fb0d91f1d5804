/**
 * What must never be shown: values under tell-tale keys in the service's answers, and the token
 * itself wherever it turns up. One door for output, logs, journals and debug lines.
 */

const secretNames = ['token', 'api_token', 'secret_key', 'pin_code', 'password'];
const secretKeys = new Set(secretNames);
/** A secret key and its value in the text of JSON, whole or cut short. */
const secretPair = new RegExp(`("(?:${secretNames.join('|')})"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+)`, 'gi');
/** Headers beside Authorization, whose token is masked by its value so that the prefix can be seen. */
const secretHeaders = new Set(['proxy-authorization', 'cookie', 'set-cookie']);

export const mask = '********';

function isSecretKey(key: string): boolean {
  return secretKeys.has(key.toLowerCase());
}

/**
 * A copy of a value in which the values of secret keys are masked, at any depth; the value itself
 * where there is nothing to mask.
 */
export function maskSecretKeys<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskSecretKeys(item));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Record<string, unknown>)[key];
    const masked = isSecretKey(key) && item !== null && item !== undefined && item !== '' ? mask : maskSecretKeys(item);
    if (masked === item) continue;
    copy = copy ?? { ...(value as Record<string, unknown>) };
    copy[key] = masked;
  }
  return (copy as T | undefined) ?? value;
}

/** The text of JSON, whole or cut short, in which the values of secret keys are masked. */
export function maskSecretPairs(text: string): string {
  return text.replace(secretPair, `$1"${mask}"`);
}

/** A header as it may be shown. */
export function shownHeader(name: string, value: string): string {
  return `${name}: ${secretHeaders.has(name.toLowerCase()) ? mask : value}`;
}

/** Text without the given secrets, however often they occur; also in their JSON and URL spelling. */
export function redact(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    for (const spelling of new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])) {
      shown = shown.replaceAll(spelling, mask);
    }
  }
  return shown;
}

/** A token as `auth status` shows it: enough to recognise it, too little to use it. */
export function maskedToken(token: string): string {
  return token.length < 12 ? mask : `${mask}${token.slice(-4)}`;
}
