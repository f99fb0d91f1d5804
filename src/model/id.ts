/** IDs in what is printed: each in the type in which the service shows it (specification, section 1). */

/** The ID as it is, number or text; null for what is none. */
export function shownId(value: unknown): string | number | bigint | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? value : null;
}
