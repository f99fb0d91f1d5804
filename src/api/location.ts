/** The ID in the Location header of an answer to a create, which a service may send in place of a body. */
import { resourceNames } from './dialect.ts';

/** Undefined if it leads to another origin or to another kind of resource. */
export function idInLocation(location: string | undefined, resource: keyof typeof resourceNames, baseUrl: string): string | undefined {
  const url = location === undefined ? null : URL.parse(location, `${baseUrl}/`);
  if (url?.origin !== URL.parse(baseUrl)?.origin) return undefined;
  const [id = '', collection = ''] = url?.pathname.replace(/\/$/, '').split('/').reverse() ?? [];
  if (id === '' || !(resourceNames[resource].many as readonly string[]).includes(collection)) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
