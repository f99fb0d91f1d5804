/** A session as the service shows it, or the error that it cannot be read; the other sessions can still be read. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { fieldAt, type JsonObject, textOfJson } from '../../model/json.ts';

const ofThisOne: ReadonlySet<ErrorCode> = new Set(['not_found', 'rejected', 'invalid_input', 'bad_answer']);

/** Resolves to the error where it concerns this session only; throws all else. */
export async function readSession(client: Client, id: string): Promise<JsonObject | CliError> {
  try {
    return await client.get(operations.getSession, { params: { id } });
  } catch (error) {
    if (error instanceof CliError && ofThisOne.has(error.code)) return error;
    throw error;
  }
}

/** Null where the service shows none. */
export function emailOf({ email }: JsonObject): string | null {
  return typeof email === 'string' ? email : null;
}

/** The ID of its exam; undefined where the service shows none. */
export function examOf(session: JsonObject, { dialect }: Client): string | undefined {
  const exam = fieldAt(session, dialect.sessionExamKey) ?? undefined;
  return exam === undefined ? undefined : textOfJson(exam);
}
