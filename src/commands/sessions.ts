/** Student sessions: the specification's section 4.2. */

import { type Operation, operations } from '../api/operations.ts';
import { endExamRefused } from '../api/refusals.ts';
import { type Column, defineCommand, type Example, type TextFlag, type TimeFlag } from '../command.ts';
import { changesFolder, importsFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import { parseDuration } from '../model/duration.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { sessionStatuses, statusFilter, statusOf } from '../model/status.ts';
import { dateOrders, instantOf } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { lateFlag, span } from './spans.ts';
import { wholeNumber } from './whole-number.ts';

export const sessionColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'name' },
  { key: 'status' },
  { key: 'open_time', title: 'opens', as: 'time', detail: true },
  { key: 'close_time', title: 'closes', as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'skip_requirements', title: 'skips requirements', as: 'boolean', detail: true },
];

/** The exam that a command is about. */
export const examFlag = {
  type: 'text',
  value: 'id',
  required: true,
  complete: 'exams',
  description: 'ID of the exam',
} as const satisfies TextFlag;

/** Field flags of a session. Those that a request cannot set are refused by name, with the reason. */
const sessionFields = {
  email: { type: 'text', value: 'address', field: 'email', description: "the student's e-mail address" },
  name: { type: 'text', value: 'name', field: 'dialect.sessionNameKey', description: "the student's name" },
  openTime: { type: 'time', field: 'open_time', description: 'earliest time to start (updates only)' },
  closeTime: { type: 'time', field: 'close_time', after: 'openTime', description: 'latest time to start' },
  skipRequirements: {
    type: 'boolean',
    field: 'skip_requirements',
    description: 'let the student skip the requirements (when adding only)',
  },
  levelOfSuspicion: { type: 'text', value: 'level', field: 'level_of_suspicion', description: 'read-only', hidden: true },
} as const satisfies Record<string, TextFlag | TimeFlag | { type: 'boolean'; field: string; description: string }>;

/** Warns of a window that is over already. */
function warnIfPast(context: { host: { now(): number }; warn(text: string): void }, closeTime: unknown) {
  const closes = instantOf(closeTime);
  if (closes !== undefined && closes < context.host.now())
    context.warn('warning: the close time is in the past; the student can no longer start.');
}

const list = defineCommand({
  name: 'sessions list',
  summary: 'List the students of an exam, or all sessions',
  effect: 'read',
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', description: 'only the students of this exam' },
    status: {
      type: 'text',
      value: 'status',
      suggests: sessionStatuses,
      description: `only sessions with this status: ${sessionStatuses.join(', ')}`,
    },
  },
  columns: sessionColumns,
  requests({ exam, status }) {
    if (status !== undefined) statusFilter(status);
    return [
      exam === undefined ? { operation: operations.listSessions } : { operation: operations.listExamSessions, params: { exam_id: exam } },
    ];
  },
  filter: ({ status }) => (status === undefined ? undefined : (row) => statusOf(row.status) === statusFilter(status)),
  output: 'session[]',
  examples: [
    { line: 'proctor-cli sessions list --exam 2', description: 'the students of exam 2' },
    { line: 'proctor-cli sessions list --exam 2 --status exam_started -o id', description: 'the IDs of students who are taking the exam' },
  ],
});

const get = defineCommand({
  name: 'sessions get',
  summary: 'Show one student session',
  effect: 'read',
  args: { id: { description: 'ID of the session', complete: 'sessions' } },
  columns: sessionColumns,
  requests: ({ id }) => [{ operation: operations.getSession, params: { id } }],
  output: 'session',
  examples: [{ line: 'proctor-cli sessions get 5', description: 'everything that the service shows of session 5' }],
});

const find = defineCommand({
  name: 'sessions find',
  summary: 'Find a student in all exams',
  details:
    'Searches the sessions of all exams for parts of an address or a name, ignoring case, accents and order, or for the ID of a session. opens and closes are the window in force: that of the session, or of its exam if the session has none. No match is an empty list and status 0; stderr says how many sessions were searched.',
  effect: 'read',
  args: { text: { description: 'part of the address or name, or the whole ID' } },
  columns: sessionColumns,
  async run(context, { text }) {
    const { findSessions } = await import('../features/find.ts');
    return findSessions(context, text);
  },
  output: 'foundSession[]',
  examples: [
    { line: 'proctor-cli sessions find nguyen', description: 'status, window and exam of each student of this name, and how to help' },
    { line: 'proctor-cli sessions find @example.org -o id', description: 'the IDs of all sessions with such an address' },
  ],
});

/** Adding a student, by one of the service's two ways; `exam`: what the operation calls the exam's ID. */
export function addingStudent(name: string, operation: Operation, exam: 'id' | 'exam_id', examples: readonly Example[]) {
  return defineCommand({
    name,
    summary: 'Add one student to an exam',
    effect: 'write',
    flags: { exam: examFlag, ...sessionFields },
    promptFor: ['email', 'name'],
    writes: { resource: 'session', writing: 'create' },
    columns: sessionColumns,
    requests(values, context) {
      warnIfPast(context, values.body.close_time);
      return [{ operation, params: { [exam]: values.exam }, body: values.body }];
    },
    output: 'session',
    examples,
  });
}

const create = addingStudent('sessions create', operations.createSession, 'exam_id', [
  {
    line: 'proctor-cli sessions create --exam 2 --email ada@example.org --name "Ada Example"',
    description: 'register a student in exam 2',
  },
]);

const update = defineCommand({
  name: 'sessions update',
  summary: "Change a student's session",
  effect: 'write',
  args: { id: { description: 'ID of the session', complete: 'sessions' } },
  flags: { ...sessionFields, put: { type: 'boolean', description: 'send PUT instead of PATCH' } },
  promptFor: ['email', 'name', 'openTime', 'closeTime'],
  writes: { resource: 'session', writing: 'update' },
  columns: sessionColumns,
  requests({ id, put, body }, context) {
    warnIfPast(context, body.close_time);
    return [{ operation: put ? operations.putSession : operations.patchSession, params: { id }, body }];
  },
  output: 'session',
  examples: [{ line: 'proctor-cli sessions update 5 --close-time +30m', description: 'let the student start within the next half hour' }],
});

const extend = defineCommand({
  name: 'sessions extend',
  summary: 'Give students a later close time than they have now',
  details:
    "--by 30m adds to the close_time of a session, or to the end of its exam if the session has none. --by 25% adds a share of the student's window, from open_time (or the start of the exam) to close_time (or its end), rounded to a second. Finished sessions and the end of the exam are not changed. It asks for confirmation if the sessions are chosen by their exam, if it adds more than 24 hours, and if a session was extended before. Old and new times are shown, and are in a journal on this machine before the first request: see changes list and changes undo.",
  effect: 'write',
  args: { ids: { description: 'IDs of the sessions', variadic: true, optional: true, complete: 'sessions' } },
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', description: 'exam whose unfinished sessions to extend, instead of IDs' },
    status: {
      type: 'text',
      value: 'status',
      suggests: sessionStatuses,
      requires: 'exam',
      description: 'only sessions of the exam with this status',
    },
    by: {
      type: 'text',
      value: 'amount',
      required: true,
      description: 'time to add: 30m, +1h30m, or 25% for a share of the window',
      check: async (amount) => (await import('../features/extend/extension.ts')).parseExtension(amount),
    },
    again: {
      type: 'boolean',
      description: 'also extend sessions that an unfinished change, or one with a damaged journal, may have extended',
    },
  },
  oneOf: ['ids', 'exam'],
  columns: sessionColumns,
  async run(context, { ids = [], exam, status, by, again = false }) {
    if (status !== undefined && exam === undefined) {
      throw new CliError('usage', '--status chooses among the sessions of an exam, but --exam is missing.', {
        hint: 'See: proctor-cli sessions extend --help',
      });
    }
    const { extendSessions } = await import('../features/extend/extend.ts');
    const choice = exam === undefined ? { ids } : { exam, status };
    return extendSessions(context, { folder: changesFolder(context.host), choice, by, again });
  },
  output: 'movedSession[]',
  examples: [
    { line: 'proctor-cli sessions extend 21 --by 15m', description: 'give one student 15 more minutes to start' },
    { line: 'proctor-cli sessions extend 21 22 --by 25%', description: 'a quarter more time for two students' },
    {
      line: 'proctor-cli sessions extend --exam 3 --status exam_started --by 10m --yes',
      description: 'ten more minutes for students who are taking the exam',
    },
  ],
});

const remove = defineCommand({
  name: 'sessions delete',
  summary: 'Delete student sessions, removing the students from their exam',
  effect: 'destroy',
  args: { ids: { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } },
  details:
    'At the question each session is shown with address and status. Right before its DELETE it is read again: a session whose student has started since, or that belongs to another address or exam by now, is kept and named. With --yes nothing is shown, and the sessions are deleted as they are. Three sessions in a row without a clear answer end the command; the others are not tried.',
  async question({ ids }, context) {
    const { deletionOfSessions } = await import('../api/questions.ts');
    return deletionOfSessions(await context.client(), context.host, ids);
  },
  requests: ({ ids }) => ids.map((id) => ({ operation: operations.deleteSession, params: { id }, subject: id })),
  output: 'outcome[]',
  examples: [{ line: 'proctor-cli sessions delete 7 8 --yes', description: 'remove two students from their exam' }],
});

const end = defineCommand({
  name: 'sessions end',
  summary: "End a student's exam (the service removed this operation)",
  effect: 'write',
  args: { id: { description: 'ID of the session', complete: 'sessions' } },
  async run() {
    throw endExamRefused();
  },
  examples: [],
});

const importing = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every row before anything is sent, and creates the students who are not in the exam yet. It keeps a journal: to resume an import that was stopped or killed, run the same command again. No student is sent twice without proof that the first try failed.',
  effect: 'write',
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: examFlag,
    map: {
      type: 'texts',
      value: 'field=header',
      description: "header of a field's column; fields: email, name, first_name, last_name, open_time, close_time, skip_requirements",
    },
    encoding: {
      type: 'text',
      value: 'name',
      suggests: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
      description: 'encoding of a text file that is not UTF-8, such as windows-1252',
    },
    sheet: { type: 'text', value: 'name', description: 'sheet of an Excel workbook, by its name or its number' },
    dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of day and month in dates such as 03/04/2026' },
    only: {
      type: 'texts',
      value: 'header=values',
      description: "import only rows with one of these values, such as --only 'Status=Registered,Active'",
    },
    any: { type: 'texts', value: 'header', description: 'import rows with any value in this column (a role, a status)' },
    skipInvalid: { type: 'boolean', description: 'import the valid rows even if others are invalid' },
    allowNoEmail: { type: 'boolean', description: 'accept rows without an address; they cannot be verified' },
    update: { type: 'boolean', description: 'update existing students that differ from the file' },
    acceptDifferent: { type: 'boolean', description: 'keep existing students that differ from the file, and count them as done' },
    removeMissing: {
      type: 'boolean',
      description:
        'delete students of the exam that are missing from the file: at most a tenth of the exam, confirmed by typing their number',
    },
    maxRemovals: { type: 'text', value: 'n', description: 'how many students --remove-missing may delete, instead of a tenth' },
    removeStarted: { type: 'boolean', description: 'let --remove-missing also delete students that may have started' },
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'write failed rows to this file, to be corrected and imported again',
    },
    report: { type: 'text', value: 'file', complete: 'files', description: 'write the result to this file, as JSON' },
    force: { type: 'boolean', description: 'let --rejects and --report replace existing files' },
    shard: { type: 'text', value: 'i/n', description: 'import one of n shares of the rows (or CI_NODE_INDEX and CI_NODE_TOTAL)' },
    concurrency: { type: 'text', value: 'n', description: 'concurrent requests (default: 8)' },
    rate: { type: 'text', value: 'n', description: 'maximum number of requests per second' },
    settle: {
      type: 'text',
      value: 'duration',
      description: 'wait before a listing settles the outcome of a request (default: twice --timeout)',
    },
    resendAbsent: { type: 'boolean', description: 'send rows again that were possibly sent and are provably missing' },
    startOver: { type: 'boolean', description: 'abandon an unfinished run of another file' },
  },
  writes: 'anything',
  async run(context, values) {
    const [{ importSessions }, { parseShard, shardOf }] = await Promise.all([
      import('../features/import/import-sessions.ts'),
      import('../features/import/shard.ts'),
    ]);
    const { host } = context;
    const { file, exam, concurrency, rate, settle, shard, encoding, rejects, report, body } = values;
    return importSessions(context, {
      file,
      bytes: host.stdin.bytes(),
      folder: importsFolder(host),
      exam,
      map: headersByField(values.map ?? []),
      only: valuesByHeader(values.only ?? []),
      any: values.any ?? [],
      sheet: values.sheet,
      dates: dateOrders.find((order) => order === values.dates),
      constants: body,
      encoding,
      rejects,
      report,
      force: values.force === true,
      concurrency: wholeNumber('--concurrency', concurrency ?? '8', 1, 64),
      rate: rate === undefined ? undefined : wholeNumber('--rate', rate.replace(/\/s$/, ''), 1, 10_000),
      settle: settle === undefined ? 2 * context.settings().timeoutMilliseconds : parseDuration(settle),
      shard: shard === undefined ? shardOf(host.env) : parseShard(shard),
      update: values.update === true,
      acceptDifferent: values.acceptDifferent === true,
      allowNoEmail: values.allowNoEmail === true,
      skipInvalid: values.skipInvalid === true,
      removeMissing: removalOf(values),
      resendAbsent: values.resendAbsent === true,
      startOver: values.startOver === true,
    });
  },
  output: ['importReport', 'importStep[]'],
  examples: [
    { line: 'proctor-cli sessions import test/demo/roster.csv --exam 6 --dry-run --skip-invalid', description: 'what an import would do' },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', description: 'the import, in a script' },
  ],
});

type RemovalFlags = { removeMissing?: boolean | undefined; maxRemovals?: string | undefined; removeStarted?: boolean | undefined };

function removalOf({ removeMissing = false, maxRemovals, removeStarted = false }: RemovalFlags) {
  const most = maxRemovals === undefined ? undefined : wholeNumber('--max-removals', maxRemovals, 0, 1_000_000);
  if (removeMissing) return { most, started: removeStarted };
  if (most === undefined && !removeStarted) return undefined;
  throw new CliError('usage', sentence`${most === undefined ? '--remove-started' : '--max-removals'} is for --remove-missing.`, {
    hint: 'Add --remove-missing, or leave it out.',
  });
}

/** `field=header`, any number of them; several headers of one field in their order. */
function headersByField(texts: readonly string[]): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const text of texts) {
    const [field, header] = pairOf('--map', 'field=header', text, 'email=Mail address');
    if (headers.has(field) && field !== 'email')
      throw new CliError('usage', sentence`--map gives ${field} twice.`, {
        hint: 'Give one header for each field; only email can have several.',
      });
    headers.set(field, [...(headers.get(field) ?? []), header]);
  }
  return Object.fromEntries(headers);
}

/** `header=value,value`. */
function valuesByHeader(texts: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const [header, list] = pairOf('--only', 'header=value,value', text, 'Status=Registered,Active');
    values.set(header, [...(values.get(header) ?? []), ...list.split(',')]);
  }
  return Object.fromEntries(values);
}

function pairOf(option: string, form: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new CliError('usage', sentence`${option} takes ${form}, not ${JSON.stringify(text)}.`, {
    hint: sentence`For example: ${option} ${shellQuoted(example)}`,
  });
}

const exporting = defineCommand({
  name: 'sessions export',
  summary: "Print an exam's students as a roster that can be imported again",
  effect: 'read',
  flags: { exam: examFlag },
  columns: ['email', 'name', 'open_time', 'close_time', 'skip_requirements'].map((key) => ({ key })),
  requests: ({ exam }) => [{ operation: operations.listExamSessions, params: { exam_id: exam } }],
  output: 'session[]',
  examples: [{ line: 'proctor-cli sessions export --exam 2 -o csv', description: 'a file for sessions import' }],
});

const watch = defineCommand({
  name: 'sessions watch',
  summary: 'Watch an exam while it is running',
  details:
    'On a terminal it fills the screen; q quits, with status 0. Elsewhere, and with --plain, it prints a line for each change; with -o ndjson an object (field is status, level_of_suspicion, open_time, close_time, added, removed or problem), with json and yaml one document at the end. Problems are: suspicion 2 or 3; a check that is started but not completed when the exam has started; an exam that is not started some minutes after the student could start (--late). Problems that exist at the start raise no alarm. all-finished is reached when each student has finished or, by close_time and the end of the exam, can no longer start or continue; without students, when the exam is over.',
  effect: 'read',
  flags: {
    exam: examFlag,
    interval: {
      type: 'text',
      value: 'duration',
      description: 'time between two updates, from 1s (default: 30s); longer while the service asks to slow down',
    },
    late: lateFlag,
    until: { type: 'text', value: 'when', suggests: ['all-finished'], description: 'end with status 0: all-finished, or a time' },
    bell: { type: 'boolean', description: 'ring the bell of the terminal on new problems' },
    exec: {
      type: 'text',
      value: 'command',
      description:
        'shell command to run on new problems, for at most 10 seconds; it gets them on stdin, one JSON object per line, and no token in its environment',
    },
  },
  async run(context, { exam, interval, late, until, bell, exec }) {
    const { watchExam } = await import('../features/watch/watch.ts');
    return watchExam(context, {
      exam,
      interval: span('--interval', interval ?? '30s', { least: 1000 }),
      late: span('--late', late ?? '10m', { least: 0 }),
      until: until === undefined || until === 'all-finished' ? until : { time: await context.time(until) },
      bell: bell === true,
      exec,
    });
  },
  output: 'sessionChange[]',
  examples: [
    { line: 'proctor-cli sessions watch --exam 3', description: 'the exam on the whole screen, until q is pressed' },
    {
      line: 'proctor-cli sessions watch --exam 1 --until all-finished -o ndjson',
      description: 'each change for a script, until everyone has finished',
    },
    {
      line: "proctor-cli sessions watch --exam 3 --until +2h30m --exec 'mail -s problem desk@example.org'",
      description: 'a mail on new problems',
    },
  ],
});

export const sessions = [list, get, find, create, update, extend, remove, importing, exporting, end, watch];
