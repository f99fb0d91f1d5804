/** Performs the steps that `planned` shows: reads and writes, each completed from the answers before it. */
import type { Json } from '../model/json.ts';
import type { Client } from './client.ts';
import { type Performed, perform } from './perform.ts';
import type { RequestStep } from './request.ts';

/** `answers`: to the steps before, in their order. Throws what `perform` throws, and what keeps the step from being completed. */
export async function performStep(
  client: Client,
  { operation, later, ...known }: RequestStep,
  answers: readonly (Json | undefined)[] = [],
): Promise<Performed> {
  const input = later ? later.complete(answers) : known;
  return operation.method === 'GET' ? { data: await client.get(operation, input) } : perform(client, operation, input);
}
