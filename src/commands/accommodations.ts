/** Extra time that an office keeps in a list of its own, compared with the exams of a period. */
import { type Column, defineCommand } from '../command.ts';
import { anyExam, examSelection } from './exam-selection-flags.ts';
import { rosterFlags, tableReading } from './roster-flags.ts';

const file = { description: 'list of accommodations: YAML, CSV or Excel; - reads it from stdin', complete: 'files' } as const;

/** How equally specific rows can be combined. */
const combinations = ['max', 'sum'] as const;

const combine = {
  rare: true,
  type: 'text',
  value: 'how',
  choices: combinations,
  description: 'how equally specific lines of a student are combined, if the file does not say it',
} as const;

const listFlags = {
  combine,
  ...rosterFlags,
} as const;

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
  'The target is the close time that a student should have. It is computed from the exam, never from the current close time: the end of the exam, plus the share (extra) of its length, plus the fixed time (plus), rounded up to the minute. If the open_time of a student is later than the start of the exam, the whole length counts from there. sessions extend --by 25% is different: each call adds to the close time that a session has now.';

const check = defineCommand({
  name: 'accommodations check',
  summary: 'Compare a list of accommodations with the sessions of exams',
  details: `Prints a row for each student of the list in each selected exam: ok, missing (no close time of its own), less or more (before or after the target), finished, conflict (only a person can decide; the reason is on stderr). A student of the list without a session is unmatched, a name of an exam that the service does not have is unknown_exam: these are warnings; with --strict they are differences. Nothing is written; the status is 11 if something differs. ${target}`,
  effect: 'read',
  args: { file },
  flags: {
    ...examSelection,
    ...listFlags,
    strict: { type: 'boolean', description: 'entries of the list that match no session or no exam count as differences' },
  },
  anyOf: anyExam,
  columns,
  async run(context, values) {
    const { file, combine, exam, from, until, name, strict = false } = values;
    const { checkAccommodations } = await import('../features/accommodations/index.ts');
    const list = { file, reading: await tableReading(context, values), combine: combinations.find((one) => one === combine) };
    return checkAccommodations(context, { ...list, selection: { exam, from, until, name }, columns, strict });
  },
  examples: [
    {
      line: 'proctor-cli accommodations check accommodations.yaml --exam 12',
      description: 'whether the extra time is in place in an exam',
    },
    {
      line: 'proctor-cli accommodations check accommodations.yaml --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z',
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
  details: `Compares the list with the sessions of the selected exams, as accommodations check does, shows old and new close times, asks once, and sets the targets one by one. A second call changes nothing. A close time later than the target is kept, unless --allow-shorten is given; a session that has started is never shortened, and a finished session is never changed. If it is stopped or fails in part, the same command does the rest; runs undo takes it back. ${target}`,
  effect: 'write',
  takes: true,
  args: { file },
  flags: {
    ...examSelection,
    ...listFlags,
    allowShorten: {
      type: 'boolean',
      description: 'also set targets that are earlier than the current close time, for students who have not started',
    },
  },
  anyOf: anyExam,
  columns: applyColumns,
  async run(context, values) {
    const { file, combine, exam, from, until, name, typedTimes, allowShorten = false } = values;
    const { applyAccommodations } = await import('../features/accommodations/index.ts');
    const list = { file, reading: await tableReading(context, values), combine: combinations.find((one) => one === combine) };
    const selection = { exam, from, until, name, typedTimes };
    return applyAccommodations(context, { ...list, selection, columns: applyColumns, allowShorten });
  },
  examples: [
    {
      line: 'proctor-cli accommodations apply accommodations.yaml --exam 12 --yes',
      description: 'the extra time in one exam',
    },
    {
      line: 'proctor-cli accommodations apply accommodations.yaml --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --dry-run',
      description: 'what would be set in all exams of a period',
    },
  ],
});

export const accommodations = [check, apply];
