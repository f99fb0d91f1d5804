/** A whole exam period from a timetable: planned by `exams check`, brought in and kept by `exams apply`, printed by `exams export`. */
import { type Column, defineCommand } from '../command.ts';
import { dateOrders } from '../model/time.ts';
import { examSelection } from './exam-selection-flags.ts';
import { removalFlags, removalOf } from './removal-flags.ts';
import { type RosterValues, rosterFlags, tableReading } from './roster-flags.ts';

const file = { description: 'the timetable: CSV, Excel or JSON', complete: 'files' } as const;

/** Whose value counts where both have changed. */
const sides = ['table', 'service'] as const;

const planFlags = {
  adopt: { type: 'boolean', description: 'adopt existing exams that have the name of a line' },
  new: {
    type: 'texts',
    value: 'name',
    description: 'name of a line (* and ?) that means a new exam, although an exam of this name exists',
  },
  onConflict: {
    type: 'text',
    value: 'side',
    choices: sides,
    description: 'whose value is kept if both timetable and service have changed since the last apply',
  },
  ...rosterFlags,
  map: { ...rosterFlags.map, description: "header of a field's column, such as --map 'name=Modul'; or of another field of the API" },
  institute: {
    rare: true,
    type: 'text',
    value: 'id',
    description: "institute among whose users proctors are looked up, instead of the profile's",
  },
  ...removalFlags,
  removeMissing: {
    ...removalFlags.removeMissing,
    description: 'delete students missing from the roster of their exam: at most a tenth of it',
  },
  dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of dates such as 03/04/2026' },
} as const;

const columns =
  'Columns, by their usual headers in English, German and French, or by --map: id, key (a number of your own), name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; users who are not named are removed from the pool), roster (a file beside the timetable; its students are added, and those that it lacks are deleted with --remove-missing). The field of a missing column is not managed, an empty cell keeps the value, and the word none clears it. Every other column must be declared with --ignore-column.';
const ids =
  'TIMETABLE.ids.csv, a file beside the timetable, records which line is which exam; it contains no secrets and is meant to be committed.';

type Values = RosterValues &
  Parameters<typeof removalOf>[0] & {
    file: string;
    adopt?: boolean | undefined;
    new?: string[] | undefined;
    onConflict?: string | undefined;
    dates?: string | undefined;
    institute?: string | undefined;
  };

function requestOf(values: Values) {
  const { file: path, adopt = false, new: isNew = [], onConflict, dates, institute } = values;
  const order = dateOrders.find((one) => one === dates);
  return {
    file: path,
    reading: tableReading(values, order),
    adopt,
    isNew,
    institute,
    removeMissing: removalOf(values),
    onConflict: sides.find((side) => side === onConflict),
  };
}

export const check = defineCommand({
  name: 'exams check',
  summary: 'Compare a timetable with the exams of the service',
  details: `Prints what exams apply would do, a row for each line: create, adopt (an exam with the name and the start of the line exists), update (field: old → new), unchanged, conflict (changed in the service and in the timetable since the last apply), perhaps_moved (an exam of this name exists with another start), unclear (several exams could be it). Nothing is written; the status is 11 if a line is not unchanged. ${columns} ${ids}`,
  effect: 'read',
  args: { file },
  flags: {
    ...planFlags,
    strict: { type: 'boolean', description: 'end with status 11 also if an exam is no longer in the timetable' },
  },
  async run(context, { strict = false, ...values }) {
    const { checkPeriod } = await import('../features/period/check-period.ts');
    return checkPeriod(context, { ...requestOf(values), strict });
  },
  examples: [
    { line: 'proctor-cli exams check timetable.csv --timezone Europe/Vienna', description: 'what differs from the timetable' },
    { line: 'proctor-cli exams check timetable.csv --timezone Europe/Vienna -o json', description: 'the same plan for a script' },
  ],
});

export const apply = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details: `Makes the same plan as exams check, shows it, asks once, and carries it out as one run. A second call changes nothing. Where times change, the students' own windows move along, as with exams shift. A line is held back if it would take something from a running exam, or if a person has to decide on it; the other lines are applied. No exam is ever deleted, and students only with --remove-missing. To resume a run that was stopped or killed, run the same command again. ${columns} ${ids}`,
  effect: 'write',
  takes: true,
  args: { file },
  flags: planFlags,
  async run(context, values) {
    const { applyPeriod } = await import('../features/period/apply-period.ts');
    return applyPeriod(context, requestOf(values));
  },
  examples: [
    { line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --dry-run', description: 'the requests that would be sent' },
    {
      line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --yes',
      description: 'the exams of the timetable, in a script',
    },
  ],
});

const exportColumns: readonly Column[] = [
  'id',
  'name',
  'date',
  'start',
  'end',
  'allow_headphones',
  'allow_whiteboard',
  'allow_leave_room',
  'allow_pen_paper',
  'save_recording',
  'proctors',
].map((key) => ({ key }));

export const exporting = defineCommand({
  name: 'exams export',
  summary: 'Print exams as a timetable',
  details:
    'Prints the selected exams, or all exams, as a table that exams apply reads, IDs included. Saved as CSV or JSON and applied again, it changes nothing. Times are in the current time zone; without a time zone, they have their offset.',
  effect: 'read',
  flags: examSelection,
  columns: exportColumns,
  async run(context, { exam, from, until, name }) {
    const { exportPeriod } = await import('../features/period/export-period.ts');
    return exportPeriod(context, { selection: { exam, from, until, name }, columns: exportColumns });
  },
  examples: [
    {
      line: 'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna -o csv',
      description: 'the exams of a period as a timetable',
    },
    { line: 'proctor-cli exams export -o json --timezone UTC', description: 'all exams, for a script' },
  ],
});
