/** The plan of a rehearsal: the rules of `--fault` first, then those of the weather. */
import { CliError } from '../../errors.ts';
import { noChoice } from '../../model/choices.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { sentence } from '../../text/sentence.ts';
import type { FaultPlan } from './draw.ts';
import { parseRule, type Rule } from './rules.ts';
import { weatherNames, weathers } from './weathers.ts';

type Given = {
  /** `--fault`, each as typed. */
  faults: readonly string[];
  /** `--weather`. */
  weather?: string | undefined;
  /** `--seed`. */
  seed?: string | undefined;
};

const standardSeed = 'proctor';

/** Undefined if no fault was requested. Throws `usage`. */
export function faultPlanOf({ faults, weather, seed = standardSeed }: Given): FaultPlan | undefined {
  if (faults.length === 0 && weather === undefined) return undefined;
  const rules = [...faults.map(typedRule), ...(weather === undefined ? [] : rulesOfWeather(weather))];
  return { rules, seed };
}

function typedRule(text: string): Rule {
  try {
    return parseRule(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const { message, hint = sentence`The options of each fault are in docs/rehearsal.md.` } = error;
    throw new CliError('usage', sentence`--fault ${text}: ${message}`, { hint });
  }
}

/** Throws `InvalidValue`. */
function rulesOfWeather(name: string): Rule[] {
  const found = weatherNames.find((known) => known === name);
  if (found === undefined) throw noChoice('The weather', name, weatherNames);
  return weathers[found].map(parseRule);
}
