/** Where a story takes place: in this process and invented time, or in real processes, which are killed and stopped. */
import { join } from 'node:path';
import { inventedClock, realClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/run.ts';
import { today } from '../../support/stage.ts';
import type { Kinds } from '../intents/intent.ts';
import { type Family, families } from '../world/families.ts';
import { smallDisk } from '../world/small-disk.ts';
import { teamDatabase } from '../world/team-database.ts';
import { machineHere } from './machine.ts';
import { builtHere, type Command, type Injury, processMachine } from './process-machine.ts';
import { type Place, type Told, tell } from './story.ts';

/** How long requests and waits take where time is real: milliseconds, and the longest wait in short ones. */
const realTime = { unit: 10, longest: 40 } as const;
const impatient = ['--timeout', '500ms'] as const;
/** A disk with room for the record of a story. */
const room = '3m';

function here({ atOnce, full }: Family): Place {
  const clock = inventedClock(today);
  const folder = atOnce || full ? temporaryFolder() : undefined;
  const disk = full && folder ? smallDisk(join(folder, 'state'), room, '700') : undefined;
  return {
    ...{ clock, unit: 1_000, longest: Number.POSITIVE_INFINITY },
    machine: (service, numbers) => machineHere(service, clock, numbers, folder),
    ...(disk ? { disk, close: async () => disk.remove() } : {}),
  };
}

/** Of the built program. `first`: what happens to its first process, instead of what is drawn. */
export function ofProcesses(seed: number, { signal, atOnce }: Family, command: Command, first?: Injury): Place {
  const kills = { landed: 0, over: false };
  const folder = atOnce ? { folder: temporaryFolder() } : {};
  const harm = { seed, signal, kills, command, flags: impatient, ...folder, ...(first ? { first } : {}) };
  return { ...{ clock: realClock(), ...realTime, kills }, machine: (service, numbers) => processMachine(service, numbers, harm) };
}

/** With the database of a team, whose server has a clock of its own. */
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
    shared: true,
    async machine(service, numbers) {
      const way = await database.way();
      machines += 1;
      const own = seed + 1_000_000 * (machines - 1);
      return processMachine(service, numbers, { seed: own, signal, kills, command, flags: impatient, way });
    },
    calm: () => database.calm(),
    close: () => database.close(),
  };
}

/** Of two commands at once, every second story is one of processes. */
export const isOfProcesses = ({ signal, atOnce }: Family, seed: number) => signal !== undefined || (atOnce === true && seed % 2 === 1);

/** Tells the story of a family and a seed. `command`: starts the program, where the story is one of processes. */
export async function toldOf(name: string, seed: number, kinds: Kinds = 'all', command = builtHere): Promise<Told> {
  const family: Family = families[name] ?? {};
  const place = family.team
    ? await inTeam(seed, family, command)
    : isOfProcesses(family, seed)
      ? ofProcesses(seed, family, command)
      : here(family);
  try {
    return await tell(name, seed, place, kinds);
  } finally {
    await place.close?.();
  }
}
