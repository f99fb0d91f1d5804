/** The body of a request, read no further than the limit: a body over the limit is refused and not kept. */
import type { IncomingMessage } from 'node:http';
import { ServiceProblem } from './problem.ts';

const megabytes = 10;
const limit = megabytes * 1024 * 1024;

export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Stays open if the body is too large: a destroyed request could not be answered.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limit) throw new ServiceProblem(413, 'too_large', `The body is larger than ${megabytes} MB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
