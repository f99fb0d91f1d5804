/**
 * Questions for a screen reader or a dumb terminal: each is a line, and so is its answer. Nothing is
 * redrawn: what can be chosen is listed before the question.
 */
import type { Prompts } from '../host.ts';
import { untilStopped } from './question.ts';

export type Terminal = {
  /** Shows the question and resolves to the line that is typed; `hidden` without showing what is typed. */
  ask(question: string, options?: { hidden: boolean }): Promise<string>;
  tell(line: string): Promise<void>;
};

export function plainPrompts({ ask, tell }: Terminal): Prompts {
  return {
    async confirm(message, { initial = false } = {}) {
      for (;;) {
        const answer = (await ask(`${message} Yes or no; press Enter for ${initial ? 'yes' : 'no'}:`)).trim().toLowerCase();
        if (answer === '') return initial;
        if (['y', 'yes'].includes(answer)) return true;
        if (['n', 'no'].includes(answer)) return false;
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
      let term = '';
      for (;;) {
        const found = find(term);
        for (const each of found) {
          if (typeof each === 'string') await tell(each);
          else if (each.unknown) await tell(`${found.length === 1 ? 'Nothing matches. ' : ''}Type it again to use it unchanged.`);
          else await tell(each.label);
        }
        const answer = (await ask(`${message} Type one of these, or a part of one to search:`)).trim();
        const choices = find(answer).filter((each) => typeof each !== 'string');
        const [first] = choices;
        if (first?.value === answer && !first.unknown) return answer;
        // A text that is typed twice is used unchanged, even if it matches a choice.
        if (answer === term && choices.some(({ value }) => value === answer)) return answer;
        term = answer;
      }
    },
    async tick(message, choices) {
      for (const [index, { label }] of choices.entries()) await tell(`${index + 1}: ${label}`);
      for (;;) {
        const answer = (await ask(`${message} Type the numbers to choose, or press Enter for none:`)).trim();
        if (answer === '') return [];
        const numbers = answer.split(/[\s,]+/).map((number) => choices[Number(number) - 1]);
        const chosen = numbers.filter((choice) => choice !== undefined);
        if (chosen.length === numbers.length) return chosen.map(({ value }) => value);
        await tell(`Type numbers from 1 to ${choices.length}, separated by spaces or commas.`);
      }
    },
  };
}

export function lineByLine(interrupted: AbortSignal): Terminal {
  return {
    ask: (question, { hidden } = { hidden: false }) =>
      untilStopped(interrupted, async ({ output, signal }) => {
        const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline/promises'), import('node:stream')]);
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
    async tell(line) {
      process.stderr.write(`${line}\n`);
    },
  };
}
