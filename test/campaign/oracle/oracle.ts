/**
 * The oracle: it knows the truth, and holds every invocation against it: what was changed and by whose wish, what was said, and what is
 * so in the end. Each sentence that it returns is a broken invariant.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Arrived, Seen, Service } from '../../support/service.ts';
import { minute } from '../../support/stage.ts';
import type { By, Change, Fields } from '../../support/truth.ts';
import { fieldsOf, fresh, type Intent, isOfTimes, isOne, Sight, same, unasked } from '../intents/intent.ts';
import type { Ended } from '../story/machine.ts';
import { isOf } from '../story/pursue.ts';
import type { Family } from '../world/families.ts';

const statuses = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130, 143]);
/** Those with which a command may end that has written something. */
const afterWrites = new Set([0, 9, 10, 130, 143]);
/** For so long a read justifies a write while the pace is limited. Milliseconds. */
const freshWhilePaced = 10_500;
const stackTrace = /\n\s+at .+[:(]\d+:\d+\)?/;

/** `pursued`: by whose wish; undefined where nobody's is known. `isPrinted`: a hint said it. */
type Invocation = {
  by: number;
  machine: number;
  words: readonly string[];
  intent: Intent;
  startedAt: number;
  pursued: Pursued | undefined;
  isPrinted: boolean;
};

const lower = (address: unknown) => String(address ?? '').toLowerCase();

/**
 * An intent while it is pursued. `reasked`: the invocations that asked more than one question; `strange`: runs of other commands that stand
 * in its way; `partial`: runs for some of its subjects; `heard`: what its command has said at last, and those that came after that.
 */
type Invocations = { reasked: Set<number>; strange: Map<string, string>; partial: Set<string>; heard: string };
export type Pursued = Invocations & { intent: Intent; machine: number; sight: Sight };

export type Oracle = ReturnType<typeof oracleOf>;

/** `machines`: what the invocations run on. */
export function oracleOf(service: Service, family: Family, machines: readonly { folder: string }[]) {
  const { truth } = service;
  const broken: string[] = [];
  const reasked = new Set<number>();
  const begun: Pursued[] = [];
  const invocations = new Map<By, Invocation>();
  /** By whose wish a run began, which an invocation has named first. */
  const runs = new Map<string, Pursued | undefined>();
  let judged = truth.record.length;
  let last = 0;
  const number = () => ++last;
  const wordsOf = (by: By) => invocations.get(by)?.words.join(' ');
  return { broken, number, begins, starts, invocationsOf, arrives, judge, beside, inTurn, judgeChanges };

  function begins(intent: Intent, machine: number): Pursued {
    const pursued = { intent, machine, sight: new Sight(service), reasked, strange: new Map(), partial: new Set<string>(), heard: '' };
    begun.push(pursued);
    return pursued;
  }

  /** Before an invocation; the number that it will have. */
  function starts(pursued: Pursued, words: readonly string[]): number {
    const by = number();
    const [command] = words.flatMap((word) => pursued.strange.get(word) ?? []);
    // What the run of another command does was asked for by that; so was what a hint pastes of it.
    const typed = command ?? words.join(' ');
    const before = [...invocations.values()].findLast((one) => isOf(one, typed))?.pursued;
    const other =
      command === undefined && isOf(pursued.intent, typed) ? pursued : (begun.findLast((one) => isOf(one.intent, typed)) ?? before);
    const resumed = words[1] === 'resume' ? runs.get(words[2] ?? '') : undefined;
    const asking = command === undefined ? (resumed ?? other ?? pursued) : other;
    asking?.sight.invocations.add(by);
    for (const word of words) asking?.sight.said.add(word);
    asking?.intent.typed?.(words);
    const { machine, intent } = { ...pursued, intent: (asking ?? pursued).intent };
    const bare = words.filter((word) => !['--yes', '--no-input'].includes(word)).join(' ');
    const isPrinted = pursued.heard.includes(`: proctor-cli ${bare}`);
    invocations.set(by, { by, machine, words, intent, startedAt: service.clock.now(), pursued: asking, isPrinted });
    return by;
  }

  /** Those of a machine so far. */
  function invocationsOf(machine: number): ReadonlySet<number> {
    return new Set([...invocations.values()].flatMap((one) => (one.machine === machine ? [one.by] : [])));
  }

  /** When a request arrives. */
  function arrives({ by, method, line }: Arrived): void {
    const mine = invocations.get(by);
    if (method === 'GET' || !mine) return;
    const home = machines[mine.machine]?.folder;
    if (home !== undefined && !hasIntent(home)) broken.push(`${line} was sent before it was recorded [${by}: ${mine.words.join(' ')}]`);
  }

  /** After an invocation. `final`: whether its success means that all is so that was asked for. */
  function judge(pursued: Pursued, ended: Ended, final: boolean): void {
    const { intent, sight, reasked } = pursued;
    const isItself = intent.words.slice(0, 2).every((word, at) => ended.words[at] === word);
    for (const [run] of ended.stderr.matchAll(/\d{8}T\d{6}-\w+/g)) if (!runs.has(run)) runs.set(run, invocations.get(ended.by)?.pursued);
    pursued.heard = [isItself ? '' : pursued.heard, ended.stderr, ended.stdout].join('\n');
    const say = (sentence: string) =>
      broken.push(`${sentence} [${ended.by}: ${ended.words.join(' ')}, exit ${ended.code ?? ended.signal}]`);
    // What was planned from a list that was behind was not shown to anybody.
    if (ended.questions.length > 1 || ended.stderr.includes('it is read again')) reasked.add(ended.by);
    judgeChanges();
    if (!ended.signal && (ended.code === null || !statuses.has(ended.code)))
      say(`exit ${ended.code} is not in the contract: ${ended.stderr.slice(-400)}`);
    if (stackTrace.test(ended.stderr) || stackTrace.test(ended.stdout)) say('a stack trace was printed');
    // What a colleague has set back at once cannot be known to have been done.
    const isOvertaken = (one: Change) =>
      truth.record.some(
        ({ n, by, kind, id, after }) =>
          n > one.n && by === 'colleague' && kind === one.kind && id === one.id && isDeepStrictEqual(after, one.before),
      );
    const written = effectsOf(ended.by).filter((one) => !isOvertaken(one));
    if (ended.code !== null && written.length > 0 && statuses.has(ended.code) && !afterWrites.has(ended.code))
      say(`${written.length} writes were done`);
    const { lag = 0, replicaBehind = 0 } = service.showing;
    const startedAt = invocations.get(ended.by)?.startedAt ?? 0;
    const isStill = lag + replicaBehind === 0 && !truth.record.some(({ by, at }) => by === 'colleague' && at >= startedAt);
    // Whether a session that is shown under another address is the student's, only a person can tell.
    const isSaid = ended.code === 11 && /^(?!.*(is shown as|runs resume)).*( already|has done the same)/s.test(ended.stderr);
    const isSo = isMoved(ended) ?? intent.stands?.(sight);
    if (isSaid && isStill && isSo === false) say('it is said to be there already, and is not');
    const mails = brokenMails(intent, [...sight.invocations]);
    if (mails) say(mails);
    // Of students whom no list shows nobody can know.
    const isKnowable = !intent.listed || !(family.unseen || family.hides === 'lines of lists');
    // A field that the service does not show is named.
    const isNamed = ended.stderr.includes('does not show');
    if (ended.code === 0 && final && isKnowable && !isNamed) for (const sentence of intent.unmet(sight)) say(`success, but ${sentence}`);
  }

  /** Whether all that a run is said to have moved was moved by one; undefined where nothing is said of that. */
  function isMoved({ by, stderr }: Ended): boolean | undefined {
    const [, which] = /^error: Run .* has done the same at .*?: (\D.*)$/m.exec(stderr) ?? [];
    if (which === undefined) return undefined;
    const moved = truth.record.filter((one) => typeof one.by === 'number' && one.by !== by && isOfTimes(one));
    const named = [...which.matchAll(/(exam|session) (\d+)/g)];
    return named.every(([, kind, id]) => moved.some((one) => one.kind === kind && one.id === Number(id)));
  }

  /** After two commands at once: what one of them was told to be so is so beside the other one. */
  function beside({ intent, sight }: Pursued, { by, words, code }: Ended): void {
    for (const sentence of code === 0 ? intent.unmet(sight) : [])
      broken.push(`success beside another command, but ${sentence} [${by}: ${words.join(' ')}]`);
  }

  /** After two commands at once: never were both of them at work, or, if they are not the same, writing. */
  function inTurn(...both: readonly [Pursued, Pursued]): void {
    // Which exams are meant is read before; what is printed by one of them, and pasted, is another command.
    const counts = ({ method, path }: Arrived, isSame: boolean) => method !== 'GET' || (isSame && !/users$|^.exams(.\d+)?$/.test(path));
    const all = [...new Set(both.flatMap(({ sight }) => [...sight.invocations]))];
    const of = (by: number, isSame: boolean) => service.arrived.filter((one) => one.by === by && counts(one, isSame));
    for (const by of all)
      for (const other of all) {
        const isSame = wordsOf(by) === wordsOf(other);
        const [its, others] = [of(by, isSame), of(other, isSame)];
        const [from, until] = [others[0]?.index ?? Number.POSITIVE_INFINITY, others.at(-1)?.index ?? 0];
        const [first] = its;
        const lines = its.map(({ line }) => line).join(', ');
        if (first && from < first.index && first.index < until)
          broken.push(`invocations ${other} and ${by} were at work at once: ${lines}`);
      }
  }

  /** Judges the changes since the last time; those that happen late belong to the invocation that asked for them. */
  function judgeChanges(): void {
    for (; judged < truth.record.length; judged += 1) {
      const change = truth.record[judged];
      const pursued = change && invocations.get(change.by)?.pursued;
      if (!change || !pursued) continue;
      const { intent, sight } = pursued;
      const allowed = takesBack(change, pursued) || intent.allows(change, sight);
      const identity = brokenIdentity(service, change, pursued);
      const sentences = [allowed === true ? undefined : allowed || unasked(change), brokenDouble(change), identity];
      for (const sentence of sentences) if (sentence) broken.push(`${sentence} [${change.by}: ${wordsOf(change.by)}]`);
    }
  }

  /** Whether a pasted command sets back what this intent has set, puts a student back, or deletes what this very intent has created: beside another session of the student (of a move, in any exam), or by its ID. */
  function takesBack(change: Change, { intent, sight, heard }: Pursued): boolean {
    const { n, by, cause, kind, id, before, after } = change;
    const { words = [], isPrinted = false } = invocations.get(by) ?? {};
    const [, verb = ''] = words;
    if (isPrinted && before && after && fieldsOf(change).every((field) => wasSo(change, field))) return true;
    if (!intent.undoes && verb === 'undo' && before && after && isSetBack(change, sight)) return true;
    // Of what another client may have created an undo prints the command that deletes it.
    const [what, which] = words[0] === 'exams' ? ['exams', before?.exam_id ?? id] : ['sessions', id];
    if (verb === 'delete' && !after && heard.includes(`if nobody has, delete it: proctor-cli ${what} delete ${which}`)) return true;
    // Beside the same student, what a printed command has created, its printed undo deletes.
    const maker = truth.record.find((one) => one.kind === kind && one.id === id && !one.before)?.by ?? 0;
    const isDouble = kind === 'session' && !after && sight.sessionsOf(before?.exam_id, before?.email).length > 0;
    if (isDouble && isPrinted && verb === 'undo' && invocations.get(maker)?.isPrinted) return true;
    if (intent.undoes || !['undo', 'resume', 'delete'].includes(verb) || kind !== 'session') return false;
    const earlier = truth.record.filter((one) => one.n < n && one.kind === 'session' && sight.isOwn(one));
    const isOf = (one: { email?: unknown } | undefined, other: Fields | undefined) => isOne(truth, one?.email, other?.email);
    if (earlier.some((one) => one.id === id && !one.before && one.by === by)) return true;
    if (!before) return earlier.some((one) => !one.after && one.before?.exam_id === after?.exam_id && isOf(one.before, after));
    const sent = service.arrived.find((one) => one.index === cause);
    const isShown = (one: Seen) => one.by === by && one.exam === before.exam_id && one.at >= (sent?.at ?? 0) - fresh;
    const isElsewhere = intent.kind === 'sessions move' && [...truth.sessions.values()].some((one) => one.id !== id && isOf(one, before));
    const isBeside = verb === 'delete' || isElsewhere || service.seen.some((one) => one.id !== id && isShown(one) && isOf(one, before));
    return !after && earlier.some((one) => one.id === id && !one.before) && isBeside;
  }

  /** Whether a field has a value that a record had before. */
  function wasSo({ n, kind, id, after }: Change, field: string): boolean {
    return truth.record.some((one) => one.n < n && one.kind === kind && one.id === id && same(one.before?.[field], after?.[field]));
  }

  /** Whether each field is as it was before an invocation of this intent changed it, or as that one last read it. */
  function isSetBack(change: Change, sight: Pursued['sight']): boolean {
    const own = truth.record.filter(({ n, kind, id, by }) => n < change.n && kind === change.kind && id === change.id && by !== change.by);
    const were = own.filter((one) => sight.isOwn(one)).flatMap((one) => [one, ...sight.unseenBy(one)]);
    return fieldsOf(change).every((field) => were.some((one) => same(one.before?.[field], change.after?.[field])));
  }

  /** Nobody twice without a consent: why a session that the program has just created is one too many. */
  function brokenDouble(change: Change): string | undefined {
    const { kind, before, after, cause } = change;
    const mine = invocations.get(change.by);
    const key = lower(after?.email);
    if (kind !== 'session' || before || !mine || key === '') return undefined;
    if (mine.words.includes('--allow-duplicate')) return undefined;
    for (const other of besides(change, key)) {
      const theirs = invocations.get(other.by);
      // The network did one request twice: the program can only report that.
      if (other.cause === cause && cause !== undefined) continue;
      const who = `${key} was registered again in exam ${String(after?.exam_id)} by invocation ${mine.by}`;
      // Two machines that share nothing notice it afterwards.
      if (theirs?.machine === mine.machine && sentAs(change) === sentAs(other))
        return `${who}, and invocation ${theirs.by} of the same machine had created session ${other.id}`;
      if (!theirs && couldBeSeen(change, other, mine)) return `${who}, and session ${other.id} was there to be seen`;
    }
    return undefined;
  }

  /** The other sessions of a student that are in the exam when one is created, as they were made. */
  function besides({ n, id, after }: Change, key: string): Change[] {
    const earlier = truth.record.filter((one) => one.n < n && one.kind === 'session' && one.id !== id);
    const last = new Map(earlier.map((one) => [one.id, one.after]));
    const made = new Map(earlier.filter(({ before }) => !before).map((one) => [one.id, one]));
    return [...made.values()].filter((one) => last.get(one.id)?.exam_id === after?.exam_id && lower(last.get(one.id)?.email) === key);
  }

  /** The address in the request that created a session; the one that it has, where somebody else did. */
  function sentAs({ cause, after }: Change): string {
    return lower(service.arrived.find(({ index: n }) => n === cause)?.body.email ?? after?.email);
  }

  /** Whether the program was shown a session of somebody else, or would have been by a list that shows all, sooner or later. */
  function couldBeSeen(change: Change, other: Change, { by, startedAt }: Invocation): boolean {
    // That the service takes two addresses for one, nobody knows before.
    if (sentAs(change) !== lower(other.after?.email)) return false;
    const sentAt = service.arrived.find(({ index: n }) => n === change.cause)?.at ?? change.at;
    const isShown = (one: Seen) => one.id === other.id && one.by === by && one.at < sentAt && one.email === other.after?.email;
    const { lag = 0, replicaBehind = 0 } = service.showing;
    return service.seen.some(isShown) || (family.hides !== 'lines of lists' && other.at + Math.max(lag, replicaBehind) < startedAt);
  }

  /** At most one POST of mails for a consent. */
  function brokenMails(intent: Intent, its: readonly number[]): string | undefined {
    const isMails = ({ line, by }: Arrived) => /^POST .*send_emails$/.test(line) && its.includes(by);
    const sent = service.arrived.filter((one) => isMails(one) && !wasRefused(one.reply?.answer));
    const again = its.filter((by) => invocations.get(by)?.words.includes('--resend')).length;
    const consents = again + (intent.words.includes('--resend') ? 0 : 1);
    return sent.length > consents ? `mails were sent ${sent.length} times for ${consents} consents` : undefined;
  }

  /** What an invocation did, and was told that it had done. */
  function effectsOf(by: number): Change[] {
    const untold = (cause: number | undefined) => {
      const { answer = 'whole', done = 'now' } = service.arrived.find(({ index: n }) => n === cause)?.reply ?? {};
      return answer !== 'whole' || done !== 'now';
    };
    const isChange = ({ before, after }: Change) => !isDeepStrictEqual(before, after);
    return truth.record.filter((change) => change.by === by && isChange(change) && !untold(change.cause));
  }
}

/** Whether a step of a run may have been sent, as another process would read it; true where the record is elsewhere. */
function hasIntent(home: string): boolean {
  const path = join(home, 'state', 'record.sqlite');
  if (!existsSync(path)) return true;
  using record = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  return record.prepare(`SELECT 1 FROM steps WHERE state IN ('sending', 'unknown')`).get() !== undefined;
}

/** An ID proves nobody: why a write hit somebody other than was meant; undefined if it did not, or nobody could have known. */
function brokenIdentity({ seen, arrived }: Service, change: Change, { intent, sight, reasked, heard }: Pursued): string | undefined {
  const { kind, before, by, cause, id } = change;
  if (kind !== 'session' || !before || typeof by !== 'number') return undefined;
  const request = arrived.find(({ index: n }) => n === cause);
  // Sessions that go with their exam, and those whose state mails change, are not written by themselves.
  if (!request?.path.endsWith(`/student_sessions/${id}`)) return undefined;
  // A run begins with its first write: what was seen before by a command that sent nothing binds nobody.
  const began = Math.min(
    ...arrived.filter(({ method, by: maker }) => method !== 'GET' && sight.invocations.has(Number(maker))).map((one) => Number(one.by)),
  );
  const isUndone = ({ kind, id: its, by: setter, n }: Change) =>
    kind === 'session' && its === id && intent.undoes?.has(Number(setter)) && n < change.n;
  // The same command may have been planned anew, with whoever was there by then.
  const undone = Number(sight.truth.record.findLast(isUndone)?.by ?? 0);
  const isOfRun = (one: number) => (sight.invocations.has(one) && one >= began) || (intent.undoes?.has(one) === true && one >= undone);
  // Its ID may have been another session's before it was created.
  const made = sight.truth.record.findLast((one) => one.kind === 'session' && one.id === id && !one.before && one.n < change.n);
  const isSince = ({ at, email }: (typeof seen)[number]) => !made || at > made.at || (at === made.at && email === made.after?.email);
  const showings = seen.filter((one) => one.id === id && isOfRun(one.by));
  const what = `session ${id} was ${change.after ? 'changed' : 'deleted'}`;
  const isLimited = ({ at, reply }: (typeof arrived)[number]) => at <= request.at && at > request.at - minute && isTooMany(reply?.answer);
  const within = intent.words.includes('--rate') || arrived.some(isLimited) ? freshWhilePaced : fresh;
  const recent = showings.filter(({ at }) => at >= request.at - within);
  if (showings.length === 0) return `${what} without having been read`;
  if (recent.length === 0) return `${what} on what was read ${Math.round((request.at - (showings.at(-1)?.at ?? 0)) / 1000)} s before`;
  // Asked again about a plan that had changed, a person has said yes to whoever is there now.
  // Whom a move deletes here is in the other exam. A plan that was computed under the locks names whom it means.
  const isAsked = [...sight.invocations, ...(intent.undoes ?? [])].some((one) => reasked.has(one));
  const isNamed = heard.includes(`session ${id} ${String(before.email)}: `);
  if (isAsked || isNamed || intent.byAddress || intent.kind === 'sessions move') return undefined;
  const person = (showings.find(isSince) ?? showings[0])?.email?.toLowerCase();
  // Shown as somebody else by the last read before it, the session is not the one that was meant.
  const latest = showings.findLast(({ index: n }) => n < request.index)?.email?.toLowerCase();
  if (latest !== undefined && latest !== person && latest === before.email?.toString().toLowerCase())
    return `${what}, which was ${person} when it was read first, and was shown as ${latest} right before`;
  if (person === before.email?.toString().toLowerCase() || recent.some(({ email }) => email?.toLowerCase() === person)) return undefined;
  return `${what}, which was ${person} when it was read first, and is ${String(before.email)} now`;
}

const statusOf = (answer: unknown) => (typeof answer === 'object' && answer !== null ? (answer as Answer).status : 200);
const isTooMany = (answer: unknown) => statusOf(answer) === 429;

/** An answer that says that nothing was done. */
function wasRefused(answer: unknown): boolean {
  const isNo = typeof answer === 'object' && ((answer as Answer).body as Fields | undefined)?.success === false;
  return isNo || [400, 401, 403, 404, 409, 422, 429].includes(statusOf(answer));
}
