/** Questions that are drawn. Loaded at the first one. */
import { checkbox, confirm, input, password, Separator, search } from '@inquirer/prompts';
import type { Prompts } from '../host.ts';
import { type Asking, untilStopped } from './plain-prompts.ts';

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
      // What was chosen is printed again behind the question, as a whole: a label could break anywhere.
      const source = (term = '') =>
        find(term).map((found) =>
          typeof found === 'string' ? new Separator(found) : { value: found.value, name: found.label, short: found.value },
        );
      return asked((context) => search({ message, source, theme: searching }, context));
    },
    async tick(message, choices) {
      const offered = choices.map(({ value, label }) => ({ value, name: label }));
      // A letter typed to search for a name would select all of them.
      const shortcuts = { all: null, invert: null };
      return asked((context) => checkbox({ message, choices: offered, loop: false, shortcuts, pageSize: 12 }, context));
    },
  };
}

/** The keys below a list in which one searches by typing. */
const searching = {
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) => ['type to search', ...keys.map((one) => one.join(' '))].join(' • '),
  },
};
