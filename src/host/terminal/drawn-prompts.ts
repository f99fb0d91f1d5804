/** Questions drawn by a library. */
import { checkbox, confirm, input, password, Separator, search } from '@inquirer/prompts';
import { type Asking, type Prompts, untilStopped } from './prompts.ts';

export function drawnPrompts(interrupted: AbortSignal): Prompts {
  const asked = <T>(ask: (context: Asking) => Promise<T>) => untilStopped(interrupted, ask);
  return {
    confirm: (message) => asked((context) => confirm({ message, default: false }, context)),
    text(message, { initial, check } = {}) {
      const validate = async (value: string) => (await check?.(value)) ?? true;
      const options = { message, validate, ...(initial === undefined ? {} : { default: initial }) };
      return asked((context) => input(options, context));
    },
    password: (message) => asked((context) => password({ message, mask: '*' }, context)),
    search(message, find) {
      const source = (term = '') =>
        find(term).map((found) => {
          if (typeof found === 'string') return new Separator(found);
          const { value, label } = found;
          // The value is printed behind the question: a label could break anywhere.
          return { value, name: label, short: value };
        });
      return asked((context) => search({ message, source, theme }, context));
    },
    tick(message, choices) {
      const offered = choices.map(({ value, label }) => ({ value, name: label }));
      // A letter typed to search for a name would select all of them.
      const shortcuts = { all: null, invert: null };
      return asked((context) => checkbox({ message, choices: offered, shortcuts, pageSize: 12 }, context));
    },
  };
}

const keysHelpTip = (keys: string[][]) => ['type to search', ...keys.map((key) => key.join(' '))].join(' • ');
const theme = { style: { keysHelpTip } };
