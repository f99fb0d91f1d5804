/** Student sessions: the specification's section 4.2. */
import { operations } from '../api/operations.ts';
import { endExamRefused } from '../api/refusals.ts';
import { type Column, defineCommand, type TextFlag, type TimeFlag } from '../command.ts';
import { importsFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import { parseDuration } from '../model/duration.ts';
import { sessionStatuses, statusFilter } from '../model/status.ts';
import { instantOf } from '../model/time.ts';
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
  does: 'ID of the exam',
} as const satisfies TextFlag;

/** Field flags of a session. Those that a request cannot set are refused by name, with the reason. */
export const sessionFields = {
  email: { type: 'text', value: 'address', field: 'email', does: "the student's address" },
  name: { type: 'text', value: 'name', field: 'dialect.sessionNameKey', does: "the student's name" },
  openTime: { type: 'time', field: 'open_time', does: 'from when the student may start (updates only)' },
  closeTime: { type: 'time', field: 'close_time', does: 'until when the student may start' },
  skipRequirements: { type: 'boolean', field: 'skip_requirements', does: 'let the student skip the requirements (when adding only)' },
  levelOfSuspicion: { type: 'text', value: 'level', field: 'level_of_suspicion', does: 'read-only', hidden: true },
} as const satisfies Record<string, TextFlag | TimeFlag | { type: 'boolean'; field: string; does: string }>;

/** Warns of a window that is over already. */
export function warnIfPast(context: { host: { now(): number }; warn(text: string): void }, closeTime: unknown) {
  const closes = instantOf(closeTime);
  if (closes !== undefined && closes < context.host.now())
    context.warn('warning: the close time is in the past; the student cannot start any more.');
}

const list = defineCommand({
  name: 'sessions list',
  summary: 'List the students of an exam, or all sessions',
  effect: 'read',
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', does: 'only the students of this exam' },
    status: { type: 'text', value: 'status', does: `only those with this status: ${sessionStatuses.join(', ')}` },
  },
  columns: sessionColumns,
  requests({ exam, status }) {
    if (status !== undefined) statusFilter(status);
    return [
      exam === undefined ? { operation: operations.listSessions } : { operation: operations.listExamSessions, params: { exam_id: exam } },
    ];
  },
  keep: ({ status }) => (status === undefined ? undefined : (row) => row.status === status),
  examples: [
    { line: 'proctor-cli sessions list --exam 2', does: 'the students of exam 2' },
    { line: 'proctor-cli sessions list --exam 2 --status exam_started -o id', does: 'the IDs of those who are writing' },
  ],
});

const get = defineCommand({
  name: 'sessions get',
  summary: 'Show one student session',
  effect: 'read',
  args: { id: { does: 'ID of the session', complete: 'sessions' } },
  columns: sessionColumns,
  requests: ({ id }) => [{ operation: operations.getSession, params: { id } }],
  examples: [{ line: 'proctor-cli sessions get 5', does: 'all that the service shows of session 5' }],
});

const create = defineCommand({
  name: 'sessions create',
  summary: 'Add one student to an exam',
  effect: 'write',
  flags: { exam: examFlag, ...sessionFields },
  writes: { resource: 'session', writing: 'create' },
  columns: sessionColumns,
  requests({ exam, body }, context) {
    warnIfPast(context, body.close_time);
    return [{ operation: operations.createSession, params: { exam_id: exam }, body }];
  },
  examples: [
    { line: 'proctor-cli sessions create --exam 2 --email ada@example.org --name "Ada Example"', does: 'register a student in exam 2' },
  ],
});

const update = defineCommand({
  name: 'sessions update',
  summary: "Change a student's session",
  effect: 'write',
  args: { id: { does: 'ID of the session', complete: 'sessions' } },
  flags: { ...sessionFields, put: { type: 'boolean', does: 'send PUT in place of PATCH' } },
  writes: { resource: 'session', writing: 'update' },
  columns: sessionColumns,
  requests({ id, put, body }, context) {
    warnIfPast(context, body.close_time);
    return [{ operation: put ? operations.putSession : operations.patchSession, params: { id }, body }];
  },
  examples: [{ line: 'proctor-cli sessions update 5 --close-time +30m', does: 'let the student start for another half hour' }],
});

const remove = defineCommand({
  name: 'sessions delete',
  summary: 'Delete student sessions; the students leave their exam',
  effect: 'destroy',
  args: { ids: { does: 'IDs of the sessions; - reads them from stdin, one a line', variadic: true, complete: 'sessions' } },
  question: ({ ids }) =>
    ids.length === 1 ? `Delete student session ${ids[0]}` : `Delete ${ids.length} student sessions: ${ids.join(', ')}`,
  requests: ({ ids }) => ids.map((id) => ({ operation: operations.deleteSession, params: { id }, subject: id })),
  examples: [{ line: 'proctor-cli sessions delete 7 8 --yes', does: 'take two students out of their exam' }],
});

const end = defineCommand({
  name: 'sessions end',
  summary: "End a student's exam (the service removed this operation)",
  effect: 'write',
  args: { id: { does: 'ID of the session', complete: 'sessions' } },
  async run() {
    throw endExamRefused();
  },
  examples: [],
});

const importing = defineCommand({
  name: 'sessions import',
  summary: 'Bring a roster into an exam',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every row before anything is sent, and registers the students who are not in the exam yet. It keeps a journal: stopped or killed, the same command goes on where it was, and no student is sent twice without proof that the first time failed.',
  effect: 'write',
  args: { file: { does: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: examFlag,
    map: {
      type: 'texts',
      value: 'field=header',
      does: 'which column is which: email, name, first_name, last_name, open_time, close_time, skip_requirements',
    },
    encoding: { type: 'text', value: 'name', does: 'encoding of a text that is not UTF-8, such as windows-1252' },
    skipInvalid: { type: 'boolean', does: 'import the valid rows although others are not' },
    allowNoEmail: { type: 'boolean', does: 'let rows without an address through; they cannot be proven' },
    update: { type: 'boolean', does: 'change students who are there and differ from the file' },
    removeMissing: { type: 'boolean', does: 'delete students of the exam that the file lacks, after a question of its own' },
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      does: 'write the rows that failed there, to be corrected and imported again',
    },
    report: { type: 'text', value: 'file', complete: 'files', does: 'write the report there, as JSON' },
    shard: { type: 'text', value: 'i/n', does: 'take one of n shares of the rows (or CI_NODE_INDEX and CI_NODE_TOTAL)' },
    concurrency: { type: 'text', value: 'n', does: 'requests at the same time (default: 8)' },
    rate: { type: 'text', value: 'n', does: 'requests a second at the most' },
    settle: { type: 'text', value: 'duration', does: 'wait before a listing tells what became of a request (default: twice --timeout)' },
    resendAbsent: { type: 'boolean', does: 'send again what was sent and provably is not there' },
    startOver: { type: 'boolean', does: 'give up an unfinished run of another file' },
  },
  writes: 'anything',
  async run(context, values) {
    const [{ importSessions }, { parseShard, shardOf }] = await Promise.all([
      import('../bulk/session-import.ts'),
      import('../bulk/shard.ts'),
    ]);
    const { host } = context;
    const { file, exam, concurrency, rate, settle, shard, encoding, rejects, report, body } = values;
    return importSessions(context, {
      file,
      bytes: host.stdin.bytes(),
      folder: importsFolder(host),
      exam,
      map: mapOf(values.map ?? []),
      constants: body,
      encoding,
      rejects,
      report,
      concurrency: wholeNumber('--concurrency', concurrency ?? '8', 1, 64),
      rate: rate === undefined ? undefined : wholeNumber('--rate', rate, 1, 10_000),
      settle: settle === undefined ? 2 * context.settings().timeoutMilliseconds : parseDuration(settle),
      shard: shard === undefined ? shardOf(host.env) : parseShard(shard),
      update: values.update === true,
      allowNoEmail: values.allowNoEmail === true,
      skipInvalid: values.skipInvalid === true,
      removeMissing: values.removeMissing === true,
      resendAbsent: values.resendAbsent === true,
      startOver: values.startOver === true,
    });
  },
  examples: [
    { line: 'proctor-cli sessions import test/demo/roster.csv --exam 6 --dry-run --skip-invalid', does: 'what an import would do' },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', does: 'the import, in a script' },
  ],
});

function mapOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [field = '', ...header] = text.split('=');
      if (field === '' || header.length === 0) throw new CliError('usage', `--map takes field=header, not ${JSON.stringify(text)}.`);
      return [field.trim(), header.join('=')];
    }),
  );
}

const exporting = defineCommand({
  name: 'sessions export',
  summary: "Print an exam's students as a roster that can be imported again",
  effect: 'read',
  flags: { exam: examFlag },
  columns: ['email', 'name', 'open_time', 'close_time', 'skip_requirements'].map((key) => ({ key })),
  requests: ({ exam }) => [{ operation: operations.listExamSessions, params: { exam_id: exam } }],
  examples: [{ line: 'proctor-cli sessions export --exam 2 -o csv', does: 'a file for sessions import' }],
});

export const sessions = [list, get, create, update, remove, importing, exporting, end];
