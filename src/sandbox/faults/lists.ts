/** Applies the faults of lists to a list, before it is divided into pages. */
import { isJsonObject } from '../../model/json.ts';
import type { Drawn } from './draw.ts';
import { optionsOf } from './options-of.ts';

/** `age`: how many milliseconds ago an item was created. */
export function changedList(items: readonly unknown[], drawn: readonly Drawn[], age: (item: unknown) => number): unknown[] {
  return drawn.reduce<unknown[]>((shown, fault) => change(shown, fault, age), [...items]);
}

function change(items: unknown[], fault: Drawn, age: (item: unknown) => number): unknown[] {
  switch (fault.name) {
    case 'list-lag':
      return items.filter((item) => age(item) >= optionsOf(fault, 'list-lag').by);
    case 'list-cut':
      return items.slice(0, optionsOf(fault, 'list-cut').keep);
    case 'list-no-addresses':
      return items.map((item) => withAddress(item, () => undefined));
    case 'list-case':
      return items.map((item) => withAddress(item, spellings[optionsOf(fault, 'list-case').as]));
    default:
      return items;
  }
}

const spellings = {
  upper: (address: string) => address.toUpperCase(),
  lower: (address: string) => address.toLowerCase(),
  nfd: (address: string) => address.normalize('NFD'),
};

function withAddress(item: unknown, spelled: (address: string) => string | undefined): unknown {
  if (!isJsonObject(item) || typeof item.email !== 'string') return item;
  const { email, ...rest } = item;
  const shown = spelled(email);
  return shown === undefined ? rest : { ...item, email: shown };
}
