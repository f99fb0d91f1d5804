/**
 * One question each, on stderr: a text that is checked in place, a picker if the possible answers are known, a
 * list to tick. Cancelling a question ends the command before it has changed anything.
 */
import type { Argument, Completes, RepeatedFlag, TextFlag, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Choice } from '../../host/host.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { inWhichOrder, writtenAs } from '../../model/time.ts';
import { line } from '../../output/canvas.ts';
import { visible } from '../../text/characters.ts';
import { folded, hasWords, soughtWords } from '../../text/fold.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { type Candidate, fromService, fromThisMachine } from '../complete/candidates.ts';
import type { RunContext } from '../run/context.ts';

type Typed = Argument | TextFlag | TimeFlag;

type Limits = {
  /** Whose sessions a picker shows. */
  exam: string | undefined;
  /** The start that belongs to the end in question: milliseconds since 1970. */
  start?: number | undefined;
  /** Throws what is wrong with an answer. */
  check?(answer: string): Promise<unknown>;
};

/** How a time can be written: `start` of the end in question, where it has one. A local time needs a zone. */
function timeWritten(zone: string | undefined, start: number | undefined): string {
  if (start === undefined) return zone === undefined ? 'YYYY-MM-DD 09:00+01:00' : 'YYYY-MM-DD 09:00, or tomorrow 09:00';
  return zone === undefined ? '90m or 2h from the start' : '11:00 on the same day, or 90m or 2h from the start';
}

/** One text, without the spaces around it; never empty. */
export async function askText(name: string, what: Typed, context: RunContext, { exam, check, start }: Limits): Promise<string> {
  const { host } = context;
  const choices = 'choices' in what ? what.choices : undefined;
  const written = 'type' in what && what.type === 'time' ? timeWritten(context.settings().timeZone, start) : undefined;
  const hint = written === undefined ? choices?.join(', ') : `such as ${written}`;
  const message = asked(name, what.description, hint === undefined ? [] : [hint]);
  const candidates = 'complete' in what && what.complete ? await candidatesFor(what.complete, context, exam) : undefined;
  if (candidates) return host.prompts.search(message, finder(candidates, roomIn(context)));
  const problem = async (text: string) => {
    const answer = text.trim();
    if (answer === '') return sentence`Please enter a value.`;
    if (choices && !choices.includes(answer)) return sentence`Enter one of: ${choices.join(', ')}.`;
    return check?.(answer).then(
      () => undefined,
      (error) => refusal(error, written),
    );
  };
  return (await host.prompts.text(message, { check: problem })).trim();
}

/** `Start of the exam (--start; such as +2h30m):` */
function asked(name: string, does: string, hints: readonly string[] = []): Sentence {
  const inBrackets = [...(name.startsWith('--') ? [name] : []), ...hints];
  return sentence`${capitalised(does)}${inBrackets.length > 0 ? ` (${inBrackets.join('; ')})` : ''}:`;
}

/** The values of an argument that takes several: found one after the other, or typed with spaces or commas between. */
export async function askSeveral(name: string, what: Argument, context: RunContext, limits: Limits): Promise<string[]> {
  const { globals } = context;
  const unsaid = what.complete === 'sessions' && limits.exam === undefined && !globals.dryRun;
  const exam = unsaid ? await askText('exam', examOfSessions, context, limits) : limits.exam;
  const candidates = what.complete && (await candidatesFor(what.complete, context, exam));
  if (!candidates) return wordsOf(await askText(name, { description: what.description }, context, limits));
  return found(candidates, asked(name, what.description), context);
}

/** One after the other, by typing. */
async function found(candidates: readonly Candidate[], question: Sentence, context: RunContext): Promise<string[]> {
  const chosen: string[] = [];
  for (;;) {
    const message = chosen.length === 0 ? question : sentence`Another value, or Enter to finish:`;
    const value = await context.host.prompts.search(message, finder(candidates, roomIn(context), chosen));
    if (value === '') return [...new Set(chosen)];
    chosen.push(...wordsOf(value));
  }
}

/** Up to so many candidates are shown in one list to tick; with more, they are found one by one by typing. */
const tickedAtMost = 40;

/** The values of a flag that takes several: at least one. */
export async function askEach(name: string, what: RepeatedFlag, context: RunContext): Promise<string[]> {
  const room = roomIn(context);
  // What follows the semicolon is about the command line.
  const does = what.description.replace(/;.*/, '');
  const candidates = what.complete && (await candidatesFor(what.complete, context, undefined));
  if (!candidates || candidates.length === 0) {
    return wordsOf(await askText(name, { description: what.description }, context, { exam: undefined }));
  }
  if (candidates.length > tickedAtMost) return found(candidates, asked(name, does), context);
  const choices = candidates.map(({ value, about }) => ({
    value,
    label: line(Math.max((room() || 80) - tickMargin, 1), visible(about === '' ? value : `${value}  ${about}`)),
  }));
  const question = asked(name, does, [`${choices.length} in all`]);
  let message = question;
  for (;;) {
    const ticked = await context.host.prompts.tick(message, choices);
    if (ticked.length > 0) return ticked;
    message = sentence`Nothing is selected: Space selects. ${question}`;
  }
}

/** The pointer and the box before each line, and the last column, which makes some terminals begin a new line. */
const tickMargin = 5;

/** Asks for the exam first, so that the list is short. */
const examOfSessions: Argument = { description: 'ID of the exam whose sessions to choose from', complete: 'exams' };

function wordsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** The width of a line in a picker; for screen readers lines are not cut. */
function roomIn({ host, globals }: RunContext): () => number | undefined {
  return () => (globals.plain ? Number.POSITIVE_INFINITY : host.stderr.columns);
}

/** The candidates of a picker; undefined if none are known, or if a dry run must not ask the service. */
async function candidatesFor(complete: Completes, context: RunContext, exam: string | undefined): Promise<Candidate[] | undefined> {
  const { globals, host } = context;
  const local = fromThisMachine[complete];
  if (local) return local(context, exam);
  const remote = fromService[complete];
  if (!remote || globals.dryRun) return undefined;
  // A line of its own where lines must not be redrawn, or others come between.
  const [begin, end] = globals.plain || globals.debug ? ['.\n', ''] : [' …', '\r\u001b[K'];
  await host.stderr.write(`Loading ${complete}${begin}`);
  try {
    const found = await remote(context, exam);
    await host.stderr.write(end);
    return found;
  } catch (error) {
    await host.stderr.write(end);
    // The user can still type an ID without the list; any other error ends the command.
    if (!(error instanceof CliError) || (error.status === undefined && error.exit !== 8)) throw error;
    await host.stderr.write(`${visible(`No suggestions are available. ${error.message}`)}\n`);
    return undefined;
  }
}

/** The message for an invalid answer, shown at its question; any other error is rethrown. `written`: how a time is written there. */
function refusal(error: unknown, written?: string): Sentence {
  if (error instanceof InvalidValue) {
    const isAboutTyping = error.hint === writtenAs || error.hint === inWhichOrder;
    const hint = isAboutTyping && written !== undefined ? `Write it as ${written}.` : error.hint;
    return sentence`${[error.message, hint].filter(Boolean).join(' ')}`;
  }
  if (error instanceof CliError && error.code === 'invalid_input') return error.message;
  throw error;
}

/** Choices shown at a time; typing narrows the list. */
const shownAtMost = 20;
/** The pointer before each line, and the last column, which makes some terminals begin a new line. */
const margin = 3;

/**
 * The search of a picker. `columns` is the current width of the terminal; undefined if unknown. Values in
 * `chosen` are not offered again; the empty value ends the choice.
 */
export function finder(
  candidates: readonly Candidate[],
  columns: () => number | undefined,
  chosen: readonly string[] = [],
): (term: string) => (Choice | string)[] {
  const lines = candidates.flatMap(({ value, about }) => {
    if (chosen.includes(value)) return [];
    const text = visible(about === '' ? value : `${value}  ${about}`);
    return [{ value, text, folded: folded(text) }];
  });
  return (term) => {
    const typed = term.trim();
    // Also a label that Tab has inserted, which may have been cut.
    const words = soughtWords(typed);
    const cut = (text: string) => line(Math.max((columns() || 80) - margin, 1), text);
    const named = lines.filter(({ value }) => value === typed);
    const found = lines.filter(({ value, folded }) => value !== typed && hasWords(folded, words));
    const fitting = [...named, ...found];
    const shown = fitting.slice(0, shownAtMost).map(({ value, text }): Choice => ({ value, label: cut(text) }));
    const more = fitting.length - shown.length;
    return [
      ...(typed === '' && chosen.length > 0 ? [{ value: '', label: cut(`Done: only ${visible(chosen.join(', '))}`) }] : []),
      ...shown,
      ...(more > 0 ? [cut(`${more} more: type to narrow the list`)] : []),
      ...(typed === '' || named.length > 0
        ? []
        : [{ value: typed, label: cut(`use ${visible(typed)} unchanged`), unknown: candidates.length > 0 }]),
      ...(typed === '' && candidates.length === 0 ? [cut('No suggestions: type the value')] : []),
    ];
  };
}
