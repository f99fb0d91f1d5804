/**
 * How a person pursues an intent: the command; after a failure the way on that it printed, pasted as it stands, or the same command
 * again; until it says 0, or says that a person has to decide.
 */
import type { Intent } from '../intents/intent.ts';
import { namesWhatIsGone } from '../oracle/end.ts';
import type { Oracle, Pursued } from '../oracle/oracle.ts';
import type { Ended, Given, Machine } from './machine.ts';
import { isWriting, offers, wayOn } from './way-on.ts';

/** After these a person gives the same command again, where no other one is printed: a running exam is over by then. */
const repeated = new Set<number | null>([null, 3, 4, 6, 7, 8, 12, 130, 143]);
/** A command that ends so has looked and leaves it to a person: it is not repeated. */
const decided = new Set([2, 5, 11, 12]);
/** Flags that take nothing from anybody: a person adds them as soon as they are offered. */
const harmless = ['--if-not-exists', '--unless-mailed', '--accept-different'];

/** Flags by which a person consents to send again what may have been done. */
const consents = ['--resend-absent', '--resend'];

export type Scene = {
  oracle: Oracle;
  /** The machine for the next command. */
  machine(): Machine;
  /** What the world adds to an invocation: a signal, answers on a terminal. */
  given(intent: Intent): Given;
  /** Whether the person gives the consents that are asked for. */
  consents(): boolean;
  /** Whether the person gives the same command again, whatever was printed. */
  repeats(): boolean;
  /** Before each invocation but the first. */
  meanwhile(ended: Ended): Promise<void>;
  log(line: string): void;
};

/** `words`: what would come next; undefined where it is done, or a person has to decide. `closed`: a run was given up. */
export type Outcome = { ended: Ended; steps: number; words: readonly string[] | undefined; closed: boolean };

/** At most `most` invocations; `words`: those to begin with, where an earlier try has led to others. */
export async function pursue(
  scene: Scene,
  pursued: Pursued,
  most: number,
  words: readonly string[] = pursued.intent.words,
): Promise<Outcome> {
  const { intent } = pursued;
  let next = words;
  let closed = false;
  for (let steps = 1; ; steps += 1) {
    closed ||= next[1] === 'close';
    const ended = await once(scene, pursued, next);
    if (ended.code === 0 && isItsOwn(pursued, next)) return { ended, steps, words: undefined, closed };
    // A consent is given once.
    const way = (ended.code === 0 ? intent.words : nextWords(scene, pursued, next, ended))?.filter((word) => word !== '--again');
    if (way === undefined || steps >= most) return { ended, steps, words: way, closed };
    next = way;
    await scene.meanwhile(ended);
  }
}

/** The ID of the latest run of a machine. */
export async function latestRun(machine: Machine): Promise<string | undefined> {
  const { code, stdout } = await machine.run(['runs', 'list', '-o', 'json']);
  const [latest] = code === 0 ? (JSON.parse(stdout) as Record<string, unknown>[]) : [];
  const run = latest?.run ?? latest?.id;
  return run === undefined ? undefined : String(run);
}

/** One invocation, and what the oracle says of it. */
async function once({ machine, oracle, given, log }: Scene, pursued: Pursued, words: readonly string[]): Promise<Ended> {
  const { intent } = pursued;
  const add = given(intent);
  const bare = words.filter((word) => !['--yes', '--no-input', '-y'].includes(word));
  const line = isWriting(words) && !add.tty ? [...bare, '--yes', '--no-input'] : bare;
  const ended = await machine().run(line, add, (by) => oracle.starts(pursued, by, line));
  if (ended.also) oracle.ended(pursued, ended.also, false);
  log(
    `${ended.by}: proctor-cli ${line.join(' ')} → ${ended.code ?? ended.signal}\n${indented(ended.stderr.slice(-1500))}${ended.code === 0 ? '' : indented(ended.stdout.slice(-3000))}`,
  );
  // A way on that settles or accepts is no success of what was asked for.
  oracle.ended(pursued, ended, isItsOwn(pursued, words));
  // Named as what stands in the way, a run is that of another command.
  for (const [, run = '', of = ''] of ended.stderr.matchAll(/^error: Run (\S+) \((.*)\) (?:is unfinished|has changed|has done)/gm))
    if (!isOf(intent, of)) pursued.strange.set(run, of);
  return ended;
}

/** Whether a run is recorded as the command of an intent. */
export const isOf = ({ words }: Intent, command: string) =>
  [words.join(' '), command]
    .map((one) => one.replace(/ --(again|yes|no-input)\b/g, '').replace('=', ' '))
    .every((one, _, all) => one === all[0]);

/** The command itself, with whatever flags, or its resumption: a run knows nothing of a file that was edited since. */
const isItsOwn = ({ intent: { words, edited }, strange }: Pursued, line: readonly string[]) =>
  (line[1] === 'resume' && edited === undefined && !strange.has(line[2] ?? '')) || (line[0] === words[0] && line[1] === words[1]);

/** What comes next; undefined where a person has to decide. */
function nextWords(
  scene: Scene,
  { intent, sight }: Pursued,
  words: readonly string[],
  { code, stderr }: Ended,
): readonly string[] | undefined {
  const way = wayOn(stderr);
  // An ID that is somebody else's by now names nobody whom the person meant.
  if (code !== 130 && stderr.includes('now belongs to')) return undefined;
  if (intent.relative && code === 3 && intent.refuses?.(stderr)) return undefined;
  if (!intent.before && scene.repeats()) return intent.words;
  if (way && isWriting(way) && !intent.before) return way;
  if (code === 6 && namesWhatIsGone(words, sight)) return undefined;
  if (intent.before) return nextBefore(scene, intent, words, { code, stderr }, way);
  return repeated.has(code) || /same command again/i.test(stderr) ? intent.words : undefined;
}

/** What comes next on the engine of the commands that have not moved: it offers flags. */
function nextBefore(
  scene: Scene,
  intent: Intent,
  words: readonly string[],
  { code, stderr }: Pick<Ended, 'code' | 'stderr'>,
  way: readonly string[] | undefined,
): readonly string[] | undefined {
  const consent = consents.find((one) => offers(stderr, one) && !words.includes(one));
  if (consent !== undefined && (code === 9 || code === 10) && scene.consents())
    return way?.includes(consent) ? way : [...intent.words, consent];
  if (way && isWriting(way) && way[0] === 'runs' && way[1] !== 'undo') return way;
  const flag = harmless.find((one) => offers(stderr, one) && !words.includes(one));
  if (flag !== undefined && words[0] === intent.words[0]) return [...words, flag];
  if (code !== null && decided.has(code) && !/changed_meanwhile/.test(stderr)) return undefined;
  return intent.words;
}

const indented = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `      ${line}`)
    .join('\n');
