/** Names as people are called: "Berg, Jan van der" is Jan van der Berg, and "King Jr., Martin Luther" Martin Luther King Jr. */

const suffix = /^(jr|sr|ii|iii|iv|phd|md|mba|msc|bsc|ma|ba|esq|dds|llm|mag|dipl[.-]?ing)\.?$/i;

type Inverted = { last: string; first: string; after: string[] };

/** The parts of "Last, First" with its suffixes; undefined for a name that is not written so. */
function inverted(name: string): Inverted | undefined {
  const parts = name
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const after = parts.slice(1).filter((part) => suffix.test(part));
  const [last, first, ...more] = parts.filter((part, index) => index === 0 || !suffix.test(part));
  if (last === undefined || first === undefined || more.length > 0) return undefined;
  const [, family = last, ending] = /^(.+?)\s+(\S+)$/.exec(last) ?? [];
  return ending !== undefined && suffix.test(ending) ? { last: family, first, after: [ending, ...after] } : { last, first, after };
}

/** The name in the order in which it is spoken; unchanged where it is not written as "Last, First". */
export function spokenName(name: string): string {
  const found = inverted(name);
  return found ? [found.first, found.last, ...found.after].join(' ') : name;
}

/** Whether most of these names are written as "Last, First". */
export function areInverted(names: readonly string[]): boolean {
  const written = names.filter((name) => name.trim() !== '');
  return written.length > 0 && 2 * written.filter(inverted).length > written.length;
}

/** The name in `"Lee, Ann" <ann@example.org>`; undefined where there is none. */
export function displayName(text: string): string | undefined {
  const name = /^([^<>]*)<[^<>]*>$/
    .exec(text.trim())?.[1]
    ?.trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return name === '' ? undefined : name;
}
