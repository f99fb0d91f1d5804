/** A dry run sends nothing, and prints exactly the writes that the run performs: held against what arrives at the service. */

import type { Arrived, Service } from '../../support/service.ts';
import type { Ended } from '../story/machine.ts';

type Printed = { method: string; path: string };

/** The requests in what a dry run printed, however deep, reads left out. */
function printedIn(value: unknown): Printed[] {
  if (Array.isArray(value)) return value.flatMap(printedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { method, url, path } = value as Record<string, unknown>;
  const where = url ?? path;
  if (typeof method !== 'string' || typeof where !== 'string') return Object.values(value).flatMap(printedIn);
  return method === 'GET' ? [] : [{ method, path: where.replace(/^.*\/api\/v1/, '') }];
}

/** A write with the ID of what is created meanwhile left out, as no dry run can know it. */
function nameOf({ method, path }: Printed | Arrived, known: ReadonlySet<string>): string {
  const segments = path.split('?')[0]?.split('/') ?? [];
  const places = segments.map((word, at) => (at === 2 && segments.length > 2 && !known.has(word) ? '*' : word));
  return `${method} ${places.join('/')}`;
}

/** `known`: the IDs that were there before. */
export function brokenDryRun(service: Service, dry: Ended, real: Ended, known: ReadonlySet<string>): string[] {
  const say = (sentence: string) => `${sentence} [${dry.words.join(' ')}]`;
  if (service.written(dry.by).length > 0) return [say('a dry run sent a write')];
  if (real.code !== 0) return [];
  if (dry.code !== 0) return [say(`the dry run ended with ${dry.code}, the run with 0: ${dry.stderr.slice(-200)}`)];
  if (dry.words.join(' ').startsWith('sessions import')) return brokenPreview(service, dry, real, say);
  const names = (writes: readonly (Printed | Arrived)[]) => writes.map((write) => nameOf(write, known)).sort();
  const [printed, performed] = [names(printedIn(JSON.parse(dry.stdout))), names(service.written(real.by))];
  if (printed.join() === performed.join()) return [];
  const [missing, extra] = [performed.filter((one) => !printed.includes(one)), printed.filter((one) => !performed.includes(one))];
  return [
    say(`the dry run printed ${printed.length} writes, the run sent ${performed.length}: not printed ${missing[0]}, not sent ${extra[0]}`),
  ];
}

/** An import prints what becomes of each line; how often each method is sent follows from that. */
function brokenPreview(service: Service, dry: Ended, real: Ended, say: (sentence: string) => string): string[] {
  const lines = JSON.parse(dry.stdout) as { action: string; open_time: string | null }[];
  const planned = (action: string) => lines.filter((line) => line.action === action).length;
  const performed = (method: string) => service.written(real.by).filter((write) => write.method === method).length;
  const opened = lines.filter(({ action, open_time }) => action === 'create' && open_time !== null).length;
  const expected = { POST: planned('create'), PATCH: planned('update') + opened, DELETE: planned('delete') };
  return Object.entries(expected).flatMap(([method, count]) =>
    performed(method) === count ? [] : [say(`the dry run announced ${count} ${method}, the run sent ${performed(method)}`)],
  );
}
