/** Who proctors are: in the pool of an exam, and among the users of an institute, by what people write for them. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { firstInLine } from '../model/count.ts';
import { idOf } from '../model/id.ts';
import { fieldAt, type JsonObject } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { capitalised, sentence } from '../text/sentence.ts';
import { inOneSpelling } from './exam-selection.ts';

/** `keys`: the ID, the address and the name, each in one spelling. */
type Person = { id: string | undefined; email: string | undefined; name: string | undefined; keys: readonly string[] };
/** `value`: as the service takes them in a pool. */
export type Proctor = Person & { value: string };

function personIn(shown: JsonObject, { dialect }: Client): Person {
  const id = idOf(shown);
  const [email, name] = [fieldAt(shown, dialect.userEmailKey), shown.name].map((value) => {
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  });
  const keys = [id, email, name].flatMap((value) => (value === undefined ? [] : keyOf(value)));
  return { id, email, name, keys };
}

function keyOf(text: string): string {
  return text.includes('@') ? addressKey(text) : inOneSpelling(text);
}

/** Those who are meant by an ID, an address or a name. */
export function meantBy<P extends Person>(text: string, people: readonly P[]): P[] {
  const key = keyOf(text);
  return people.filter(({ keys }) => keys.includes(key));
}

/** Throws `bad_answer` for a proctor who cannot be named. */
export async function poolOf(client: Client, exam: string): Promise<Proctor[]> {
  const { idKey, userEmailKey, proctorValues } = client.dialect;
  const [field, key] = proctorValues === 'address' ? (['email', userEmailKey] as const) : (['id', idKey] as const);
  const pool = await client.list(operations.listProctors, { params: { id: exam } });
  return pool.map((shown) => {
    const person = personIn(shown, client);
    const value = person[field];
    if (value !== undefined) return { ...person, value };
    throw new CliError('bad_answer', sentence`A proctor of exam ${exam} is shown without "${key}", so it is unknown who is in its pool.`);
  });
}

/**
 * What is sent for a proctor that a person has typed. A number is an ID; everything else is looked up among the users of the institute, who
 * are read once. Throws `not_found`, `invalid_input`, and `usage` without an institute.
 */
export function proctorFinder(context: Context, institute = context.settings().institute): (text: string) => Promise<string> {
  let users: Promise<InstituteUsers> | undefined;
  return async (text) => {
    const takesAddresses = context.settings().dialect.proctorValues === 'address';
    if (/^\d+$/.test(text) || (takesAddresses && text.includes('@'))) return text;
    const hint = 'Set it: --institute ID. If the service takes addresses: proctor-cli config set dialect.proctorValues address';
    if (institute === undefined)
      throw new CliError('usage', sentence`No institute is set in which to look for the proctor ${text}.`, { hint });
    users ??= context.client().then((client) => instituteUsers(client, institute));
    const { id, email = id } = userNamed(text, await users);
    return takesAddresses ? email : id;
  };
}

type InstituteUsers = { institute: string; users: readonly (Person & { id: string })[] };

/** Each user once: a list of several pages may show one twice. */
async function instituteUsers(client: Client, institute: string): Promise<InstituteUsers> {
  const listed = await client.list(operations.listUsers, { params: { institute_id: institute } });
  const users = listed.map((shown) => personIn(shown, client)).flatMap(({ id, ...user }) => (id === undefined ? [] : { ...user, id }));
  return { institute, users: [...new Map(users.map((user) => [user.id, user])).values()] };
}

/** Throws `not_found`, and `invalid_input` for an address or a name of several. */
function userNamed(text: string, { institute, users }: InstituteUsers): InstituteUsers['users'][number] {
  const field = text.includes('@') ? 'email' : 'name';
  const what = sentence`the ${field === 'email' ? 'address' : 'ID or the name'} ${text}`;
  const untouched = 'No proctor was added or removed.';
  const [user, ...others] = meantBy(text, users);
  if (user && others.length > 0) {
    const all = firstInLine([user, ...others], ({ id }) => id, 5);
    throw new CliError('invalid_input', sentence`${capitalised(what)} belongs to ${others.length + 1} users: ${all}.`, {
      hint: sentence`Give the ID of the right user. ${untouched}`,
    });
  }
  if (user) return user;
  const shown = users.flatMap(({ [field]: value }) => value ?? []);
  const unread = field === 'name' || shown.length > 0 ? '' : ' None of them shows an address in the field that dialect.userEmailKey names.';
  const near = nearest(text, shown);
  throw new CliError('not_found', sentence`No user of institute ${institute} has ${what}.${unread}`, {
    hint: near === undefined ? 'List the users with: proctor-cli users list' : sentence`Did you mean ${near}? ${untouched}`,
  });
}
