/**
 * How a person pursues an intent: the command; after a failure the way on that it printed, pasted as it stands, or the same command
 * again; until it says 0, or says that a person has to decide.
 */
import type { Intent } from '../intents/intent.ts';
import { namesWhatIsGone } from '../oracle/end.ts';
import type { Oracle, Pursued } from '../oracle/oracle.ts';
import type { Ended, Given, Machine } from './machine.ts';
import { isWriting, offers, wayOn } from './way-on.ts';

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
  /** Before each invocation but the first. */
  meanwhile(ended: Ended): Promise<void>;
  log(line: string): void;
};

/** `words`: what would come next; undefined where it is done, or a person has to decide. */
export type Outcome = { ended: Ended; steps: number; words: readonly string[] | undefined };

/** At most `most` invocations; `words`: those to begin with, where an earlier try has led to others. */
export async function pursue(
  scene: Scene,
  pursued: Pursued,
  most: number,
  words: readonly string[] = pursued.intent.words,
): Promise<Outcome> {
  const { intent } = pursued;
  let next = words;
  for (let steps = 1; ; steps += 1) {
    const ended = await once(scene, pursued, next);
    const isOwn = isItsOwn(intent, next);
    if (ended.code === 0 && isOwn) return { ended, steps, words: undefined };
    // What was done after the backup is not known: a person looks before it is done once more.
    const isForgotten = next[1] === 'accept' && intent.relative;
    const way = ended.code !== 0 ? nextWords(scene, pursued, next, ended) : isForgotten ? undefined : intent.words;
    if (way === undefined || steps >= most) return { ended, steps, words: way };
    next = way;
    await scene.meanwhile(ended);
  }
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
  oracle.ended(pursued, ended, isItsOwn(intent, words));
  return ended;
}

/** The command itself, with whatever flags, or its resumption: a run knows nothing of a file that was edited since. */
const isItsOwn = ({ words, edited }: Intent, line: readonly string[]) =>
  (line[1] === 'resume' && edited === undefined) || (line[0] === words[0] && line[1] === words[1]);

/** What comes next; undefined where a person has to decide. */
function nextWords(
  scene: Scene,
  { intent, sight }: Pursued,
  words: readonly string[],
  { code, stderr, stdout }: Ended,
): readonly string[] | undefined {
  // Killed after it has printed its result: a person sees that it was done.
  if (code === null && intent.relative && stdout.trim() !== '') return undefined;
  const consent = consents.find((one) => offers(stderr, one) && !words.includes(one));
  const way = wayOn(stderr);
  if (consent !== undefined && (code === 9 || code === 10) && scene.consents())
    return way?.includes(consent) ? way : [...intent.words, consent];
  if (way && isWriting(way) && (way[0] === 'runs' || way[0] === 'state') && way[1] !== 'undo') return way;
  const flag = harmless.find((one) => offers(stderr, one) && !words.includes(one));
  if (flag !== undefined && words[0] === intent.words[0]) return [...words, flag];
  // Another process has done it, or is doing it: a person looks before something relative is done once more.
  if (intent.relative && stderr.includes('has taken this run over')) return undefined;
  if (code === 6 && namesWhatIsGone(words, sight)) return undefined;
  if (code !== null && decided.has(code) && !/changed_meanwhile/.test(stderr)) return undefined;
  // Done again it may be done twice: a person looks first, unless nothing was sent or the message says so.
  const isSafe = code === null || [3, 6, 8, 130, 143].includes(code) || /same command|rejected the request to (show|list)/i.test(stderr);
  return intent.relative && !isSafe ? undefined : intent.words;
}

const indented = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `      ${line}`)
    .join('\n');
