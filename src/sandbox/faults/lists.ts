/** Applies the faults of lists to a list, before it is divided into pages. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Change } from '../handlers.ts';
import type { Drawn } from './draw.ts';
import { optionsOf } from './options-of.ts';

/** What happened to the items of a list. `idKey`: the field with their IDs. */
export type Past = { idKey: string; changes(milliseconds: number): readonly Change[] };

export function changedList(items: readonly unknown[], drawn: readonly Drawn[], past: Past): unknown[] {
  return drawn.reduce<unknown[]>((shown, fault) => change(shown, fault, past), [...items]);
}

function change(items: unknown[], fault: Drawn, past: Past): unknown[] {
  switch (fault.name) {
    case 'list-lag':
      return asBefore(items, past, optionsOf(fault, 'list-lag').by);
    case 'list-cut':
      return items.slice(0, optionsOf(fault, 'list-cut').keep);
    case 'list-no-addresses':
      return items.map((item) => withAddress(item, () => undefined));
    case 'list-case':
      return items.map((item) => withAddress(item, (address) => address.toUpperCase()));
    default:
      return items;
  }
}

/** A list as it was before the changes of the last milliseconds: they are taken back, the latest first. */
function asBefore(items: unknown[], { idKey, changes }: Past, by: number): unknown[] {
  const recent = changes(by);
  if (recent.length === 0) return items;
  const shown = new Map(items.map((item) => [Number((item as JsonObject)[idKey]), item]));
  for (const { id, before } of recent.toReversed()) {
    if (before === undefined) shown.delete(id);
    else shown.set(id, before);
  }
  return [...shown].sort(([one], [other]) => one - other).map(([, item]) => item);
}

function withAddress(item: unknown, spelled: (address: string) => string | undefined): unknown {
  if (!isJsonObject(item) || typeof item.email !== 'string') return item;
  const { email, ...rest } = item;
  const shown = spelled(email);
  return shown === undefined ? rest : { ...item, email: shown };
}
