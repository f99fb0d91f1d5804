/** The users of an institute, by what people write for them: an address, an ID, a name. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { firstInLine } from '../../model/count.ts';
import { idOf } from '../../model/id.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { folded } from '../../text/fold.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

export type InstituteUser = { id: string; email: string | undefined; name: string | undefined };

/** Each user once: a list of several pages may show one twice. */
export type InstituteUsers = {
  institute: string;
  byId: ReadonlyMap<string, InstituteUser>;
  byAddress: ReadonlyMap<string, readonly InstituteUser[]>;
  byName: ReadonlyMap<string, readonly InstituteUser[]>;
};

export async function instituteUsers(client: Client, institute: string): Promise<InstituteUsers> {
  const byId = new Map<string, InstituteUser>();
  for (const user of await client.list(operations.listUsers, { params: { institute_id: institute } })) {
    const email = fieldAt(user, client.dialect.userEmailKey);
    const id = idOf(user);
    if (id !== undefined) byId.set(id, { id, email: typeof email === 'string' ? email : undefined, name: nameOf(user) });
  }
  const by = (key: (user: InstituteUser) => string | undefined) => {
    const groups = Map.groupBy(byId.values(), key);
    groups.delete(undefined);
    return groups as Map<string, InstituteUser[]>;
  };
  const byAddress = by(({ email }) => email && addressKey(email));
  const byName = by(({ name }) => name && nameKey(name));
  return { institute, byId, byAddress, byName };
}

function nameOf({ name }: JsonObject): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

function nameKey(name: string): string {
  return folded(name).replace(/\s+/g, ' ').trim();
}

const untouched = 'No proctor was added or removed.';

/** By the address. Throws `not_found`, and `invalid_input` for an address of several. */
export function userWithAddress({ institute, byAddress }: InstituteUsers, address: string): InstituteUser {
  const unread = byAddress.size === 0 ? ' None of them shows an address in the field that dialect.userEmailKey names.' : '';
  return theOne(byAddress, addressKey(address), 'email', {
    what: sentence`The address ${address}`,
    missing: sentence`No user of institute ${institute} has the address ${address}.${unread}`,
  });
}

/** By the ID or the name. Throws `not_found`, and `invalid_input` for a name of several. */
export function userNamed({ institute, byId, byName }: InstituteUsers, text: string): InstituteUser {
  const missing = sentence`No user of institute ${institute} has the ID or the name ${text}.`;
  return byId.get(text) ?? theOne(byName, nameKey(text), 'name', { what: sentence`The name ${text}`, missing });
}

type Words = { what: Sentence; missing: Sentence };

function theOne(users: InstituteUsers['byName'], key: string, field: 'email' | 'name', { what, missing }: Words): InstituteUser {
  const [user, ...others] = users.get(key) ?? [];
  if (user && others.length === 0) return user;
  if (user) {
    const all = firstInLine([user, ...others], ({ id }) => id, 5);
    throw new CliError('invalid_input', sentence`${what} belongs to ${others.length + 1} users: ${all}.`, {
      hint: sentence`Give the ID of the right user. ${untouched}`,
    });
  }
  const meant = nearest(key, users.keys());
  const [near] = meant === undefined ? [] : (users.get(meant) ?? []);
  const hint = near ? sentence`Did you mean ${near[field]}? ${untouched}` : 'List the users with: proctor-cli users list';
  throw new CliError('not_found', missing, { hint });
}
