import { operations } from '../../api/operations.ts';
import { instituteNeeded } from '../../api/refusal.ts';
import { defineCommand } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { columns } from '../proctors/shared.ts';

export const command = defineCommand({
  name: 'users list',
  summary: 'List the users of an institute',
  effect: 'read',
  flags: {
    institute: { type: 'text', value: 'id', description: "ID of the institute, instead of the profile's" },
  },
  columns,
  request({ institute }, { settings }) {
    const id = institute ?? settings().institute;
    if (id === undefined) throw new CliError('usage', 'The institute is missing.', { hint: instituteNeeded });
    return { operation: operations.listUsers, params: { institute_id: id } };
  },
  examples: { 'proctor-cli users list': "the users of the profile's institute" },
});
