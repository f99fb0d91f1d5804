/**
 * The one way to send a write. Only `src/runs` may import it (a boundary rule): whatever changes the service is a step of a run,
 * with its gate, its claim and its intent.
 */
import type { Answer } from './answer.ts';
import type { Operation } from './operations.ts';
import type { RawRequest, RequestInput, WriteHooks } from './request.ts';

/** The part of a client that writes, which the type of a client does not show. */
export const writing = Symbol('writing');

export type WritingPart = {
  [writing]: {
    call(operation: Operation, input: RequestInput): Promise<Answer>;
    raw(request: RawRequest & { write: WriteHooks }): Promise<Answer>;
  };
};

/** Sends it once. Throws as `Client.call` does; what `hooks` withhold was not sent. */
export function sendWrite(client: object, operation: Operation, input: RequestInput & { write: WriteHooks }): Promise<Answer> {
  return (client as WritingPart)[writing].call(operation, input);
}

/** The same for a request of `api METHOD PATH`. */
export function sendRawWrite(client: object, request: RawRequest & { write: WriteHooks }): Promise<Answer> {
  return (client as WritingPart)[writing].raw(request);
}
