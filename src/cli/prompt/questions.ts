/** Questions as a person sees them: without secrets, as wide as the terminal, which each has to itself. */
import { CliError } from '../../errors.ts';
import type { Choice, Prompts, World } from '../../host/host.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { Secrets } from '../../model/secrets.ts';
import { line as cutLine } from '../../output/canvas.ts';
import { type ProgressLine, wrapped } from '../../output/stderr.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** The sign before a question, and what stands behind it before one types. */
const promptMargin = 10;
/** The pointer and the box before a choice, and the last column, behind which some terminals break. */
const choiceMargin = 4;

type PromptContext = { secrets: Secrets; line: Pick<ProgressLine, 'pause'>; isPlain: boolean };

export async function questionsFor(world: World, { secrets, line, isPlain }: PromptContext): Promise<Prompts> {
  const prompts = await world.questions(isPlain);
  const { columns } = world.stderr;
  const said = <T extends string | undefined>(text: T) => {
    const masked = text && secrets.masked(text);
    return (masked && columns && !isPlain ? wrapped(masked, columns - promptMargin) : masked) as T & Sentence;
  };
  const cut = (text: string) => {
    const masked = secrets.masked(text);
    // A screen reader gets the whole text.
    return isPlain ? masked : cutLine((columns || 80) - choiceMargin, masked);
  };
  const shown = (choice: Choice) => ({ ...choice, label: cut(choice.label) });
  const alone = <T>(asked: () => Promise<T>): Promise<T> => {
    const resume = line.pause();
    return asked().finally(resume);
  };
  return {
    confirm: (message, initial) => alone(() => prompts.confirm(said(message), initial)),
    text(message, { check, ...options } = {}) {
      const problem = async (answer: string) => said(await problemIn(() => check?.(answer)));
      return alone(() => prompts.text(said(message), { ...options, check: problem }));
    },
    password: (message) => alone(() => prompts.password(said(message))),
    search(message, find) {
      const found = (term: string) => find(term).map((each) => (typeof each === 'string' ? cut(each) : shown(each)));
      return alone(() => prompts.search(said(message), found));
    },
    tick: (message, choices) => alone(() => prompts.tick(said(message), choices.map(shown))),
  };
}

/** What the check of an answer says or throws, to be shown at its question. */
async function problemIn(check: () => Sentence | undefined | Promise<Sentence | undefined>): Promise<Sentence | undefined> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof CliError && error.code === 'invalid_input') return error.message;
    if (!(error instanceof InvalidValue)) throw error;
    return sentence`${[error.message, error.hint].filter(Boolean).join(' ')}`;
  }
}
