/** How an error reaches a person or a script: a sentence and a hint, or one line of JSON. */
import type { Globals } from '../command.ts';
import { CliError } from '../errors.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { redact } from '../model/secrets.ts';
import { visible } from '../output/characters.ts';
import { addressed } from './addressed.ts';

/** Any error as one of ours; what is not is a bug. */
export function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof InvalidValue)
    return new CliError('invalid_input', error.message, error.hint === undefined ? {} : { hint: error.hint });
  return new CliError('internal', `Something went wrong inside proctor-cli: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

export function errorText(
  error: CliError,
  {
    json,
    debug,
    secrets,
    where,
  }: { json: boolean; debug: boolean; secrets: readonly string[]; where: Pick<Globals, 'profile' | 'baseUrl'> },
): string {
  const { code, message, status, exit, items } = error;
  const hint = addressed(error.hint, where);
  if (json) {
    const fields = { code, message, hint, ...(status === undefined ? {} : { status }), exit, ...(items === undefined ? {} : { items }) };
    return `${redact(JSON.stringify({ error: fields }), secrets)}\n`;
  }
  const stack = debug && code === 'internal' && error.cause instanceof Error ? `\n${error.cause.stack}` : '';
  const lines = `error: ${message}\n${hint ? `hint: ${hint}` : ''}${stack}`.split('\n').filter((line) => line !== '');
  return `${redact(lines.map(visible).join('\n'), secrets)}\n`;
}
