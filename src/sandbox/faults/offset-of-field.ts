/** Finds fields in a JSON text, for messages about them. */

/**
 * Offset of the name of a field, or of an item of an array, at the end of a path; if the path leads
 * nowhere, of its last existing part. The text is valid JSON.
 */
export function offsetOfField(text: string, path: readonly (string | number)[]): number {
  let found = after(text, 0);
  let value = found;
  for (const step of path) {
    const place = entries(text, value).findLast(({ key }) => key === step);
    if (!place) break;
    found = place.at;
    value = place.value;
  }
  return found;
}

/** The path of the first field that its object has twice; undefined if there is none. The text is valid JSON. */
export function repeatedField(text: string, start = after(text, 0)): (string | number)[] | undefined {
  const seen = new Set<string | number>();
  for (const { key, value } of entries(text, start)) {
    if (seen.has(key)) return [key];
    seen.add(key);
    const below = repeatedField(text, value);
    if (below) return [key, ...below];
  }
  return undefined;
}

type Entry = { key: string | number; at: number; value: number };

/** The entries of the object or array that begins at `start`; none for any other value. */
function entries(text: string, start: number): Entry[] {
  const found: Entry[] = [];
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return found;
  for (let at = after(text, start + 1); text[at] !== '}' && text[at] !== ']'; ) {
    const end = isObject ? endOf(text, at) : at;
    const value = isObject ? after(text, after(text, end) + 1) : at;
    found.push({ key: isObject ? (JSON.parse(text.slice(at, end)) as string) : found.length, at, value });
    at = after(text, endOf(text, value));
    if (text[at] === ',') at = after(text, at + 1);
  }
  return found;
}

/** Offset after the value that begins at `start`. */
function endOf(text: string, start: number): number {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^"{}[\]\s,:]+|[\s,:]+/sy;
  tokens.lastIndex = start;
  for (let depth = 0; ; ) {
    const [token = ''] = tokens.exec(text) ?? [];
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (token === '') return text.length;
    if (depth === 0) return tokens.lastIndex;
  }
}

/** Offset of the first non-space character at or after `at`. */
function after(text: string, at: number): number {
  const spaces = /\s*/y;
  spaces.lastIndex = at;
  spaces.exec(text);
  return spaces.lastIndex;
}
