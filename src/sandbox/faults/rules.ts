/** Rules: which fault happens to which requests, and how often. One parser reads them from the command line and from the weathers. */
import { operations } from '../../api/operations.ts';
import { noChoice } from '../../model/choices.ts';
import { parseDuration } from '../../model/duration.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { nearest } from '../../model/nearest.ts';
import { sentence } from '../../text/sentence.ts';
import { type FaultName, faultKind, faultNames } from './fault-kinds.ts';
import { matches, type Scope, segmentsOf } from './scope.ts';

export type Rule = {
  name: FaultName;
  /** From 0 to 1. */
  rate: number;
  scope: Scope;
  /** Applies to the requests in its scope from number `after` (from 0) on, `for` of them, in each round of `every`. */
  after: number;
  for: number;
  every: number;
  options: Readonly<Record<string, string | number>>;
};

/** A rule as typed: `lost-after=5%,on=POST`. Throws `InvalidValue`. */
export function parseRule(text: string): Rule {
  const [first = '', ...rest] = text.split(',');
  const given = new Map<string, string>();
  const [name, rate] = pair(first);
  if (rate !== undefined) given.set('rate', rate);
  for (const part of rest) {
    const [key, value] = pair(part);
    if (value === undefined)
      throw new InvalidValue(
        sentence`The option "${part.trim()}" has no value.`,
        'Write options behind commas, as in: 429=10%,retry-after=2',
      );
    if (given.has(key)) throw new InvalidValue(sentence`${key} is given twice.`);
    given.set(key, value);
  }
  return ruleOf(name, given);
}

function pair(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** A rule from its parts, each as text. */
function ruleOf(name: string, given: ReadonlyMap<string, string>): Rule {
  const known = faultNamed(name);
  const { rate, after = 0, options } = faultKind(known);
  const own = Object.fromEntries(Object.entries(options).map(([key, { default: standard }]) => [key, standard]));
  for (const [key, value] of given) {
    if (ruleOptions.includes(key)) continue;
    if (!Object.hasOwn(own, key)) throw unknownOption(known, key);
    own[key] = value;
  }
  const number = (key: 'after' | 'for' | 'every', standard: number, least: number) =>
    given.has(key) ? countFrom(key, given.get(key) ?? '', least) : standard;
  const chosen = ['after', 'for', 'every'].some((key) => given.has(key));
  const rule: Rule = {
    name: known,
    rate: given.has('rate') ? rateFrom(known, given.get('rate') ?? '') : chosen ? 1 : rate,
    scope: scopeFrom(given.get('on') ?? '', known),
    after: number('after', given.has('rate') || chosen ? 0 : after, 0),
    for: number('for', Number.POSITIVE_INFINITY, 1),
    every: number('every', Number.POSITIVE_INFINITY, 1),
    options: Object.fromEntries(Object.entries(options).map(([key, option]) => [key, optionFrom(key, own[key] ?? '', option)])),
  };
  if (rule.every !== Number.POSITIVE_INFINITY && rule.every <= rule.after)
    throw new InvalidValue(sentence`every=${rule.every} begins again before after=${rule.after} is over: the fault would never happen.`);
  return rule;
}

/** The options that every fault takes. */
const ruleOptions: readonly string[] = ['rate', 'on', 'after', 'for', 'every'];

const allKinds = sentence`All faults: ${faultNames.join(', ')}.`;

function faultNamed(text: string): FaultName {
  const found = faultNames.find((name) => name === text.toLowerCase());
  if (found !== undefined) return found;
  const meant = nearest(text, faultNames);
  throw new InvalidValue(
    sentence`There is no fault "${text}".`,
    meant === undefined ? allKinds : sentence`Did you mean ${meant}? ${allKinds}`,
  );
}

function unknownOption(name: FaultName, key: string): InvalidValue {
  const all = [...Object.keys(faultKind(name).options), ...ruleOptions];
  const meant = nearest(key, all);
  return new InvalidValue(
    sentence`${name} has no option "${key}"; it has: ${all.join(', ')}.`,
    meant === undefined ? undefined : sentence`Did you mean ${meant}?`,
  );
}

function rateFrom(name: FaultName, text: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text) ?? [];
  const rate = Number(digits) / (percent ? 100 : 1);
  if (rate >= 0 && rate <= 1) return rate;
  throw new InvalidValue(
    sentence`The rate of ${name} is a share from 0 to 1, or a percentage; not "${text}".`,
    sentence`For example: 0.05 or 5%`,
  );
}

/** Far more requests than any rehearsal makes, and still exact. */
const mostRequests = 1_000_000_000;
/** Of a delay, and by how much a clock is wrong: an hour and a century, in milliseconds. */
const longest = 3_600_000;
const farthest = 876_000 * longest;

function countFrom(key: string, text: string, least = 0): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= least && value <= mostRequests) return value;
  throw new InvalidValue(sentence`${key} is a whole number from ${least} on, not "${text}".`);
}

function optionFrom(key: string, text: string, option: ReturnType<typeof faultKind>['options'][string]): string | number {
  if (option.type === 'choice') {
    if (!option.choices.includes(text)) throw noChoice(key, text, option.choices);
    return text;
  }
  if (option.type === 'count') return countFrom(key, text);
  if (option.type === 'text') {
    // A header value must be one line of printable ASCII.
    if (/^[ -~]{1,200}$/.test(text)) return text;
    throw new InvalidValue(sentence`${key} is one line of up to 200 plain characters.`);
  }
  const [, sign = '', duration = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (sign !== '' && option.type === 'duration') throw new InvalidValue(sentence`${key} is a duration without a sign, not "${text}".`);
  const milliseconds = durationFrom(key, duration);
  if (option.type === 'duration' && milliseconds > longest) throw new InvalidValue(sentence`${key} is at most an hour, not ${text}.`);
  if (milliseconds > farthest) throw new InvalidValue(sentence`${key} is at most 100 years (876000h), not ${text}.`);
  return sign === '-' ? -milliseconds : milliseconds;
}

function durationFrom(key: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof InvalidValue) throw new InvalidValue(sentence`${key}: ${error.message}`, error.hint);
    throw error;
  }
}

const methods = [...new Set(Object.values(operations).map(({ method }) => method))];

/** `POST`, `/exams/:id`, or `POST /exams/:id`. The service must have it, so that the rule can apply. */
function scopeFrom(text: string, name: FaultName): Scope {
  const lists = faultKind(name).group === 'list';
  const [, word = '', path = ''] = /^([A-Za-z]*)\s*(\/\S*)?$/.exec(text.trim()) ?? [undefined, text];
  const method = word.toUpperCase();
  if (method !== '' && !(methods as string[]).includes(method)) throw noChoice('The method of on', word, methods);
  const scope: Scope = { ...(method === '' ? {} : { method }), ...(path === '' ? {} : { segments: segmentsOf(path) }) };
  const all = Object.values(operations);
  const here = all.filter((operation) => matches(scope, operation.method, operation.path, true));
  if (here.length === 0) {
    const meant = nearest(
      path,
      all.map((operation) => operation.path),
    );
    throw new InvalidValue(
      sentence`The service has no ${text.trim()}.`,
      sentence`${meant === undefined || meant === path ? '' : `Did you mean ${meant}? `}All requests: proctor-cli api --list`,
    );
  }
  if (lists && !here.some(({ answer }) => answer === 'list'))
    throw new InvalidValue(sentence`${name} happens only to lists, and ${text.trim()} is not one.`);
  return scope;
}
