/** How an error reaches a person or a script: a sentence and a hint, or one line of JSON. */
import { CliError } from '../errors.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { redact } from '../model/secrets.ts';
import { visible } from '../output/characters.ts';

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
  { json, debug, secrets }: { json: boolean; debug: boolean; secrets: readonly string[] },
): string {
  const { code, message, hint, status, exit, items } = error;
  if (json) {
    const fields = { code, message, hint, ...(status === undefined ? {} : { status }), exit, ...(items === undefined ? {} : { items }) };
    return `${redact(JSON.stringify({ error: fields }), secrets)}\n`;
  }
  const stack = debug && code === 'internal' && error.cause instanceof Error ? `\n${error.cause.stack}` : '';
  const lines = `error: ${message}\n${hint ? `hint: ${hint}` : ''}${stack}`.split('\n').filter((line) => line !== '');
  return `${redact(lines.map(visible).join('\n'), secrets)}\n`;
}
