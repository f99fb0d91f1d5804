/** `sessions import` from start to end: reads, maps and validates the file; then imports its lines as a run. */
import type { Context, Result } from '../../command.ts';
import { type Mapping, mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import { openRun } from '../../runs-before/index.ts';
import { type ExamSelection, examsAmong } from '../exam-selection.ts';
import { columnQuestions } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/table-reading.ts';
import { importEntries } from './import-entries.ts';
import { type ImportRequest, identityOf, importKind } from './import-request.ts';
import { refusedFile, tellProblems, tellRead } from './messages.ts';
import { NamedExams } from './named-exams.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { writeRejects } from './rejects.ts';
import type { ImportScope } from './roster-plan.ts';
import { type Validated, validate } from './validate.ts';

export async function importSessions(context: Context, request: ImportRequest): Promise<Result> {
  const { host } = context;
  await checkOutputPaths(context, request);
  const source: RosterSource = request.file === '-' ? { stdin: request.bytes } : { path: request.file, signal: host.interrupted };
  const table = await openRoster(source, readingOf(context, request.reading));
  try {
    const { reading: declared, constants, allowNoEmail } = request;
    const mapping = await mapTable(table, {
      ...declared.declaration,
      constants,
      namesExams: 'among' in request.into,
      allowNoEmail,
      ...columnQuestions(context, table.name),
    });
    const began = await startOf(context, request);
    const named = 'among' in request.into ? await examsToName(context, request, request.into.among) : undefined;
    const validated = await validate(mapping, { now: () => began, zone: context.settings().timeZone, dates: declared.dates }, named);
    tellRead(context, mapping, validated);
    await refuseInvalid(context, request, mapping, validated);
    await paceRequests(context, request);
    const exams = 'exam' in request.into ? [request.into.exam] : (named?.named ?? []).map(({ id }) => id);
    const job = { request, named: named?.named, options: optionsOf(context, request, { exams, validated }), mapping, validated };
    const stopping = () =>
      context.say('Finishing the requests in flight. Press Ctrl-C again to stop now; either way the import can be resumed.');
    host.interrupted.addEventListener('abort', stopping, { once: true });
    try {
      return await importEntries(context, { ...job, began });
    } finally {
      host.interrupted.removeEventListener('abort', stopping);
    }
  } finally {
    await table.close();
  }
}

/** The exams that lines may name: the only ones that are read before the lines are checked. */
async function examsToName(context: Context, request: ImportRequest, among: ExamSelection): Promise<NamedExams> {
  await paceRequests(context, request);
  return new NamedExams(await examsAmong(context, among), context.zone());
}

async function paceRequests(context: Context, { concurrency, rate }: ImportRequest): Promise<void> {
  const client = await context.uninterruptedClient();
  client.pacer.limit({ atOnce: concurrency, perSecond: rate });
}

/**
 * The instant from which relative times count, found once it is asked for: that of the run to resume, so that each line means there
 * what it meant before; now, where there is none.
 */
async function startOf(context: Context, request: ImportRequest): Promise<number> {
  const now = context.host.now();
  const run = await openRun(context, { kind: importKind, identity: identityOf(request) });
  return Math.min(now, run?.at ?? now);
}

/** Shows the problems of the file; without --skip-invalid, they are its end. */
async function refuseInvalid(context: Context, request: ImportRequest, mapping: Mapping, validated: Validated): Promise<void> {
  if (validated.problems.length === 0) return;
  tellProblems(context, mapping, validated);
  if (request.skipInvalid) return;
  if (request.rejects !== undefined) await writeRejects(request.rejects, ruleFor(context, request), mapping.table, validated);
  throw refusedFile(request, mapping, validated);
}

function optionsOf(
  context: Context,
  request: ImportRequest,
  { exams, validated: { extra } }: { exams: readonly string[]; validated: Validated },
): ImportScope {
  // A colon behind the field asks for the types of -F.
  const mapped = Object.keys(request.reading.declaration.map).map((field) => field.replace(/:$/, ''));
  return { ...request, exams, dialect: context.settings().dialect, zone: context.zone(), extra, mapped };
}
