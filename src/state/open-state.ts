/**
 * The state that the settings name: on this machine, of a team, or none. The only place that knows which there are;
 * what is not used is not loaded.
 */

import type { SettleOpenRuns, StateOptions, StateStatus, TeamAccess } from './options.ts';
import type { State } from './state.ts';

/** Opens the state; on this machine, creates it. Throws `state_failed`, `state_unavailable`, `state_damaged`, `state_restored`, `invalid_config`. */
export async function openState(options: StateOptions): Promise<State> {
  if (options.team) return (await import('./postgres/team-state.ts')).openTeamState({ ...options, team: options.team });
  return (await import('./sqlite-state.ts')).openLocalState(options);
}

/** Changes nothing, and makes no state where there is none. Throws as `openState` does, except for a restored or damaged one. */
export async function stateStatus(options: StateOptions): Promise<StateStatus> {
  if (options.team) return (await import('./postgres/team-state.ts')).teamStatus({ ...options, team: options.team });
  return (await import('./local-status.ts')).localStatus(options);
}

/** Accepts a database on this machine that was restored, or that nothing is left of. Returns whether there was anything to accept. */
export async function acceptState(options: StateOptions, settleOpenRuns?: SettleOpenRuns): Promise<boolean> {
  return (await import('./local-status.ts')).acceptLocal(options, settleOpenRuns);
}

/** Makes the tables of a team. Returns whether they are new, and the statements that give a role what an importer needs. */
export async function initState(options: StateOptions & { team: TeamAccess }): Promise<{ isNew: boolean; grants: string[] }> {
  return (await import('./postgres/team-state.ts')).initTeamState(options);
}

/** The key of the state, as a line for a vault. Throws `not_found` where there is none yet. */
export async function stateKey(options: StateOptions): Promise<string> {
  return (await import('./key-file.ts')).keyText(options);
}

/** Moves the record from one state to another. Returns whether it was there already. */
export async function copyState(from: StateOptions, to: StateOptions): Promise<{ rows: number; wasThere: boolean }> {
  return (await import('./copy-state.ts')).copyState(from, to);
}
