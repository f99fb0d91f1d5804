/**
 * One story: a service of its family, intents drawn from the seed, each pursued through trouble; then the world calms down, and each
 * that is not at its end has three printed commands to get there.
 */
import type { Clock } from '../../support/clock.ts';
import { Service } from '../../support/service.ts';
import { after, begins, ends, minute } from '../../support/stage.ts';
import { drawIntent, undoRun } from '../intents/index.ts';
import { type Draw, type Intent, type Kinds, main, second } from '../intents/intent.ts';
import { judgeEnd } from '../oracle/judge-end.ts';
import { type Oracle, oracleOf, type Pursued } from '../oracle/oracle.ts';
import { type Family, families } from '../world/families.ts';
import { drawn } from '../world/random.ts';
import type { SmallDisk } from '../world/small-disk.ts';
import { atOnce } from './at-once.ts';
import type { Machine } from './machine.ts';
import type { Kills } from './process-machine.ts';
import { isOf, latestRun, type Outcome, pursue, type Scene } from './pursue.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** `isRight`: all is so that was asked for, or cannot be any more. `closed`: a run was given up on the way. The code is null after a signal. */
export type End = { code: number | null; isRight: boolean; closed: boolean };

/** What was told of a story: how long it was, how each of its intents ended in a calm world, and a sentence for each broken invariant. */
export type Told = {
  family: string;
  seed: number;
  invocations: number;
  kills: number;
  /** Requests that something happened to, deeds of colleagues, and interrupts. */
  faults: number;
  ends: End[];
  broken: string[];
  /** Each invocation with its end; and where something is broken, what was done. */
  log: string[];
};

/** Where a story takes place. */
export type Place = {
  clock: Clock;
  /** Time passes by itself: what is seconds in invented time is a hundredth of them. */
  isReal?: true;
  machine(service: Service): Machine | Promise<Machine>;
  kills?: Kills;
  /** All machines share one state. */
  shared?: true;
  /** That of the record, where it may be full. */
  disk?: SmallDisk;
  calm?(): Promise<void>;
  close?(): Promise<void>;
};

/** What those who tell a part of a story work with. `pass`: lets so many short waits pass. */
export type Telling = {
  service: Service;
  oracle: Oracle;
  trouble: Trouble;
  machines: readonly Machine[];
  scene(at: number, only?: Machine): Scene;
  pass(units: number): Promise<void>;
};

export type Left = { at: number; pursued: Pursued; outcome: Outcome };

/** Three commands as they were printed, and the own one once more. */
const stepsInCalm = 4;

export async function tell(familyName: string, seed: number, place: Place, kinds: Kinds, only?: (draw: Draw) => Intent): Promise<Told> {
  const family: Family = families[familyName] ?? {};
  const { clock, isReal, shared } = place;
  const unit = isReal ? 10 : 1_000;
  const pass = (units: number) => clock.pass(Math.min(units, isReal ? 40 : units) * unit);
  const random = drawn(seed, familyName);
  const { habits = {}, taken } = family;
  const service = new Service({ clock, habits, taken, showing: family.showing?.(random, unit) ?? {} });
  if (isReal) await service.listen();
  const [log, ends, broken]: [string[], End[], string[]] = [[], [], []];
  const { truth } = service;
  furnish(service, only ? 3 : random.below(7), seed, !isReal && !family.jumps && random.chance(0.15));
  await pass(60);
  const machines: Machine[] = [];
  while (machines.length < (family.machines ?? (family.atOnce ? 2 : 1))) machines.push(await place.machine(service));
  const oracle = oracleOf(service, family, machines);
  /** Machines with one state are one to those who judge. */
  const states = shared || family.atOnce ? [0] : [...machines.keys()];
  const trouble = troubleOf(family, service, seed, unit, place.disk);

  const troubles = service.onArrival;
  service.onArrival = (request) => {
    // The record of a team is not on a machine.
    if (!shared) oracle.arrives(request);
    return troubles(request);
  };

  /** With a shared state each command may be given on another machine, unless `only` says on which. */
  const scene = (at: number, only?: Machine): Scene => ({
    oracle,
    machine: () => only ?? (states.length < machines.length ? random.pick(machines) : (machines[at] as Machine)),
    given: (intent) => trouble.given(intent),
    // How long an amount is remembered, a clock that jumps does not say.
    repeats: () => trouble.on && !family.jumps && random.chance(0.3),
    async meanwhile({ code }) {
      // What an exam that is running forbids, a person does when it is over.
      if (code === 12 && !isReal)
        await clock.pass(Math.max(0, Date.parse(String(truth.exams.get(main)?.end_time)) - clock.now()) + 600 * minute);
      if (trouble.on && family.jumps) clock.jump(random.pick([-3_600_000, -5_000, 7_000, 86_400_000]));
      await pass(random.pick([1, 1, 20, 300]));
    },
    log: (line) => log.push(line),
  });
  const telling: Telling = { service, oracle, trouble, machines, scene, pass };

  const left: Left[] = [];
  for (let number = 1; number <= (only ? 1 : 2 + random.below(3)); number += 1) {
    const at = random.below(states.length);
    const draw: Draw = { random, truth, machine: scene(at).machine(), number, kinds };
    // What is not at its end may be left for later, or for the next command.
    if (family.atOnce) {
      const more = await atOnce(telling, draw);
      for (const { at: on, pursued } of more) dropEdited(pursued.intent, on);
      left.push(...more.filter(({ pursued }) => !left.some((one) => isUnfinished(one, pursued.intent))));
    } else {
      const intent = only?.(draw) ?? (await undoOf(left, at, draw, oracle.invocationsOf(at), scene(at))) ?? drawIntent(draw);
      left.push(...(family.again ? [await again(telling, intent, random.below(3))] : await episode(intent, at)));
    }
    await pass(random.pick([1, 30, 600]));
  }

  trouble.calm();
  if (place.kills) place.kills.over = true;
  await place.calm?.();
  await pass(200);
  oracle.judgeChanges();
  for (const { at, pursued, outcome } of left) {
    const { words } = outcome;
    if (words !== undefined) await scene(at).meanwhile(outcome.ended);
    const last = words === undefined ? outcome : await pursue(scene(at), pursued, stepsInCalm, words);
    await pass(200);
    oracle.judgeChanges();
    const judged = judgeEnd(family, pursued, last);
    broken.push(...judged.broken);
    ends.push({ code: last.ended.code, isRight: judged.isRight, closed: outcome.closed || last.closed });
  }
  broken.unshift(...oracle.broken);
  if (broken.length > 0) log.push(...recordOf(service));
  service.close();
  const [invocations, kills] = [oracle.number() - 1, place.kills?.landed ?? 0];
  return { family: familyName, seed, invocations, kills, faults: trouble.hits, ends, broken, log };

  /** What an edited file no longer says, nobody wants any more. */
  function dropEdited(intent: Intent, at: number): void {
    const isEdited = ({ edited }: Intent) => edited !== undefined && intent.edited !== undefined && edited !== intent.edited;
    left.splice(0, left.length, ...left.filter((one) => one.at !== at || !isEdited(one.pursued.intent)));
  }

  /** One intent on one machine; an import on both, where there are two. */
  async function episode(intent: Intent, at: number): Promise<Left[]> {
    trouble.intent = intent;
    dropEdited(intent, at);
    const begun = states.map((other) => {
      const found = left.findIndex((one) => one.at === other && isUnfinished(one, intent));
      return { at: other, pursued: left.splice(found, found < 0 ? 0 : 1)[0]?.pursued ?? oracle.begins(intent, other) };
    });
    type Begun = (typeof begun)[number] & { only?: Machine };
    const isBoth = machines.length > 1 && intent.kind === 'sessions import';
    const both: Begun[] = isBoth
      ? machines.map((only, other) => ({ ...(begun[shared ? 0 : other] as Begun), only }))
      : begun.filter((one) => one.at === at);
    return Promise.all(
      both.map(async (one) => ({ ...one, outcome: await pursue(scene(one.at, one.only), one.pursued, 1 + random.below(3)) })),
    );
  }
}

/** A job: the same command, a minute later and once more, whatever it said. */
async function again({ oracle, scene, trouble, pass }: Telling, intent: Intent, more: number): Promise<Left> {
  trouble.intent = intent;
  const pursued = oracle.begins(intent, 0);
  const words = intent.words.filter((word) => word !== '--again');
  let outcome = await pursue(scene(0), pursued, 1);
  for (let times = 0; times <= more; times += 1) {
    await pass(60);
    outcome = await pursue(scene(0), pursued, 1, words);
  }
  return { at: 0, pursued, outcome };
}

/** The same command is the same intent, as long as it is not at its end. */
const isUnfinished = ({ outcome, pursued }: Left, { words }: Intent) => outcome.ended.code !== 0 && isOf(pursued.intent, words.join(' '));

/** Two exams, of which the first has a few students and may be running; proctors in its pool. */
function furnish({ truth, clock }: Service, students: number, seed: number, isRunning: boolean) {
  const random = drawn(seed, 'furniture');
  const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  // Running, or just over.
  const begun = random.pick([-30, -30, -150]);
  const [start_time, end_time] = isRunning ? [after(now, begun), after(now, begun + 120)] : [begins, ends];
  truth.createExam({ name: 'Linear Algebra', start_time, end_time, allow_pen_paper: true }, 'colleague', main);
  truth.createExam({ name: 'Second date', start_time: after(begins, 2880), end_time: after(ends, 2880) }, 'colleague', second);
  truth.pool(main, [1 + random.below(3)], 'add');
  for (let at = 0; at < students; at += 1) {
    const close_time = random.chance(0.4) ? after(end_time, random.below(60)) : null;
    const open_time = random.chance(0.2) ? after(start_time, random.below(30)) : null;
    const status = isRunning ? random.pick(['exam_started', 'exam_finished', 'registered', 'registered']) : 'registered';
    const who = { email: `student${at}${at === 3 ? '+tag' : ''}@example.org`, name: `Student ${at}` };
    truth.createSession(main, { ...who, open_time, close_time, status });
  }
  truth.createSession(second, { email: 'student0@example.org', name: 'Student 0', close_time: after(ends, 2900) });
}

/** Sometimes the next intent is to undo the latest run of this machine. */
async function undoOf(left: Left[], at: number, draw: Draw, past: ReadonlySet<number>, scene: Scene): Promise<Intent | undefined> {
  const last = left.findLast((one) => one.at === at);
  if (!last || !draw.random.chance(0.25)) return undefined;
  const latest = await latestRun(scene);
  if (!latest) return undefined;
  // Nobody wants what they have undone.
  left.splice(0, left.length, ...left.filter((one) => one.at !== at));
  // By a clock that jumped, the latest run is one of an earlier command, such as the one that was undone just now.
  const { intent, sight } = last.pursued;
  const isIts = latest.done > 0 && latest.command.startsWith(intent.words.slice(0, 2).join(' '));
  return undoRun(draw, latest.run, past, isIts ? sight.invocations : new Set(), intent.kind === 'sessions move');
}

/** Every change of the service, for whoever reads the log. */
function recordOf({ truth, arrived }: Service): string[] {
  return truth.record.map(({ at, by, cause, kind, id, before, after }) => {
    const request = arrived.find(({ index: n }) => n === cause);
    const reply = request?.reply ? ` reply ${JSON.stringify(request.reply)}` : '';
    return `  ${new Date(at).toISOString()} ${by} ${kind} ${id} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}${reply}`;
  });
}
