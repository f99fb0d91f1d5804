/**
 * The trace of the program that starts this one, from TRACEPARENT and TRACESTATE, as W3C Trace Context defines them.
 * An invalid TRACEPARENT counts as none, and so does its TRACESTATE, which is passed on as it is: one line of plain text.
 */
import { randomBytes } from 'node:crypto';

export type TraceContext = {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Two hexadecimal digits. */
  flags: string;
  state: string | undefined;
};

/** What the variables hold. `ignored`: the variables whose values are invalid. */
export function traceContextOf({ TRACEPARENT, TRACESTATE }: Readonly<Record<string, string | undefined>>): {
  trace: TraceContext | undefined;
  ignored: string[];
} {
  if (!TRACEPARENT) return { trace: undefined, ignored: [] };
  const [, version, traceId = '', parentId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(TRACEPARENT) ?? [];
  const isValid = version !== undefined && version !== 'ff' && !(version === '00' && more !== undefined);
  if (!isValid || isZero(traceId) || isZero(parentId)) return { trace: undefined, ignored: ['TRACEPARENT'] };
  const state = /^[\x20-\x7e]{1,512}$/.test(TRACESTATE ?? '') ? TRACESTATE : undefined;
  return { trace: { traceId, flags: knownFlags(flags), state }, ignored: TRACESTATE && state === undefined ? ['TRACESTATE'] : [] };
}

/** The headers of one request, which is a span of its own, and the ID of that span. */
export function nextSpan({ traceId, flags, state }: TraceContext): { spanId: string; headers: Record<string, string> } {
  let spanId = '';
  do spanId = randomBytes(8).toString('hex');
  while (isZero(spanId));
  return { spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state === undefined ? {} : { tracestate: state }) } };
}

function isZero(digits: string): boolean {
  return /^0*$/.test(digits);
}

/** Sampled, and a random trace ID: all others are reserved, and sent as zero. */
function knownFlags(flags: string): string {
  return (Number.parseInt(flags, 16) & 0b11).toString(16).padStart(2, '0');
}
