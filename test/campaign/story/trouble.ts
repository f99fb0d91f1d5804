/** Faults, colleagues, answers and Ctrl-C, as they are drawn for a story, until it calms down. */
import { CliError } from '../../../src/errors.ts';
import type { Arrived, Service } from '../../support/service.ts';
import type { Intent } from '../intents/intent.ts';
import { doDeed, type Family } from '../world/families.ts';
import { drawn } from '../world/random.ts';
import type { SmallDisk } from '../world/small-disk.ts';
import type { Given } from './machine.ts';

/** Between two pages, two readings can show all only if one student at a time is deleted. */
const mostDeeds = 6;

/** `disk`: that of the record, where it may be full. */
export function troubleOf(family: Family, service: Service, seed: number, unit: number, disk?: SmallDisk) {
  let interrupting: { at: number; stop: AbortController } | undefined;
  let deeds = 0;
  let others = 0;
  const trouble = {
    on: true,
    /** Answers to writes are lost, whatever the family. */
    loses: false,
    /** What the person is about. */
    intent: undefined as Intent | undefined,
    /** How often something was done to the program or the service. */
    get hits() {
      return deeds + others + service.arrived.filter(({ reply }) => reply !== undefined).length;
    },
    calm() {
      trouble.on = false;
      disk?.free();
      service.fault = () => undefined;
      service.onArrival = () => {};
      service.onAnswer = () => {};
    },
    given(intent: Intent): Given {
      const random = drawn(seed, 'given', service.arrived.length, intent.kind);
      if (!trouble.on) return {};
      if (disk && random.chance(0.3)) fill();
      if (family.again) return random.chance(0.5) ? { env: { CI: 'true' } } : {};
      if (family.interrupts && random.chance(0.5)) {
        const stop = new AbortController();
        interrupting = { at: service.arrived.length + 1 + random.below(12), stop };
        return { interrupt: stop.signal };
      }
      if (!intent.asks || !family.colleague || family.signal || random.chance(0.5)) return {};
      const answer = async (question: string) => {
        if (random.chance(0.5)) act(random.below(1_000_000));
        await service.clock.pass((1 + random.below(120)) * unit);
        if (question.startsWith('Which exam is')) return 'it is new';
        // Whether an amount was set before, a person looks up.
        return !question.includes('Once more');
      };
      return { tty: true, answers: Array.from({ length: 8 }, () => answer) };
    },
  };
  function act(draw: number) {
    const random = drawn(seed, 'deed', draw);
    const chosen = random.pick(family.colleague?.deeds ?? []);
    deeds += 1;
    if (deeds <= mostDeeds) doDeed(service.truth, random, chosen, trouble.intent);
  }
  function fill() {
    others += 1;
    disk?.fill();
  }
  service.fault = (request) => {
    if (trouble.loses) return request.method === 'GET' ? undefined : { answer: 'lost' };
    const random = drawn(seed, 'fault', request.method, request.path, String(request.body.email ?? ''), request.countOfLine);
    return random.chance(family.faults?.share ?? 0) ? family.faults?.of(request, random, unit, service) : undefined;
  };
  const between = ({ index: n }: Arrived, when: string) => {
    const random = drawn(seed, when, n);
    if (family.colleague && random.chance(family.colleague.share / 2)) act(n * 2 + when.length);
    if (family.jumps && random.chance(0.03)) service.clock.jump(random.pick([-60_000, 3_600_000]));
    if (disk && random.chance(0.2)) random.chance(0.5) ? fill() : disk.free();
    if (!interrupting || n < interrupting.at || interrupting.stop.signal.aborted) return;
    others += 1;
    interrupting.stop.abort(new CliError('interrupted', 'Stopped by Ctrl-C.'));
  };
  service.onArrival = (request) => between(request, 'arrival');
  service.onAnswer = (request) => between(request, 'answer');
  return trouble;
}

export type Trouble = ReturnType<typeof troubleOf>;
