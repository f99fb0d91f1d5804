/** An exam's proctor pool (specification 4.1). What identifies a proctor is not shown there: see the dialect. */
import { operations } from '../api/operations.ts';
import { poolBody } from '../api/proctor-pool.ts';
import { type Column, defineCommand } from '../command.ts';
import { examFlag } from './session-columns.ts';

const columns: readonly Column[] = [{ key: 'id' }, { key: 'name' }, { key: 'email' }];

const list = defineCommand({
  name: 'proctors list',
  summary: 'List the proctors of an exam',
  effect: 'read',
  flags: { exam: examFlag },
  columns,
  requests: ({ exam }) => [{ operation: operations.listProctors, params: { id: exam } }],
  output: 'proctor[]',
  examples: [{ line: 'proctor-cli proctors list --exam 1', description: 'the proctors of exam 1' }],
});

const add = defineCommand({
  name: 'proctors add',
  summary: 'Add proctors to an exam',
  effect: 'write',
  args: { proctors: { description: 'user IDs of the proctors', variadic: true } },
  flags: { exam: examFlag },
  columns,
  requests: ({ exam, proctors }, { settings }) => [
    { operation: operations.addProctors, params: { id: exam }, body: poolBody(proctors, settings().dialect) },
  ],
  output: ['answer', 'answer[]'],
  examples: [{ line: 'proctor-cli proctors add 4 5 --exam 2', description: 'let users 4 and 5 proctor exam 2' }],
});

const remove = defineCommand({
  name: 'proctors remove',
  summary: 'Remove proctors from an exam',
  effect: 'write',
  args: { proctors: { description: 'user IDs of the proctors', variadic: true } },
  flags: { exam: examFlag },
  columns,
  requests: ({ exam, proctors }, { settings }) => [
    { operation: operations.removeProctors, params: { id: exam }, body: poolBody(proctors, settings().dialect) },
  ],
  output: ['answer', 'answer[]'],
  examples: [{ line: 'proctor-cli proctors remove 3 --exam 1', description: 'user 3 no longer proctors exam 1' }],
});

export const proctors = [list, add, remove];
