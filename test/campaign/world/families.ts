/**
 * The worlds of the campaign: what each service is like, which faults it has and what colleagues do in it. `unit` is the length of a
 * short wait: a second of invented time, less where processes wait in real time.
 */
import type { Answer, Arrived, Reply, Service, Showing } from '../../support/service.ts';
import { after } from '../../support/stage.ts';
import type { Fields, Habits, Truth } from '../../support/truth.ts';
import { type Intent, main } from '../intents/intent.ts';
import type { Random } from './random.ts';

/** What a colleague does in the browser, between any two requests. */
export const deeds = [
  ...(['moves the exam', 'extends', 'deletes', 'adds', 'imports', 'renames', 'gives away', 'changes a setting', 'finishes'] as const),
];
export type Deed = (typeof deeds)[number];

/** What becomes of a request. */
type Fault = (request: Arrived, random: Random, unit: number, service: Service) => Reply | undefined;
export type Family = {
  habits?: Habits;
  showing?: (random: Random, unit: number) => Showing;
  /** Whether a student who is there is refused. */
  taken?: 409 | 422;
  /** What becomes of a request, and what a colleague does at one, or while a question is open: if its draw is below `share`. */
  faults?: { share: number; of: Fault };
  colleague?: { share: number; deeds: readonly Deed[] };
  /** The wall clock jumps between runs, and at requests; the user presses Ctrl-C at some request. */
  jumps?: true;
  interrupts?: true;
  /** Two machines that share nothing; or two commands at the same time, of one home: every second story is one of processes. */
  machines?: 2;
  atOnce?: true;
  /** A job that is run again, a minute later, whatever it said. */
  again?: true;
  /** The disk of the record is full at times. */
  full?: true;
  /** Real processes, which are killed, or stopped and continued. */
  signal?: 'SIGKILL' | 'SIGSTOP';
  /** Nobody can know from this service who is there: a run may end without success, and colleagues' students be there twice. */
  hides?: 'lines of lists' | 'what is new' | 'addresses';
  /** It takes what it creates for something else; or some of that is shown by no read. */
  mistakes?: true;
  unseen?: true;
  /** The state is a team's database, which all machines share; each has its own way to it. */
  team?: Team;
};

/** Connections are cut, and what they carry comes late; the server is killed and started again, or its disk fills up and has room again. */
export type Team = { cuts?: true; server?: 'killed' | 'full' };

const isWrite = ({ method }: Arrived) => method !== 'GET';
const isCreate = ({ method, path }: Arrived) => method === 'POST' && /student_sessions$|add_student$/.test(path);
const isAnyCreate = (request: Arrived) => isCreate(request) || request.line === 'POST /exams';
const html = { status: 502, body: '<html><body>Bad gateway</body></html>' };
const allDeeds = { share: 0.08, deeds };

const lost: Fault = (_, random) => ({ answer: random.pick(['lost', 'cut'] as const), done: random.pick(['now', 'never'] as const) });
const busy: Fault = (request, random) => {
  if (request.countOfLine > 4) return undefined;
  const limited = () => ({ status: 429, headers: random.chance(0.5) ? { 'retry-after': '1' } : {} });
  return { answer: random.chance(0.6) ? limited() : { status: 503 }, done: 'never' };
};
const slow: Fault = (_, random, unit) => ({ takes: random.pick([0, 1, 2, 4, 8]) * unit });
const late: Fault = (request, random, unit) => (isWrite(request) ? { answer: 'lost', done: (1 + random.below(30)) * unit } : undefined);
const bare: Fault = (request, random) =>
  isCreate(request) ? { answer: random.pick(['without id', 'empty', 'located'] as const) } : undefined;
const oneOf =
  (...faults: readonly Fault[]): Fault =>
  (request, random, ...world) =>
    random.pick(faults)(request, random, ...world);
const mixed = oneOf(lost, busy, late, bare);

/** Acknowledged with what somebody else's record is, or with its ID alone. */
const anothers: Fault = (request, random, _unit, { truth }) => {
  if (!isAnyCreate(request)) return undefined;
  const isWhole = random.chance(0.5);
  const draw = random.below(1_000_000);
  const answer = (whole: Answer): Answer => {
    const own = whole.body as Fields;
    const others = [...(isCreate(request) ? truth.sessions : truth.exams).values()].filter(({ id }) => id !== own?.id);
    const other = others[draw % others.length];
    return other === undefined || whole.status >= 300 ? whole : { ...whole, body: isWhole ? { ...other } : { ...own, id: other.id } };
  };
  return { answer, done: random.pick(['now', 'now', 'now', 'now', 'never'] as const) };
};

/** Acknowledged, and shown by no read: of what is created, never done, or there for itself, for a while or for good. */
const unseen: Fault = (request, random, unit, { clock, showing }) => {
  // Mails that were acknowledged are done.
  if (!isAnyCreate(request)) return isWrite(request) && !request.path.endsWith('/send_emails') ? { done: 'never' } : undefined;
  if (random.chance(0.1)) return { done: 'never' };
  const lasts = random.pick([3, 30, 30, 300, 300, Number.POSITIVE_INFINITY]) * unit;
  const answer = (whole: Answer): Answer => {
    const id = Number((whole.body as Fields)?.id);
    showing.unseen?.add(id);
    if (Number.isFinite(lasts)) clock.later(lasts, () => showing.unseen?.delete(id));
    return whole;
  };
  return { answer, done: 'now' };
};

/** No, or done in words only. That a resource is not there would be a lie that nobody could see through. */
const denied: Fault = (request, random) =>
  isWrite(request)
    ? { answer: random.pick([{ status: 200, body: { success: false } }, { status: 409 }, { status: 404 }, { status: 403 }]), done: 'never' }
    : { answer: { status: 400, body: { message: 'not now' } } };

/** What is not set is left out: null, or false as well; in lists, in records, or in both. */
function leftOut(random: Random): Showing {
  const from = random.pick(['lists', 'records', 'both'] as const);
  const unset: unknown[] = random.chance(0.5) ? [null] : [null, false];
  return {
    as(record, { method, path }) {
      const isList = method === 'GET' && /s$/.test(path);
      if (from !== 'both' && isList !== (from === 'lists')) return record;
      return Object.fromEntries(Object.entries(record).filter(([, value]) => !unset.includes(value)));
    },
  };
}

const page = (random: Random): Showing => ({ pageSize: 2 + random.below(4) });

/** Texts of exams and sessions, under keys that end so, as another notation has them; undefined: they are not shown. */
const shownWith = (end: string, as: (text: string) => string | undefined): Showing => ({
  as(record) {
    if (!('status' in record || 'start_time' in record)) return record;
    const entries = Object.entries(record).map(([name, value]): [string, unknown] =>
      name.endsWith(end) && typeof value === 'string' ? [name, as(value)] : [name, value],
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  },
});

/** Told apart, by `--rare`: nobody can be sure of anything in them, or no service is known to be so. */
const rare: Record<string, Family> = {
  lag: { showing: (random, unit) => ({ lag: (1 + random.below(20)) * unit }), faults: { share: 0.1, of: lost } },
  replicas: {
    showing: (random, unit) => ({ replicaBehind: (1 + random.below(20)) * unit }),
    hides: 'what is new',
    faults: { share: 0.1, of: lost },
  },
  cut: { showing: (random) => ({ cut: 3 + random.below(4) }), hides: 'lines of lists', faults: { share: 0.1, of: lost } },
  reused: { habits: { reuses: true }, colleague: { share: 0.1, deeds: ['deletes', 'adds', 'gives away'] } },
  hidden: { showing: () => shownWith('email', () => undefined), hides: 'addresses' },
};

const common: Record<string, Family> = {
  plain: {},
  pages: { showing: page },
  borders: { showing: page, colleague: { share: 0.15, deeds: ['deletes'] } },
  folded: { habits: { kept: (address) => address.toUpperCase() } },
  rewritten: { habits: { kept: (address) => address.replace(/\+[^@]*/, '') }, faults: { share: 0.1, of: lost } },
  punycode: { habits: { kept: (address) => address.replace('exämple', 'xn--exmple-cua') } },
  minutes: { habits: { keptTime: (time) => time.replace(/:\d\dZ$/, ':00Z') } },
  notation: { showing: () => shownWith('_time', (time) => time.replace('Z', '.000+00:00')) },
  'left out': { showing: leftOut },
  bare: { faults: { share: 0.6, of: bare } },
  "another's": { mistakes: true, faults: { share: 0.6, of: anothers } },
  unseen: { unseen: true, showing: () => ({ unseen: new Set() }), faults: { share: 0.35, of: unseen } },
  denies: { taken: 422, faults: { share: 0.15, of: denied } },
  lost: { faults: { share: 0.2, of: lost } },
  late: { faults: { share: 0.2, of: late } },
  doubled: { faults: { share: 0.3, of: (request) => (isCreate(request) ? { done: 'twice' } : undefined) } },
  busy: { faults: { share: 0.3, of: busy } },
  html: { faults: { share: 0.2, of: (_, random) => ({ answer: html, done: random.pick(['now', 'never'] as const) }) } },
  slow: { faults: { share: 0.4, of: slow } },
  jumps: { jumps: true, faults: { share: 0.1, of: lost } },
  colleague: { colleague: allDeeds },
  'busy colleague': {
    colleague: { share: 0.25, deeds: [...deeds, 'gives away', 'gives away', 'deletes'] },
    faults: { share: 0.3, of: oneOf(lost, slow, slow) },
  },
  interrupted: { interrupts: true, faults: { share: 0.05, of: lost } },
  'two machines': { machines: 2, faults: { share: 0.05, of: lost } },
  mixed: {
    showing: (random) => (random.chance(0.5) ? page(random) : {}),
    faults: { share: 0.2, of: mixed },
    colleague: { share: 0.05, deeds },
    interrupts: true,
  },
  'at once': {
    atOnce: true,
    faults: { share: 0.5, of: (...of) => (of[1].chance(0.1) ? lost(...of) : { takes: of[1].below(6) * 0.5 * of[2] }) },
  },
  again: { again: true, faults: { share: 0.15, of: mixed } },
  full: { full: true, faults: { share: 0.05, of: lost } },
};

/** What happens to processes, and to the database of a team. */
const counted: Record<string, Family> = {
  killed: { signal: 'SIGKILL' },
  'killed and lost': { signal: 'SIGKILL', faults: { share: 0.15, of: mixed } },
  'killed and colleague': { signal: 'SIGKILL', colleague: { share: 0.06, deeds } },
  stopped: { signal: 'SIGSTOP' },
  'team connections': { team: { cuts: true }, machines: 2, signal: 'SIGKILL' },
  'team server': { team: { server: 'killed' }, machines: 2, signal: 'SIGKILL' },
  'team full': { team: { server: 'full' }, machines: 2, signal: 'SIGKILL' },
};

export const families: Record<string, Family> = { ...common, ...counted, ...rare };

/** Those whose stories take place in this process, in invented time, or some of them; with processes of their own; and told apart. */
export const familiesHere = Object.keys(common);
export const familiesOfProcesses = Object.keys(counted);
export const familiesRare = Object.keys(rare);

const later = (time: string | null, minutes: number) => time && after(time, minutes);

/** Does one deed in an exam, at times to whom the intent is about as well. */
export function doDeed(truth: Truth, random: Random, deed: Deed, { words = [], addresses: known = [] }: Partial<Intent> = {}): void {
  const found = truth.exams.get(main);
  if (!found) return;
  const sessions = truth.inExam(main);
  const named = sessions.filter(({ id }) => words.some((word) => word.split('/').includes(String(id))));
  const those = named.length > 0 && random.chance(0.5) ? named : sessions;
  const one = those.length > 0 ? random.pick(those) : undefined;
  const stranger = () => `stranger${random.below(1000)}@example.org`;
  const add = (email: string) => {
    const there = truth.inExam(main).some((session) => session.email?.toLowerCase() === truth.kept(email).toLowerCase());
    const close_time = random.chance(0.4) ? later(found.end_time, 5 + random.below(60)) : null;
    if (!there) truth.createSession(main, { email, name: 'Added by a colleague', close_time });
  };
  if (deed === 'moves the exam') {
    const minutes = random.pick([30, 60, 24 * 60]);
    truth.change('exam', main, { start_time: later(found.start_time, minutes), end_time: later(found.end_time, minutes) });
  } else if (deed === 'changes a setting') truth.change('exam', main, { save_recording: random.chance(0.5) });
  else if (deed === 'adds') add(known.length > 0 && random.chance(0.6) ? random.pick(known) : stranger());
  else if (deed === 'imports') for (const address of [stranger(), stranger()]) add(address);
  else if (!one) return;
  else if (deed === 'extends')
    truth.change('session', one.id, { close_time: later(one.close_time ?? found.end_time, 5 + random.below(60)) });
  else if (deed === 'finishes') truth.change('session', one.id, { status: 'exam_finished' });
  else if (deed === 'deletes') truth.remove('session', one.id);
  else if (deed === 'renames') truth.change('session', one.id, { name: `Renamed ${random.below(100)}` });
  else truth.change('session', one.id, { email: stranger(), name: 'Somebody else' });
}
