/** What `state copy` has marked: a record that was moved elsewhere, and one that is not whole yet. */
import { CliError } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';

/** In place of where a record was moved to: `state copy` has not ended. */
export const copying = 'copying';

export function standingOf(movedTo: string): 'ready' | 'moved' | 'copying' {
  if (movedTo === '') return 'ready';
  return movedTo === copying ? 'copying' : 'moved';
}

/** The error of a state that is not in use. */
export function notInUse(place: string, movedTo: string): CliError {
  if (movedTo === copying)
    return new CliError('state_failed', sentence`The state ${place} is not whole: state copy has not ended.`, {
      hint: 'Nothing was sent. Run the same state copy again.',
    });
  return new CliError('state_failed', sentence`The state ${place} was moved to ${movedTo}.`, {
    hint: movedTo.startsWith('postgres:')
      ? sentence`Nothing more was sent. Use it from there: proctor-cli ${typedCommand('config set state', [movedTo])}`
      : 'Nothing more was sent. Run the command there.',
  });
}
