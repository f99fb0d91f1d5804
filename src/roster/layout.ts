/**
 * A layout says how a table is read: which columns are which fields, and which of its lines are used. A known export is a layout, and so
 * are the options of a command and the answers on a terminal: they are merged in this order, and read by the same rules.
 */

export type ValuesByHeader = { readonly [header: string]: readonly string[] };

export type Layout = {
  /** Field → headers: of several, the first that is filled in a line; `field:` for cells that are typed as -F types them. */
  map: ValuesByHeader;
  /** Header → values: only lines with these are used; lines with these are left out. With both, a value in neither stops the file. */
  only: ValuesByHeader;
  except: ValuesByHeader;
  /** Columns that decide nothing. */
  ignored: readonly string[];
};

export const noLayout: Layout = { map: {}, only: {}, except: {}, ignored: [] };

/** How headers and values are compared. */
export function foldedText(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** Two layouts as one; where both name a field or a column, the second one counts. */
export function merged(first: Layout, second: Layout): Layout {
  const left = without(declaredBy(second), first);
  return {
    map: { ...left.map, ...second.map },
    only: { ...left.only, ...second.only },
    except: { ...left.except, ...second.except },
    ignored: [...left.ignored, ...second.ignored],
  };
}

/** The columns of which a layout says which lines they let through. */
export function declaredBy({ only, except, ignored }: Layout): string[] {
  return [...Object.keys(only), ...Object.keys(except), ...ignored];
}

/** A layout that says nothing of these columns. */
export function without(headers: readonly string[], { map, only, except, ignored }: Layout): Layout {
  const folded = new Set(headers.map(foldedText));
  const isOther = (header: string) => !folded.has(foldedText(header));
  const others = (lists: ValuesByHeader) => Object.fromEntries(Object.entries(lists).filter(([header]) => isOther(header)));
  return { map, only: others(only), except: others(except), ignored: ignored.filter(isOther) };
}
