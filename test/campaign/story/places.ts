/** Where a story takes place: in this process and invented time, or in real processes, which are killed and stopped. */
import { inventedClock, realClock } from '../../support/clock.ts';
import { type Family, families } from '../world/families.ts';
import { lockLives, teamDatabase } from '../world/team-database.ts';
import { machineHere } from './machine.ts';
import { builtHere, type Command, processMachine } from './process-machine.ts';
import { today } from './stage.ts';
import { type Place, tell } from './story.ts';
import type { Told } from './told.ts';

/** How long requests and waits take where time is real: milliseconds, and the longest wait in short ones. */
const realTime = { unit: 10, longest: 40 } as const;
const impatient = ['--timeout', '500ms'] as const;

function here(): Place {
  const clock = inventedClock(today);
  return { clock, unit: 1_000, longest: Number.POSITIVE_INFINITY, machine: (service, numbers) => machineHere(service, clock, numbers) };
}

/** Of the built program; `signal`: what happens to its processes. */
function ofProcesses(seed: number, signal: 'SIGKILL' | 'SIGSTOP', command: Command): Place {
  const kills = { landed: 0, over: false };
  return {
    ...{ clock: realClock(), ...realTime, kills },
    machine: (service, numbers) => processMachine(service, numbers, { seed, signal, kills, command, flags: impatient }),
  };
}

/** With the database of a team, whose server has a clock of its own: time is real. */
async function inTeam(seed: number, { team = {}, signal }: Family, command: Command): Promise<Place> {
  const [clock, kills] = [realClock(), { landed: 0, over: false }];
  const database = await teamDatabase(seed, team);
  let machines = 0;
  return {
    ...{ clock, ...realTime },
    kills: {
      get landed() {
        return kills.landed + database.harms;
      },
      set over(isOver: boolean) {
        kills.over = isOver;
      },
    },
    shared: { lockLives },
    async machine(service, numbers) {
      const { wire, env } = await database.way();
      machines += 1;
      if (!signal) return machineHere(service, clock, numbers, { env, flags: impatient });
      const way = { env, wire, other: (await database.way()).env, lockLives };
      const own = seed + 1_000_000 * (machines - 1);
      return processMachine(service, numbers, { seed: own, signal, kills, command, flags: impatient, way });
    },
    calm: () => database.calm(),
    close: () => database.close(),
  };
}

/** Tells the story of a family and a seed. `command`: starts the program, where the family is one of processes. */
export async function toldOf(name: string, seed: number, command = builtHere): Promise<Told> {
  const family: Family = families[name] ?? {};
  const place = family.team ? await inTeam(seed, family, command) : family.signal ? ofProcesses(seed, family.signal, command) : here();
  try {
    return await tell(name, seed, place);
  } finally {
    await place.close?.();
  }
}
