/** Values that are one of a few words; the hint for any other names the closest one, or an example. */
import { CliError } from '../../errors.ts';
import { noChoice } from '../../model/choices.ts';
import { sentence } from '../../text/sentence.ts';

/** Takes a value of `what` if it is one of the choices. Throws `usage`. */
export function oneOf(what: string, choices: readonly string[]): (given: string) => string {
  return (given) => {
    if (choices.includes(given)) return given;
    const { message, hint } = noChoice(what, given, choices);
    const example = what.startsWith('-') ? `${what} ${choices[0]}` : choices[0];
    throw new CliError('usage', message, { hint: hint ?? sentence`For example: ${example}` });
  };
}
