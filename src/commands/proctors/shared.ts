/** An exam's proctor pool (specification 4.1), and the users of an institute, who may be in it (4.3). */
import { type Column, type Command, defineCommand } from '../../command.ts';
import { anyExam, examSelection, instituteFlag, selectionOf } from '../shared.ts';

export const columns: readonly Column[] = [{ key: 'id' }, { key: 'name', identifies: true }, { key: 'email' }];

export function poolCommand(name: 'proctors add' | 'proctors remove', summary: string, examples: Command['examples']) {
  return defineCommand({
    name,
    summary,
    effect: 'write',
    ...(name === 'proctors remove' ? { takes: true } : {}),
    details:
      'A single word is an ID. Addresses and full names are looked up among the users of the institute, ignoring case. If no user or several users match, nothing is sent. The setting dialect.userEmailKey names the field of the address. With dialect.proctorValues address, addresses are sent unchanged.',
    args: {
      proctors: { description: 'addresses or user IDs of the proctors', variadic: true, complete: 'users' },
    },
    flags: { ...examSelection, institute: instituteFlag },
    anyOf: anyExam,
    async run(context, { proctors, institute, ...values }) {
      const { changePools } = await import('../../features/proctors.ts');
      return changePools(context, { kind: name, selection: selectionOf(values), proctors, institute });
    },
    examples,
  });
}
