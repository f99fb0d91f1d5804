/** The one way to send a write. Only `src/runs` may import it: what changes the service is a run. */
import type { CliError } from '../errors.ts';
import type { Reply } from './answer.ts';
import type { Request } from './operations.ts';

export const writing = Symbol('writing');

/** `prepare`: awaited before the request leaves. `withheld`: why it may not; asked then, and as it starts. */
export type WriteHooks = { prepare(): Promise<void>; withheld(): CliError | undefined };

export type Writer = { [writing](request: Request, hooks: WriteHooks): Promise<Reply> };

export function sendOnce(client: Writer, request: Request, hooks: WriteHooks): Promise<Reply> {
  return client[writing](request, hooks);
}
