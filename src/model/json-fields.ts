/** Fields in a JSON text and their places, for messages about them: the parser shows neither places nor repeated names. */

/** From the outermost value: names of fields, indices of items. */
type FieldPath = readonly (string | number)[];

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
