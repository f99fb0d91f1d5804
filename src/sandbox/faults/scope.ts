/** The requests that a rule applies to: a method, a path with wildcards for IDs, both or neither. */

export type Scope = {
  method?: string;
  /** Segments of the path below the version; undefined matches any. */
  segments?: readonly (string | undefined)[];
};

export function segmentsOf(path: string): (string | undefined)[] {
  return path.split('/').map((segment) => (segment === '*' || segment.startsWith(':') ? undefined : segment));
}

/** Whether a request is in a scope. `pattern`: the path is one of the table, whose IDs match any. */
export function matches({ method, segments }: Scope, asked: string, path: string, pattern = false): boolean {
  if (method !== undefined && method !== asked) return false;
  if (segments === undefined) return true;
  const there = pattern ? segmentsOf(path) : path.split('/');
  return (
    there.length === segments.length &&
    segments.every((segment, index) => segment === undefined || (pattern && there[index] === undefined) || segment === there[index])
  );
}
