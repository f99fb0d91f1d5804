/** Arguments that a command does not take: the error names the flags that were probably meant, from the command's record. */
import type { Command, Flag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { flagName, typedOption } from '../../model/shell-quote.ts';
import { looksRandom } from '../../model/typed-secrets.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { offeredFlags } from './flags.ts';

/** `given`: the flags that the line has, by their keys. */
export function excessArguments(command: Command, words: readonly string[], given: Readonly<Record<string, unknown>>): CliError {
  if (command.name === 'auth login') {
    return new CliError('usage', 'The token cannot be given as an argument: others can see command lines.', {
      hint: 'Type it at the question, or pass it on stdin: proctor-cli auth login --with-token < FILE',
    });
  }
  const taken = Object.keys(command.args ?? {}).length;
  const see = sentence`See: proctor-cli ${command.name} --help`;
  const meant = flagsMeant(command, words.slice(taken), given);
  return new CliError(
    'usage',
    sentence`Too many arguments: ${command.name} takes ${taken === 0 ? 'none' : taken}, but ${count(words.length, 'is', 'are')} given.`,
    {
      hint: meant === undefined ? see : sentence`Did you mean ${meant}? ${see}`,
    },
  );
}

/** The words with the flags that they fit; undefined where one fits none. */
function flagsMeant(command: Command, words: readonly string[], given: Readonly<Record<string, unknown>>): Sentence | undefined {
  const open = offeredFlags(command).filter(([key, flag]) => given[key] === undefined || flag.type === 'texts');
  const values = new Map<string, string[]>();
  for (const word of words) {
    const [key, flag] = open.find((each) => fits(word, each)) ?? [];
    if (key === undefined || flag === undefined) return undefined;
    const before = values.get(key) ?? [];
    // Words of one name; any other flag takes one value.
    if (before.length > 0 && flag.type !== 'texts') values.set(key, [[...before, word].join(' ')]);
    else values.set(key, [...before, word]);
    if (before.length > 0 && flag.type !== 'texts' && key !== 'name') return undefined;
  }
  const options = [...values].flatMap(([key, all]) => all.map((value) => typedOption(flagName(key), value)));
  return sentence`${options.join(' ')}`;
}

/** Whether a word can be the value of a flag, by what the flag takes. */
function fits(word: string, [key, flag]: [key: string, flag: Flag]): boolean {
  if (flag.type === 'boolean') return false;
  if (flag.type === 'time') return /^(now|today|[+]\d|\d{4}-\d\d-\d\d|\d{1,2}:\d\d)/i.test(word);
  const words = ('choices' in flag ? flag.choices : undefined) ?? flag.suggests;
  if (words?.includes(word)) return true;
  const isFile = /[/\\]|\.[a-z]{2,4}$/i.test(word);
  if (word.includes('@')) return key === 'email';
  if (isFile) return flag.complete === 'files';
  if (/^-?\d+(d|w|h|m|min|%)/i.test(word)) return key === 'by';
  if (/^[\w-]{1,36}$/.test(word) && /\d/.test(word) && !looksRandom(word)) return flag.complete === 'exams' || flag.complete === 'sessions';
  return key === 'name';
}
