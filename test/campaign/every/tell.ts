/** Stories from one root: a command, or its undo, to a request of which something happens; what happened since; and each way to go on. */
import { Laws } from '../oracle/laws.ts';
import type { Call } from '../oracle/wish.ts';
import { isWriting, wayOn } from '../story/pursue.ts';
import { type Command, commands, otherWishes } from './commands.ts';
import { harmsOf, passing, since } from './harms.ts';
import { another, type Harm, Office } from './office.ts';

export const ways = ['alone', 'again', 'resume', 'undo', 'undo undo', 'close', 'printed'] as const;
export type Way = (typeof ways)[number];

/** What the stories of one root have in common. `at`: the requests to which something happens. */
export type Root = {
  world: string;
  name: string;
  isUndo: boolean;
  at: readonly number[];
  harms: readonly string[];
  since?: string | undefined;
};
export type Told = { root: Root; way: Way; hits: number; code: number | null; broken: string[]; closed: boolean; log: string[] };

/** A command line that has to lead to its end. `isCounted`: its success means that all is so; `resumes`: so does that of its resumed run. */
type Goal = { words: string; way: Call['way']; isCounted: boolean; resumes: boolean };

/** So many printed commands are followed: one for each fault, and for what each of them leaves. */
const most = 5;
const asleep = 5_000;
/** So long a command may take where all is well. Milliseconds. */
const longest = 2_000;

/** "folded:move undone/3+5/lost after+renames/mailed/undo". */
export const titleOf = ({ world, name, isUndo, at, harms, since: meanwhile }: Root, way: Way) =>
  [`${world === 'plain' ? '' : `${world}:`}${name}${isUndo ? ' undone' : ''}`, at.join('+'), harms.join('+'), meanwhile, way]
    .filter((part) => part !== undefined)
    .join('/');

export function rootOf(title: string): { root: Root; way: Way } {
  const [head = '', at = '0', harms = 'none', ...rest] = title.split('/');
  const [world, named = head] = head.includes(':') ? head.split(':') : ['plain', head];
  const [way, meanwhile] = rest.toReversed() as [Way, string | undefined];
  const [name, isUndo] = [named.replace(/ undone$/, ''), named.endsWith(' undone')];
  return { root: { world: world ?? 'plain', name, isUndo, at: at.split('+').map(Number), harms: harms.split('+'), since: meanwhile }, way };
}

/** The method of each request of the undisturbed command, from the first one on. */
export async function requestsOf(world: string, name: string, isUndo: boolean): Promise<string[]> {
  const { office, main } = await begun({ world, name, isUndo });
  const from = office.tale.requests.length;
  await office.call(main, 'both');
  return office.tale.requests.slice(from).map(({ method }) => method);
}

/** A word of several words, as a shell passes it on, stays one. */
const asLine = (words: readonly string[] | undefined) => words?.map((word) => word.replaceAll(' ', '\u00a0')).join(' ');

const typed = (words: string) => `${words.replace(/ (--yes|--no-input)\b/g, '')}${isWriting(words.split(' ')) ? ' --yes --no-input' : ''}`;

/** The office when the story begins. */
async function begun({ world, name, isUndo }: Pick<Root, 'world' | 'name' | 'isUndo'>) {
  const command = commands[name] as Command;
  const office = new Office(world, command.wishes);
  const first = typed(command.line);
  if (!isUndo) return { office, command, main: first };
  await office.call(first, 'on');
  await office.clock.pass(asleep);
  return { office, command, main: typed(`runs undo ${await office.latest()}`) };
}

export async function tell(root: Root, chosen: readonly Way[] = ways): Promise<Told[]> {
  const { office, command, main } = await begun(root);
  const [on, back] = root.isUndo ? (['back', 'on'] as const) : (['on', 'back'] as const);
  const from = office.tale.requests.length;
  const harms = root.harms.flatMap((name, at): Harm[] => {
    const kind = { ...harmsOf(command, 'GET'), ...harmsOf(command, 'POST') }[name];
    return kind ? [{ ...kind, name, at: root.at[at] ?? 0 }] : [];
  });
  const laws = new Laws(office.tale);
  const isCalm = harms.length === 0 && root.since === undefined;
  const waited = ({ took, words }: Call) =>
    isCalm && took > longest ? [`nothing is wrong, but ${took / 1000} s were waited for [${words}]`] : [];
  const first = await office.call(main, on, harms);
  const alone: Told = {
    root,
    way: 'alone',
    hits: office.hits,
    code: first.code,
    broken: [...laws.judge(first, true), ...waited(first)],
    closed: false,
    log: logOf(office, from),
  };
  const told = chosen.includes('alone') ? [alone] : [];
  await office.clock.pass(asleep);
  const latest = await office.latest();
  const run = main.includes(String(latest)) ? undefined : latest;
  const meanwhile = root.since === undefined ? undefined : since[root.since];
  await meanwhile?.act(office, command);
  const isPassing = root.harms.every((name) => passing.has(name)) && (!meanwhile || meanwhile.calm === true);

  for (const way of chosen) {
    const isOver = first.code === 0 && root.since === undefined;
    if (way === 'alone' || (isOver && !way.startsWith('undo') && way !== 'again') || (first.code === 0 && way === 'printed')) continue;
    if (run === undefined && !['again', 'printed'].includes(way)) continue;
    if (meanwhile?.elsewhere && !['resume', 'undo', 'close'].includes(way)) continue;
    if (office.isOther && !(command.other && !root.isUndo && (way === 'again' || way === 'close'))) continue;
    const one = office.fork();
    const broken: string[] = [];
    const judge = new Laws(one.tale);
    const elsewhere = meanwhile?.elsewhere ? another(one) : undefined;
    let closed = false;
    const step = async (words: string, direction: Call['way'], counts = true) => {
      closed ||= words.startsWith('runs close');
      const call = await one.call(typed(words), direction, [], elsewhere);
      broken.push(...judge.judge(call, counts && direction !== 'none' && direction !== 'both'), ...waited(call));
      await one.clock.pass(asleep);
      return call;
    };
    const again = () => {
      if (!office.isOther) return step(main, on);
      one.tale.due = otherWishes[root.name] ?? [];
      one.tale.wishes = [...one.tale.due, ...command.wishes];
      return step(command.other ?? main, on);
    };
    let last = first;
    // What knows nothing of its file says of a resumed run only that the rest is planned anew.
    let goal: Goal = { words: main, way: on, isCounted: true, resumes: command.other === undefined || root.isUndo };
    if (way === 'again') last = await again();
    else if (way === 'resume') {
      // What an undo has left as it is, is no step of its run.
      goal.isCounted = !root.isUndo;
      last = await step(`runs resume ${run}`, on, goal.isCounted && goal.resumes);
    } else if (way === 'close') {
      last = await step(`runs close ${run}`, 'none');
      if (!elsewhere) last = await again();
    } else if (way.startsWith('undo')) {
      goal = { words: `runs undo ${run}`, way: back, isCounted: true, resumes: true };
      last = await step(goal.words, back);
      const undo = await one.latest();
      // What was not done at first is not done by what takes the undo back.
      if (way === 'undo undo' && undo !== run) {
        goal = { words: `runs undo ${undo}`, way: on, isCounted: first.code === 0, resumes: true };
        last = await step(goal.words, on, goal.isCounted);
      }
    }
    // What an undo has left as it is, is no step of its run.
    const isLeft = () => one.tale.calls.some(({ stderr }) => stderr.includes('Not undone'));
    const isIts = (words: string) => isOwn(words, { ...goal, resumes: goal.resumes && !isLeft() });
    for (let pasted = 0; !elsewhere && !office.isOther && pasted < most; ) {
      if (last.code === 0 && isIts(last.words)) break;
      const isLooked = last.code === null || last.code === 0 || [4, 6, 7, 8, 9, 10].includes(last.code);
      const isInVain = (line: readonly string[]) => one.tale.calls.filter((call) => call.words === typed(asLine(line) ?? '')).length >= 2;
      const words = (last.code === 0 ? undefined : asLine(wayOn(last.stderr, isInVain))) ?? (isLooked ? goal.words : undefined);
      // That nothing can be taken back is the answer: to go on with the run is another wish.
      if (words === undefined || (last.code === 11 && isOfUndone(words, goal))) break;
      // After a success that is not its own, the command is given again: nothing was printed to paste.
      pasted += last.code === 0 ? 0 : 1;
      last = await step(words, wayOf(words, goal), goal.isCounted && isIts(words));
    }
    if (last.code === 0 && !elsewhere && !office.isOther && !isIts(last.words)) last = await step(goal.words, goal.way, goal.isCounted);
    if (!elsewhere && !office.isOther && goal.isCounted)
      broken.push(...judge.judgeWay({ ...last, way: goal.way }, isPassing && way === 'printed'));
    await one.clock.pass(10 * asleep);
    broken.push(...judge.changes());
    if (elsewhere && last.code !== 3) broken.push(`with another service in force, it ends with ${last.code}`);
    told.push({ root, way, hits: office.hits, code: last.code, broken, closed, log: logOf(one, from) });
  }
  return told;
}

/** Whether a line asks for all of it: the command itself, with whatever options, or the resumption of its run. */
const isOwn = (words: string, goal: Goal) =>
  (words.startsWith('runs resume') && goal.resumes && !isOfUndone(words, goal)) ||
  goal.words.split(' ').every((word) => words.split(' ').includes(word));

/** Whoever undoes a run, and then resumes it, asks for the run itself. */
const isOfUndone = (words: string, goal: Goal) => words.replace('resume', 'undo').startsWith(goal.words);

/** What a printed command is for: a command of the same kind, or the resumption of its run, does what was asked for. */
function wayOf(words: string, goal: Goal): Call['way'] {
  const [noun, verb] = words.split(' ');
  if (verb === 'close' || verb === 'list' || verb === 'show') return 'none';
  const isSame = verb === 'undo' ? words.startsWith(goal.words) : goal.words.startsWith(`${noun} ${verb}`);
  const isResumed = verb === 'resume' && !isOfUndone(words, goal);
  return isSame || isResumed ? goal.way : 'both';
}

function logOf({ tale }: Office, from: number): string[] {
  const change = ({ by, kind, id, before, after }: (typeof tale.record)[number]) =>
    `    ${by} ${kind} ${id} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`;
  const calls = tale.calls.map(({ by, words, code, stderr, stdout }) => {
    const requests = tale.requests.slice(from).filter((one) => one.by === by);
    return [
      `${by}: proctor-cli ${words} → ${code ?? 'killed'}`,
      `    ${requests.map(({ line, told }) => line + (told ? '' : ' (!)')).join(', ')}`,
      `${stderr}${code === 0 ? '' : stdout}`.trim().replaceAll(/^/gm, '    '),
    ].join('\n');
  });
  return [...calls, ...tale.record.slice(tale.start).map(change)];
}
