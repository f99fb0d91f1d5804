/**
 * What `__complete WORDS… :CURRENT` prints for the scripts in completions: a kind and how many characters
 * of the current word stay; then a candidate a line, with a tab and what it is.
 *
 * words, open      candidates that begin with the typed text; a space follows, or may not
 * found            the one candidate that has the typed text in what it is, such as a name
 * files, folders   the shell completes these by itself
 */
import type { Command as Commander, Option } from 'commander';
import { defaultDialect, dialectName } from '../../api/dialect.ts';
import type { Completes, Offered } from '../../command.ts';
import type { ProfileSetting } from '../../config/profile-settings.ts';
import { CliError } from '../../errors.ts';
import type { World } from '../../host/host.ts';
import { visible } from '../../text/characters.ts';
import { globalsOf, isOffered, offers, withoutEffect } from '../parse/options.ts';
import { nothingParsed, programFor, records } from '../parse/program.ts';
import type { Completion } from './candidates.ts';

export const nothing = 'words 0\n';

type CompletedLine = {
  command: Commander;
  operands: string[];
  given: Record<string, string>;
  awaiting: Option | undefined;
  literal: boolean;
};

/** The last word, behind a colon, is being typed. `host.interrupted` ends the wait for the service. */
export async function completed(host: World, words: readonly string[]): Promise<string> {
  const current = (words.at(-1) ?? '').slice(1);
  const asksForHelp = words[0] === 'help' && words.length > 1;
  const before = words.slice(asksForHelp ? 1 : 0, -1);
  const own = readLine(await programFor(before, { ...nothingParsed, isWhole: false }), before);
  const line = own.command.parent ? own : readLine(await programFor(before), before);
  const { command, operands, awaiting, literal } = line;
  const at = { host, line, current, from: 0 };
  if (awaiting) return valuesOf(offers.get(awaiting), at);
  if (!literal && current.startsWith('-')) {
    const [name = ''] = /^--[^=]+(?==)|^-[^-](?=.)/s.exec(current) ?? [];
    const option = optionNamed(line, name);
    const from = name.length + (name.startsWith('--') ? 1 : 0);
    if (option?.required) return valuesOf(offers.get(option), { ...at, from });
    return answer(at, [...optionsAt(line).map(optionCompletion), { value: '--help', about: 'help for the command' }]);
  }
  if (command.commands.length > 0) {
    if (operands.length > 0) return nothing;
    const verbs = command.commands.map((each) => ({ value: each.name(), about: each.summary() || each.description() }));
    const topics = asksForHelp && !command.parent ? Object.keys((await import('../help/pages.ts')).topics) : [];
    return answer(at, [...verbs, ...topics.map(bareCompletion)]);
  }
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  if (argument) return valuesOf(offers.get(argument), at);
  return answer(at, literal ? [] : command.options.filter(isOffered).map(optionCompletion));
}

/** Unknown options are ignored. */
function readLine(root: Commander, words: readonly string[]): CompletedLine {
  const line: CompletedLine = { command: root, operands: [], given: {}, awaiting: undefined, literal: false };
  for (const word of words) {
    const verb = line.command.commands.find((each) => each.name() === word);
    if (line.awaiting) {
      line.given[line.awaiting.attributeName()] = word;
      line.awaiting = undefined;
    } else if (word === '--') line.literal = true;
    else if (!line.literal && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const option = optionNamed(line, name);
      if (option?.required && rest.length === 0) line.awaiting = option;
      else if (option) line.given[option.attributeName()] = rest.join('=');
    } else if (verb && line.operands.length === 0) line.command = verb;
    else line.operands.push(word);
  }
  return line;
}

function optionsAt({ command }: CompletedLine): Option[] {
  const record = records.get(command);
  const idle = record ? withoutEffect(record) : [];
  const root = command.parent?.parent ?? command.parent;
  const options = [...command.options, ...(root?.options ?? [])];
  return options.filter((option) => isOffered(option) && !idle.includes(option.long ?? ''));
}

function optionNamed(line: CompletedLine, name: string): Option | undefined {
  return optionsAt(line).find(({ long, short }) => long === name || short === name);
}

function optionCompletion({ long, short, description }: Option): Completion {
  return { value: long ?? short ?? '', about: description };
}

function bareCompletion(value: string): Completion {
  return { value, about: '' };
}

/** `from`: the number of characters of the current word that stay. */
type At = { host: World; line: CompletedLine; current: string; from: number };

async function valuesOf(offered: Offered | undefined, at: At): Promise<string> {
  const { host, line, current, from } = at;
  if (offered === undefined) return nothing;
  if (typeof offered !== 'string') return answer(at, offered.map(bareCompletion));
  const keys = (records.get(line.command)?.columns ?? []).flatMap(({ key }) => dialectName(key, defaultDialect) || []);
  switch (offered) {
    case 'files':
    case 'folders':
      return `${offered} ${from}\n`;
    case 'columns':
      return columnNames(at, [...keys, 'help']);
    case 'keys':
      return columnNames(at, keys);
    case 'settingValues': {
      const { profileSettings } = await import('../../config/profile-settings.ts');
      const settings: Readonly<Record<string, ProfileSetting>> = profileSettings;
      return valuesOf(settings[line.operands[0] ?? '']?.suggests, at);
    }
    default: {
      const taken = [...line.operands, ...Object.values(line.given)];
      const isWord = (value: string) => wordOfAnyShell.test(offered === 'zones' ? value.replaceAll('/', '') : value);
      const isLeft = ({ value }: Completion) => isWord(value) && !taken.includes(value);
      const found = (await completionsFor(host, offered, line.given)).filter(isLeft);
      const isPart = ({ about }: Completion) => about.toLowerCase().includes(current.slice(from).toLowerCase());
      const meant = found.some(startsWithWord(at)) ? [] : found.filter(isPart);
      return meant.length === 1 ? printedCompletions('found', from, meant) : answer(at, found);
    }
  }
}

/** The next of several columns with commas between them; a minus may stand before each. */
function columnNames({ current, from }: At, keys: readonly string[]): string {
  const start = Math.max(from, current.lastIndexOf(',') + 1);
  const named = current.slice(from, start).split(/,-?/);
  const left = keys.filter((key) => !named.includes(key) && (key !== 'help' || start === from));
  return answer({ current, from: current[start] === '-' ? start + 1 : start }, left.map(bareCompletion), 'open');
}

/** The completions, found without prompts, output and token programs, which may prompt. */
async function completionsFor(host: World, what: Completes, given: CompletedLine['given']): Promise<readonly Completion[]> {
  const { fromService, fromThisMachine } = await import('./candidates.ts');
  const { createContext } = await import('../run/context.ts');
  const source = fromThisMachine[what] ?? fromService[what];
  const execute = () => Promise.reject(new CliError('not_logged_in', 'Completion runs no programs.'));
  const context = await createContext({ ...host, execute }, { ...globalsOf(given), quiet: true, noInput: true });
  return (await source?.(context, given.exam)) ?? [];
}

/** Others would need quoting. */
const wordOfAnyShell = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@+-]*$/u;

type TypedWord = Pick<At, 'current' | 'from'>;

function answer(typed: TypedWord, candidates: readonly Completion[], kind = 'words'): string {
  return printedCompletions(kind, typed.from, candidates.filter(startsWithWord(typed)));
}

function startsWithWord({ current, from }: TypedWord): (candidate: Completion) => boolean {
  const part = current.slice(from).toLowerCase();
  return ({ value }) => value.toLowerCase().startsWith(part);
}

function printedCompletions(kind: string, from: number, candidates: readonly Completion[]): string {
  const lines = candidates.map(({ value, about }) => `${value}\t${visible(about.slice(0, 120))}\n`);
  return `${kind} ${from}\n${lines.join('')}`;
}
