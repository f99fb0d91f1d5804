/** What the embedded service does wrong when it is asked to, so that people and scripts can rehearse: in every Nth request, or every Nth of a method. */
import { STATUS_CODES } from 'node:http';
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Service } from './service.ts';

/** `isServed`: the service carries the request out. `end`: what becomes of its answer; a status stands in its place. */
type Kind = { isServed: boolean; end: 'late' | 'lost' | number; headers?: Record<string, string> };

const kinds = {
  late: { isServed: true, end: 'late' },
  'lost-before': { isServed: false, end: 'lost' },
  'lost-after': { isServed: true, end: 'lost' },
  '401': { isServed: false, end: 401, headers: { 'www-authenticate': 'apiServiceToken' } },
  '409': { isServed: false, end: 409 },
  '429': { isServed: false, end: 429, headers: { 'retry-after': '1' } },
  '500': { isServed: false, end: 500 },
  '503': { isServed: false, end: 503 },
  '504': { isServed: true, end: 504 },
} as const satisfies Record<string, Kind>;

export type FaultKind = keyof typeof kinds;

export const faultKinds = Object.keys(kinds) as FaultKind[];

export type Fault = {
  kind: FaultKind;
  /** Only requests of this method. */
  method?: string | undefined;
  /** Whether the Nth of these requests meets it, from 1. */
  meets(count: number): boolean;
};

const shape = new RegExp(`^(${faultKinds.join('|')})(?:=([1-9]\\d{0,5}))?(?:,(GET|POST|PUT|PATCH|DELETE))?$`);

/** A fault as typed: `429`, `lost-after=5` (every fifth request), `lost-after=5,POST` (every fifth POST). Throws `usage`. */
export function parseFault(text: string): Fault {
  const [, kind, every = 1, method] = shape.exec(text) ?? [];
  if (kind === undefined) {
    throw new CliError('usage', sentence`--fault ${JSON.stringify(text)} is none of: ${faultKinds.join(', ')}.`, {
      hint: 'Behind the kind may stand =N for every Nth request, and a method: lost-after=5,POST',
    });
  }
  return { kind: kind as FaultKind, method, meets: (count) => count % Number(every) === 0 };
}

type Rehearsal = {
  faults: readonly Fault[];
  /** Hears of each request that meets a fault. */
  told(line: Sentence): void;
  /** Waits; rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
};

/** Puts faults in front of a service until it is closed. Of several that meet a request, the first happens. */
export function withFaults({ faults, told, sleep }: Rehearsal): (service: Service, closed: AbortSignal) => Service {
  return (service, closed) => {
    const counted = faults.map((fault) => ({ ...fault, count: 0 }));
    let requests = 0;
    return async (request, env) => {
      const number = ++requests;
      const concerned = counted.filter(({ method }) => method === undefined || method === request.method);
      for (const each of concerned) each.count += 1;
      const met = concerned.find(({ count, meets }) => meets(count));
      if (!met) return service(request, env);
      const { isServed, end, headers }: Kind = kinds[met.kind];
      const served = isServed ? await service(request, env) : undefined;
      const path = new URL(request.url).pathname.replace('/api/v1', '');
      told(sentence`#${number} ${request.method} ${path}: ${fateOf(request, served)}${ends[end] ?? end}`);
      if (typeof end === 'number') return instead(end, headers);
      if (served && end === 'late') {
        await sleep(2000, closed).catch(() => {});
        return served;
      }
      env.incoming.socket.resetAndDestroy();
      // Never resolves, so that the server sends nothing more.
      return new Promise(() => {});
    };
  };
}

const ends: Record<string, string> = { late: 'the answer 2 s late', lost: 'connection reset' };

/** What has become of a write. */
function fateOf({ method }: Request, served: Response | undefined): string {
  if (method === 'GET') return '';
  if (served === undefined) return 'not carried out, ';
  return served.status < 400 ? 'carried out, ' : `refused (${served.status}), `;
}

function instead(status: number, headers: Kind['headers']): Response {
  const words = { error: String(status), message: `${STATUS_CODES[status]} (a fault that was asked for)` };
  return new Response(JSON.stringify(words), { status, headers: { 'content-type': 'application/json', ...headers } });
}
