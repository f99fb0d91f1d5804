/** Whether exams are ready: each exam against each check, with the line that fixes what is not. */
import { defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';
import type { MinProctors } from '../features/ready/readiness.ts';
import { sentence } from '../text/sentence.ts';
import { anyExam, examSelection, selectionOf, someExams } from './exam-selection-flags.ts';

const run = defineCommand({
  name: 'preflight',
  summary: 'Check whether exams are ready',
  details:
    'Seven checks of each exam: times, students (none, twice, without an address), their own windows, overlaps (a student in two exams at once, also in exams that are not selected), proctors, mails, and access to all of it. A row for each exam and check is ok, warning, failed or skipped, with numbers and the command that corrects it (below the table; in JSON, in the row). A check is skipped, with the reason, if the service does not show what it needs. Nothing is changed. The status is 11 if a check failed; with --strict also if there is a warning.',
  effect: 'read',
  args: someExams,
  flags: {
    ...examSelection,
    minProctors: {
      type: 'text',
      value: 'ratio',
      suggests: ['1/30'],
      description: 'proctors needed for a number of students, such as 1/30 or 2/50; fewer is a failure (default: 1/30; fewer is a warning)',
    },
    strict: { type: 'boolean', description: 'warnings count as failures' },
  },
  columns: [{ key: 'exam' }, { key: 'check' }, { key: 'state', identifies: true }, { key: 'detail' }, { key: 'remedy', detail: true }],
  anyOf: [...anyExam, 'ids'],
  async run(context, { minProctors, strict, ...selection }) {
    const { preflight } = await import('../features/ready/readiness.ts');
    return preflight(context, {
      selection: selectionOf(selection),
      minProctors: ratioOf(minProctors),
      strict: strict === true,
    });
  },
  examples: [
    { line: 'proctor-cli preflight 7 8', description: 'two exams, with all that is wrong and the commands that fix it' },
    { line: 'proctor-cli preflight --name "main term" --min-proctors 1/20 --strict -o json', description: 'an exam period, for a script' },
  ],
});

/** Throws `usage`. */
function ratioOf(text: string | undefined): MinProctors {
  if (text === undefined) return { proctors: 1, students: 30, given: false };
  const [, proctors, students] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text.trim()) ?? [];
  if (proctors !== undefined && students !== undefined) return { proctors: Number(proctors), students: Number(students), given: true };
  throw new CliError('usage', sentence`--min-proctors takes proctors/students, not ${JSON.stringify(text)}.`, {
    hint: 'For one proctor for every 30 students: --min-proctors 1/30',
  });
}

export const preflights = [run];
