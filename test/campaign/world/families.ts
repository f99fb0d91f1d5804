/**
 * The worlds of the campaign: what each service is like, which faults it has and what colleagues do in it. `unit` is the length of a
 * short wait: a second of invented time, less where processes wait in real time.
 */

import type { Arrived, Reply, Showing } from '../../support/service.ts';
import type { Habits } from '../../support/truth.ts';
import { type Deed, deeds } from './colleague.ts';
import type { Random } from './random.ts';

export type Family = {
  habits?: Habits;
  showing?: (random: Random, unit: number) => Showing;
  /** Whether a student who is there is refused. */
  taken?: 409 | 422;
  /** What becomes of a request, if its draw is below `share`. */
  faults?: { share: number; of: (request: Arrived, random: Random, unit: number) => Reply | undefined };
  /** How often a colleague acts at a request, or while a question is open. */
  colleague?: { share: number; deeds: readonly Deed[] };
  /** The wall clock jumps between runs, and at requests. */
  jumps?: true;
  /** The user presses Ctrl-C at some request. */
  interrupts?: true;
  /** Two machines that share nothing. */
  machines?: 2;
  /** The state is copied, and put back later. */
  restores?: true;
  /** Real processes, which are killed, or stopped and continued. */
  signal?: 'SIGKILL' | 'SIGSTOP';
  /** Nobody can know from this service who is there: a run may end without success, and colleagues' students be there twice. */
  hides?: 'lines of lists' | 'addresses';
  /** The state is a team's database, which all machines share; each has its own way to it. */
  team?: Team;
};

export type Team = {
  /** Connections are cut, and what they carry comes late. */
  cuts?: true;
  /** The server is killed and started again, or its disk fills up and has room again. */
  server?: 'killed' | 'full';
};

const isWrite = ({ method }: Arrived) => method !== 'GET';
const isCreate = ({ method, path }: Arrived) => method === 'POST' && /student_sessions$|add_student$/.test(path);
const html = { status: 502, body: '<html><body>Bad gateway</body></html>' };
const allDeeds = { share: 0.08, deeds };

const lost = (_: Arrived, random: Random): Reply => ({
  answer: random.pick(['lost', 'cut'] as const),
  done: random.pick(['now', 'never'] as const),
});
const busy = (request: Arrived, random: Random): Reply | undefined =>
  request.again > 4
    ? undefined
    : {
        answer: random.chance(0.6) ? { status: 429, headers: random.chance(0.5) ? { 'retry-after': '1' } : {} } : { status: 503 },
        done: 'never',
      };
const mixed = (request: Arrived, random: Random, unit: number): Reply | undefined =>
  random.pick([lost, busy, alone.late.faults.of, alone.bare.faults.of])(request, random, unit);

const page = (random: Random): Showing => ({ pageSize: 2 + random.below(4) });

/** Texts of exams and sessions, under keys that end so, as another notation has them; undefined: they are not shown. */
export const shownWith = (end: string, as: (text: string) => string | undefined): Showing => ({
  as(record) {
    if (!('status' in record || 'start_time' in record)) return record;
    const entries = Object.entries(record).map(([name, value]): [string, unknown] =>
      name.endsWith(end) && typeof value === 'string' ? [name, as(value)] : [name, value],
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  },
});

const alone = {
  plain: {},
  lag: { showing: (random, unit) => ({ lag: (1 + random.below(20)) * unit }) },
  replicas: { showing: (random, unit) => ({ replicaBehind: (1 + random.below(20)) * unit }) },
  cut: { showing: (random) => ({ cut: 3 + random.below(4) }), hides: 'lines of lists', faults: { share: 0.1, of: lost } },
  pages: { showing: page },
  borders: { showing: page, colleague: { share: 0.15, deeds: ['deletes'] } },
  folded: { habits: { kept: (address) => address.toUpperCase() } },
  rewritten: { habits: { kept: (address) => address.replace(/\+[^@]*/, '') }, faults: { share: 0.1, of: lost } },
  punycode: { habits: { kept: (address) => address.replace('exämple', 'xn--exmple-cua') } },
  masked: { showing: () => shownWith('email', (address) => address.replace(/^(.)[^@]*/, '$1***')), hides: 'addresses' },
  hidden: { showing: () => shownWith('email', () => undefined), hides: 'addresses' },
  minutes: { habits: { keptTime: (time) => time.replace(/:\d\dZ$/, ':00Z') } },
  notation: { showing: () => shownWith('_time', (time) => time.replace('Z', '.000+00:00')) },
  reused: { habits: { reuses: true }, colleague: { share: 0.1, deeds: ['deletes', 'adds', 'gives away'] } },
  bare: {
    faults: {
      share: 0.4,
      of: (request, random) => (isCreate(request) ? { answer: random.pick(['without id', 'empty', 'located'] as const) } : undefined),
    },
  },
  denies: {
    taken: 422,
    faults: {
      share: 0.15,
      of: (request, random) => {
        // That a resource is not there would be a lie that nobody could see through.
        if (!isWrite(request)) return { answer: { status: 400, body: { message: 'not now' } } };
        return {
          answer: random.pick([{ status: 200, body: { success: false } }, { status: 409 }, { status: 404 }, { status: 403 }]),
          done: 'never',
        };
      },
    },
  },
  lost: { faults: { share: 0.2, of: lost } },
  late: {
    faults: {
      share: 0.2,
      of: (request, random, unit) => (isWrite(request) ? { answer: 'lost', done: (1 + random.below(30)) * unit } : undefined),
    },
  },
  doubled: { faults: { share: 0.1, of: (request) => (isCreate(request) ? { done: 'twice' } : undefined) } },
  busy: { faults: { share: 0.3, of: busy } },
  html: { faults: { share: 0.2, of: (_, random) => ({ answer: html, done: random.pick(['now', 'never'] as const) }) } },
  slow: { faults: { share: 0.3, of: (_, random, unit) => ({ takes: random.below(5) * unit }) } },
  jumps: { jumps: true, faults: { share: 0.1, of: lost } },
  colleague: { colleague: allDeeds },
  'busy colleague': { colleague: { share: 0.25, deeds }, faults: { share: 0.1, of: lost } },
  interrupted: { interrupts: true, faults: { share: 0.05, of: lost } },
  'two machines': { machines: 2, faults: { share: 0.05, of: lost } },
  restored: { restores: true, faults: { share: 0.15, of: lost } },
  mixed: {
    showing: (random, unit) => ({
      ...(random.chance(0.5) ? page(random) : {}),
      ...(random.chance(0.5) ? { lag: random.below(8) * unit } : {}),
    }),
    faults: { share: 0.2, of: mixed },
    colleague: { share: 0.05, deeds },
    interrupts: true,
  },
  killed: { signal: 'SIGKILL' },
  'killed and lost': { signal: 'SIGKILL', faults: { share: 0.15, of: mixed } },
  'killed and colleague': { signal: 'SIGKILL', colleague: { share: 0.06, deeds } },
  stopped: { signal: 'SIGSTOP' },
} satisfies Record<string, Family> as Record<FamilyName, Family> & { late: Replyy; bare: Replyy };

/** The same worlds with a database of a team; nobody puts back a copy of that. Its processes are on two machines. */
const together: Record<FamilyName, Family> = {
  ...Object.fromEntries(
    Object.entries<Family>(alone)
      .filter(([, { restores }]) => !restores)
      .map(([name, family]) => [`team ${name}`, { ...family, team: {}, ...(family.signal ? { machines: 2 } : {}) }]),
  ),
  'team connections': { team: { cuts: true }, machines: 2, signal: 'SIGKILL' },
  'team connections, stopped': { team: { cuts: true }, machines: 2, signal: 'SIGSTOP' },
  'team server': { team: { server: 'killed' }, machines: 2, signal: 'SIGKILL' },
  'team full': { team: { server: 'full' }, machines: 2, signal: 'SIGKILL' },
};

export const families: Record<FamilyName, Family> = { ...alone, ...together };

type Replyy = Family & Required<Pick<Family, 'faults'>>;

export type FamilyName = string;
export const familyNames: readonly string[] = Object.keys(families);
/** Those whose stories take place in this process, in invented time. */
export const familiesHere = familyNames.filter((name) => !families[name]?.signal && !families[name]?.team);
export const familiesOfProcesses = familyNames.filter((name) => families[name]?.signal !== undefined);
export const familiesOfTeams = familyNames.filter((name) => families[name]?.team !== undefined);
