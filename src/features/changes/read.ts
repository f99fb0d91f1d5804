/**
 * An exam or a session as the service shows it, or the error of reading it; one failed read does not stop
 * the others.
 */
import type { Client } from '../../api/client.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { MovedResource } from './records.ts';

/** The requests that read and change a resource. */
export const requestsOf = {
  session: { get: operations.getSession, patch: operations.patchSession },
  exam: { get: operations.getExam, patch: operations.patchExam },
} as const satisfies Record<MovedResource, Record<'get' | 'patch', Operation>>;

const ofThisOne: ReadonlySet<ErrorCode> = new Set(['not_found', 'rejected', 'invalid_input', 'bad_answer']);

/** Resolves to the error if it concerns this resource only; throws any other. */
export async function readResource(client: Client, kind: MovedResource, id: string): Promise<JsonObject | CliError> {
  try {
    return await client.get(requestsOf[kind].get, { params: { id } });
  } catch (error) {
    if (error instanceof CliError && ofThisOne.has(error.code)) return error;
    throw error;
  }
}

/** Null if the service shows none. */
export function emailOf({ email }: JsonObject): string | null {
  return typeof email === 'string' ? email : null;
}
