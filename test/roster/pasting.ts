/** What becomes of a roster where nobody can be asked: alone, with the options that its message prints, and with what somebody declares. */
import { expect } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { foldedText } from '../../src/text/fold.ts';
import type { ForeignRoster } from './foreign-rosters.ts';
import { type Given, imported } from './mapping.ts';

type Options = { [key in 'map' | 'only' | 'except' | 'ignoreColumn']: string[] } & { [key in 'encoding' | 'sheet' | 'rows']?: string };
const none: Options = { map: [], only: [], except: [], ignoreColumn: [] };
type Outcome = { imported: string[] | 'invalid' } | { refused: CliError };

async function outcomeOf(bytes: Buffer, options: Given): Promise<Outcome> {
  try {
    return { imported: await imported(bytes, options) };
  } catch (error) {
    if (error instanceof CliError) return { refused: error };
    throw error;
  }
}

/** The options of a hint, as a shell takes them apart. */
function printedIn(hint: string): [option: string, value: string][] {
  const word = String.raw`((?:\\.|[^\s'\\]|'[^']*')+)`;
  return [...hint.matchAll(new RegExp(`--(map|only|except|ignore-column|rows|encoding|sheet) ${word}`, 'g'))].map(
    ([, option = '', quoted = '']) => [
      option,
      quoted.replaceAll(/'([^']*)'|\\(.)/g, (_, inside = '', escaped = '') => `${inside}${escaped}`),
    ],
  );
}

/** What somebody who knows the truth pastes of the printed options. */
function pasted(hint: string, { map = {}, only = {}, except = {}, ...truth }: ForeignRoster, before: Options): Options {
  const options: Options = structuredClone(before);
  const of = (lists: { [header: string]: string[] }, header: string) =>
    Object.entries(lists).find(([one]) => foldedText(one) === foldedText(header))?.[1];
  for (const [option, value] of printedIn(hint)) {
    const [, header = '', list = ''] = /^(.*?)=(.*)$/s.exec(value) ?? [];
    const wanted = list.startsWith('"') ? list.slice(1, -1).replaceAll('""', '"') : list;
    if (option === 'map' && of(map, header)?.includes(list)) options.map.push(value);
    if (option === 'only' && (of(only, header)?.includes(wanted) || of(except, header)?.includes(wanted) === false))
      options.only.push(value);
    if (option === 'ignore-column' && !of(only, value) && !of(except, value)) options.ignoreColumn.push(value);
    if (option === 'rows' && truth.rows === value) options.rows = value;
    if (option === 'encoding' && truth.encoding === value.replace(/\.$/, '')) options.encoding = truth.encoding;
    if (option === 'sheet' && truth.sheet !== undefined) options.sheet = truth.sheet;
  }
  return options;
}

const values = (lists: { [header: string]: string[] } = {}) =>
  Object.entries(lists).flatMap(([header, all]) =>
    all.map((value) => `${header}=${/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value}`),
  );

/**
 * `alone`: without an option; `by`: with the options that are printed, pasted at most twice, or else with what the truth declares. Fails
 * where anybody else is imported than the truth says.
 */
export async function judge(
  bytes: Buffer,
  roster: ForeignRoster,
): Promise<{ alone: 'read' | 'stopped'; by: 'pasting' | 'declaring' | 'nothing' }> {
  const truth = roster.imports?.split(' ').filter(Boolean);
  const isTrue = (outcome: Outcome) => {
    if ('imported' in outcome) expect(outcome.imported, 'imported without a word').toEqual(truth);
    else expect(outcome.refused.code).toBe('invalid_input');
    return 'imported' in outcome;
  };
  let outcome = await outcomeOf(bytes, none);
  const alone = isTrue(outcome) ? 'read' : 'stopped';
  let options = none;
  for (let times = 1; times <= 2 && 'refused' in outcome; times += 1) {
    options = pasted(outcome.refused.hint, roster, options);
    outcome = await outcomeOf(bytes, options);
  }
  if (isTrue(outcome)) return { alone, by: 'pasting' };
  if (truth === undefined) return { alone, by: 'nothing' };
  const { map, only, except, encoding, sheet, rows } = roster;
  const declared = { map: values(map), only: values(only), except: values(except), encoding, sheet, rows };
  outcome = await outcomeOf(bytes, declared);
  const ignoreColumn = 'refused' in outcome ? pasted(outcome.refused.hint, roster, none).ignoreColumn : [];
  expect(await outcomeOf(bytes, { ...declared, ignoreColumn })).toEqual({ imported: truth });
  return { alone, by: 'declaring' };
}
