/**
 * Deletes a session that was chosen by the values it showed. Invariant: a DELETE is sent only if a read right
 * before it shows the same student in the same exam, and no progress since the session was chosen.
 */
import { CliError, orGone } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf, statusText } from '../model/status.ts';
import { sentence } from '../text/sentence.ts';
import { type Client, examOf } from './client.ts';
import { withFreshRead } from './fresh-read.ts';
import { operations } from './operations.ts';
import { perform } from './perform.ts';

export type ChosenSession = {
  id: string;
  exam: string | undefined;
  status: string | undefined;
  /** Whether this is still the address of the student; undefined: the session shows none. */
  isStudent(email: string | undefined): boolean;
};

/** `gone`: it was already deleted. `kept`: it has changed since it was chosen, for the reason `why`, and no DELETE was sent. */
export type ChosenEnd = { is: 'deleted' | 'gone' } | { is: 'kept'; why: string; error: CliError };

/** `before`: called right before the DELETE is sent. Throws the errors of `perform` and of the read. */
export function deleteChosen(client: Client, chosen: ChosenSession, before?: () => Promise<void>): Promise<ChosenEnd> {
  return withFreshRead(() => readAndDelete(client, chosen, before));
}

async function readAndDelete(client: Client, chosen: ChosenSession, before?: () => Promise<void>): Promise<ChosenEnd> {
  const params = { id: chosen.id };
  const read = await orGone(client.call(operations.getSession, { params }));
  if (!read) return { is: 'gone' };
  const why = firstMismatch(chosen, read.data as JsonObject, client);
  if (why !== undefined) return { is: 'kept', why, error: keptBecause(chosen.id, why) };
  await before?.();
  const exam = chosen.exam === undefined ? {} : { exam: chosen.exam };
  await perform(client, operations.deleteSession, { params, ...exam, readAt: read.received });
  return { is: 'deleted' };
}

/** Why a session was not deleted although it was chosen. */
export function keptBecause(id: string, why: string): CliError {
  return new CliError('not_applied', sentence`Session ${id} was kept: ${why}.`, {
    hint: sentence`Check it with: proctor-cli ${typedCommand('sessions get', [id])}`,
  });
}

/** The first difference between the session and what was chosen, in words; undefined if there is none. */
export function firstMismatch({ exam, status, isStudent }: ChosenSession, now: JsonObject, client: Client): string | undefined {
  const of = examOf(now, client);
  if (exam !== undefined && of !== undefined && of !== exam) return `it now belongs to exam ${of}`;
  const email = typeof now.email === 'string' && now.email.trim() !== '' ? now.email : undefined;
  if (!isStudent(email)) return addressIn(now) === undefined ? 'it shows no address' : `it now belongs to ${email}`;
  const is = statusText(now.status) ?? undefined;
  // A mail sent since does not matter: the student has not started.
  if (is === status || phaseOf(is) === 'waiting') return undefined;
  return is === undefined ? 'it shows no status' : `its status is now ${is}`;
}
