/**
 * One story: a service of its family, intents drawn from the seed, each pursued through trouble; then the world calms down, and each
 * that is not at its end has four steps to get there.
 */
import { CliError } from '../../../src/errors.ts';
import type { Clock } from '../../support/clock.ts';
import { type Arrived, Service } from '../../support/service.ts';
import { drawIntent } from '../intents/index.ts';
import { type Draw, type Intent, laterBy, main, second } from '../intents/intent.ts';
import { undoRun } from '../intents/undo.ts';
import { brokenDryRun } from '../oracle/dry-run.ts';
import { judgeEnd } from '../oracle/end.ts';
import { Oracle, type Pursued } from '../oracle/oracle.ts';
import { doDeed } from '../world/colleague.ts';
import { drawn } from '../world/draw.ts';
import { type Family, families } from '../world/families.ts';
import type { Given, Machine, Numbers } from './machine.ts';
import { type Outcome, pursue, type Scene } from './pursue.ts';
import { begins, ends } from './stage.ts';
import type { Told } from './told.ts';

/** Where a story takes place. */
export type Place = {
  clock: Clock;
  /** A short wait: milliseconds. */
  unit: number;
  /** The longest wait, in short ones. */
  longest: number;
  machine(service: Service, numbers: Numbers): Machine | Promise<Machine>;
  /** How often something was killed, stopped or cut so far; `over` is set when nothing more may be. */
  kills?: { readonly landed: number; over: boolean };
  /** All machines share one state, in which the lock of a killed process lives so many milliseconds. */
  shared?: { lockLives: number };
  /** Ends the trouble of the place. */
  calm?(): Promise<void>;
  close?(): Promise<void>;
};

const stepsInCalm = 4;

export async function tell(familyName: string, seed: number, place: Place): Promise<Told> {
  const family: Family = families[familyName] ?? {};
  const { clock, unit } = place;
  const pass = (units: number) => clock.pass(Math.min(units, place.longest) * unit);
  const random = drawn(seed, familyName);
  const { habits = {}, taken } = family;
  const service = new Service({ clock, habits, taken, showing: family.showing?.(random, unit) ?? {} });
  if (family.signal) await service.listen();
  const told: Told = { family: familyName, seed, invocations: 0, kills: 0, broken: [], log: [] };
  const { truth } = service;
  furnish(service, random.below(7), seed);
  await pass(60);
  const oracle = new Oracle(service, family);
  const numbers: Numbers = { last: 0 };
  const machines: Machine[] = [];
  while (machines.length < (family.machines ?? 1)) machines.push(await place.machine(service, numbers));
  const { shared } = place;
  /** Machines with one state are one to those who judge. */
  const states = shared ? [0] : [...machines.keys()];
  const trouble = troubleOf(family, service, seed, unit);

  /** With a shared state each command may be given on another machine, unless `only` says on which. */
  const scene = (at: number, only?: Machine): Scene => ({
    oracle,
    machine: () => only ?? (shared ? random.pick(machines) : (machines[at] as Machine)),
    given: (intent) => trouble.given(intent),
    consents: () => !trouble.on && random.chance(0.7),
    async meanwhile({ stderr }) {
      // As the hint says: wait for as long as a lock lives.
      if (shared && stderr.includes(' is at it.')) await clock.pass(shared.lockLives);
      if (trouble.on && family.jumps) clock.jump(random.pick([-3_600_000, -5_000, 7_000, 86_400_000]));
      await pass(random.pick([0, 1, 20, 300]));
    },
    log: (line) => told.log.push(line),
  });

  const left: { at: number; pursued: Pursued; outcome: Outcome }[] = [];
  const past = states.map(() => new Set<number>());
  for (let number = 1; number <= 2 + random.below(3); number += 1) {
    const at = random.below(states.length);
    const machine = scene(at).machine();
    const draw: Draw = { random, truth, machine, number };
    const intent = (await undoOf(left, at, draw, past[at] ?? new Set(), scene(at))) ?? drawIntent(draw);
    trouble.addresses = intent.addresses ?? [];
    // What an edited file no longer says, nobody wants any more.
    const isEdited = ({ edited }: Intent) => edited !== undefined && intent.edited !== undefined && edited !== intent.edited;
    left.splice(0, left.length, ...left.filter((one) => one.at !== at || !isEdited(one.pursued.intent)));
    // The same command is the same intent, as long as it is not at its end.
    const begun = states.map((other) => {
      const found = left.findIndex((one) => one.at === other && one.outcome.ended.code !== 0 && sameWords(one.pursued.intent, intent));
      return { at: other, pursued: left.splice(found, found < 0 ? 0 : 1)[0]?.pursued ?? oracle.begins(intent, other) };
    });
    // The second machine wants the same at the same time, where there is one and it is an import.
    const isBoth = machines.length > 1 && intent.kind === 'sessions import';
    type Begun = (typeof begun)[number] & { only?: Machine };
    const both: Begun[] = isBoth
      ? machines.map((only, other) => ({ ...(begun[shared ? 0 : other] as Begun), only }))
      : begun.filter((one) => one.at === at);
    if (family.restores) machine.backUp();
    // Where nothing comes between, the run is what the dry run printed.
    const isQuiet =
      !family.faults && !family.colleague && !family.signal && !family.interrupts && left.every((one) => one.outcome.ended.code === 0);
    const known = new Set([...truth.exams.keys(), ...truth.sessions.keys()].map(String));
    const dry = isQuiet && random.chance(0.4) ? await machine.run([...intent.words, '--dry-run', '-o', 'json']) : undefined;
    const first = numbers.last + 1;
    const outcomes = await Promise.all(
      both.map(async (one) => ({ ...one, outcome: await pursue(scene(one.at, one.only), one.pursued, 1 + random.below(3)) })),
    );
    const [only] = outcomes;
    if (dry && only && outcomes.length === 1 && only.outcome.ended.by === first) {
      told.log.push(`${dry.by}: proctor-cli ${dry.words.join(' ')} → ${dry.code}`);
      told.broken.push(...brokenDryRun(service, dry, only.outcome.ended, known));
    }
    const isRestored = family.restores && random.chance(0.7) && machine.restore();
    if (isRestored) told.log.push('the state was restored from a backup');
    for (const one of outcomes) for (const by of one.pursued.sight.invocations) past[one.at]?.add(by);
    // What is not at its end may be left for later, or for the next command.
    left.push(...outcomes);
    // What was done since the backup is not known: a person looks before something relative is done once more.
    const isLeft = (one: (typeof left)[number]) => one.at !== at || !one.pursued.intent.relative || one.outcome.ended.code === 0;
    if (isRestored) left.splice(0, left.length, ...left.filter(isLeft));
    await pass(random.pick([0, 30, 600]));
  }

  trouble.calm();
  if (place.kills) place.kills.over = true;
  await place.calm?.();
  await pass(200);
  oracle.judgeChanges();
  for (const { at, pursued, outcome } of left) {
    const { words } = outcome;
    const last = words === undefined ? outcome : await pursue(scene(at), pursued, stepsInCalm, words);
    await pass(200);
    oracle.judgeChanges();
    told.broken.push(...judgeEnd(family, pursued, last));
  }
  told.broken.unshift(...oracle.broken);
  told.invocations = numbers.last;
  told.kills = place.kills?.landed ?? 0;
  told.log.push(...(told.broken.length > 0 ? recordOf(service) : []));
  service.close();
  return told;
}

const sameWords = (one: Intent, other: Intent) => one.words.join('\n') === other.words.join('\n');

/** Two exams, of which the first has a few students; proctors in its pool. */
function furnish({ truth }: Service, students: number, seed: number) {
  const random = drawn(seed, 'furniture');
  truth.createExam({ name: 'Linear Algebra', start_time: begins, end_time: ends, allow_pen_paper: true }, 'colleague', main);
  truth.createExam({ name: 'Second date', start_time: laterBy(begins, 2880), end_time: laterBy(ends, 2880) }, 'colleague', second);
  truth.pool(main, [1 + random.below(3)], 'add');
  for (let at = 0; at < students; at += 1) {
    const close_time = random.chance(0.4) ? laterBy(ends, random.below(60)) : null;
    truth.createSession(main, { email: `student${at}${at === 3 ? '+tag' : ''}@example.org`, name: `Student ${at}`, close_time });
  }
  truth.createSession(second, { email: 'student0@example.org', name: 'Student 0' });
}

/** Faults, colleagues, answers and Ctrl-C, as they are drawn for this story, until it calms down. */
function troubleOf(family: Family, service: Service, seed: number, unit: number) {
  const trouble = {
    on: true,
    addresses: [] as readonly string[],
    calm() {
      trouble.on = false;
      service.fault = () => undefined;
      service.onArrival = () => {};
      service.onAnswer = () => {};
    },
    given(intent: Intent): Given {
      const random = drawn(seed, 'given', service.arrived.length, intent.kind);
      if (!trouble.on) return {};
      if (family.interrupts && random.chance(0.5)) {
        const stop = new AbortController();
        const at = service.arrived.length + 1 + random.below(12);
        interrupting = { at, stop };
        return { interrupt: stop.signal };
      }
      if (!intent.asks || !family.colleague || family.signal || random.chance(0.5)) return {};
      const answer = async () => {
        if (random.chance(0.5)) act(random.below(1_000_000));
        await service.clock.pass((1 + random.below(120)) * unit);
        return true;
      };
      return { tty: true, answers: Array.from({ length: 8 }, () => answer) };
    },
  };
  let interrupting: { at: number; stop: AbortController } | undefined;
  let deeds = 0;
  function act(draw: number) {
    const random = drawn(seed, 'deed', draw);
    const chosen = random.pick(family.colleague?.deeds ?? []);
    // Between two pages, two readings can show all only if one student at a time is deleted.
    deeds += 1;
    if (deeds <= 6) doDeed(service.truth, random, chosen, main, trouble.addresses);
  }
  service.fault = (request) => {
    const random = drawn(seed, 'fault', request.method, request.path, String(request.body.email ?? ''), request.again);
    return family.faults && random.chance(family.faults.share) ? family.faults.of(request, random, unit) : undefined;
  };
  const between = ({ n }: Arrived, when: string) => {
    const random = drawn(seed, when, n);
    if (family.colleague && random.chance(family.colleague.share / 2)) act(n * 2 + when.length);
    if (family.jumps && random.chance(0.03)) service.clock.jump(random.pick([-60_000, 3_600_000]));
    if (interrupting && n >= interrupting.at) interrupting.stop.abort(new CliError('interrupted', 'Stopped by Ctrl-C.'));
  };
  service.onArrival = (request) => between(request, 'arrival');
  service.onAnswer = (request) => between(request, 'answer');
  return trouble;
}

/** Sometimes the next intent is to undo the latest run of this machine. */
async function undoOf(
  left: { at: number; pursued: Pursued; outcome: Outcome }[],
  at: number,
  draw: Draw,
  past: ReadonlySet<number>,
  scene: Scene,
): Promise<Intent | undefined> {
  const last = left.findLast((one) => one.at === at);
  if (!last || !draw.random.chance(0.25)) return undefined;
  const { code, stdout } = await scene.machine().run(['runs', 'list', '-o', 'json']);
  const [latest] = code === 0 ? (JSON.parse(stdout) as Record<string, unknown>[]) : [];
  const run = latest?.run ?? latest?.id;
  if (run === undefined) return undefined;
  // Nobody wants what they have undone.
  left.splice(0, left.length, ...left.filter((one) => one.at !== at));
  return undoRun(draw, String(run), past, last.pursued.sight.invocations);
}

/** Every change of the service, for whoever reads the log. */
function recordOf({ truth, arrived }: Service): string[] {
  return truth.record.map(({ at, by, cause, kind, id, before, after }) => {
    const request = arrived.find(({ n }) => n === cause);
    const reply = request?.reply ? ` reply ${JSON.stringify(request.reply)}` : '';
    return `  ${new Date(at).toISOString()} ${by} ${kind} ${id} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}${reply}`;
  });
}
