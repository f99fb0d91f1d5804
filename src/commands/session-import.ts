/** `sessions import`: its flags and their checks. */
import { type Concurrency, patienceWithin, usualConcurrency } from '../api/concurrency.ts';
import { type Context, defineCommand } from '../command.ts';
import { importsFolder } from '../config/folders.ts';
import { CliError } from '../errors.ts';
import { parseDuration } from '../model/duration.ts';
import type { GrantList } from '../model/granted.ts';
import { typedOption } from '../model/shell-quote.ts';
import { dateOrders } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { readingFlags } from './roster-flags.ts';
import { examFlag } from './session-columns.ts';
import { wholeNumber } from './whole-number.ts';

export const importing = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every row before anything is sent, and creates the students who are not in the exam yet. It keeps a journal: to resume an import that was stopped or killed, run the same command again. No student is sent twice without proof that the first try failed.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: examFlag,
    map: {
      type: 'texts',
      value: 'field=header',
      description: "header of a field's column, such as --map 'email=E-Mail (Uni)'",
    },
    ...readingFlags,
    dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of day and month in dates such as 03/04/2026' },
    only: {
      type: 'texts',
      value: 'header=values',
      description: "import only rows with one of these values, such as --only 'Status=Registered,Active'",
    },
    any: { type: 'texts', value: 'header', description: 'import rows with any value in this column (a role, a status)' },
    accommodations: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'list of accommodations (YAML, CSV, Excel): students in it get their close time',
    },
    extraTime: {
      type: 'boolean',
      negatable: true,
      description: 'use the column with the extra time of students (25%, 15 min, 1.25×) for their close times',
    },
    skipInvalid: { type: 'boolean', description: 'import the valid rows even if others are invalid' },
    allowNoEmail: {
      type: 'boolean',
      description: 'accept rows without an address, and lists that hide some',
    },
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
    concurrency: {
      type: 'text',
      value: 'n',
      suggests: ['auto'],
      description: 'concurrent requests; auto, the default, uses as many as make it faster, from 8',
    },
    maxConcurrency: { type: 'text', value: 'n', description: 'most concurrent requests of --concurrency auto (default: 64)' },
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
    const { accommodations, file, exam, concurrency, maxConcurrency, rate, settle, shard, encoding, rejects, report, body } = values;
    return importSessions(context, {
      file,
      bytes: host.stdin.bytes(),
      folder: importsFolder(host),
      exam,
      map: headersByField(values.map ?? []),
      only: valuesByHeader(values.only ?? []),
      any: values.any ?? [],
      sheet: values.sheet,
      hiddenRows: values.hiddenRows,
      dates: dateOrders.find((order) => order === values.dates),
      constants: body,
      extraTime: values.extraTime,
      accommodations: accommodations === undefined ? undefined : await accommodationsFrom(context, accommodations, file),
      encoding,
      rejects,
      report,
      force: values.force === true,
      concurrency: concurrencyOf(concurrency, maxConcurrency),
      rate: rate === undefined ? undefined : wholeNumber('--rate', rate.replace(/\/s$/, ''), 1, 10_000),
      patience: patienceWithin(context.settings().timeoutMilliseconds),
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
    { line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid', description: 'what an import would do' },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', description: 'the import, in a script' },
  ],
});

function concurrencyOf(concurrency = 'auto', most: string | undefined): Concurrency {
  if (concurrency === 'auto') return { upTo: wholeNumber('--max-concurrency', most ?? String(usualConcurrency.upTo), 1, 256) };
  const number = wholeNumber('--concurrency', concurrency, 1, 64, 'auto');
  if (most === undefined) return number;
  throw new CliError('usage', '--max-concurrency is for --concurrency auto.', { hint: 'Leave one of them out.' });
}

async function accommodationsFrom(context: Context, list: string, roster: string): Promise<GrantList> {
  if (list === '-' && roster === '-') {
    throw new CliError('usage', 'The roster and the list of accommodations cannot both come from stdin.', {
      hint: 'Give one of them as a file.',
    });
  }
  const { accommodationsForImport } = await import('../features/accommodations/index.ts');
  return accommodationsForImport(context, list);
}

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

/** `header=value,value`; a value with a comma stands in quotes. */
function valuesByHeader(texts: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const [header, list] = pairOf('--only', 'header=value,value', text, 'Status=Registered,Active');
    values.set(header, [...(values.get(header) ?? []), ...listed(list)]);
  }
  return Object.fromEntries(values);
}

function listed(list: string): string[] {
  return (list.match(/(?<=^|,)(?:\s*"(?:[^"]|"")*"\s*|[^,]*)(?=,|$)/g) ?? []).map((value) =>
    value.trim().replace(/^"(.*)"$/s, (_, text: string) => text.replaceAll('""', '"')),
  );
}

function pairOf(option: string, form: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new CliError('usage', sentence`${option} takes ${form}, not ${JSON.stringify(text)}.`, {
    hint: sentence`For example: ${typedOption(option, example)}`,
  });
}
