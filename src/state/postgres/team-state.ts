/** The state of runs of a team, and how it is. */
import { keysOf, keysOrNew } from '../key-file.ts';
import { isCopying, notInUse, standingOf } from '../moved.ts';
import type { StateOptions, StateStatus, TeamAccess } from '../options.ts';
import { stateIn } from '../runs-state.ts';
import type { State } from '../state.ts';
import { schemaVersion } from '../state-tables.ts';
import { conditionOf, initTeam, openTeam, type TeamOptions } from './open-team.ts';

export type InTeam = StateOptions & { team: TeamAccess };

export function teamOptions({ host, team, inWords = isoTime, who = '', say = () => {} }: InTeam): TeamOptions {
  return { ...team, host, inWords, who, say };
}

export async function openTeamState(options: InTeam): Promise<State> {
  const { store, keys, movedTo } = await openTeam(teamOptions(options), () => keysOf(options));
  if (!isCopying(movedTo)) return stateIn(store, keys, options);
  await store.close();
  throw notInUse(store.place, movedTo);
}

export function initTeamState(options: InTeam): Promise<{ isNew: boolean; grants: string[] }> {
  return initTeam(teamOptions(options), () => keysOrNew(options));
}

export async function teamStatus(options: InTeam): Promise<StateStatus> {
  const condition = await conditionOf(teamOptions(options));
  const status = { place: options.team.place.shown, movedTo: '', size: 0, schema: null, runs: 0, open: [], locks: [] };
  if (!condition) return { ...status, standing: 'none' };
  const { movedTo, size, ...server } = condition;
  const { store, keys } = await openTeam(teamOptions(options), () => keysOf(options));
  const state = stateIn(store, keys, options);
  try {
    const [runs, locks] = [await state.runs(), await store.locks()];
    const open = runs.filter((run) => run.state === 'open');
    const standing = standingOf(movedTo);
    return { ...status, standing, movedTo, size, server, schema: schemaVersion, runs: runs.length, open, locks };
  } finally {
    await state.close();
  }
}

function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}
