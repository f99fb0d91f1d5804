/** The ID in the Location header of an answer to a create, which a service may send in place of a body. */
import type { Json } from '../model/json.ts';
import { resourceNames } from './dialect.ts';
import { idFrom } from './records.ts';

/** Undefined if it leads to another origin or to another kind of resource. */
export function idInLocation(location: string | undefined, resource: keyof typeof resourceNames, baseUrl: string): Json | undefined {
  const url = location === undefined ? null : URL.parse(location, `${baseUrl}/`);
  if (url?.origin !== URL.parse(baseUrl)?.origin) return undefined;
  const [id = '', collection = ''] = url?.pathname.replace(/\/$/, '').split('/').reverse() ?? [];
  if (id === '' || !(resourceNames[resource].many as readonly string[]).includes(collection)) return undefined;
  try {
    return idFrom(decodeURIComponent(id));
  } catch {
    return undefined;
  }
}
