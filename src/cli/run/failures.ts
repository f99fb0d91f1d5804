/** Any failure as the error that a command ends with. */
import type { Command as Commander, CommanderError } from 'commander';
import { checkBeforeRetryHint, type Request } from '../../api/operations.ts';
import { nouns } from '../../commands/index.ts';
import { CliError, type ErrorCode, stateErrors } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { didYouMean } from '../../model/nearest.ts';
import { capitalised, quote, type Sentence, sentence } from '../../text/sentence.ts';

/** Errors that say what became of the writes. */
const knowing: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'partly_done', 'not_applied', 'interrupted', 'terminated']);

/** After a write that may have been carried out, whatever else fails makes the outcome unknown. */
export function asCliError(error: unknown, written?: Request): CliError {
  const known = knownError(error);
  if (!written || knowing.has(known.code)) return known;
  const { message, status, items } = known;
  const stop = /[.!?]$/.test(message) ? '' : '.';
  const whole = sentence`${message}${stop} The request to ${written.does} had already been sent.`;
  const hint = hintAfterWrite(known, written);
  return new CliError('outcome_unknown', whole, { cause: error, hint, status, items });
}

/** How to look. A hint about the machine is kept, and is enough where it has a command. */
function hintAfterWrite({ code, hint }: CliError, written: Request): Sentence {
  const look = checkBeforeRetryHint(written);
  if (code !== 'output_failed' && !stateErrors.includes(code)) return look;
  if (hint.includes('proctor-cli ')) return hint;
  return sentence`${hint}${hint.endsWith('.') ? '' : '.'} ${look}`;
}

function knownError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof InvalidValue) return new CliError('invalid_input', error.message, { hint: error.hint });
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('internal', sentence`Internal error in proctor-cli: ${message}`, { cause: error });
}

/** The failure of a command that has a result. `unwritten`: why the result could not be printed. */
export function asResultError(failure: CliError, written: Request | undefined, unwritten: unknown): CliError {
  const known = ofMachine.has(failure.code) ? asCliError(failure, written) : failure;
  if (unwritten === undefined) return known;
  const { code, hint, status, items } = known;
  const message = sentence`${known.message} ${knownError(unwritten).message}`;
  return new CliError(code, message, { cause: known, hint, status, items });
}

/** Errors of the machine: all requests were carried out. */
const ofMachine: ReadonlySet<ErrorCode> = new Set(['output_failed', ...stateErrors, 'usage']);

/** `dash`: as a word processor makes it of `--`; with the letters behind it. */
export function typesetError(dash: string): CliError {
  const meant = dash.replace(/^.{1,2}?(?=\p{L})/u, /^.\p{L}$/u.test(dash) ? '-' : '--');
  return new CliError('usage', sentence`${quote(dash)} does not begin with a hyphen.`, { hint: sentence`Did you mean ${meant}?` });
}

/** Verbs that mean the same in other programs, or of another noun. */
const synonyms = ['create add new', 'get show view', 'update edit set', 'delete remove rm', 'send-emails mail'].map((words) =>
  words.split(' '),
);

/** The verb of this noun that means the same as an unknown one, or the commands of other nouns that it is the verb of, if these are few. */
function synonymOf({ message }: CommanderError, { commands, parent }: Commander): string | undefined {
  const [, word = ''] = /^error: unknown command '(.*?)'/.exec(message) ?? [];
  const alike = synonyms.find((verbs) => verbs.includes(word)) ?? [];
  const own = commands.map((each) => each.name()).find((verb) => alike.includes(verb));
  const others = nouns.filter(({ verbs }) => verbs.includes(word)).map(({ name }) => `${name} ${word}`);
  return own ?? (others.length > (parent ? 1 : 3) ? undefined : others.join(' or ') || undefined);
}

/** The words of commander without what was rejected: it may be a secret. */
export function usageError(error: CommanderError, command: Commander, typed: readonly string[]): CliError {
  const noun = command.parent?.parent ? command.parent : undefined;
  const root = noun?.parent ?? command.parent ?? command;
  const options = [...command.options, ...root.options].flatMap(({ long = [] }) => long);
  const [problem = '', ...suggestion] = withoutValues(error.message.replace(/^error: /, ''), options).split('\n');
  const help = ['proctor-cli', noun?.name(), command === root ? undefined : command.name(), '--help'];
  const isTypeset = typed.some((word) => /^[“”„‘’]|[“”]$/.test(word));
  const isExcess = error.code === 'commander.excessArguments';
  // Two words behind an option: --start tomorrow 09:00.
  const isSplit = isExcess && /\0--[a-z-]+\0[^-\0][^\0]*\0[^-]/.test(typed.slice(typed.indexOf(command.name())).join('\0'));
  const named = ['--exam ID', '--name NAME'].find((each) => isExcess && options.some((option) => each.startsWith(`${option} `)));
  const [, unknown = ''] = /^unknown option (--[\w-]+)/.exec(problem) ?? [];
  const verb = synonymOf(error, command);
  const suggested = suggestion.join(' ').replace(/[()]/g, '').trim() || didYouMean(unknown, options).trim();
  // What lets a request through to a running exam is not offered for a slip.
  const near = suggested.includes('--during-exam') ? '' : suggested;
  const said = verb === undefined ? near : `Did you mean ${verb}?`;
  const ofName = named === undefined ? said : `Name an exam with ${named}.`;
  const ofValue = isSplit ? 'Put a value with a blank in quotes: --start "tomorrow 09:00".' : ofName;
  const meant = isTypeset ? 'Type plain quotation marks.' : ofValue;
  return new CliError('usage', sentence`${capitalised(problem.replace(/[.]?$/, '.'))}`, {
    hint: sentence`${meant && `${meant} `}See: ${help.filter(Boolean).join(' ')}`,
  });
}

function withoutValues(said: string, options: readonly (string | undefined)[]): string {
  const [, option, value] = /^unknown option '(--[^'=]*|-\w)(=?)/.exec(said) ?? [];
  if (value && options.includes(option)) return `${option} takes no value`;
  if (option !== undefined) return `unknown option ${option}${said.slice(said.lastIndexOf("'") + 1)}`;
  return said
    .replace(/^option '(?:-\w, )?(--[\w-]+)(?: [^']*)?' argument missing/, '$1 needs a value')
    .replace(/^unknown command '.*'/s, 'unknown command')
    .replace(/(but got \d+): .*/s, '$1');
}
