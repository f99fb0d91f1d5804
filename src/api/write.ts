/** The one way to send a write. Only `src/runs` may import it (a boundary rule): whatever changes the service is a step of a run. */
import type { CliError } from '../errors.ts';
import type { Reply } from './answer.ts';
import type { Request } from './request.ts';

export const writing = Symbol('writing');

/** `prepare`: awaited once the request is the next to leave. `withheld`: what keeps it from leaving; asked then, and again as it starts. */
export type WriteHooks = { prepare(): Promise<void>; withheld(): CliError | undefined };

export type Writer = { [writing](request: Request, hooks: WriteHooks): Promise<Reply> };

/** Sends it once: see `Client`. What the hooks withhold was not sent. */
export function sendOnce(client: Writer, request: Request, hooks: WriteHooks): Promise<Reply> {
  return client[writing](request, hooks);
}
