/** Asks for the missing values, some to be picked from a list, and prints the command line that does without prompts. */
import { readRecord } from '../../api/reading.ts';
import type { Argument, BooleanFlag, Command, Completes, Flag, Offered } from '../../command.ts';
import { orElse } from '../../errors.ts';
import type { Choice } from '../../host/host.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { isZone, likeAZone, typedTime } from '../../model/time.ts';
import { writtenAs } from '../../model/typed-time.ts';
import { visible } from '../../text/characters.ts';
import { hasWords, soughtWords, spellings } from '../../text/fold.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { type Completion, fromService, fromThisMachine } from '../complete/candidates.ts';
import { namedField, requestBody, startFor, timeFrom } from '../parse/body-fields.ts';
import { inputName, type ParsedLine, toIds, typedLine } from '../parse/values.ts';
import type { RunContext } from '../run/context.ts';

type PromptedInput = Argument | Exclude<Flag, BooleanFlag>;

/** Throws `interrupted` if a question is cancelled, and `not_logged_in` before the first one. */
export async function ask(line: ParsedLine, context: RunContext): Promise<void> {
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
    if ('field' in what && what.field) fields.set(...(await namedField(command, key, answer as Json, context)));
  }
  line.body = requestBody(command, fields, context);
  context.say(sentence`The same command without prompts:\n  ${typedLine(host.argv, options, operands)}`);
}

function optionWords(key: string, value: string | number, zone = 'UTC'): string[] {
  const text = typeof value === 'number' ? typedTime(value, zone) : value;
  return text.startsWith('-') ? [`${flagName(key)}=${text}`] : [flagName(key), text];
}

async function answerTo(key: string, what: PromptedInput, { command, values, fields }: ParsedLine, context: RunContext) {
  const name = inputName(command, key);
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
    return picked ?? askText(question, context, 'check' in what ? what.check : undefined);
  }
  const start = await startFor(what, { command, values, fields }, context);
  const written = timeWritten(context.settings().timeZone, start);
  const read = async (text: string) => {
    if (start !== undefined && text.startsWith('+'))
      throw new InvalidValue(sentence`"${text}" counts from now.`, 'For a length from the start leave out the +.');
    return timeFrom(start, text, context).catch((error: InvalidValue) => {
      throw error.hint === writtenAs ? new InvalidValue(error.message, sentence`Write ${written}.`) : error;
    });
  };
  const check = async (text: string) => {
    const value = await read(text);
    if (what.field) requestBody(command, new Map([...fields, await namedField(command, key, value, context)]), context);
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
    if (text.trim() === '') return sentence`Please enter a value. Ctrl-C cancels.`;
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

/** `exam`: whose sessions are meant, if known. */
type Offering = { what: Offered | undefined; exam: string | undefined };

/** Undefined where there is no list to choose from. */
async function pick(question: Sentence, context: RunContext, offered: Offering): Promise<string | undefined> {
  const choices = await finderOf(offered, context);
  if (!choices) return undefined;
  for (;;) {
    const value = await (await context.host.questions()).search(question, choices.find());
    if (offered.what !== 'exams' || choices.has(value) || (await isExam(value, context))) return value;
    context.warn(sentence`No exam has the ID ${JSON.stringify(value)}.`);
  }
}

/** Whether it is the ID of an exam; also true if the exam cannot be read: the command then says why. */
async function isExam(id: string, context: RunContext): Promise<boolean> {
  const shown = readRecord(await context.client(), 'exam', id, { once: true }).then(() => true);
  return orElse(shown, ({ code }) => code !== 'not_found');
}

/** One after the other; Enter alone ends the choice. */
async function pickSeveral(question: Sentence, context: RunContext, offered: Offering): Promise<string[] | undefined> {
  const choices = await finderOf(offered, context);
  if (!choices) return undefined;
  for (let chosen: string[] = []; ; ) {
    const message = chosen.length === 0 ? question : sentence`Another value, or Enter to finish:`;
    const value = await (await context.host.questions()).search(message, choices.find(chosen));
    if (value === '') return chosen;
    chosen = [...new Set([...chosen, ...(severalIds.test(value) ? value.split(/[\s,]+/) : [value])])];
  }
}

/** Undefined also where the service does not tell them: an ID can be typed without a list. */
async function finderOf({ what, exam }: Offering, context: RunContext) {
  if (what === undefined) return undefined;
  const words = typeof what === 'string' ? undefined : what.map((value) => ({ value, about: '' }));
  const local = words ?? (await fromThisMachine[what as Completes]?.(context, exam));
  const fromThere = async () => local ?? fromService[what as Completes]?.(context, exam);
  const found = await orElse(fromThere(), ({ message }) => void context.warn(sentence`No suggestions are available. ${message}`));
  if (!found) return undefined;
  return {
    has: (value: string) => found.some((each) => each.value === value),
    find: (chosen?: readonly string[]) => finder(found, local !== undefined, chosen),
  };
}

const shownAtMost = 20;
const severalIds = /^\d+(?:[\s,]+\d+)+$/;

/**
 * `isWhole`: nothing else can be typed. `chosen` are not offered again; the empty value ends the choice
 * of several.
 */
export function finder(candidates: readonly Completion[], isWhole: boolean, chosen: readonly string[] = []) {
  const lines = candidates.flatMap(({ value, about }) => {
    if (chosen.includes(value)) return [];
    const text = visible(about === '' ? value : `${value}  ${about}`);
    return [{ value, text, found: spellings(text) }];
  });
  return (term: string): (Choice | string)[] => {
    const typed = term.trim();
    // Tab may have inserted a label, and that may have been cut.
    const words = soughtWords(typed);
    const named = lines.filter(({ value }) => value === typed);
    const fits = ({ value, found }: (typeof lines)[number]) => value !== typed && hasWords(found, words);
    const found = severalIds.test(typed) ? named : [...named, ...lines.filter(fits)];
    const offered: (Choice | string)[] = found.slice(0, shownAtMost).map(({ value, text }) => ({ value, label: text }));
    if (typed === '' && chosen.length > 0) offered.unshift({ value: '', label: `Done: only ${visible(chosen.join(', '))}` });
    const more = found.length - shownAtMost;
    if (more > 0) offered.push(`${more} more: type to narrow the list`);
    if (!isWhole && typed !== '' && named.length === 0) {
      const label = `use ${visible(typed)}, which is not in this list`;
      offered.push({ value: typed, label, unknown: candidates.length > 0 });
    } else if (found.length === 0) {
      offered.push(typed === '' ? 'No suggestions: type the value' : 'Nothing fits: type something else');
    }
    return offered;
  };
}
