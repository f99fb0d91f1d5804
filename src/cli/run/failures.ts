/** Any failure as the error that a command ends with: one of the table, a bug, or an unknown outcome after a write. */
import type { Command as Commander, CommanderError } from 'commander';
import { lookFirst, type Request } from '../../api/request.ts';
import { CliError, type ErrorCode, stateErrors } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';

/** Codes of errors that say what became of the writes. */
const knowing: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'partly_done', 'not_applied', 'interrupted', 'terminated']);

/**
 * Converts any error to a CliError; an unknown one is a bug. `written`: the last write of this
 * process that may have been carried out. After one, whatever else fails makes the outcome unknown.
 */
export function asCliError(error: unknown, written?: Request): CliError {
  const known = knownError(error);
  if (!written || knowing.has(known.code)) return known;
  const stop = /[.!?]$/.test(known.message) ? '' : '.';
  const { status, items } = known;
  return new CliError('outcome_unknown', sentence`${known.message}${stop} The request to ${written.does} had already been sent.`, {
    ...{ cause: error, hint: hintAfterWrite(known, written), status, items },
  });
}

/** How to look; a hint about the machine is kept, and is enough where it has a command of its own. */
function hintAfterWrite({ code, hint }: CliError, written: Request): Sentence {
  const look = lookFirst(written);
  if (code !== 'output_failed' && !stateErrors.includes(code)) return look;
  if (hint.includes('proctor-cli ')) return hint;
  return sentence`${hint}${hint.endsWith('.') ? '' : '.'} ${look}`;
}

function knownError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof InvalidValue)
    return new CliError('invalid_input', error.message, error.hint === undefined ? {} : { hint: error.hint });
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('internal', sentence`Internal error in proctor-cli: ${message}`, { cause: error });
}

/** The same for a command that has a result and knows what became of its requests. `unwritten`: why the result could not be printed. */
export function asResultError(failure: CliError, written: Request | undefined, unwritten: unknown): CliError {
  const known = ofMachine.has(failure.code) ? asCliError(failure, written) : failure;
  if (unwritten === undefined) return known;
  const { code, hint, status, items } = known;
  return new CliError(code, sentence`${known.message} ${knownError(unwritten).message}`, { cause: known, hint, status, items });
}

/** Errors of the machine: all requests were carried out. */
const ofMachine: ReadonlySet<ErrorCode> = new Set(['output_failed', ...stateErrors, 'usage']);

/** The words of commander without what was rejected: it may be a secret. */
export function usageError(error: CommanderError, command: Commander): CliError {
  const noun = command.parent?.parent ? command.parent : undefined;
  const root = noun?.parent ?? command.parent ?? command;
  const names = [...command.options, ...root.options].map(({ long }) => long);
  const said = error.message.replace(/^error: /, '');
  const [, unknown, value] = /^unknown option '(--[^'=]*|-\w)(=?)/.exec(said) ?? [];
  const shown =
    value && names.includes(unknown) ? `${unknown} takes no value` : `unknown option ${unknown}${said.slice(said.lastIndexOf("'") + 1)}`;
  const [problem = '', ...suggestion] = (unknown === undefined ? said : shown)
    .replace(/^option '(?:-\w, )?(--[\w-]+)(?: [^']*)?' argument missing/, '$1 needs a value')
    .replace(/^unknown command '.*'/s, 'unknown command')
    .replace(/(but got \d+): .*/s, '$1')
    .split('\n');
  const help = ['proctor-cli', noun?.name(), command === root ? undefined : command.name(), '--help'].filter(Boolean);
  const meant = suggestion.join(' ').replace(/[()]/g, '').trim();
  return new CliError('usage', sentence`${capitalised(problem.replace(/[.]?$/, '.'))}`, {
    hint: sentence`${meant && `${meant} `}See: ${help.join(' ')}`,
  });
}
