/** What `state copy` has marked: a record that was moved elsewhere, and one that is not whole yet. */
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';

/** Begins what stands in place of where a record was moved to, as long as `state copy` has not ended. */
export const copying = 'copying ';

export function isCopying(movedTo: string): boolean {
  return movedTo.startsWith(copying);
}

export function standingOf(movedTo: string): 'ready' | 'moved' | 'copying' {
  if (movedTo === '') return 'ready';
  return isCopying(movedTo) ? 'copying' : 'moved';
}

/** The error of a state that is not in use. */
export function notInUse(place: string, movedTo: string): CliError {
  if (isCopying(movedTo))
    return new CliError('state_failed', sentence`The state ${place} is not whole: state copy has not ended.`, {
      hint: 'Nothing was sent. Run the same state copy again.',
    });
  return new CliError('state_failed', sentence`The state ${place} was moved to ${movedTo}.`, {
    hint: movedTo.startsWith('postgres:')
      ? 'Nothing more was sent. Name that database in the setting state, with your own user: proctor-cli config set state postgres://USER@HOST/DATABASE'
      : 'Nothing more was sent. Run the command there.',
  });
}
