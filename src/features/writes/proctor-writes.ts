/**
 * The proctor pools of exams: one request for all proctors of an exam; its outcome is read from the pool. Proctors given by their address are
 * looked up among the users of the institute: an address that no user has, or several have, is refused before anything is sent. What has
 * no @ is an ID, and stays as it is; so does an address where no institute is set, or where the service takes addresses (dialect.proctorValues).
 */

import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { poolBody } from '../../api/proctor-pool.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey, maskIn } from '../../model/address-key.ts';
import { firstInLine } from '../../model/first-of.ts';
import { fieldAt, type JsonObject, textOfJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { carryOut, poolLacks } from '../../runs/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, settledSelection } from '../exam-selection.ts';
import { severalResult } from './outcome-rows.ts';

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  selection: ExamSelection;
  proctors: readonly string[];
  institute?: string | undefined;
};

export async function changePools(context: Context, { kind, selection, proctors, institute }: Pool): Promise<Result> {
  const adds = kind === 'proctors add';
  const operation = adds ? operations.addProctors : operations.removeProctors;
  const { dialect } = context.settings();
  const { ids: exams } = await settledSelection(context, selection);
  let body: ReturnType<typeof poolBody> | undefined;
  return carryOut(context, {
    kind,
    identity: [...exams, ...proctors],
    again: 'anew',
    async plan() {
      const client = await context.client();
      const added = poolBody(await proctorIds(context, proctors, institute), dialect);
      body = added;
      const steps = await client.pacer.map(exams, async (exam) => {
        const step = { operation, params: { id: exam }, exam, body: added };
        // An undo takes back only the proctors whose place in the pool the request changes.
        return { ...step, before: poolBody(await poolLacks(step, step.params, client), dialect) };
      });
      return { steps };
    },
    question() {
      if (exams.length === 1) return undefined;
      const given = [body?.[dialect.proctorsKey] ?? []].flat();
      const who = firstInLine(given, (proctor) => textOfJson(proctor), 5);
      const which = firstInLine(exams, (exam) => exam, 10);
      const words = adds ? ['Add', 'to'] : ['Remove', 'from'];
      return sentence`${words[0] ?? ''} ${given.length === 1 ? 'proctor' : 'proctors'} ${who} ${words[1] ?? ''} ${exams.length} exams (${which})`;
    },
    result: (ended) => severalResult(context, ended, adds ? 'added' : 'removed'),
  });
}

type Found = { id: string; email: string; name: string | undefined };

/** The IDs in the order given, each once. Throws `not_found`, `invalid_input`. */
export async function proctorIds(context: Context, proctors: readonly string[], institute: string | undefined): Promise<string[]> {
  if (!proctors.some(isAddress) || context.settings().dialect.proctorValues === 'address') return [...proctors];
  const client = await context.client();
  const id = institute ?? context.settings().institute;
  if (id === undefined) {
    const which = firstInLine(proctors.filter(isAddress), (address) => address, 3);
    context.say(sentence`No institute is set (--institute), so ${which} cannot be looked up and is sent unchanged.`);
    return [...proctors];
  }
  const users = await usersByAddress(client, id);
  const resolved = proctors.map((given) => (isAddress(given) ? found(users, given, id) : given));
  const said = resolved.flatMap((each): Sentence[] => {
    if (typeof each === 'string') return [];
    return [sentence`${each.email} is user ${each.id}${each.name === undefined ? '' : `, ${each.name}`}.`];
  });
  context.say(inLines(said));
  return [...new Set(resolved.map((each) => (typeof each === 'string' ? each : each.id)))];
}

function isAddress(text: string): boolean {
  return text.includes('@');
}

/** The users of an institute by their folded addresses: a list of several pages may show one twice. */
async function usersByAddress(client: Client, institute: string): Promise<Map<string, Map<string, Found>>> {
  const users = new Map<string, Map<string, Found>>();
  const input = { params: { institute_id: institute } };
  for await (const user of client.list(operations.listUsers, input)) {
    const shown = { email: fieldAt(user, client.dialect.userEmailKey) ?? null };
    // The typed address is no mask. A text that equals it word for word is that address, even if it looks like a mask.
    const email = addressIn(shown) ?? maskIn(shown);
    const id = idOf(user, client);
    if (email === undefined || id === undefined) continue;
    const key = addressKey(email);
    const alike = users.get(key) ?? new Map<string, Found>();
    users.set(key, alike.set(id, { id, email, name: nameOf(user) }));
  }
  return users;
}

function nameOf({ name }: JsonObject): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

function found(users: ReadonlyMap<string, ReadonlyMap<string, Found>>, address: string, institute: string): Found {
  const [user, ...others] = [...(users.get(addressKey(address))?.values() ?? [])];
  if (user && others.length === 0) return user;
  if (user) {
    const which = firstInLine([user, ...others], ({ id }) => id, 5);
    throw new CliError('invalid_input', sentence`The address ${address} belongs to ${others.length + 1} users: ${which}.`, {
      hint: 'Give the ID of the one that is meant. No proctor was added or removed.',
    });
  }
  const meant = nearest(addressKey(address), users.keys());
  const [near] = meant === undefined ? [] : [...(users.get(meant)?.values() ?? [])];
  const unread = users.size === 0 ? ' None of them shows an address in the field that dialect.userEmailKey names.' : '';
  throw new CliError('not_found', sentence`No user of institute ${institute} has the address ${address}.${unread}`, {
    hint: near ? sentence`Did you mean ${near.email}? No proctor was added or removed.` : 'List the users with: proctor-cli users list',
  });
}
