/** Questions drawn by a library. Named one by one, its other prompts stay out of the bundle. */
import { checkbox, confirm, input, password, Separator, search } from '@inquirer/prompts';
import { type Asking, type Prompts, untilStopped } from './prompts.ts';

export function drawnPrompts(interrupted: AbortSignal): Prompts {
  const asked = <T>(ask: (context: Asking) => Promise<T>) => untilStopped(interrupted, ask);
  return {
    confirm: (message) => asked((context) => confirm({ message, default: false }, context)),
    async text(message, { initial, check } = {}) {
      const validate = async (value: string) => (await check?.(value)) ?? true;
      return asked((context) => input({ message, validate, ...(initial === undefined ? {} : { default: initial }) }, context));
    },
    password: (message) => asked((context) => password({ message, mask: '*' }, context)),
    async search(message, find) {
      // What was chosen is printed again behind the question, as a whole: a label could break anywhere.
      const source = (term = '') =>
        find(term).map((found) =>
          typeof found === 'string' ? new Separator(found) : { value: found.value, name: found.label, short: found.value },
        );
      return asked((context) => search({ message, source, theme }, context));
    },
    async tick(message, choices) {
      const offered = choices.map(({ value, label }) => ({ value, name: label }));
      // A letter typed to search for a name would select all of them.
      const shortcuts = { all: null, invert: null };
      return asked((context) => checkbox({ message, choices: offered, shortcuts, pageSize: 12 }, context));
    },
  };
}

const theme = { style: { keysHelpTip: (keys: string[][]) => ['type to search', ...keys.map((key) => key.join(' '))].join(' • ') } };
