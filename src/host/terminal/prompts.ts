/** Questions that are drawn, on stderr, so that stdout stays data. Loaded at the first question. */
import { checkbox, confirm, input, password, Separator, search } from '@inquirer/prompts';
import type { Prompts } from '../host.ts';
import { type Asking, untilStopped } from './question.ts';

export function inquirerPrompts(interrupted: AbortSignal): Prompts {
  const asked = <T>(ask: (context: Asking) => Promise<T>) => untilStopped(interrupted, ask);
  return {
    confirm(message, { initial = false } = {}) {
      return asked((context) => confirm({ message, default: initial }, context));
    },
    async text(message, { initial, check } = {}) {
      const validate = async (value: string) => (await check?.(value)) ?? true;
      return asked((context) => input({ message, validate, ...(initial === undefined ? {} : { default: initial }) }, context));
    },
    async password(message) {
      return asked((context) => password({ message, mask: '*' }, context));
    },
    async search(message, find) {
      const source = (term = '') =>
        find(term).map((found) => (typeof found === 'string' ? new Separator(found) : { value: found.value, name: found.label }));
      return asked((context) =>
        search({ message, source, pageSize: pageSize(message, 'type to search, navigate, select'), theme: searching }, context),
      );
    },
    async tick(message, choices) {
      const offered = choices.map(({ value, label }) => ({ value, name: label }));
      const keys = 'space select, navigate, submit';
      // A letter typed to search for a name would select all of them.
      const shortcuts = { all: null, invert: null };
      return asked((context) =>
        checkbox({ message, choices: offered, loop: false, shortcuts, pageSize: pageSize(message, keys, 12) }, context),
      );
    },
  };
}

/** The keys below a list in which one searches by typing. */
const searching = {
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) => ['type to search', ...keys.map((one) => one.join(' '))].join(' • '),
  },
};

/** Lines of choices for which the terminal has room beside the question, a word that is typed, and the line that tells the keys. */
function pageSize(message: string, keys: string, most = 7): number {
  const { rows, columns } = process.stderr;
  const lines = (text: string) => Math.ceil((text.length + typedRoom) / (columns || 80));
  return Math.min(Math.max((rows || 24) - lines(message) - lines(keys) - 1, 1), most);
}

/** Columns for a word that is typed behind the question, and for the signs between the keys. */
const typedRoom = 16;
