/** A whole exam period from a timetable: planned by `exams check`, brought in and kept by `exams apply`, printed by `exams export`. */
import { type Column, type Context, defineCommand } from '../command.ts';
import { dateOrders } from '../model/time.ts';
import { examSelection } from './exam-selection-flags.ts';
import { removalFlags, removalOf } from './removal-flags.ts';
import { accommodationsList, listLayout, rosterFlags, tableReading } from './roster-flags.ts';
import { wholeNumber } from './whole-number.ts';

const file = { description: 'the timetable: CSV, Excel or JSON', complete: 'files' } as const;

/** Whose value counts where both have changed. */
const sides = ['table', 'service'] as const;

const planFlags = {
  adopt: { type: 'boolean', description: 'take exams that are there, with the name of a line, for the exams of the timetable' },
  new: { type: 'texts', value: 'name', description: 'name of a line (* and ?) that is a new exam, although one of this name is there' },
  onConflict: {
    type: 'text',
    value: 'side',
    choices: sides,
    description: 'whose value counts where timetable and service have both changed since the last apply',
  },
  ...rosterFlags,
  map: { ...rosterFlags.map, description: "header of a field's column, such as --map 'name=Modul'; or of another field of the API" },
  rosterLayout: {
    rare: true,
    type: 'text',
    value: 'name',
    complete: 'layouts',
    description: 'saved layout for the rosters of the column roster',
  },
  accommodations: {
    type: 'text',
    value: 'file',
    complete: 'files',
    description: 'at the end, set the extra time of this list of accommodations in the exams of the timetable',
  },
  listLayout,
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
  dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of day and month in dates such as 03/04/2026' },
} as const;

const columns =
  'Columns, by their usual headers in English, German and French, or by --map: id, key (a number of your own), name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between; users who are not named are removed from the pool), roster (a file beside the timetable, whose students are added; those whom it lacks are deleted with --remove-missing). A column that is missing is not managed, an empty cell keeps the value, none clears it. Every other column is declared with --ignore-column.';
const ids =
  'Which line is which exam stands in a file beside the timetable, TIMETABLE.ids.csv, which has no secrets and is made to be committed.';

type Values = Parameters<typeof tableReading>[1] &
  Parameters<typeof removalOf>[0] & {
    file: string;
    adopt?: boolean | undefined;
    new?: string[] | undefined;
    onConflict?: string | undefined;
    dates?: string | undefined;
    institute?: string | undefined;
    rosterLayout?: string | undefined;
    accommodations?: string | undefined;
    listLayout?: string | undefined;
  };

async function requestOf(context: Context, values: Values) {
  const {
    file: path,
    adopt = false,
    new: isNew = [],
    onConflict,
    dates,
    institute,
    rosterLayout,
    accommodations,
    listLayout: layout,
  } = values;
  const rosterReading = await tableReading(context, { layout: rosterLayout });
  const order = dateOrders.find((one) => one === dates);
  return {
    file: path,
    reading: await tableReading(context, values, order),
    adopt,
    isNew,
    institute,
    rosterReading,
    removeMissing: removalOf(values),
    accommodations: accommodations === undefined ? undefined : await accommodationsList(context, accommodations, layout),
    onConflict: sides.find((side) => side === onConflict),
  };
}

export const check = defineCommand({
  name: 'exams check',
  summary: 'Compare a timetable with the exams of the service',
  details: `Prints what exams apply would do, a row for each line: create, adopt (an exam with the name and the start of the line is there), update (field: old → new), unchanged, conflict (changed in the service and in the timetable since the last apply), perhaps_moved (an exam of this name and another start is there), unclear (several exams could be it). Nothing is written; the status is 11 if a line is not unchanged. ${columns} ${ids}`,
  effect: 'read',
  args: { file },
  flags: {
    ...planFlags,
    strict: { type: 'boolean', description: 'status 11 also for exams that are no longer in the timetable' },
  },
  async run(context, { strict = false, ...values }) {
    const { checkPeriod } = await import('../features/period/check-period.ts');
    return checkPeriod(context, { ...(await requestOf(context, values)), strict });
  },
  output: 'period',
  examples: [
    { line: 'proctor-cli exams check timetable.csv --timezone Europe/Vienna', description: 'what differs from the timetable' },
    { line: 'proctor-cli exams check timetable.csv --timezone Europe/Vienna -o json', description: 'the same plan for a script' },
  ],
});

export const apply = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details: `Plans as exams check does, shows the plan, asks once, and carries it out as one run. Applied again it changes nothing. Where times change, the windows that students have of their own move along, as with exams shift. Exams that run are not changed where they would lose something, and lines that a person has to decide on are held back; the others are applied. No exam is ever deleted, and students only with --remove-missing. With --accommodations, the extra time of the list is set at the end, as accommodations apply does. Stopped or killed, it is resumed by the same command. ${columns} ${ids}`,
  effect: 'write',
  takes: true,
  args: { file },
  flags: {
    ...planFlags,
    maxChanges: { type: 'text', value: 'n', description: 'how many exams may change, instead of 3 or a tenth of the lines' },
    expectPlan: { type: 'text', value: 'digest', description: 'apply only the plan of this digest, which exams check has printed' },
  },
  async run(context, { maxChanges, expectPlan, ...values }) {
    const { applyPeriod } = await import('../features/period/apply-period.ts');
    const most = maxChanges === undefined ? undefined : wholeNumber('--max-changes', maxChanges, 0, 1_000_000);
    return applyPeriod(context, { ...(await requestOf(context, values)), maxChanges: most, expectPlan });
  },
  output: 'period',
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
    'Prints the table that exams apply reads, with the IDs of the exams; all exams without a selection. Kept as CSV or JSON and applied again, it changes nothing. Times are those of the time zone in force; without one, they have their offset.',
  effect: 'read',
  flags: examSelection,
  columns: exportColumns,
  async run(context, { exam, from, until, name }) {
    const { exportPeriod } = await import('../features/period/export-period.ts');
    return exportPeriod(context, { selection: { exam, from, until, name }, columns: exportColumns });
  },
  output: 'timetableLine[]',
  examples: [
    {
      line: 'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna -o csv',
      description: 'the exams of a period as a timetable',
    },
    { line: 'proctor-cli exams export -o json --timezone UTC', description: 'all exams, for a script' },
  ],
});
