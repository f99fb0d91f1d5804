/**
 * How a person pursues an intent: the command; after a failure the way on that it printed, pasted as it stands, or the same command
 * again; until it says 0, or says that a person has to decide.
 */
import type { Intent } from '../intents/intent.ts';
import { namesWhatIsGone } from '../oracle/judge-end.ts';
import type { Oracle, Pursued } from '../oracle/oracle.ts';
import type { Ended, Given, Machine } from './machine.ts';

/** After these a person gives the same command again, where no other one is printed: a running exam is over by then. */
const repeated = new Set<number | null>([null, 3, 4, 6, 7, 8, 12, 130, 143]);

/**
 * `machine`: the one for the next command. `given`: what the world adds to an invocation: a signal, answers on a terminal. `repeats`: whether
 * the person gives the same command again, whatever was printed. `meanwhile`: before each invocation but the first.
 */
export type Scene = {
  oracle: Oracle;
  machine(): Machine;
  given(intent: Intent): Given;
  repeats(): boolean;
  meanwhile(ended: Ended): Promise<void>;
  log(line: string): void;
};

/** `words`: what would come next; undefined where it is done, or a person has to decide. `closed`: a run was given up. */
export type Outcome = { ended: Ended; steps: number; words: readonly string[] | undefined; closed: boolean };

/** At most `most` invocations; `words`: those to begin with, where an earlier try has led to others. */
export async function pursue(scene: Scene, pursued: Pursued, most: number, words = pursued.intent.words): Promise<Outcome> {
  const { intent } = pursued;
  let next = words;
  let closed = false;
  for (let steps = 1; ; steps += 1) {
    closed ||= next[1] === 'close';
    const ended = await once(scene, pursued, next);
    if (ended.code === 0 && isItsOwn(pursued, next)) return { ended, steps, words: undefined, closed };
    // A consent is given once.
    const way = (ended.code === 0 ? intent.words : nextWords(scene, pursued, ended))?.filter((word) => word !== '--again');
    if (way === undefined || steps >= most) return { ended, steps, words: way, closed };
    next = way;
    await scene.meanwhile(ended);
  }
}

/** The latest run of a machine: its ID, and the command as it is recorded. */
export async function latestRun({ machine, oracle }: Scene): Promise<{ run: string; command: string; done: number } | undefined> {
  const { code, stdout } = await machine().run(['runs', 'list', '-o', 'json'], oracle.number);
  return code === 0 ? (JSON.parse(stdout) as { run: string; command: string; done: number }[])[0] : undefined;
}

/** One invocation, and what the oracle says of it. */
async function once({ machine, oracle, given, log }: Scene, pursued: Pursued, words: readonly string[]): Promise<Ended> {
  const { intent } = pursued;
  const add = given(intent);
  const bare = words.filter((word) => !['--yes', '--no-input', '-y'].includes(word));
  const line = isWriting(words) && !add.tty ? [...bare, '--yes', '--no-input'] : bare;
  const ended = await machine().run(line, () => oracle.starts(pursued, line), add);
  if (ended.also) oracle.judge(pursued, ended.also, false);
  const shown = [ended.stderr.slice(-1500), ended.code === 0 ? '' : ended.stdout.slice(-3000)].join('\n');
  log(
    `${ended.by}: proctor-cli ${line.join(' ')} → ${ended.code ?? ended.signal}\n${shown.trim().replaceAll(/\n+/g, '\n').replaceAll(/^/gm, '      ')}`,
  );
  // A way on that settles or accepts is no success of what was asked for.
  oracle.judge(pursued, ended, isItsOwn(pursued, words));
  if (words[0] !== 'runs' && !isItsOwn(pursued, words))
    for (const [run] of ended.stderr.matchAll(/\d{8}T\d{6}-\w+/g)) pursued.partial.add(run);
  // Named as what stands in the way, a run is that of another command.
  for (const [, run = '', of = ''] of ended.stderr.matchAll(/^error: Run (\S+) \((.*)\) (?:is unfinished|has changed|has done)/gm))
    if (!isOf(intent, of)) pursued.strange.set(run, of);
  return ended;
}

/** Whether a run is recorded as the command of an intent, or as one that is typed in another way. */
export const isOf = ({ words }: Pick<Intent, 'words'>, command: string) =>
  [words.join(' '), command]
    .map((one) => one.replace(/ --(again|resend|yes|no-input)\b/g, '').replace('=', ' '))
    .map((one) => (one.startsWith('exams ') ? one.replaceAll(/ --exam[ =]/g, ' ') : one))
    .every((one, _, all) => one === all[0]);

/** The command itself, with whatever flags, or its resumption: a run knows nothing of a file that is read anew, nor of what an undo leaves. For some of its subjects it is another one. */
const isItsOwn = ({ intent: { words, anew }, strange, partial, heard }: Pursued, line: readonly string[]) =>
  (line[1] === 'resume' && !anew && !strange.has(line[2] ?? '') && !partial.has(line[2] ?? '') && !heard.includes('Not undone')) ||
  words.every((word, at) => (at > 1 && !/^\d+$/.test(word)) || line.includes(word));

/** What comes next; undefined where a person has to decide. */
function nextWords({ repeats }: Scene, { intent, sight }: Pursued, { words, code, stderr }: Ended): readonly string[] | undefined {
  const way = wayOn(stderr);
  // An ID that is somebody else's by now names nobody whom the person meant.
  if (code !== 130 && !intent.byAddress && stderr.includes('now belongs to')) return undefined;
  if (intent.words.includes('--by') && code === 3 && intent.refuses?.(stderr)) return undefined;
  if (repeats()) return intent.words;
  if (way && isWriting(way)) return way;
  if (code === 6 && namesWhatIsGone(words, sight)) return undefined;
  return repeated.has(code) || /same command again/i.test(stderr) ? intent.words : undefined;
}

/** Words of a line, as a shell divides it. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, one = '', other = '') => one + other));
}

const isPlaceholder = (word: string) => /^(<.*>|[A-Z]+(=[A-Z]+)?|…)$/.test(word);
const command = /proctor-cli ((?:"[^"]*"|'[^']*'|[^"'])*?)(?=$|[.;,:] |[.;,]$|\)| – |\s{2,}| (?:and|or|to|if|which|shows|with:) )/g;

/** The command lines in a text, each as its words without the name of the program. One with a place for what only a person knows is none. */
function commandsIn(text: string): string[][] {
  const found = text.split('\n').flatMap((line) => [...line.matchAll(command)]);
  const all = found.map(([, rest = '']) => wordsOf(rest.replace(/[`.]+$/, '')));
  const isOpen = (word: string, at: number, words: string[]) => isPlaceholder(word) && words[at - 1] !== '--during-exam';
  return all.filter((words) => words.length > 1 && !words.includes('--help') && !words.some(isOpen));
}

const writes =
  /^(runs (resume|undo|forget)|exams (create|update|delete|send-emails|clone|shift|delay|apply)|sessions (create|update|delete|extend|move|import)|students add|accommodations apply|proctors (add|remove)|api (POST|PATCH|PUT|DELETE))/;

/** Whether a command line can change something, or only looks. */
export const isWriting = (words: readonly string[]) => writes.test(words.slice(0, 2).join(' '));

/** The first command line of a failure that goes on; the one that looks, if there is no other. What is said before is no part of it. */
/** `isInVain`: it was run as often as a person tries; another one that is printed is taken. */
export function wayOn(stderr: string, isInVain: (words: readonly string[]) => boolean = () => false): string[] | undefined {
  const commands = commandsIn(stderr.slice(Math.max(0, stderr.search(/^error:/m))));
  const untried = commands.filter((words) => !isInVain(words));
  return untried.find(isWriting) ?? untried[0] ?? commands[0];
}
