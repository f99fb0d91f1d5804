/**
 * The table of faults: what the embedded service can do wrong, each fault's default rate, and its
 * options. Parser, completion and tests read it; `layer.ts`, `endings.ts` and `lists.ts`
 * implement the faults.
 */

/** The value of an option: in `default` as typed; in rules as milliseconds, a number or a word. */
type Option = { default: string } & (
  | { type: 'duration' | 'signed duration' | 'count' | 'text' }
  | { type: 'choice'; choices: readonly string[] }
);

type Kind = {
  group: 'connection' | 'answer' | 'list' | 'clock';
  /** The default rate: a share of the requests, from 0 to 1. */
  rate: number;
  /** How many requests are spared if neither a rate nor `after` is given. */
  after?: number;
  options: Record<string, Option>;
};

const how = { type: 'choice', choices: ['reset', 'silence'], default: 'reset' } as const satisfies Option;

const work = (standard: 'skipped' | 'done') =>
  ({ type: 'choice', choices: ['skipped', 'done', 'late'], default: standard }) as const satisfies Option;

const retryAfter = (standard: string) => ({ type: 'text', default: standard }) as const satisfies Option;

export const faultKinds = {
  latency: {
    group: 'connection',
    rate: 1,
    options: { delay: { type: 'duration', default: '200ms' }, spread: { type: 'duration', default: '300ms' } },
  },
  'lost-before': { group: 'connection', rate: 0.05, options: { how } },
  'lost-after': { group: 'connection', rate: 0.05, options: { how } },
  'cut-body': { group: 'connection', rate: 0.05, options: {} },
  'slow-body': { group: 'connection', rate: 0.05, options: { over: { type: 'duration', default: '2s' } } },
  401: { group: 'answer', rate: 1, after: 50, options: { work: work('skipped') } },
  409: { group: 'answer', rate: 0.05, options: { work: work('skipped') } },
  429: { group: 'answer', rate: 0.1, options: { 'retry-after': retryAfter('1'), work: work('skipped') } },
  500: { group: 'answer', rate: 0.05, options: { work: work('skipped') } },
  502: { group: 'answer', rate: 0.05, options: { work: work('skipped') } },
  503: { group: 'answer', rate: 0.05, options: { 'retry-after': retryAfter('none'), work: work('skipped') } },
  504: { group: 'answer', rate: 0.05, options: { work: work('done') } },
  'list-lag': { group: 'list', rate: 1, options: { by: { type: 'duration', default: '5s' } } },
  'list-cut': { group: 'list', rate: 1, options: { keep: { type: 'count', default: '20' } } },
  'list-no-addresses': { group: 'list', rate: 1, options: {} },
  'list-case': { group: 'list', rate: 1, options: {} },
  'wrong-clock': { group: 'clock', rate: 1, options: { by: { type: 'signed duration', default: '-10m' } } },
} as const satisfies Record<string, Kind>;

type Table = typeof faultKinds;
export type FaultName = `${keyof Table & (string | number)}`;
type KindOf<N extends FaultName> = N extends keyof Table
  ? Table[N]
  : N extends `${infer D extends number}`
    ? D extends keyof Table
      ? Table[D]
      : never
    : never;

type ValueOf<O> = O extends { type: 'choice'; choices: readonly (infer C)[] } ? C : O extends { type: 'text' } ? string : number;

/** The options of a fault as rules have them: durations in milliseconds. */
export type FaultOptions<N extends FaultName> = { readonly [K in keyof KindOf<N>['options']]: ValueOf<KindOf<N>['options'][K]> };

export const faultNames = Object.keys(faultKinds) as FaultName[];

export function faultKind(name: FaultName): Kind {
  return (faultKinds as Record<string, Kind>)[name] as Kind;
}
