/**
 * The outcome of one write of an import, as far as its answer tells, in the words of the journal.
 * A request that may have been obeyed is never treated as undone.
 */

import { asSent } from '../../api/as-sent.ts';
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { waitAsked } from '../../api/retry.ts';
import { TransportFailure } from '../../api/transport-failure.ts';
import { reasonIn, reportsFailure } from '../../api/verdict.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';

/** `wait`: so long the service asks to wait, where it does. Milliseconds. */
export type Answered =
  /** The service carried it out. `existing`: it showed a session that was in the exam before the request. */
  | { outcome: 'done'; session: string; existing?: boolean }
  /**
   * It was not sent, or provably did nothing. `limited`: there were too many requests. `stop`: no
   * further request can succeed: the token, an interruption.
   */
  | { outcome: 'not_sent'; error: CliError; limited?: true; stop?: true; wait?: number }
  /**
   * It may have happened. `confirmed`: the service said so, and its session has to be found by listing. `renamed`: it showed another
   * address than was sent.
   */
  | { outcome: 'unknown'; confirmed: boolean; renamed?: true; error: CliError; wait?: number }
  /** Refused. `taken`: the service may mean that the student is there already. */
  | { outcome: 'rejected'; taken: boolean; error: CliError };

export type AnsweredAs<Name extends Answered['outcome']> = Extract<Answered, { outcome: Name }>;

/** See `Outgoing`. */
export type SendHooks = { admitted(): Promise<void>; leaving(): void };
type Sent = SendHooks & { body: JsonObject };

/** Sends one student. `email`: an answer that names another one proves nothing; one that hides the address names no other. */
export async function sendCreate(client: Client, host: Host, exam: string, sent: Sent, email: string | undefined): Promise<Answered> {
  try {
    const answer = await client.get(operations.createSession, { params: { exam_id: exam }, ...sent });
    const named = addressIn(answer);
    const session = idOf(answer, client);
    if (email !== undefined && named !== undefined && addressKey(named) !== addressKey(email)) {
      const which = session === undefined ? 'a different student' : sentence`session ${session} of a different student`;
      const error = new CliError('outcome_unknown', sentence`The service answered with ${which} than was sent.`);
      return { outcome: 'unknown', confirmed: false, renamed: true, error };
    }
    if (session !== undefined) return { outcome: 'done', session };
    const error = new CliError('outcome_unknown', "The service's answer does not identify the session it created.");
    return { outcome: 'unknown', confirmed: true, error };
  } catch (error) {
    return answeredBy(error, host);
  }
}

/** Sends a change of one session of the exam. */
export async function sendUpdate(client: Client, host: Host, exam: string, session: string, sent: Sent): Promise<Answered> {
  try {
    const answer = await client.get(operations.patchSession, { params: { id: session }, ...sent, exam });
    return reportsFailure(answer) ? await readBack(client, session, sent.body, answer) : { outcome: 'done', session };
  } catch (error) {
    const answered = answeredBy(error, host);
    // A success without a body: the listing at the end proves its outcome.
    return answered.outcome === 'unknown' && answered.error.status === 204 ? { outcome: 'done', session } : answered;
  }
}

/** The session itself decides whether a change happened whose answer says no. */
async function readBack(client: Client, session: string, body: JsonObject, answer: JsonObject): Promise<Answered> {
  const now = await client.get(operations.getSession, { params: { id: session } });
  const { different, notShown } = asSent('session', body, now, client.zone);
  if (different.length + notShown.length === 0) return { outcome: 'done', session };
  const said = reasonIn(answer);
  const message = sentence`The service accepted the update of student session ${session}, but its answer says that it was not carried out${said === '' ? '.' : `: ${said}`}`;
  return { outcome: 'rejected', taken: false, error: new CliError('not_applied', message) };
}

/** Rethrows errors that are not failures of the request. */
function answeredBy(error: unknown, host: Host): Answered {
  if (!(error instanceof CliError)) throw error;
  const asked = waitAsked(error.retryAfter, host.now());
  const wait = asked === undefined ? {} : { wait: asked };
  switch (error.code) {
    case 'interrupted':
    case 'terminated':
      // Stopped while in flight: the outcome is unknown.
      return error.cause instanceof CliError ? { outcome: 'unknown', confirmed: false, error } : { outcome: 'not_sent', error };
    case 'outcome_unknown':
      // The service says that it did nothing; a listing has to agree.
      if (error.saidNo) return { outcome: 'rejected', taken: true, error };
      return { outcome: 'unknown', confirmed: error.happened, error, ...wait };
    // Of another row, which gives something, this says nothing.
    case 'exam_running':
      return { outcome: 'not_sent', error };
    case 'rate_limited':
      return { outcome: 'not_sent', limited: true, error, ...wait };
    case 'not_found':
    case 'rejected': {
      const taken = error.status === 409 || (error.status === 422 && /taken|already|exist|bereits|déjà/i.test(error.message));
      return { outcome: 'rejected', taken, error };
    }
    case 'network':
    case 'timeout':
      return error.cause instanceof TransportFailure && !error.cause.started
        ? { outcome: 'not_sent', error }
        : { outcome: 'unknown', confirmed: false, error };
    default:
      return { outcome: 'not_sent', stop: true, error };
  }
}
