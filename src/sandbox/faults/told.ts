/**
 * The lines about a request that meets faults: "#12 POST /exams/6/student_sessions: 0.4 s late; carried out, connection
 * reset". Whether a write was carried out is what the service did, also where the client cannot know.
 */
import { durationInWords } from '../../model/duration.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { Drawn } from './draw.ts';
import type { FaultName, FaultOptions } from './fault-kinds.ts';
import { lateness } from './options-of.ts';

type Request = { number: number; method: string; path: string };

/** `refused`: the status with which the service refused it. */
export function told(drawn: readonly Drawn[], { number, method, path }: Request, refused?: number): Sentence {
  const words = drawn.map((fault) => (wordsOf[fault.name] as Words)(fault.options, { fault, writes: method !== 'GET', refused }));
  return sentence`#${number} ${method} ${path}: ${words.join('; ')}`;
}

/** The second line about a request that was to be carried out later. */
export function toldLater({ number, method, path }: Request, refused?: number): Sentence {
  return sentence`#${number} ${method} ${path}: ${refused === undefined ? 'carried out' : `refused (${refused})`} now`;
}

/** `writes`: whether the line says that the request is carried out. */
type About = { fault: Drawn; writes: boolean; refused: number | undefined };
type Words = (options: unknown, about: About) => string;

const wordsOf: { [N in FaultName]: (options: FaultOptions<N>, about: About) => string } = {
  latency: (_, { fault }) => `${timeInWords(lateness(fault))} late`,
  'lost-before': ({ how }, about) => `${carriedOut('skipped', about)}${losses[how]}`,
  'lost-after': ({ how }, about) => `${carriedOut('done', about)}${losses[how]}`,
  'cut-body': (_, about) => `${carriedOut('done', about)}answer cut`,
  'slow-body': ({ over }) => `body over ${timeInWords(over)}`,
  401: answered('401'),
  409: answered('409'),
  429: answered('429'),
  500: answered('500'),
  502: answered('502'),
  503: answered('503'),
  504: answered('504'),
  'list-lag': ({ by }) => `list of ${timeInWords(by)} ago`,
  'list-cut': ({ keep }) => `list of ${keep} at most`,
  'list-no-addresses': () => 'list without addresses',
  'list-case': () => 'addresses in capitals',
  'wrong-clock': ({ by }) => `clock ${timeInWords(Math.abs(by))} ${by < 0 ? 'behind' : 'ahead'}`,
};

type Work = FaultOptions<'500'>['work'];

const works: Record<Work, string> = { skipped: 'not carried out', done: 'carried out', late: 'carried out later' };
const losses: Record<FaultOptions<'lost-after'>['how'], string> = {
  reset: 'connection reset',
  silence: 'no answer',
};
function carriedOut(work: Work, { writes, refused }: About): string {
  if (!writes) return '';
  return work === 'done' && refused !== undefined ? `refused (${refused}), ` : `${works[work]}, `;
}

function answered(status: FaultName) {
  return (options: { work: Work; 'retry-after'?: string }, about: About) => {
    const { work, 'retry-after': retryAfter = 'none' } = options;
    return `${carriedOut(work, about)}${status}${retryAfter === 'none' ? '' : `, Retry-After: ${retryAfter}`}`;
  };
}

function timeInWords(milliseconds: number): string {
  if (milliseconds >= 60_000) return durationInWords(milliseconds);
  return `${Number((milliseconds / 1000).toFixed(milliseconds < 100 ? 2 : 1))} s`;
}
