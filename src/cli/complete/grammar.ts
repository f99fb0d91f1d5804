/**
 * The table of commands as far as completion needs it: plain data, which the build evaluates once, so
 * that no command is loaded while Tab is pressed.
 */
import type { Command, Completes, Flag } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { profileSettings } from '../../config/profile-settings.ts';
import { fieldRules } from '../../model/fields.ts';
import { flagName } from '../../model/shell-quote.ts';
import { topics } from '../help/topics/index.ts';
import { bodyOptionsOf, flagTerm, offeredFlags } from '../parse/flags.ts';
import { globalOptions, globalOptionsOf } from '../parse/globals.ts';
import type { Candidate } from './candidates.ts';

/** The values it accepts: a kind of candidate, the verbs of the noun in the word before, one of a few, or anything. */
export type Takes = Completes | 'verbs' | readonly Candidate[] | 'anything';
export type OptionWords = {
  /** The long name first. */
  names: readonly string[];
  about: string;
  /** Absent where it takes no value. */
  takes?: Takes;
  repeats?: true;
  /** Read, and never offered: it is refused by name. */
  refused?: true;
};
export type CommandWords = {
  /** The options of every command that have no effect in this one: they are not offered. */
  without: readonly string[];
  args: readonly { takes: Takes; variadic?: true }[];
  options: readonly OptionWords[];
  columns: readonly string[];
  fields: readonly { name: string; type: string }[];
};
export type NounWords = Candidate & { command?: CommandWords; verbs: readonly (Candidate & { command: CommandWords })[] };
export type Grammar = {
  nouns: readonly NounWords[];
  options: readonly OptionWords[];
  settings: readonly (Candidate & { takes?: Takes })[];
};

export async function readGrammar(): Promise<Grammar> {
  const named = await Promise.all(
    nouns.map(async ({ name, summary, load }): Promise<NounWords> => {
      const commands = await load();
      const own = commands.find((command) => command.name === name);
      const verbs = commands.filter((command) => command !== own);
      return {
        value: name,
        about: summary,
        ...(own ? { command: commandWords(own) } : {}),
        verbs: verbs.map((command) => ({
          value: command.name.slice(name.length + 1),
          about: command.summary,
          command: commandWords(command),
        })),
      };
    }),
  );
  return {
    nouns: [...named, help(named)],
    options: [
      ...globalOptions.map(({ flags, does, choices, complete }) =>
        option(flags, does, choices?.map(plain) ?? complete, flags.includes('<')),
      ),
      { names: ['--help', '-h'], about: 'help for the program, a noun or a command' },
      { names: ['--version', '-V'], about: 'the version of the program' },
    ],
    settings: Object.entries(profileSettings).flatMap(([value, { meaning, secret, suggests }]) => {
      const takes = typeof suggests === 'string' ? suggests : suggests?.map(plain);
      return secret ? [] : [{ value, about: meaning, ...(takes === undefined ? {} : { takes }) }];
    }),
  };
}

/** `help` takes the words that lead to a command, or a topic. */
function help(named: readonly NounWords[]): NounWords {
  const pages = [...named, ...topics.map(({ name, summary }) => ({ value: name, about: summary }))];
  const args = [{ takes: pages.map(({ value, about }) => ({ value, about })) }, { takes: 'verbs' as const }];
  return {
    value: 'help',
    about: 'Help for a command or a topic',
    command: { without: [], args, options: [], columns: [], fields: [] },
    verbs: [],
  };
}

function commandWords(command: Command): CommandWords {
  const { args = {}, flags = {}, columns = [], writes } = command;
  const effective = new Set(globalOptionsOf(command));
  const offered = new Set(offeredFlags(command).map(([key]) => key));
  const fields = typeof writes !== 'object' ? [] : Object.entries(fieldRules[writes.resource]);
  const settable = fields.filter(([, { setBy }]) => typeof writes === 'object' && setBy.includes(writes.writing));
  return {
    without: globalOptions.flatMap((one) => (effective.has(one) ? [] : [one.flags.replace(/ <.*/, '')])),
    args: Object.values(args).map(({ choices, suggests, complete, variadic }) => ({
      takes: (choices ?? suggests)?.map(plain) ?? complete ?? 'anything',
      ...(variadic ? { variadic } : {}),
    })),
    options: [
      ...Object.entries(flags).flatMap(([key, flag]) => flagWords(key, flag, !offered.has(key))),
      ...bodyOptionsOf(command).map(({ flags: term, description, complete, repeats }) =>
        option(term, description, complete, true, repeats),
      ),
    ],
    columns: columns.map(({ key }) => key),
    fields: settable.map(([name, { type }]) => ({ name, type })),
  };
}

function flagWords(key: string, flag: Flag, isRefused: boolean): OptionWords[] {
  const marks = isRefused ? { refused: true as const } : {};
  if (flag.type === 'boolean') {
    const negated = { names: [flagName(key).replace('--', '--no-')], about: `the opposite of ${flagName(key)}`, ...marks };
    return [{ names: [flagName(key)], about: flag.description, ...marks }, ...(flag.negatable ? [negated] : [])];
  }
  const choices = flag.type === 'text' ? flag.choices : undefined;
  const words = flag.type === 'time' ? undefined : (choices ?? flag.suggests)?.map(plain);
  const offered = words ?? (flag.type === 'time' ? undefined : flag.complete);
  return [{ ...option(flagTerm(key, flag), flag.description, offered, true, flag.type === 'texts'), ...marks }];
}

/** An option by its term: "-o, --output <format>". */
function option(term: string, about: string, takes: Takes | undefined, hasValue: boolean, repeats = false): OptionWords {
  const names = term.replace(/ <.*/, '').split(', ').reverse();
  return { names, about, ...(hasValue ? { takes: takes ?? 'anything' } : {}), ...(repeats ? { repeats: true } : {}) };
}

function plain(value: string): Candidate {
  return { value, about: '' };
}
