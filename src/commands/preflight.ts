/** What is wrong, each check a row with its fix: `preflight` of exams, `doctor` of the way to the service. */
import { defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';
import type { MinProctors } from '../features/preflight/preflight.ts';
import { anyExam, checkColumns, examSelection, selectionOf, someExams } from './shared.ts';

/** Throws `usage`. */
function ratioOf(text: string | undefined): MinProctors {
  const [, proctors, students] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec((text ?? '1/30').trim()) ?? [];
  const given = text !== undefined;
  if (proctors !== undefined) return { proctors: Number(proctors), students: Number(students), given };
  throw new CliError('usage', '--min-proctors takes proctors/students.', {
    hint: 'For one proctor for every 30 students: --min-proctors 1/30',
  });
}

export const command = defineCommand({
  name: 'preflight',
  summary: 'Check whether exams are ready',
  details:
    'Checks each exam: times, students (none, twice, without an address), their own windows, overlaps (a student in two exams at once, also in exams that are not selected), proctors, mails, and access to all of it. Each check is ok, warning, failed or skipped. The command that corrects a problem stands below the table; in JSON, in the row. A check is skipped if the service does not show the data that it needs. The status is 11 if a check failed.\n\nRosters and extra time are not checked here: use sessions import and accommodations apply with --check.',
  effect: 'read',
  args: someExams,
  flags: {
    ...examSelection,
    minProctors: {
      type: 'text',
      value: 'ratio',
      complete: ['1/30'],
      description:
        'proctors for a number of students, such as 2/50; an exam with fewer fails (default: 1/30, and fewer are a warning only)',
    },
    strict: { type: 'boolean', description: 'warnings count as failures' },
  },
  columns: [{ key: 'exam' }, ...checkColumns],
  anyOf: [...anyExam, 'ids'],
  async run(context, { minProctors, strict, ...selection }) {
    const ratio = ratioOf(minProctors);
    const { preflight } = await import('../features/preflight/preflight.ts');
    return preflight(context, selectionOf(selection), ratio, strict === true);
  },
  examples: {
    'proctor-cli preflight 7 8': 'two exams',
    'proctor-cli preflight --name "main term" --min-proctors 1/20 --strict -o json': 'an exam period, for a script',
  },
});
