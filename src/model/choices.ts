/** The error for a value that is not one of a few words. */

import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import { nearest } from './nearest.ts';

/** "What must be one of: a, b, c." with the word that was probably meant as its hint; what was given is not repeated. */
export function noChoice(what: string, given: string, choices: readonly string[]): InvalidValue {
  const meant = nearest(given, choices);
  return new InvalidValue(
    sentence`${what} must be one of: ${choices.join(', ')}.`,
    meant === undefined ? undefined : sentence`Did you mean ${meant}?`,
  );
}
