/**
 * The table of answers: what the answer to a write says of it. A request that may have been obeyed is never treated as undone.
 *
 *   2xx to a create                              answered: its ID decides (`step-sender.ts`); without one, a reading shows it
 *   2xx to an update, a deletion, another write  answered: a read decides
 *   2xx with success/ok false or errors          denied: not applied, until a read shows otherwise
 *   409, 422 to a create; 404 to a deletion;
 *   409 to an update                             look: a read decides
 *   other 4xx                                    rejected
 *   401, 403                                     token: not sent; the run stops
 *   429, and what never started                  again
 *   anything else                                unknown
 */
import type { Answer } from '../api/answer.ts';
import { TransportFailure } from '../api/transport-failure.ts';
import { reportsFailure } from '../api/verdict.ts';
import { CliError, isInterruption } from '../errors.ts';
import type { Step } from './step.ts';

/** A write that was not sent because what it relies on, or its commit, had become too old: read, or commit, and send. */
export class Outdated extends CliError<'The request was not sent: what it relies on was read too long ago.'> {
  constructor() {
    super('rate_limited', 'The request was not sent: what it relies on was read too long ago.');
  }
}

export type Heard =
  | { is: 'answered'; answer: Answer }
  | { is: 'denied'; answer: Answer | undefined; error: CliError | undefined }
  | { is: 'look'; error: CliError }
  | { is: 'rejected'; error: CliError }
  | { is: 'token'; error: CliError }
  /** `limited`: refused with a 429. */
  | { is: 'again'; error: CliError; limited: boolean }
  | { is: 'outdated' }
  | { is: 'interrupted'; error: CliError }
  | { is: 'unknown'; error: CliError };

type Kind = 'create' | 'update' | 'delete' | 'other';

function kindOf({ operation }: Pick<Step, 'operation'>): Kind {
  if (operation.writes) return operation.writes.writing;
  return operation.method === 'DELETE' && operation.path.endsWith('/:id') ? 'delete' : 'other';
}

/** What an answer says. */
export function heardAnswer(answer: Answer): Heard {
  return reportsFailure(answer.data) ? { is: 'denied', answer, error: undefined } : { is: 'answered', answer };
}

/** What a failure says; `limitedMeans`: the dialect's word for a 429 to a create. Throws what is no failure of the request. */
export function heardError(step: Pick<Step, 'operation'>, error: unknown, limitedMeans: string): Heard {
  if (error instanceof Outdated) return { is: 'outdated' };
  if (!(error instanceof CliError)) throw error;
  const kind = kindOf(step);
  if (isInterruption(error)) {
    // Stopped while it was in flight: it may have been carried out.
    return error.cause instanceof CliError ? { is: 'unknown', error: error.cause } : { is: 'interrupted', error };
  }
  switch (error.code) {
    case 'outcome_unknown': {
      if (error.saidNo) return { is: 'denied', answer: undefined, error };
      return { is: 'unknown', error };
    }
    case 'rejected':
      if (kind === 'create' && (error.status === 409 || error.status === 422)) return { is: 'look', error };
      return kind === 'update' && error.status === 409 ? { is: 'look', error } : { is: 'rejected', error };
    case 'not_found':
      return kind === 'delete' || kind === 'create' ? { is: 'look', error } : { is: 'rejected', error };
    case 'token_refused':
    case 'not_logged_in':
      return { is: 'token', error };
    case 'rate_limited':
      return kind === 'create' && limitedMeans === 'unknown' ? { is: 'unknown', error } : { is: 'again', error, limited: true };
    case 'network':
    case 'timeout': {
      const never = error.cause instanceof TransportFailure && !error.cause.started;
      return never ? { is: 'again', error, limited: false } : { is: 'unknown', error };
    }
    // It was withheld before anything was sent: a cache, a state that failed, a bug.
    default:
      throw error;
  }
}
