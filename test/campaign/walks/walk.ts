/**
 * A walk: an office drawn from the seed, some commands in a row, now and then with a fault, a colleague or some time between; then each run
 * is undone, mostly in reverse. A part of a walk has a name, by which all of it is drawn: what is left out changes no other part.
 */

import { removeTemporaryFolders, temporaryFolder } from '../../support/run.ts';
import { after } from '../../support/stage.ts';
import { inProcesses } from '../every/every.ts';
import { harmsOf, since } from '../every/harms.ts';
import { type Harm, Office, worlds } from '../every/office.ts';
import { type Episode, Walked } from '../oracle/walked.ts';
import type { Call } from '../oracle/wish.ts';
import { isWriting, wayOn } from '../story/pursue.ts';
import { drawn as drawnFrom, type Random } from '../world/random.ts';
import { type Deed, drawDeed } from './deeds.ts';

/** `parts`: those that were told. */
export type Told = { title: string; codes: (number | null)[]; parts: string[]; broken: string[]; log: string[] };
type Run = { run: string; name: string; home: number; episode: Episode };

const minute = 60_000;
/** After these a person tries once more. */
const repeated = new Set<number | null>([null, 7, 8, 9, 10]);
const meanwhile = ['extended', 'renamed', 'moved on', 'shifted', 'taken', 'mailed', 'clock on', 'clock back'];
const nothing: Deed = { line: '', wishes: [], does: () => {} };

/** "7:123", or with the parts that are told: "7:123/c1,c4,u1". */
export async function walk(title: string): Promise<Told> {
  const [head = '', kept] = title.split('/');
  const [seed = 0, number = 0] = head.split(':').map(Number);
  const chosen = kept === undefined ? undefined : new Set(kept.split(','));
  const parts: string[] = [];
  const has = (part: string) => {
    if (chosen?.has(part) === false) return false;
    parts.push(part);
    return true;
  };
  const draw = (part: string) => drawnFrom(seed, 'walk', number, part);
  const office = furnished(draw('world'));
  const { truth } = office.service;
  const laws = new Walked(office.tale);
  const share = draw('faults').pick([0.05, 0.2, 0.5]);
  const isApart = draw('machines').chance(0.2);
  const homes = [office.home, temporaryFolder()];
  const [episodes, runs, broken]: [Episode[], Run[], string[]] = [[], [], []];
  const from = () => truth.record.length;
  /** Runs that are known, and those that were undone before: what has changed since is not theirs. */
  const [known, undone] = [new Set<string>(), new Set<string>()];
  let isUndone = true;
  const begins = (line: string, moves: boolean) => {
    const episode: Episode = { line, moves, calls: [], from: from() };
    episodes.push(episode);
    return episode;
  };
  const faults = (random: Random, part: string, deed = nothing): Harm[] => {
    const all = harmsOf(deed, 'POST');
    const one = (which: string): Harm[] => {
      const [name, at] = [random.pick(Object.keys(all)), 1 + random.below(1 + random.below(16))];
      return random.chance(share) && has(which) ? [{ ...all[name], name, at }] : [];
    };
    return [...one(part), ...one(`${part}+`)];
  };

  /** One invocation; the runs that it has begun. */
  async function call(line: string, episode: Episode, home: number, harms: Harm[] = []): Promise<string[]> {
    office.home = homes[home] as string;
    episode.calls.push(await office.call(`${line}${isWriting(line.split(' ')) ? ' --yes --no-input' : ''}`, 'both', harms));
    homes[home] = office.home;
    await office.clock.pass(5_000);
    const made = (await office.runs()).filter((run) => !known.has(run)).reverse();
    for (const run of made) known.add(run);
    return made;
  }

  async function step(part: string): Promise<void> {
    const random = draw(part);
    const drawn = () => drawDeed(draw(`d${part}`), truth);
    const home = isApart && random.chance(0.4) ? 1 : 0;
    if (random.chance(0.15) && has(`s${part}`)) await since[random.pick(meanwhile)]?.act(office, drawn() ?? nothing);
    if (random.chance(0.15)) await office.clock.pass(random.pick([1, 11, 61, 1440]) * minute);
    const deed = drawn();
    if (!deed || !has(part)) return;
    const episode = begins(deed.line, deed.moves === true);
    const back = truth.point();
    deed.does(truth);
    episode.aim = laws.at(from(), episodes);
    back();
    const harms = faults(random, `f${part}`, deed);
    for (let tries = 1, line = deed.line; ; tries += 1) {
      const made = await call(line, episode, home, tries === 1 ? harms : []);
      const last = episode.calls.at(-1) as Call;
      // What a printed undo has taken back is of its run.
      for (const run of line.startsWith('runs undo') ? [] : made) runs.push({ run, name: `${part}.${tries}`, home, episode });
      broken.push(...laws.judge(last, episode, episodes));
      if (tries === 3 || !(repeated.has(last.code) ? random.chance(0.7) : random.chance(0.1)) || !has(`${part}.${tries}`)) return;
      const run = runs.findLast((one) => one.episode === episode)?.run;
      const printed = wayOn(last.stderr)?.join(' ') ?? '';
      const isOfRun = /^runs (resume|undo)/.test(printed) && random.chance(0.5);
      line = isOfRun ? printed : run && random.chance(0.3) ? `runs resume ${run}` : deed.line;
    }
  }

  /** Whether it is undone; undefined where that is left out. */
  async function undo({ run, name, home, episode }: Run, depth = 0): Promise<boolean | undefined> {
    const part = `u${depth}-${name}`;
    if (!has(part)) return undefined;
    const random = draw(part);
    const own = begins(`runs undo ${run}`, episode.moves);
    const harms = faults(random, `f${part}`);
    const isAll = depth > 0 || (!undone.has(run) && runs.filter((one) => one.episode === episode).length === 1);
    const is = (isIts: boolean) => {
      if (isIts || own.calls.some(({ code }) => code === 9)) undone.add(run);
      return isIts;
    };
    for (let tries = 1; ; tries += 1) {
      const n = from();
      const made = await call(own.line, own, home, tries === 1 ? harms : []);
      const last = own.calls.at(-1) as Call;
      broken.push(...laws.judgeUndo(own.calls, n, episode.calls, isAll, episodes));
      if (last.code === 0 && tries === 1 && made[0] && depth < 3 && random.chance(depth % 2 ? 0.7 : 0.2))
        return is(!(await undo({ run: made[0], name, home, episode: own }, depth + 1)));
      if (tries === 3 || !repeated.has(last.code) || !has(`${part}.${tries}`)) {
        isUndone &&= last.code === 0 && !own.calls.some(({ code }) => code === 9);
        return is(last.code === 0);
      }
      if (random.chance(0.3)) await office.clock.pass(11 * minute);
    }
  }

  const random = draw('all');
  const most = 3 + random.below(5);
  for (let n = 1; n <= most; n += 1) {
    await step(`c${n}`);
    const between = draw(`m${n}`);
    const [one] = between.chance(0.12) ? runs.slice(between.below(runs.length)) : [];
    if (one) await undo({ ...one, name: `${one.name}-${n}` });
  }
  const isShuffled = random.chance(0.5);
  const order = isShuffled ? runs.toSorted((one, other) => draw(one.name).next() - draw(other.name).next()) : runs.toReversed();
  for (const one of order) {
    const other = draw(`o${one.name}`);
    const words = other.pick([`runs close ${one.run}`, 'runs forget --exam 6', 'runs forget --student ada@example.org']);
    if (other.chance(0.06) && has(`o${one.name}`)) await call(`${words} --yes`, begins(words, false), one.home);
    isUndone = (other.chance(0.95) && (await undo(one))) === true && isUndone;
  }
  broken.push(...laws.judgeEnd(isUndone, !isApart, episodes));
  const { calls, record, start, requests } = office.tale;
  const log = calls.flatMap(({ by, words, code, stdout, stderr }) => [
    `${by}: proctor-cli ${words} → ${code ?? 'killed'}`,
    `    ${requests
      .filter((one) => one.by === by)
      .map(({ line, told }) => line + (told ? '' : ' (!)'))
      .join(', ')}`,
    `${stderr}${code === 0 ? '' : stdout}`.trim().replaceAll(/^/gm, '    '),
  ]);
  const changes = record
    .slice(start)
    .map((one) => `    ${one.by} ${one.kind} ${one.id} ${JSON.stringify(one.before ?? null)} → ${JSON.stringify(one.after ?? null)}`);
  return { title, codes: calls.map(({ code }) => code), parts, broken, log: [...log, ...changes] };
}

/** Three exams with a few more students, some of whom were mailed. */
function furnished(random: Random): Office {
  const office = new Office(random.chance(0.7) ? 'plain' : random.pick(Object.keys(worlds)), []);
  const { truth } = office.service;
  for (const name of ['eve', 'fay', 'hal', 'ida', 'jan']) {
    const { id, start_time, end_time } = random.pick([...truth.exams.values()]);
    const open_time = random.chance(0.3) ? after(start_time, 10) : null;
    const close_time = random.chance(0.5) ? after(end_time, random.below(60)) : null;
    const who = { email: `${name}@example.org`, name: `${name[0]?.toUpperCase()}${name.slice(1)}` };
    if (random.chance(0.6)) truth.createSession(id, { ...who, open_time, close_time });
  }
  if (random.chance(0.2)) truth.mail(7);
  if (random.chance(0.1)) truth.change('session', 12, { status: random.pick(['check_started', 'exam_started', 'exam_finished']) });
  truth.pool(7, [2, 3], 'add');
  office.tale.start = truth.record.length;
  return office;
}

/** A walk; one that breaks a law, with as few parts as do. */
export async function walked(title: string): Promise<Told> {
  let least = await walk(title);
  for (const part of least.broken.length > 0 ? least.parts.toReversed() : []) {
    const less = await walk(`${title.split('/')[0]}/${least.parts.filter((one) => one !== part)}`);
    if (less.broken.length > 0) least = less;
  }
  removeTemporaryFolders();
  return least;
}

/** So many walks of a seed, or one. The status is that of a test. */
export async function tellWalks({ walks, seed, only }: { walks: number; seed: number; only?: string | undefined }): Promise<void> {
  if (only !== undefined) console.log((await walk(only)).log.join('\n'));
  const started = Date.now();
  const codes = new Map<number | null, number>();
  let broken = 0;
  await inProcesses<Told>(only ? [only] : Array.from({ length: walks }, (_, at) => `${seed}:${at + 1}`), (told) => {
    for (const code of told.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
    if (told.broken.length === 0) return broken;
    console.log(`\nnpm run campaign -- --walks 1 --only ${told.title}\n  ${told.broken.join('\n  ')}\n${only ? '' : told.log.join('\n')}`);
    return ++broken;
  });
  const ends = [...codes].map(([code, count]) => `${code ?? 'killed'}: ${count}`).sort();
  console.log(`${only ? 1 : walks} walks, ${broken} broken, ${Math.round((Date.now() - started) / 1000)} s, ends with ${ends.join(', ')}`);
  if (broken > 0) process.exitCode = 1;
}
