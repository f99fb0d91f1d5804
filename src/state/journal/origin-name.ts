/** The names of files about a service. Apart from `origin`, because every command loads that, and few need a digest. */
import { createHash } from 'node:crypto';

/** A file name for a service, or `parts` of it: readable, and different for any other. */
export function originName(origin: string, ...parts: readonly string[]): string {
  const host = URL.parse(origin)?.hostname ?? 'service';
  const readable = [host, ...parts]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-');
  const digest = createHash('sha256')
    .update(JSON.stringify([origin, ...parts]))
    .digest('hex');
  return `${readable.slice(0, 60)}-${digest.slice(0, 16)}`;
}
