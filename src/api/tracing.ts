/**
 * What makes each request recognisable: an ID of its own, its place in the trace of the caller, and its record in the
 * log. Loaded only where one of them is wanted.
 */
import { randomUUID } from 'node:crypto';
import type { Host } from '../host/host.ts';
import type { Dialect } from './dialect.ts';
import type { ExchangeEnd } from './http.ts';
import { loggedPath } from './logged-path.ts';
import { operationAt } from './raw-path.ts';
import type { Outgoing } from './request.ts';
import { nextSpan, type TraceContext, traceContextOf } from './trace-context.ts';

/** One try of a request. */
export type TracedTry = {
  /** Sent with it. */
  headers: Record<string, string>;
  /** Records how it ended; only the first call counts. */
  ended(end: ExchangeEnd): void;
};

type Traced = { host: Pick<Host, 'env' | 'log' | 'now'>; dialect: Pick<Dialect, 'requestIdHeader'>; baseUrl: string };

export class Tracing {
  /** Variables that were ignored, because their values are invalid. */
  readonly ignored: readonly string[];
  readonly #traced: Traced;
  readonly #trace: TraceContext | undefined;
  /** The ID of the last try of each request. */
  readonly #ids = new WeakMap<Outgoing, string>();

  constructor(traced: Traced) {
    this.#traced = traced;
    const { trace, ignored } = traceContextOf(traced.host.env);
    this.#trace = trace;
    this.ignored = ignored;
  }

  /** Before a request is sent. `bytes`: the length of its body. */
  begin(outgoing: Outgoing, { attempt, bytes }: { attempt: number; bytes: number }): TracedTry {
    const { host, dialect, baseUrl } = this.#traced;
    const { method } = outgoing;
    const id = randomUUID();
    this.#ids.set(outgoing, id);
    const span = this.#trace && nextSpan(this.#trace);
    const started = host.now();
    let open = true;
    return {
      headers: { ...(dialect.requestIdHeader === '' ? {} : { [dialect.requestIdHeader.toLowerCase()]: id }), ...span?.headers },
      ended({ status, failure, started: sent, received }) {
        if (!open) return;
        open = false;
        host.log?.({
          event: 'request',
          request_id: id,
          ...(span ? { span_id: span.spanId } : {}),
          operation: operationAt(method, outgoing.path.split('?')[0] ?? '').operation?.id ?? null,
          method,
          service: baseUrl,
          ...loggedPath(outgoing.path),
          attempt,
          sent,
          status: status ?? null,
          failure: failure?.kind ?? null,
          duration: host.now() - started,
          bytes_sent: sent ? bytes : 0,
          bytes_received: received,
        });
      },
    };
  }

  /** `next`: the number of the try that follows. */
  retry(outgoing: Outgoing, retry: { next: number; wait: number; reason: string; status: number | undefined }): void {
    const { next, wait, reason, status } = retry;
    const request_id = this.#ids.get(outgoing) ?? '';
    this.#traced.host.log?.({ event: 'retry', request_id, attempt: next, wait: Math.round(wait), reason, status: status ?? null });
  }
}
