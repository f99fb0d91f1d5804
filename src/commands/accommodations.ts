/** Extra time that an office keeps in a list of its own, compared with the exams of a period. */
import { type Column, defineCommand } from '../command.ts';
import { anyExam, examSelection } from './exam-selection-flags.ts';
import { rosterFlags, tableReading } from './roster-flags.ts';

const file = { description: 'list of accommodations: CSV, Excel or JSON; - reads it from stdin', complete: 'files' } as const;

const columns = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'state', identifies: true },
  { key: 'close_time', as: 'time' },
  { key: 'target', as: 'time' },
  { key: 'reference' },
  { key: 'exam_name', title: 'exam name', detail: true },
  { key: 'nearest', detail: true },
] as const satisfies readonly Column[];

const target =
  'The target is the close time that a student should have. It is computed from the exam, never from the current close time: the end of the exam, plus the extra time (a share of its length, a fixed time, or both), rounded up to the minute. If the open_time of a student is later than the start of the exam, the whole length counts from there. sessions extend --by 25% is different: each call adds to the close time that a session has now.';

const check = defineCommand({
  name: 'accommodations check',
  summary: 'Compare a list of accommodations with the sessions of exams',
  details: `Prints a row for each student of the list in each selected exam: ok, missing (no close time of its own), less (before the target), more (after it: kept, and no difference), finished, conflict (only a person can decide; the reason is on stderr). A student of the list without a session is unmatched, a name of an exam that the service does not have is unknown_exam: these are warnings; with --strict they are differences. Nothing is written; the status is 11 if something differs. ${target}`,
  effect: 'read',
  args: { file },
  flags: {
    ...examSelection,
    ...rosterFlags,
    strict: { type: 'boolean', description: 'entries of the list that match no session or no exam count as differences' },
  },
  anyOf: anyExam,
  columns,
  async run(context, values) {
    const { file, exam, from, until, name, strict = false } = values;
    const { checkAccommodations } = await import('../features/accommodations/accommodation-check.ts');
    const list = { file, reading: tableReading(values) };
    return checkAccommodations(context, { ...list, selection: { exam, from, until, name }, columns, strict });
  },
  examples: [
    {
      line: 'proctor-cli accommodations check accommodations.csv --exam 12',
      description: 'whether the extra time is in place in an exam',
    },
    {
      line: 'proctor-cli accommodations check accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z',
      description: 'the same in all exams of a period',
    },
  ],
});

/** The close time is then the target, where it was set. */
const applyColumns = [
  ...columns.slice(0, 5),
  { key: 'target', as: 'time', detail: true },
  { key: 'result', identifies: true },
  ...columns.slice(6),
  { key: 'problem' },
] as const satisfies readonly Column[];

const apply = defineCommand({
  name: 'accommodations apply',
  summary: 'Give students the close time of their accommodations',
  details: `Compares the list with the sessions of the selected exams, as accommodations check does, shows old and new close times, asks once, and sets the targets one by one. A second call changes nothing. A close time later than the target is kept, and a finished session is never changed. If it is stopped or fails in part, the same command does the rest; runs undo takes it back. ${target}`,
  effect: 'write',
  takes: true,
  args: { file },
  flags: {
    ...examSelection,
    ...rosterFlags,
  },
  anyOf: anyExam,
  columns: applyColumns,
  async run(context, values) {
    const { file, exam, from, until, name, typedTimes } = values;
    const { applyAccommodations } = await import('../features/accommodations/apply-accommodations.ts');
    const list = { file, reading: tableReading(values) };
    const selection = { exam, from, until, name, typedTimes };
    return applyAccommodations(context, { ...list, selection, columns: applyColumns });
  },
  examples: [
    {
      line: 'proctor-cli accommodations apply accommodations.csv --exam 12 --yes',
      description: 'the extra time in one exam',
    },
    {
      line: 'proctor-cli accommodations apply accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --dry-run',
      description: 'what would be set in all exams of a period',
    },
  ],
});

export const accommodations = [check, apply];
