/** `sessions import`: its flags and their checks. */
import { defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ImportInto } from '../features/import/import-request.ts';
import { parseDuration } from '../model/duration.ts';
import { flagName } from '../model/shell-quote.ts';
import { dateOrders } from '../model/time.ts';
import type { TableReading } from '../roster/map/declaration.ts';
import { sentence } from '../text/sentence.ts';
import { examSelection } from './exam-selection-flags.ts';
import { removalFlags, removalOf } from './removal-flags.ts';
import { type RosterValues, rosterFlags, tableReading } from './roster-flags.ts';
import { wholeNumber } from './whole-number.ts';

/** Among which exams the lines name theirs. */
const selectedExams = {
  from: { ...examSelection.from, rare: true, description: 'lines may name exams from this time on' },
  until: { ...examSelection.until, rare: true, description: 'lines may name exams until this time' },
  name: { ...examSelection.name, rare: true, description: 'lines may name exams with this in their name' },
} as const;

export const importing = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam, or into the exams that its lines name',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every line before anything is sent, and creates the students who are missing. With --map exam=HEADER, each line names its exam by ID or name. To resume an import that was stopped or killed, run the same command again. No student is sent twice without proof that the first try failed.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: {
      type: 'text',
      value: 'id',
      complete: 'exams',
      requiredUnless: namesExams,
      description: 'ID of the exam',
    },
    ...rosterFlags,
    ...selectedExams,
    dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of dates such as 03/04/2026' },
    skipInvalid: { type: 'boolean', description: 'import the valid lines even if others are invalid' },
    allowNoEmail: { rare: true, type: 'boolean', description: 'accept lines without an address: every import adds them again' },
    unmatched: {
      rare: true,
      type: 'boolean',
      description: 'import even if the list hides addresses: students may be created twice',
    },
    update: { type: 'boolean', description: 'update existing students that differ from the file' },
    updateOnly: { rare: true, type: 'boolean', description: 'update existing students, and create none' },
    acceptDifferent: {
      rare: true,
      type: 'boolean',
      description: 'keep existing students that differ from the file, and count them as done',
    },
    ...removalFlags,
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'write failed lines to this file, to be corrected and imported again',
    },
    result: { type: 'text', value: 'file', complete: 'files', description: 'write the result to this file, as JSON' },
    force: { rare: true, type: 'boolean', description: 'let --rejects and --result replace files' },
    concurrency: { rare: true, type: 'text', value: 'n', description: 'at most this many requests at once (default: 64)' },
    rate: { rare: true, type: 'text', value: 'n', description: 'maximum number of requests per second' },
    settle: { rare: true, type: 'text', value: 'duration', description: 'wait before checking lost requests (default: twice --timeout)' },
    resendAbsent: { rare: true, type: 'boolean', description: 'send lines again that may have been sent but are not in the exam' },
  },
  writes: 'anything',
  async run(context, values) {
    const { importSessions } = await import('../features/import/import-sessions.ts');
    const { host } = context;
    const { file, concurrency, rate, settle, rejects, result, body } = values;
    const reading = tableReading(
      values,
      dateOrders.find((order) => order === values.dates),
    );
    return importSessions(context, {
      file,
      bytes: host.stdin.bytes(),
      into: intoOf(values, reading),
      reading,
      constants: body,
      rejects,
      result,
      force: values.force === true,
      concurrency: concurrency === undefined ? undefined : wholeNumber('--concurrency', concurrency, 1, 256),
      rate: rate === undefined ? undefined : wholeNumber('--rate', rate.replace(/\/s$/, ''), 1, 10_000),
      settle: settle === undefined ? 2 * context.settings().timeoutMilliseconds : parseDuration(settle),
      update: values.update === true || values.updateOnly === true,
      updateOnly: values.updateOnly === true,
      acceptDifferent: values.acceptDifferent === true,
      allowNoEmail: values.allowNoEmail === true,
      unmatched: values.unmatched === true,
      skipInvalid: values.skipInvalid === true,
      removeMissing: removalOf(values),
      resendAbsent: values.resendAbsent === true,
    });
  },
  examples: [
    { line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid', description: 'what an import would do' },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', description: 'the import, in a script' },
  ],
});

/** Whether the lines name their exams: by --map. */
function namesExams(values: Readonly<RosterValues>): boolean {
  return tableReading(values).declaration.map.exam !== undefined;
}

type IntoFlags = {
  exam?: string | undefined;
  from?: number | undefined;
  until?: number | undefined;
  name?: string | undefined;
  typedTimes: Readonly<Record<string, string>>;
};

function intoOf({ exam, from, until, name, typedTimes }: IntoFlags, { declaration }: TableReading): ImportInto {
  const [header] = declaration.map.exam ?? [];
  if (header !== undefined && exam === undefined)
    return { among: { from, until, name }, typed: [name ?? '', typedTimes.from ?? '', typedTimes.until ?? ''] };
  if (header !== undefined)
    throw new CliError('usage', sentence`The exam is given twice: by --exam and by the column ${JSON.stringify(header)}.`, {
      hint: 'Leave out one of them.',
    });
  const unused = Object.entries({ from, until, name }).find(([, value]) => value !== undefined)?.[0];
  if (unused !== undefined)
    throw new CliError('usage', sentence`${flagName(unused)} is for --map exam=HEADER, where lines name their exams.`, {
      hint: sentence`Add it instead of --exam, or leave out ${flagName(unused)}.`,
    });
  return { exam: exam ?? '' };
}
