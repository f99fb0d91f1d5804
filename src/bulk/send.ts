/**
 * What one write of an import has come to, as far as the answer tells: the table on which everything
 * else rests. What is not provably undone is never treated as if it were.
 */
import { type Client, idOf } from '../api/client.ts';
import { TransportFailure } from '../api/http.ts';
import { operations } from '../api/operations.ts';
import { waitAsked } from '../api/retry.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import type { JsonObject } from '../model/json.ts';

export type Verdict =
  /** The service has done it. */
  | { kind: 'done'; session: string }
  /** Nothing left this machine. */
  | { kind: 'unsent'; error: CliError }
  /** It may have happened; `created`: the service said so, but which session it is has to be found by listing. */
  | { kind: 'ambiguous'; created: boolean; error: CliError; wait?: number }
  /** Refused, and nothing was done. `taken`: the service may mean that the student is there already. */
  | { kind: 'rejected'; taken: boolean; error: CliError }
  /** Too many requests: sent again after a wait and a look. Milliseconds. */
  | { kind: 'limited'; wait: number; error: CliError }
  /** No further request can succeed: the token, the exam, an interruption. */
  | { kind: 'stop'; error: CliError };

/** Milliseconds to wait after a 429 that does not say how long. */
const waitUnasked = 5_000;

/** Sends one student. `email`: an answer that names another one proves nothing. */
export async function sendCreate(client: Client, host: Host, exam: string, body: JsonObject, email: string | undefined): Promise<Verdict> {
  try {
    const answer = await client.get(operations.createSession, { params: { exam_id: exam }, body });
    if (email !== undefined && typeof answer.email === 'string' && answer.email.trim().toLowerCase() !== email.toLowerCase()) {
      const error = new CliError('outcome_unknown', 'The service answered with another student than the one that was sent.');
      return { kind: 'ambiguous', created: false, error };
    }
    const session = idOf(answer, client);
    if (session !== undefined) return { kind: 'done', session };
    const error = new CliError('outcome_unknown', 'The service did not say which session it created.');
    return { kind: 'ambiguous', created: true, error };
  } catch (error) {
    return verdictOf(error, host);
  }
}

/** Sends a change of one session. */
export async function sendUpdate(client: Client, host: Host, session: string, body: JsonObject): Promise<Verdict> {
  try {
    await client.get(operations.patchSession, { params: { id: session }, body });
    return { kind: 'done', session };
  } catch (error) {
    const verdict = verdictOf(error, host);
    // A success without a body: what it has come to is proven at the end, by a listing.
    return verdict.kind === 'ambiguous' && verdict.error.status === 204 ? { kind: 'done', session } : verdict;
  }
}

/** Throws what is not a failure of the request. */
function verdictOf(error: unknown, host: Host): Verdict {
  if (!(error instanceof CliError)) throw error;
  switch (error.code) {
    case 'interrupted':
    case 'terminated':
      // Stopped while it was under way: what becomes of it is not known.
      return error.cause instanceof CliError ? { kind: 'ambiguous', created: false, error } : { kind: 'unsent', error };
    case 'outcome_unknown':
      return { kind: 'ambiguous', created: error.happened, error, ...waitOf(error, host) };
    case 'rate_limited':
      return { kind: 'limited', wait: waitAsked(error.retryAfter, host.now()) ?? waitUnasked, error };
    case 'not_found':
    case 'rejected': {
      const taken = error.status === 409 || (error.status === 422 && /taken|already|exist|bereits|déjà/i.test(error.message));
      return { kind: 'rejected', taken, error };
    }
    case 'network':
    case 'timeout':
      return error.cause instanceof TransportFailure && !error.cause.started
        ? { kind: 'unsent', error }
        : { kind: 'ambiguous', created: false, error };
    default:
      return { kind: 'stop', error };
  }
}

function waitOf(error: CliError, host: Host): { wait?: number } {
  const wait = waitAsked(error.retryAfter, host.now());
  return wait === undefined ? {} : { wait };
}
