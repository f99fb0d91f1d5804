/** Where a story takes place: in this process and invented time, or in real processes, which are killed and stopped. */
import { inventedClock, realClock } from '../world/clock.ts';
import { families } from '../world/families.ts';
import { machineHere } from './machine.ts';
import { processMachine } from './process-machine.ts';
import { today } from './stage.ts';
import { type Place, tell } from './story.ts';
import type { Told } from './told.ts';

export function here(): Place {
  const clock = inventedClock(today);
  return { clock, unit: 1_000, longest: Number.POSITIVE_INFINITY, machine: (service, numbers) => machineHere(service, clock, numbers) };
}

/** Of the built program; `signal`: what happens to its processes. */
export function ofProcesses(seed: number, signal: 'SIGKILL' | 'SIGSTOP'): Place {
  const kills = { landed: 0, over: false };
  return {
    clock: realClock(),
    unit: 10,
    longest: 40,
    kills,
    machine: (service, numbers) => processMachine(service, numbers, { seed, signal, kills }),
  };
}

/** Tells the story of a family and a seed. */
export function toldOf(family: string, seed: number): Promise<Told> {
  const signal = families[family]?.signal;
  return tell(family, seed, signal ? ofProcesses(seed, signal) : here());
}
