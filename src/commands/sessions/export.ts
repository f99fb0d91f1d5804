import { operations } from '../../api/operations.ts';
import { type Column, defineCommand } from '../../command.ts';
import { fieldsOf } from '../../model/fields.ts';
import { examFlag, fieldColumns } from '../shared.ts';

/** All that a line of a roster has, in a table, too. */
const rosterColumns: readonly Column[] = fieldColumns('session')
  .filter(({ key }) => (fieldsOf('session')[key]?.setBy.length ?? 0) > 0)
  .map(({ detail, ...column }) => column);

export const command = defineCommand({
  name: 'sessions export',
  summary: "Print an exam's students as a roster that can be imported again",
  effect: 'read',
  flags: { exam: examFlag },
  needs: ['exam'],
  columns: rosterColumns,
  async run(context, { exam }) {
    const client = await context.client();
    const rows = await client.list(operations.listExamSessions, { params: { exam_id: exam } }, { unsure: 'warn' });
    return { kind: 'list', rows: [...rows], columns: context.columns, id: 'id', unasked: 'file' };
  },
  examples: { 'proctor-cli sessions export --exam 2 -o csv': 'a file for sessions import' },
});
