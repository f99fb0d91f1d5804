/** Questions: drawn; or for a screen reader or a dumb terminal line by line, with nothing redrawn. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import checkbox from '@inquirer/checkbox';
import confirm from '@inquirer/confirm';
import input from '@inquirer/input';
import password from '@inquirer/password';
import search, { Separator } from '@inquirer/search';
import { CliError } from '../../errors.ts';
import type { Said, Sentence } from '../../text/sentence.ts';

export type Prompts = {
  /** Enter alone means no, unless `initial`. */
  confirm<T extends string>(message: T & Said<T>, initial?: boolean): Promise<boolean>;
  text<T extends string>(message: T & Said<T>, options?: TextOptions): Promise<string>;
  password<T extends string>(message: T & Said<T>): Promise<string>;
  /** One of many. `find` gives the choices for what has been typed so far, and notes between them. */
  search<T extends string>(message: T & Said<T>, find: (term: string) => readonly (Choice | string)[]): Promise<string>;
  /** The values that were ticked, none of them beforehand, and at least one. */
  tick<T extends string>(message: T & Said<T>, choices: readonly Choice[]): Promise<string[]>;
};

/** What `check` returns, or throws, is shown at the question. */
type TextOptions = { initial?: string; check?(value: string): Sentence | undefined | Promise<Sentence | undefined> };

export type Choice = {
  value: string;
  /** A line that is safe for a terminal, and cut to fit into it. */
  label: string;
  /** The typed text itself, not one of the choices. */
  unknown?: boolean;
};

export type PromptTerminal = {
  ask(question: string, options?: { hidden: boolean }): Promise<string>;
  tell(line: string): Promise<void>;
};

/** Drawn by a library. */
export function drawnPrompts(interrupted: AbortSignal): Prompts {
  const asked = <T>(ask: (context: Asking) => Promise<T>) => untilStopped(interrupted, ask);
  return {
    confirm: (message, initial = false) => asked((context) => confirm({ message, default: initial }, context)),
    text(message, { initial, check } = {}) {
      const validate = async (value: string) => (await check?.(value)) ?? true;
      const options = { message, validate, ...(initial === undefined ? {} : { default: initial }) };
      return asked((context) => input({ ...options, theme: { validationFailureMode: 'clear' } }, context));
    },
    password: (message) => asked((context) => password({ message, mask: '*' }, context)),
    async search(message, find) {
      // What was typed last, and what the list on the screen was found by.
      let [typed, listed] = ['', ''];
      const source = (term = '') => {
        typed = term;
        setImmediate(() => {
          listed = term;
        });
        return find(term).map((found) => {
          if (typeof found === 'string') return new Separator(found);
          const { value, label } = found;
          // The value is printed behind the question: a label could break anywhere.
          return { value, name: label, short: value };
        });
      };
      let isOfFormerList = false;
      const validate = async () => {
        const before = listed;
        await new Promise(setImmediate);
        isOfFormerList = typed !== before;
        return true;
      };
      const chosen = await asked((context) => search({ message, source, theme: themeWith('type to search'), validate }, context));
      if (!isOfFormerList) return chosen;
      // Keys that came with Enter in one piece: what is printed behind the question is what they find.
      const first = find(typed).find((found) => typeof found === 'object');
      return first?.value ?? this.search(message, find);
    },
    tick(message, choices) {
      const offered = choices.map(({ value, label }) => ({ value, name: label }));
      // A letter typed to search for a name would select all of them.
      const shortcuts = { all: null, invert: null };
      const validate = (chosen: readonly unknown[]) => chosen.length > 0 || 'Choose with Space.';
      return asked((context) => checkbox({ message, choices: offered, shortcuts, validate, pageSize: 12, theme: themeWith() }, context));
    },
  };
}

/** The line below a list: its keys, of which Escape is none. */
function themeWith(...tips: readonly string[]) {
  return { style: { keysHelpTip: (keys: string[][]) => [...tips, ...keys.map((key) => key.join(' ')), 'Ctrl-C cancel'].join(' • ') } };
}

export function plainPrompts({ ask, tell }: PromptTerminal): Prompts {
  return {
    async confirm(message, initial = false) {
      for (;;) {
        const answer = (await ask(`${message} Yes or no; press Enter for ${initial ? 'yes' : 'no'}:`)).trim();
        if (/^(y|yes|n|no|)$/i.test(answer)) return answer === '' ? initial : /^y/i.test(answer);
        await tell('Type yes or no.');
      }
    },
    async text(message, { initial, check } = {}) {
      for (;;) {
        const typed = await ask(initial === undefined ? message : `${message} Press Enter for ${initial}:`);
        const answer = typed === '' ? (initial ?? '') : typed;
        const problem = await check?.(answer);
        if (problem === undefined) return answer;
        await tell(problem);
      }
    },
    password: (message) => ask(`${message} (hidden as you type):`, { hidden: true }),
    async search(message, find) {
      for (let before = ''; ; ) {
        const found = find(before);
        const again = 'Type it again to use it, although it is not in the list.';
        for (const each of found) {
          if (typeof each === 'string') await tell(each);
          else if (!each.unknown) await tell(each.label);
          else await tell(found.length === 1 ? `Nothing matches. ${again}` : again);
        }
        const answer = (await ask(`${message} Type one of these, or a part of one to search:`)).trim();
        const meant = find(answer).find((each) => typeof each !== 'string' && each.value === answer);
        if (typeof meant === 'object' && (!meant.unknown || answer === before)) return answer;
        before = answer;
      }
    },
    async tick(message, choices) {
      for (const [index, { label }] of choices.entries()) await tell(`${index + 1}: ${label}`);
      for (;;) {
        const typed = await ask(`${message} Type the numbers to choose:`);
        const numbers = typed.match(/[^\s,]+/g) ?? [];
        const chosen = numbers.flatMap((number) => choices[Number(number) - 1] ?? []);
        if (chosen.length > 0 && chosen.length === numbers.length) return chosen.map(({ value }) => value);
        await tell(`Type numbers from 1 to ${choices.length}, separated by spaces or commas.`);
      }
    },
  };
}

export function lineByLine(interrupted: AbortSignal): PromptTerminal {
  return {
    ask: (question, { hidden } = { hidden: false }) =>
      untilStopped(interrupted, async ({ output, signal }) => {
        // Raw, the terminal does not show what is typed.
        const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
        const lines = createInterface({ input: process.stdin, output: hidden ? silence : output, terminal: hidden });
        if (hidden) output.write(`${question} `);
        try {
          return await lines.question(hidden ? '' : `${question} `, { signal });
        } finally {
          lines.close();
          if (hidden) output.write('\n');
        }
      }),
    tell: async (line) => void screenOf(process).write(`${line}\n`),
  };
}

type Asking = { output: NodeJS.WriteStream; signal: AbortSignal };

/** Where questions are seen: stdout stays data, unless it is the only one that a person sees. */
function screenOf({ stdout, stderr }: NodeJS.Process): NodeJS.WriteStream {
  return stderr.isTTY ? stderr : stdout;
}

/** A question that ends with Ctrl-C, and at the end of the input. Throws `interrupted`. */
async function untilStopped<T>(interrupted: AbortSignal, ask: (context: Asking) => Promise<T>): Promise<T> {
  // The prompt would wait forever at the end of the input (Ctrl-D).
  const over = new AbortController();
  const stop = () => over.abort();
  // After Ctrl-Z and fg, stdin stays paused until it is resumed.
  const goOn = () => {
    process.stdin.off('pause', stop);
    setImmediate(() => process.stdin.resume().once('pause', stop));
  };
  process.stdin.once('pause', stop);
  process.on('SIGCONT', goOn);
  try {
    return await ask({ output: screenOf(process), signal: AbortSignal.any([interrupted, over.signal]) });
  } catch (error) {
    if (interrupted.aborted) throw interrupted.reason;
    if (!(error instanceof Error && ['ExitPromptError', 'AbortPromptError', 'AbortError'].includes(error.name))) throw error;
    throw new CliError('interrupted', 'Cancelled at the question.', { hint: 'Nothing was changed.' });
  } finally {
    process.stdin.off('pause', stop);
    process.off('SIGCONT', goOn);
    // Otherwise stdin may read on, and the program would never end.
    process.stdin.pause();
  }
}
