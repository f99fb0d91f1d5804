/** Asks for the values that are missing, and prints the command line that does without prompts. */
import type { Argument, BooleanFlag, Command, Flag } from '../../command.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { isZone, likeAZone, typedTime } from '../../model/time.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { bodyOf, fieldOf, startFor, timeFrom } from '../parse/body-fields.ts';
import { typedLine } from '../parse/typed-line.ts';
import { type Line, toIds } from '../parse/values.ts';
import type { RunContext } from '../run/context.ts';
import { pick, pickSeveral } from './picker.ts';

type Asked = Argument | Exclude<Flag, BooleanFlag>;

/** Throws `interrupted` if a question is cancelled, and `not_logged_in` before the first one. */
export async function ask(line: Line, context: RunContext): Promise<void> {
  const { command, values, fields, missing } = line;
  const { host, settings } = context;
  const { args = {}, flags = {} } = command;
  await refuseWithoutLogin(command, context);
  const operands: string[] = [];
  const options: string[] = [];
  for (const key of missing) {
    const what = args[key] ?? flags[key];
    if (!what || ('type' in what && what.type === 'boolean')) continue;
    const answer = await answerTo(key, what, line, context);
    const answered = { [key]: answer };
    await toIds(command, answered, context);
    Object.assign(values, answered);
    if (args[key]) operands.push(...[answer].flat().map(String));
    else options.push(...[answer].flat().flatMap((each) => optionWords(key, each, settings().timeZone)));
    if ('field' in what && what.field) fields.set(...(await fieldOf(command, key, answer as Json, context)));
  }
  line.body = bodyOf(command, fields, context);
  context.say(sentence`The same command without prompts:\n  ${typedLine(host.argv, options, operands)}`);
}

function optionWords(key: string, value: string | number, zone = 'UTC'): string[] {
  const text = typeof value === 'number' ? typedTime(value, zone) : value;
  return text.startsWith('-') ? [`${flagName(key)}=${text}`] : [flagName(key), text];
}

async function answerTo(key: string, what: Asked, { command, values, fields }: Line, context: RunContext) {
  const name = command.args?.[key] ? key : flagName(key);
  const exam = typeof values.exam === 'string' ? values.exam : undefined;
  const isSeveral = 'type' in what ? what.type === 'texts' : what.variadic;
  const complete = 'complete' in what ? what.complete : undefined;
  if (isSeveral) {
    // What follows the semicolon is about the command line.
    const question = asked(name, what.description.replace(/;.*/, ''));
    const picked = await pickSeveral(question, context, { what: complete, exam });
    if (picked !== undefined) return picked;
    const words = (await askText(question, context)).split(/[\s,]+/);
    return [...new Set(words.filter((word) => word !== ''))];
  }
  if (!('type' in what) || what.type !== 'time') {
    const question = asked(name, what.description);
    const picked = await pick(question, context, { what: complete ?? (what as Argument).choices, exam });
    if (picked !== undefined) return picked;
    return askText(question, context, 'check' in what ? what.check : undefined);
  }
  const start = await startFor(what, { command, values, fields }, context);
  const written = timeWritten(context.settings().timeZone, start);
  const read = async (text: string) => {
    if (start !== undefined && text.startsWith('+'))
      throw new InvalidValue(sentence`"${text}" counts from now.`, 'For a length from the start leave out the +.');
    return timeFrom(start, text, context);
  };
  const check = async (text: string) => {
    const value = await read(text);
    if (what.field) bodyOf(command, new Map([...fields, await fieldOf(command, key, value, context)]), context);
  };
  return read(await askText(asked(name, what.description, `such as ${written}`), context, check));
}

/** `start`: of the end in question, where it has one. A local time needs a zone. */
function timeWritten(zone: string | undefined, start: number | undefined): string {
  if (start === undefined) return zone === undefined ? 'YYYY-MM-DD 09:00+01:00' : 'YYYY-MM-DD 09:00, or tomorrow 09:00';
  return zone === undefined ? '90m or 2h from the start' : '11:00 on the same day, or 90m or 2h from the start';
}

/** `Start of the exam (--start; such as tomorrow 09:00):` */
function asked(name: string, does: string, hint = ''): Sentence {
  const inBrackets = [name.startsWith('--') ? name : '', hint].filter((words) => words !== '').join('; ');
  return sentence`${capitalised(does)}${inBrackets && ` (${inBrackets})`}:`;
}

/** `check` throws what is wrong. */
async function askText(question: Sentence, { host }: RunContext, check?: (text: string) => unknown): Promise<string> {
  const problem = async (text: string) => {
    if (text.trim() === '') return sentence`Please enter a value.`;
    await check?.(text.trim());
    return undefined;
  };
  const questions = await host.questions();
  return (await questions.text(question, { check: problem })).trim();
}

async function refuseWithoutLogin({ effect }: Command, { globals, settings }: RunContext): Promise<void> {
  if (effect !== 'local' && !globals.dryRun && !settings().sandbox) await settings().token();
}

/** `why`: a time in the command has no zone. Throws like `ask`. */
export async function askZone(why: Sentence, command: Command, context: RunContext): Promise<string> {
  const { host, say } = context;
  await refuseWithoutLogin(command, context);
  const check = (zone: string) => (isZone(zone.trim()) ? undefined : likeAZone);
  const questions = await host.questions();
  const answer = await questions.text(sentence`${why} Which zone is meant?`, { initial: host.zone(), check });
  const zone = answer.trim();
  say(sentence`Without this question: proctor-cli config set timezone ${zone}`);
  return zone;
}
