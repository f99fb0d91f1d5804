/** Yes and no as a service may show them. */

/** The value of a field that is true or false (specification 2): also 1 and 0, and each of them as text; undefined for others. */
export function booleanIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  const word = typeof value === 'string' && /^\s*(?:(true|1)|(false|0))\s*$/i.exec(value);
  return word ? word[1] !== undefined : undefined;
}
