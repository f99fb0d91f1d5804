/**
 * Prompts for missing values, in the order of the command's record, and for the fields in its `promptFor`. Then it
 * prints the command line that does the same without prompts.
 */
import type { BooleanFlag, Command } from '../../command.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { fromStart, typedTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { bodyOf, type Fields, fieldName, fieldOf } from '../parse/body.ts';
import { isUpdate, startFor } from '../parse/start-for.ts';
import { typedLine } from '../parse/typed-line.ts';
import type { RunContext } from '../run/context.ts';
import { askChanges, askEach, askSeveral, askText, askTicks, askYesNo, askZone, offerToKeepZone, refusal } from './prompt-questions.ts';

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
  const limits = (key: string) => ({ exam: typeof values.exam === 'string' ? values.exam : undefined, optional: !missing.includes(key) });

  for (const [name, argument] of Object.entries(args)) {
    if (!missing.includes(name)) continue;
    const answer = await (argument.variadic ? askSeveral : askText)(name, argument, context, limits(name));
    values[name] = answer;
    operands.push(...[answer].flat());
  }

  const settle = async (key: string, value: unknown) => {
    values[key] = value;
    if (flags[key]?.field) fields.set(...(await fieldOf(command, key, value as Json, context)));
    options.push(...optionOf(key, value, settings().timeZone));
  };
  const ticks: [key: string, flag: BooleanFlag][] = [];
  const open = openFlags({ command, values, fields, missing }, context);
  const changes = isUpdate(command);
  const asked = !changes ? open : fields.size > 0 ? [] : await askChanges(open, flags, context);
  // The body, which is checked next, then says that there is nothing to change.
  if (changes && fields.size === 0 && asked.length === 0) return;
  for (const key of asked) {
    const flag = flags[key];
    if (flag?.type === 'boolean' && changes) await settle(key, await askYesNo(flagName(key), flag, context));
    else if (flag?.type === 'boolean') ticks.push([key, flag]);
    else if (flag?.type === 'texts') await settle(key, await askEach(flagName(key), flag, context));
    if (flag?.type !== 'text' && flag?.type !== 'time') continue;
    const start =
      flag.type === 'time' && flag.after ? await startFor(flag, { command, values, fields, mayRead: !globals.dryRun }, context) : undefined;
    const absolute = (text: string) => {
      if (start === undefined) return text;
      if (/^\s*\+/.test(text)) throw new InvalidValue(sentence`"${text}" counts from now.`, 'For a length from the start leave out the +.');
      return fromStart(text, start, settings().timeZone ?? 'UTC');
    };
    const read = async (text: string) => (flag.type === 'time' ? context.time(absolute(text)) : text);
    /** Whether a text is a local time and no time zone is set. Throws for what is no time. */
    const lacksZone = async (text: string) => {
      if (flag.type !== 'time' || settings().timeZone !== undefined) return false;
      const isRead = await read(text).then(
        () => true,
        () => false,
      );
      if (isRead) return false;
      const { parseTime } = await import('../../model/time.ts');
      // What is no time in any zone is refused as that.
      await parseTime(absolute(text), { now: host.now, zone: 'UTC' });
      return true;
    };
    const check = async (text: string) => {
      if (await lacksZone(text)) return;
      const value = await read(text);
      if (flag.type === 'text') await flag.check?.(text);
      if (flag.field) bodyOf(command, new Map([...fields, await fieldOf(command, key, value, context)]), context);
    };
    const asking = { ...limits(key), ...(changes ? { optional: false } : {}), check, start };
    let answer = await askText(flagName(key), flag, context, asking);
    if (answer !== '' && (await lacksZone(answer))) {
      const zone = await askZone(context);
      Object.assign(settings(), { timeZone: zone });
      options.push('--timezone', zone);
      await offerToKeepZone(zone, context);
      // These checks need the zone: the time may not exist in it, or be over.
      const problem = await check(answer).then(() => undefined, refusal);
      if (problem !== undefined) {
        context.warn(problem);
        answer = await askText(flagName(key), flag, context, asking);
      }
    }
    if (answer !== '') await settle(key, await read(answer));
  }
  if (ticks.length > 0) {
    const ticked = await askTicks(ticks, context);
    for (const [key, { negatable }] of ticks) if (ticked.has(key) || negatable) await settle(key, ticked.has(key));
  }
  context.say(sentence`The same command without prompts:\n  ${typedLine(host.argv, options, operands)}`);
}

/** The flags to prompt for: the missing ones, then those in `promptFor`, without those that were given. */
function openFlags({ command: { flags = {}, promptFor: offers = [] }, values, fields, missing }: Lacking, context: RunContext): string[] {
  const keys = [...missing.filter((key) => !offers.includes(key)), ...offers];
  return keys.filter((key) => {
    const flag = flags[key];
    return flag && values[key] === undefined && !(flag.field && fields.has(fieldName(flag.field, context)));
  });
}

/** A flag with its value, as it is typed. */
function optionOf(key: string, value: unknown, zone = 'UTC'): string[] {
  const name = flagName(key);
  if (Array.isArray(value)) return value.flatMap((each) => optionOf(key, each));
  if (typeof value === 'boolean') return [value ? name : name.replace('--', '--no-')];
  const text = typeof value === 'number' ? typedTime(value, zone) : String(value);
  return text.startsWith('-') ? [`${name}=${text}`] : [name, text];
}
