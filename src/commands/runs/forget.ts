import { defineCommand } from '../../command.ts';
import { sentence } from '../../text/sentence.ts';

export const command = defineCommand({
  name: 'runs forget',
  summary: 'Erase what the runs have recorded of a student or an exam',
  details:
    "Erases from the bytes of the database, too; in a team's database, only the owner of its tables can. Undo and resume no longer know what is erased. Nothing is erased while a run about it is unfinished, or has changed times of the exam in part.",
  effect: 'destroy',
  flags: {
    student: {
      type: 'text',
      value: 'address',
      description: 'the student with this address or number',
    },
    exam: {
      type: 'text',
      value: 'id',
      description: 'everything about this exam, at the service in force',
    },
  },
  oneOf: ['student', 'exam'],
  columns: [{ key: 'runs' }, { key: 'records' }],
  async run(context, { student, exam }) {
    const what = student ?? `exam ${exam ?? ''}`;
    if (context.globals.dryRun) {
      context.say(sentence`All records of ${what} would be erased.`);
      return { kind: 'nothing' };
    }
    await context.confirm(() => sentence`Erase all records of ${what} ${student === undefined ? context.place() : 'at all services'}?`);
    const { forget: erase } = await import('../../features/runs/recorded-runs.ts');
    return erase(context, student === undefined ? { exam: exam ?? '' } : { student });
  },
  examples: {
    'proctor-cli runs forget --student ada@example.org --yes': 'when a student asks for erasure',
  },
});
