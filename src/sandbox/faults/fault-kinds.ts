/**
 * The table of faults: what the embedded service can do wrong, each fault's default rate, and its
 * options. Parser, help, completion, docs and tests read it; `layer.ts`, `endings.ts` and `lists.ts`
 * implement the faults.
 */

/** The value of an option: in `default` as typed; in rules as milliseconds, a number or a word. */
type Option = { description: string; default: string } & (
  | { type: 'duration' | 'signed duration' | 'count' | 'text' }
  | { type: 'choice'; choices: readonly string[] }
);

type Kind = {
  group: 'connection' | 'answer' | 'list' | 'clock';
  summary: string;
  /** The default rate: a share of the requests, from 0 to 1. */
  rate: number;
  /** How many requests are spared if neither a rate nor `after` is given. */
  after?: number;
  options: Record<string, Option>;
};

const how = {
  type: 'choice',
  choices: ['reset', 'silence'],
  default: 'reset',
  description: 'the end of the connection; silence waits until the client gives up',
} as const satisfies Option;

const work = (standard: 'skipped' | 'done') =>
  ({
    type: 'choice',
    choices: ['skipped', 'done', 'late'],
    default: standard,
    description: 'whether the request is carried out all the same: never, at once, or 3 s later',
  }) as const satisfies Option;

const retryAfter = (standard: string) =>
  ({
    type: 'text',
    default: standard,
    description: 'the header Retry-After, as it is sent; none leaves it out',
  }) as const satisfies Option;

export const faultKinds = {
  latency: {
    group: 'connection',
    summary: 'the answer is late: by the delay and a random part of the spread',
    rate: 1,
    options: {
      delay: { type: 'duration', default: '200ms', description: 'minimum delay of an answer' },
      spread: { type: 'duration', default: '300ms', description: 'most that is added at random' },
    },
  },
  'lost-before': {
    group: 'connection',
    summary: 'the connection breaks before the request is carried out',
    rate: 0.05,
    options: { how },
  },
  'lost-after': {
    group: 'connection',
    summary: 'the request is carried out, and its answer lost',
    rate: 0.05,
    options: { how },
  },
  'cut-body': {
    group: 'connection',
    summary: 'the request is carried out, and its answer ends after half of the body',
    rate: 0.05,
    options: {},
  },
  'slow-body': {
    group: 'connection',
    summary: 'the body of the answer comes in ten pieces',
    rate: 0.05,
    options: { over: { type: 'duration', default: '2s', description: 'the time from the first piece to the last' } },
  },
  401: {
    group: 'answer',
    summary: 'the token is refused; without a rate, from the 51st request on',
    rate: 1,
    after: 50,
    options: { work: work('skipped') },
  },
  409: {
    group: 'answer',
    summary: 'the service says that it is taken already',
    rate: 0.05,
    options: { work: work('skipped') },
  },
  429: {
    group: 'answer',
    summary: 'too many requests',
    rate: 0.1,
    options: { 'retry-after': retryAfter('1'), work: work('skipped') },
  },
  500: { group: 'answer', summary: 'the service fails', rate: 0.05, options: { work: work('skipped') } },
  502: {
    group: 'answer',
    summary: 'a proxy does not reach the service',
    rate: 0.05,
    options: { work: work('skipped') },
  },
  503: {
    group: 'answer',
    summary: 'the service is down for the moment',
    rate: 0.05,
    options: { 'retry-after': retryAfter('none'), work: work('skipped') },
  },
  504: {
    group: 'answer',
    summary: 'a proxy gives up on the service, which carries the request out',
    rate: 0.05,
    options: { work: work('done') },
  },
  'list-lag': {
    group: 'list',
    summary: 'lists lag behind writes by a few seconds',
    rate: 1,
    options: { by: { type: 'duration', default: '5s', description: 'how far lists or the clock are off' } },
  },
  'list-cut': {
    group: 'list',
    summary: 'a list ends early, and does not say so',
    rate: 1,
    options: { keep: { type: 'count', default: '20', description: 'number of items that are shown' } },
  },
  'list-no-addresses': { group: 'list', summary: 'a list does not show e-mail addresses', rate: 1, options: {} },
  'list-case': {
    group: 'list',
    summary: 'a list shows e-mail addresses in capitals',
    rate: 1,
    options: {},
  },
  'wrong-clock': {
    group: 'clock',
    summary: 'the clock of the service is ahead, or behind with a minus: the Date header, and the times that it sets',
    rate: 1,
    options: { by: { type: 'signed duration', default: '-10m', description: 'how far lists or the clock are off' } },
  },
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

export const faultGroups = {
  connection: 'On the way',
  answer: 'Other answers',
  list: 'Lists',
  clock: 'The clock',
} as const satisfies Record<Kind['group'], string>;

/** The options that every fault takes. */
export const ruleOptions = {
  rate: { type: 'rate', description: 'the share of the requests: 0.05 or 5%' },
  on: { type: 'scope', description: 'only these requests: POST, /exams/*/student_sessions, or both; * and :id stand for any ID' },
  after: { type: 'count', description: 'skip the first N requests' },
  for: { type: 'count', description: 'stop after N requests' },
  every: { type: 'count', description: 'repeat the cycle every N requests' },
} as const;
