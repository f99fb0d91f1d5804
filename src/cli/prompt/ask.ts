/**
 * Prompts for the required values that are missing, in the order of the command's record. Then it prints the command
 * line that does the same without prompts.
 */
import type { Command } from '../../command.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { fromStart, typedTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { bodyOf, type Fields, fieldOf } from '../parse/body.ts';
import { startFor } from '../parse/start-for.ts';
import { typedLine } from '../parse/typed-line.ts';
import type { RunContext } from '../run/context.ts';
import { askEach, askSeveral, askText } from './prompt-questions.ts';

export type Lacking = {
  command: Command;
  /** The given values; the answers are added to them. */
  values: Record<string, unknown>;
  fields: Fields;
  /** Keys of the required arguments and flags that are missing. */
  missing: readonly string[];
};

/** Throws `interrupted` if a prompt is cancelled, and `not_logged_in` before the first question. */
export async function ask({ command, values, fields, missing }: Lacking, context: RunContext): Promise<void> {
  const { host, globals, settings } = context;
  const { args = {}, flags = {} } = command;
  if (command.effect !== 'local' && !globals.dryRun && !settings().sandbox) await settings().token();
  const operands: string[] = [];
  const options: string[] = [];
  const exam = () => (typeof values.exam === 'string' ? values.exam : undefined);

  for (const [name, argument] of Object.entries(args)) {
    if (!missing.includes(name)) continue;
    const answer = await (argument.variadic ? askSeveral : askText)(name, argument, context, { exam: exam() });
    values[name] = answer;
    operands.push(...[answer].flat());
  }

  const settle = (key: string, value: unknown) => {
    values[key] = value;
    if (flags[key]?.field) fields.set(...fieldOf(command, key, value as Json, context));
    options.push(...optionOf(key, value, settings().timeZone));
  };
  for (const key of missing) {
    const flag = flags[key];
    if (flag?.type === 'texts') settle(key, await askEach(flagName(key), flag, context));
    if (flag?.type !== 'text' && flag?.type !== 'time') continue;
    const start = flag.type === 'time' && flag.after ? await startFor(flag, { command, values, fields }, context) : undefined;
    const read = (text: string) => {
      if (flag.type === 'text') return text;
      if (start === undefined) return context.time(text);
      if (/^\s*\+/.test(text)) throw new InvalidValue(sentence`"${text}" counts from now.`, 'For a length from the start leave out the +.');
      return context.time(fromStart(text, start, settings().timeZone ?? 'UTC'));
    };
    const check = async (text: string) => {
      const value = read(text);
      if (flag.type === 'text') await flag.check?.(text);
      if (flag.field) bodyOf(command, new Map([...fields, fieldOf(command, key, value, context)]), context);
    };
    settle(key, read(await askText(flagName(key), flag, context, { exam: exam(), check, start })));
  }
  context.say(sentence`The same command without prompts:\n  ${typedLine(host.argv, options, operands)}`);
}

/** A flag with its value, as it is typed. */
function optionOf(key: string, value: unknown, zone = 'UTC'): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => optionOf(key, each));
  const text = typeof value === 'number' ? typedTime(value, zone) : String(value);
  return text.startsWith('-') ? [`${flagName(key)}=${text}`] : [flagName(key), text];
}
