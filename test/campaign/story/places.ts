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

/** A disk with room for the record of a story. */
const room = '3m';

function here({ atOnce, full }: Family): Place {
  const folder = temporaryFolder();
  const disk = full && smallDisk(join(folder, 'state'), room, '700');
  return {
    clock: inventedClock(today),
    machine: (service) => machineHere(service, atOnce || full ? folder : undefined),
    ...(disk ? { disk, close: async () => disk.remove() } : {}),
  };
}

/** Of the built program. `first`: what happens to its first process, instead of what is drawn. */
export function ofProcesses(seed: number, { signal, atOnce }: Family, command: Command, first?: Injury): Place {
  const kills = { landed: 0, over: false };
  const folder = temporaryFolder();
  const machine: Place['machine'] = (service) =>
    processMachine(service, { seed, signal, kills, command, first }, atOnce ? folder : undefined);
  return { clock: realClock(), isReal: true, kills, machine };
}

/** With the database of a team, whose server has a clock of its own. */
async function inTeam(seed: number, { team = {}, signal }: Family, command: Command): Promise<Place> {
  const kills = { landed: 0, over: false };
  const { calm, close, way } = await teamDatabase(seed, team, kills);
  let own = seed - 1_000_000;
  return {
    ...{ clock: realClock(), isReal: true, kills, shared: true, calm, close },
    async machine(service) {
      own += 1_000_000;
      return processMachine(service, { seed: own, signal, kills, command, way: await way() });
    },
  };
}

/** Of two commands at once, every second story is one of processes. */
export const isOfProcesses = ({ signal, atOnce }: Family, seed: number) => signal !== undefined || (atOnce === true && seed % 2 === 1);

/** Tells the story of a family and a seed. `command`: starts the program, where the story is one of processes. */
export async function toldOf(name: string, seed: number, kinds: Kinds = 'all', command = builtHere): Promise<Told> {
  const family: Family = families[name] ?? {};
  const inProcesses = () => (isOfProcesses(family, seed) ? ofProcesses(seed, family, command) : here(family));
  const place = family.team ? await inTeam(seed, family, command) : inProcesses();
  try {
    return await tell(name, seed, place, kinds);
  } finally {
    await place.close?.();
  }
}
