/**
 * The completion at the cursor, decided from the words before it and the table of commands alone: words, or a
 * request to the shell, this machine or the service.
 */
import { allZones, zonesInCity } from '../../model/zones.ts';
import type { Candidate } from './candidates.ts';
import type { CommandWords, Grammar, NounWords, OptionWords, Takes } from './grammar.ts';
import type { Wanted } from './wanted.ts';

/** The words before the cursor, understood. */
export type Line = {
  /** The noun of the command, and the command once both of its words are there. */
  noun?: NounWords;
  command?: CommandWords;
  /** The words after the command. */
  operands: string[];
  /** Options by their long names, with their values. */
  given: Map<string, string[]>;
  /** An option whose value comes next. */
  awaiting?: OptionWords;
  /** After `--` nothing is an option. */
  operandsOnly: boolean;
};

/** Reads the words before the current one, and ignores unknown ones. */
export function readLine(grammar: Grammar, before: readonly string[]): Line {
  const line: Line = { operands: [], given: new Map(), operandsOnly: false };
  for (const word of before) {
    if (line.awaiting) {
      give(line, line.awaiting, word);
      delete line.awaiting;
    } else if (!line.operandsOnly && word === '--') {
      line.operandsOnly = true;
    } else if (!line.operandsOnly && word.length > 1 && word.startsWith('-')) {
      readOption(grammar, line, word);
    } else if (!line.noun) {
      const noun = grammar.nouns.find(({ value }) => value === word);
      if (!noun) return { ...line, operandsOnly: true, command: nothing };
      line.noun = noun;
      if (noun.command) line.command = noun.command;
    } else if (!line.command) {
      line.command = line.noun.verbs.find(({ value }) => value === word)?.command ?? nothing;
    } else {
      line.operands.push(word);
    }
  }
  return line;
}

/** Stands for an unknown command: its words cannot be completed. */
const nothing: CommandWords = { without: [], args: [], options: [], columns: [], fields: [] };

function readOption(grammar: Grammar, line: Line, word: string) {
  const { option, value } = splitOption(grammar, line, word);
  if (!option) return;
  if (option.takes === undefined || value !== undefined) give(line, option, value ?? '');
  else line.awaiting = option;
}

function give(line: Line, { names: [name = ''] }: OptionWords, value: string) {
  line.given.set(name, [...(line.given.get(name) ?? []), value]);
}

/** An option, and the value in the same word, if there is one: `--output=json`, `-ojson`. */
function splitOption(grammar: Grammar, line: Line, word: string): { option?: OptionWords; value?: string; from: number } {
  const equals = word.indexOf('=');
  const length = word.startsWith('--') ? (equals < 0 ? word.length : equals) : 2;
  const option = optionsOf(grammar, line).find(({ names }) => names.includes(word.slice(0, length)));
  if (!option || length === word.length) return { ...(option ? { option } : {}), from: 0 };
  const from = word[length] === '=' && word.startsWith('--') ? length + 1 : length;
  return { option, value: word.slice(from), from };
}

function optionsOf(grammar: Grammar, { command }: Line): OptionWords[] {
  return [...(command?.options ?? []), ...grammar.options];
}

/** The completion for a line; the last word is the current one, up to the cursor. */
export function wanted(grammar: Grammar, words: readonly string[]): Wanted {
  const current = words.at(-1) ?? '';
  const line = readLine(grammar, words.slice(0, -1));
  if (line.awaiting?.takes !== undefined) return values(line.awaiting.takes, current, 0, grammar, line, given(line, line.awaiting));
  if (!line.operandsOnly && current.startsWith('-')) {
    const { option, value, from } = splitOption(grammar, line, current);
    if (option?.takes !== undefined && value !== undefined) return values(option.takes, current, from, grammar, line, given(line, option));
    const without = new Set(line.command?.without);
    const offered = optionsOf(grammar, line).filter(({ names: [name = ''] }) => !without.has(name));
    return { kind: 'words', from: 0, candidates: optionNames(offered, line) };
  }
  if (line.command) return operand(line.command, current, grammar, line);
  return { kind: 'words', from: 0, candidates: line.noun ? line.noun.verbs : grammar.nouns };
}

function given({ given }: Line, { names: [name = ''] }: OptionWords): string[] {
  return given.get(name) ?? [];
}

/** An argument of the command, or its options if it takes no more arguments. */
function operand(command: CommandWords, current: string, grammar: Grammar, line: Line): Wanted {
  const last = command.args.at(-1);
  const argument = command.args[line.operands.length] ?? (last?.variadic ? last : undefined);
  if (argument) return values(argument.takes, current, 0, grammar, line, argument.variadic ? line.operands : []);
  return { kind: 'words', from: 0, candidates: line.operandsOnly ? [] : optionNames(command.options, line) };
}

function optionNames(options: readonly OptionWords[], { given }: Line): Candidate[] {
  return options.flatMap(({ names: [value = ''], about, repeats, refused }) =>
    refused || (!repeats && given.has(value)) ? [] : [{ value, about }],
  );
}

function values(takes: Takes, current: string, from: number, grammar: Grammar, line: Line, taken: readonly string[]): Wanted {
  const { noun, command = nothing, operands } = line;
  const words = (candidates: readonly Candidate[]): Wanted => ({ kind: 'words', from, candidates });
  if (typeof takes !== 'string') return words(takes);
  switch (takes) {
    case 'anything':
      return words([]);
    case 'files':
    case 'folders':
      return { kind: takes, from };
    case 'verbs':
      return words(grammar.nouns.find(({ value }) => value === operands[0])?.verbs ?? []);
    case 'settings':
      return words(noun?.value === 'config' ? settingsFor(current.slice(from), grammar) : []);
    case 'settingValues': {
      const setting = grammar.settings.find(({ value }) => value === operands[0]);
      return values(setting?.takes ?? 'anything', current, from, grammar, line, taken);
    }
    case 'zones':
      return zoneWords(current, from);
    case 'columns':
      return columnWords(current, from, command);
    case 'keys':
      return keyWords(current, from, command);
    case 'fields':
      return fieldWords(current, from, command, taken);
    default: {
      const exam = line.given.get('--exam')?.at(-1);
      return { kind: 'live', from, what: takes, taken, ...(takes === 'sessions' && exam ? { exam } : {}) };
    }
  }
}

/** The settings of the dialect are many, and rarely needed: they are offered once their first word is begun. */
function settingsFor(part: string, { settings }: Grammar): readonly Candidate[] {
  const begun = part !== '' && (part.startsWith(dialect) || dialect.startsWith(part));
  return begun ? settings : settings.filter(({ value }) => !value.startsWith(dialect));
}

const dialect = 'dialect.';

/** A zone by the beginning of its name, or by its city where only one fits. */
function zoneWords(current: string, from: number): Wanted {
  const part = current.slice(from).toLowerCase();
  const zones = allZones();
  const [only, ...others] = zones.some((zone) => zone.toLowerCase().startsWith(part)) ? [] : zonesInCity(part);
  if (only !== undefined && others.length === 0) return { kind: 'found', from, candidate: { value: only, about: '' } };
  return { kind: 'words', from, candidates: zones.map((value) => ({ value, about: '' })) };
}

/** The next of several columns with commas between them, each with a minus before it or without. */
function keyWords(current: string, from: number, command: CommandWords): Wanted {
  const { start, left } = columnsLeft(current, from, command);
  return { kind: 'words', from: current[start] === '-' ? start + 1 : start, candidates: left, open: true };
}

function columnsLeft(current: string, from: number, { columns }: CommandWords) {
  const start = Math.max(from, current.lastIndexOf(',') + 1);
  const named = current
    .slice(from, start)
    .split(',')
    .map((name) => name.replace(/^-/, ''));
  return { start, left: columns.filter((name) => !named.includes(name)).map((value) => ({ value, about: '' })) };
}

/** The next of several columns with commas between them. */
function columnWords(current: string, from: number, command: CommandWords): Wanted {
  const { start, left } = columnsLeft(current, from, command);
  const all = { value: 'help', about: 'list the columns' };
  return { kind: 'words', from: start, candidates: start === from ? [...left, all] : left, open: true };
}

/** `key=`, then what the field can be; `@` is a file. */
function fieldWords(current: string, from: number, { fields }: CommandWords, taken: readonly string[]): Wanted {
  const equals = current.indexOf('=', from);
  if (equals < 0) {
    const left = fields.filter(({ name }) => !taken.some((pair) => pair.startsWith(`${name}=`)));
    return { kind: 'words', from, candidates: left.map(({ name, type }) => ({ value: `${name}=`, about: type })), open: true };
  }
  if (current[equals + 1] === '@') return { kind: 'files', from: equals + 2 };
  const boolean = fields.some(({ name, type }) => type === 'boolean' && name === current.slice(from, equals));
  return { kind: 'words', from: equals + 1, candidates: boolean ? ['true', 'false'].map((value) => ({ value, about: '' })) : [] };
}
