/** The error for a value that is not one of a few words. */

import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import { nearest } from './nearest.ts';

/** "What must be one of: a, b, c; not "d"." with the word that was probably meant as its hint. */
export function noChoice(what: string, given: string, choices: readonly string[]): InvalidValue {
  const meant = nearest(given, choices);
  return new InvalidValue(
    sentence`${what} must be one of: ${choices.join(', ')}; not ${JSON.stringify(given)}.`,
    meant === undefined ? undefined : sentence`Did you mean ${meant}?`,
  );
}
