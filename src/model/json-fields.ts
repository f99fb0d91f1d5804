/** Fields in a JSON text and their places, for messages about them: the parser shows neither places nor repeated names. */

/** From the outermost value: names of fields, indices of items. */
export type FieldPath = readonly (string | number)[];

/**
 * Offset of the name of a field, or of an item of an array, at the end of a path; if the path leads
 * nowhere, of its last existing part. The text is valid JSON.
 */
export function offsetOfField(text: string, path: FieldPath): number {
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

type Container = { keys: Set<string> | undefined; step: string | number };

/**
 * The first name that stands a second time in its object; undefined if there is none. Parsers keep the last value and
 * drop the others without a word. The text is valid JSON; each of its characters is read once.
 */
export function repeatedField(text: string): { path: FieldPath; offset: number } | undefined {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;
  const open: Container[] = [];
  let naming = false;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const word = token[0];
    const container = open.at(-1);
    if (word === '{' || word === '[') {
      naming = word === '{';
      open.push(naming ? { keys: new Set(), step: '' } : { keys: undefined, step: 0 });
    } else if (word === '}' || word === ']') {
      open.pop();
      naming = false;
    } else if (word === ',' && container) {
      naming = container.keys !== undefined;
      if (typeof container.step === 'number') container.step += 1;
    } else if (naming && container?.keys) {
      const key = word.includes('\\') ? (JSON.parse(word) as string) : word.slice(1, -1);
      container.step = key;
      if (container.keys.has(key)) return { path: open.map(({ step }) => step), offset: token.index };
      container.keys.add(key);
      naming = false;
    }
  }
  return undefined;
}

/** A path as messages show it: `faults[0].rate`. */
export function shownPath(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
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
