/** How an error reaches a person or a script: a sentence and a hint, or one line of JSON. */
import { lookFirst } from '../../api/errors.ts';
import type { Write } from '../../api/wire.ts';
import type { Globals } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { isReplacedProgram } from '../../host/replaced-program.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { stringifyJson } from '../../model/json.ts';
import { randomWords, typedSecrets } from '../../model/typed-secrets.ts';
import { escapeHidden, visible } from '../../text/characters.ts';
import { sentence } from '../../text/sentence.ts';
import { addressed } from './addressed.ts';

/**
 * Converts any error to a CliError; an unknown one is a bug, unless the program was replaced. `written`: the last write of this process. After
 * a write, a bug makes its outcome unknown.
 */
export function asCliError(error: unknown, written?: Write): CliError {
  if (error instanceof CliError && !(error.code === 'internal' && written)) return error;
  if (error instanceof InvalidValue)
    return new CliError('invalid_input', error.message, error.hint === undefined ? {} : { hint: error.hint });
  const message = error instanceof Error ? error.message : String(error);
  const replaced = isReplacedProgram(error);
  const what =
    error instanceof CliError ? error.message : replaced ? sentence`${message}` : sentence`Internal error in proctor-cli: ${message}`;
  if (!written) return new CliError(replaced ? 'program_replaced' : 'internal', what, { cause: error });
  const stop = /[.!?]$/.test(what) ? '' : '.';
  return new CliError('outcome_unknown', sentence`${what}${stop} The request to ${written.does} had already been sent.`, {
    cause: error,
    hint: lookFirst(written),
  });
}

/** Typed secrets that an error about the command line or the configuration must not repeat. Errors of the service repeat IDs as they are. */
export function mistyped({ code, exit, status }: CliError, { argv, env }: Host): string[] {
  const isOwn = (exit >= 2 && exit <= 5) || (code === 'not_found' && status === undefined);
  if (!isOwn) return [];
  const variables = Object.entries(env).filter(([name]) => name.startsWith('PROCTOR_'));
  return [...typedSecrets(argv), ...variables.flatMap(([, value = '']) => randomWords(value))];
}

export function errorText(
  error: CliError,
  {
    json,
    stack = '',
    where,
  }: {
    json: boolean /** The stack of a bug, with --debug. */;
    stack?: string;
    where: Pick<Globals, 'profile' | 'baseUrl'>;
  },
): string {
  const { code, message, status, exit, items } = error;
  const hint = addressed(error.hint, where);
  if (json) {
    const fields = { code, message, hint, ...(status === undefined ? {} : { status }), exit, ...(items === undefined ? {} : { items }) };
    return `${escapeHidden(stringifyJson({ error: fields }))}\n`;
  }
  const lines = `error: ${message}\n${hint ? `hint: ${hint}` : ''}\n${stack}`.split('\n').filter((line) => line !== '');
  return `${lines.map(visible).join('\n')}\n`;
}
