import { operations } from '../../api/operations.ts';
import { type Column, defineCommand } from '../../command.ts';
import { examFlag } from '../shared.ts';

const rosterColumns: readonly Column[] = [
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'open_time', as: 'time' },
  { key: 'close_time', as: 'time' },
  { key: 'skip_requirements', as: 'boolean' },
];

export const command = defineCommand({
  name: 'sessions export',
  summary: "Print an exam's students as a roster that can be imported again",
  effect: 'read',
  flags: { exam: examFlag },
  needs: ['exam'],
  columns: rosterColumns,
  async run(context, { exam }) {
    const client = await context.client();
    const { sessionNumberKey: number } = client.dialect;
    const rows = await client.list(operations.listExamSessions, { params: { exam_id: exam } }, { unsure: 'warn' });
    const columns = number === '' ? rosterColumns : [...rosterColumns, { key: number }];
    return { kind: 'list', rows: [...rows], columns, id: 'id', unasked: 'file' };
  },
  examples: { 'proctor-cli sessions export --exam 2 -o csv': 'a file for sessions import' },
});
