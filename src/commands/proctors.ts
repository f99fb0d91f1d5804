/** An exam's proctor pool (specification 4.1), and the users of an institute, who may be in it (4.3). */
import { operations } from '../api/operations.ts';
import { type Column, defineCommand, type Examples } from '../command.ts';
import { CliError } from '../errors.ts';
import { anyExam, examFlag, examSelection, instituteFlag, selectionOf } from './courses.ts';

const columns: readonly Column[] = [{ key: 'id' }, { key: 'name', identifies: true }, { key: 'email' }];

const list = defineCommand({
  name: 'proctors list',
  summary: 'List the proctors of an exam',
  effect: 'read',
  flags: { exam: examFlag },
  needs: ['exam'],
  columns,
  request: ({ exam }) => ({ operation: operations.listProctors, params: { id: exam } }),
  examples: { 'proctor-cli proctors list --exam 1': 'the proctors of exam 1' },
});

function changing(name: 'proctors add' | 'proctors remove', summary: string, examples: Examples) {
  return defineCommand({
    name,
    summary,
    effect: 'write',
    ...(name === 'proctors remove' ? { takes: true } : {}),
    details:
      'A single word is an ID. Addresses and full names are looked up among the users of the institute, ignoring case; if no user or several users have it, nothing is sent. dialect.userEmailKey names the field of the address. With dialect.proctorValues address, addresses are sent unchanged.',
    args: {
      proctors: { description: 'addresses or user IDs of the proctors', variadic: true, complete: 'users' },
    },
    flags: { ...examSelection, institute: instituteFlag },
    anyOf: anyExam,
    async run(context, { proctors, institute, ...values }) {
      const { changePools } = await import('../features/proctors.ts');
      return changePools(context, { kind: name, selection: selectionOf(values), proctors, institute });
    },
    examples,
  });
}

const add = changing('proctors add', 'Add proctors to exams', {
  'proctor-cli proctors add 4 5 --exam 2': 'let users 4 and 5 proctor exam 2',
  'proctor-cli proctors add joao.pereira@staff.example.org --exam 6 --institute 1': 'the same by address',
});

const remove = changing('proctors remove', 'Remove proctors from exams', {
  'proctor-cli proctors remove 3 --exam 1': 'user 3 no longer proctors exam 1',
});

const listUsers = defineCommand({
  name: 'users list',
  summary: 'List the users of an institute',
  effect: 'read',
  flags: {
    institute: { type: 'text', value: 'id', description: "ID of the institute, instead of the profile's" },
  },
  columns,
  request({ institute }, { settings }) {
    const id = institute ?? settings().institute;
    if (id === undefined) {
      throw new CliError('usage', 'The institute is missing.', {
        hint: 'Add --institute ID, or store it with: proctor-cli config set institute ID',
      });
    }
    return { operation: operations.listUsers, params: { institute_id: id } };
  },
  examples: { 'proctor-cli users list': "the users of the profile's institute" },
});

export const commands = [list, add, remove, listUsers];
