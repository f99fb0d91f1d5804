/**
 * The plan of a rehearsal: the rules of the command line first, then those of the file, then those of the
 * weather. The file is JSON: any editor checks it, and reading it loads nothing.
 */
import { CliError } from '../../errors.ts';
import { noChoice } from '../../model/choices.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { isJsonObject, type Json, jsonErrorPosition, parseJson, positionAt } from '../../model/json.ts';
import { type FieldPath, offsetOfField, repeatedField, shownPath } from '../../model/json-fields.ts';
import { nearest } from '../../model/nearest.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { FaultPlan } from './draw.ts';
import { InvalidRule, parseRule, type Rule, ruleOf } from './rules.ts';
import { type WeatherName, weatherNames, weathers } from './weathers.ts';

type Given = {
  /** `--fault`, each as typed. */
  faults: readonly string[];
  /** `--weather`. */
  weather?: string | undefined;
  /** `--faults`: its name and its text. */
  file?: { name: string; text: string } | undefined;
  /** `--seed`. */
  seed?: string | undefined;
};

const standardSeed = 'proctor';

/** Undefined if no fault was requested. Throws `usage` for typed values, `invalid_input` for a file. */
export function faultPlanOf({ faults, weather, file, seed }: Given): FaultPlan | undefined {
  if (faults.length === 0 && weather === undefined && file === undefined) return undefined;
  const typed = faults.map((text) => typedAs(sentence`--fault ${text}`, () => parseRule(text)));
  const named = weather === undefined ? [] : rulesOfWeather(weather);
  const read = file === undefined ? { rules: [], seed: undefined } : readFaultFile(file.name, file.text);
  return { rules: [...typed, ...read.rules, ...named], seed: seed ?? read.seed ?? standardSeed };
}

function typedAs<T>(flag: Sentence, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const { message, hint = sentence`The options of each fault: proctor-cli help faults` } = error;
    const field = error instanceof InvalidRule && !message.includes(error.field) ? `${error.field}: ` : '';
    throw new CliError('usage', sentence`${flag}: ${field}${message}`, { hint });
  }
}

/** Throws `InvalidValue`. */
function rulesOfWeather(name: string): Rule[] {
  const found = weatherNames.find((known) => known === name);
  if (found === undefined) throw noChoice('The weather', name, weatherNames);
  return weathers[found satisfies WeatherName].rules.map(parseRule);
}

const fields = ['weather', 'seed', 'faults'] as const;

/** `{ "weather": NAME, "seed": WORD, "faults": [{ "fault": KIND, … }] }`. Throws `invalid_input` with line and column. */
function readFaultFile(name: string, text: string): { rules: Rule[]; seed: string | undefined } {
  const refuse = (path: FieldPath, { message, hint }: Pick<InvalidValue, 'message' | 'hint'>) => {
    const { line, column } = positionAt(text, offsetOfField(text, path));
    const field = shownPath(path);
    return new CliError('invalid_input', sentence`${name}:${line}:${column}: ${field === '' ? '' : `${field}: `}${message}`, {
      hint: hint ?? 'The format of the file: proctor-cli help faults',
    });
  };
  const document = parsed(name, text);
  if (!isJsonObject(document))
    throw refuse(
      [],
      new InvalidValue('The file is not a JSON object.', sentence`For example: {"faults": [{"fault": "lost-after", "rate": 0.05}]}`),
    );
  const repeated = repeatedField(text);
  if (repeated) throw refuse(repeated.path, new InvalidValue('It stands here for the second time, and can stand once.'));
  for (const key of Object.keys(document)) {
    if (fields.some((field) => field === key)) continue;
    const meant = nearest(key, fields);
    throw refuse(
      [key],
      new InvalidValue(
        sentence`There is no field "${key}"; there are: ${fields.join(', ')}.`,
        meant === undefined ? undefined : sentence`Did you mean ${meant}?`,
      ),
    );
  }
  const { faults = [], weather, seed } = document;
  if (!Array.isArray(faults)) throw refuse(['faults'], new InvalidValue('It must be an array of faults.'));
  const at = <T>(path: readonly (string | number)[], read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof InvalidValue) throw refuse(error instanceof InvalidRule ? [...path, error.field] : path, error);
      throw error;
    }
  };
  const rules = faults.map((fault, index) => at(['faults', index], () => ruleFromJson(fault)));
  const more = weather === undefined ? [] : at(['weather'], () => rulesOfWeather(textFrom(weather)));
  if (rules.length + more.length === 0) throw refuse([], new InvalidValue('The file has no faults.'));
  return { rules: [...rules, ...more], seed: seed === undefined ? undefined : at(['seed'], () => textFrom(seed)) };
}

function parsed(name: string, text: string): Json {
  try {
    return parseJson(text);
  } catch {
    const { line, column } = jsonErrorPosition(text) ?? { line: 1, column: 1 };
    throw new CliError('invalid_input', sentence`${name}:${line}:${column}: The file is not JSON from here on.`, {
      hint: 'The format of the file: proctor-cli help faults',
    });
  }
}

/** Throws `InvalidRule`. */
function ruleFromJson(fault: Json): Rule {
  if (!isJsonObject(fault)) throw new InvalidValue(sentence`A fault is an object, such as {"fault": "lost-after"}; not ${inWords(fault)}.`);
  const given = new Map<string, string>();
  for (const [key, value] of Object.entries(fault)) {
    try {
      given.set(key, textFrom(value));
    } catch (error) {
      if (error instanceof InvalidValue) throw new InvalidRule(key, error);
      throw error;
    }
  }
  const { fault: name, ...options } = Object.fromEntries(given);
  if (name === undefined) throw new InvalidValue('The field "fault" is missing: it names the fault.');
  return ruleOf(name, new Map(Object.entries(options)));
}

function textFrom(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new InvalidValue(sentence`A text or a number belongs here, not ${inWords(value)}.`);
}

function inWords(value: Json): string {
  if (Array.isArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : typeof value === 'string' ? 'a text' : String(value);
}
