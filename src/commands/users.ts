/** The users of an institute (specification 4.3): a list, and read-only. */
import { operations } from '../api/operations.ts';
import { defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';

const list = defineCommand({
  name: 'users list',
  summary: 'List the users of an institute',
  effect: 'read',
  flags: { institute: { type: 'text', value: 'id', description: "ID of the institute, instead of the profile's" } },
  columns: [{ key: 'id' }, { key: 'name', identifies: true }, { key: 'email' }],
  request({ institute }, { settings }) {
    const id = institute ?? settings().institute;
    if (id === undefined) {
      throw new CliError('usage', 'The institute is missing: neither --institute nor the profile sets it.', {
        hint: 'Add --institute ID, or store it with: proctor-cli config set institute ID',
      });
    }
    return { operation: operations.listUsers, params: { institute_id: id } };
  },
  examples: [{ line: 'proctor-cli users list', description: "the users of the profile's institute" }],
});

export const users = [list];
