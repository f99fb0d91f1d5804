/** What the embedded service does wrong when it is asked to, to rehearse it. */
import { STATUS_CODES } from 'node:http';
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Service } from './service.ts';

/** A status takes the place of the answer. */
export const faultKinds = ['late', 'lost-before', 'lost-after', '401', '409', '429', '500', '503', '504'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Faults that meet the answer: the service has carried the request out. */
const served: readonly FaultKind[] = ['late', 'lost-after', '504'];
export type Fault = {
  kind: FaultKind;
  method: string | undefined;
  /** Whether the Nth of these requests meets it, from 1. */
  meets(count: number): boolean;
};

const shape = new RegExp(`^(${faultKinds.join('|')})(?:=([1-9]\\d{0,5}))?(?:,(GET|POST|PUT|PATCH|DELETE))?$`);

/** A fault as typed: `429`, `lost-after=5` (every fifth), `lost-after=5,POST`. Throws `usage`. */
export function parseFault(text: string): Fault {
  const [, kind, every = 1, method] = shape.exec(text) ?? [];
  if (kind === undefined)
    throw new CliError('usage', sentence`--fault ${JSON.stringify(text)} is none of: ${faultKinds.join(', ')}.`, {
      hint: 'The kind may be followed by =N, for every Nth request, and by a method: lost-after=5,POST',
    });
  return { kind: kind as FaultKind, method, meets: (count) => count % Number(every) === 0 };
}

type Rehearsal = {
  faults: readonly Fault[];
  told(line: Sentence): void;
  /** Waits; rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
};

/** If several faults are due for a request, the first happens. */
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
      const { kind } = met;
      const isLost = kind.startsWith('lost');
      const answer = served.includes(kind) ? await service(request, env) : undefined;
      const path = new URL(request.url).pathname.replace('/api/v1', '');
      let end: string = isLost ? 'connection reset' : kind;
      if (kind === 'late') end = 'the answer 2 s late';
      told(sentence`#${number} ${request.method} ${path}: ${fateOf(request, answer)}${end}`);
      if (kind === 'late') await sleep(2000, closed).catch(() => {});
      if (kind === 'late' && answer) return answer;
      if (!isLost) return instead(kind);
      env.incoming.socket.resetAndDestroy();
      // Never resolves, so that the server sends nothing more.
      return new Promise(() => {});
    };
  };
}

function fateOf({ method }: Request, answer: Response | undefined): string {
  if (method === 'GET') return '';
  if (answer === undefined) return 'not carried out, ';
  return answer.status < 400 ? 'carried out, ' : `refused (${answer.status}), `;
}

function instead(status: FaultKind): Response {
  const words = { message: `${STATUS_CODES[status]} (a fault that was asked for)` };
  const headers: Record<string, string> = status === '429' ? { 'retry-after': '1' } : {};
  return Response.json(words, { status: Number(status), headers });
}
