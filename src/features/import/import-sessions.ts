/**
 * `sessions import` from start to end: reads, maps and validates the file; then, under the exam's lock, finds the
 * run to resume, shows the plan, asks, imports, and shows the outcome of every row. A dry run shows the plan alone.
 */
import { basename } from 'node:path';
import type { Client } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import type { Context, Result } from '../../command.ts';
import { canAsk } from '../../host/host.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import { type Mapping, mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import type { HeldLock } from '../../state/lock.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/reading.ts';
import { admitDeletions } from './deletions.ts';
import { lockExam } from './exam-lock.ts';
import { executeImport } from './execute.ts';
import { failureOf } from './failure.ts';
import type { ImportJob } from './import-job.ts';
import { ImportRun } from './import-run.ts';
import type { Journal } from './journal/journal.ts';
import { refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './messages.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { asideRows, planColumns, planRows } from './plan-rows.ts';
import { type PreparedImport, prepareImport, withResend } from './prepare.ts';
import type { ImportResult } from './proof.ts';
import { writeRejects } from './rejects.ts';
import { removeMissing, tellRemovals } from './remove-missing.ts';
import type { ImportOptions, ImportRequest } from './request.ts';
import { showResult } from './result.ts';
import { type ImportTarget, rowsToResume, runToResume, startOf, targetOf } from './resume.ts';
import { withExtraTime } from './roster-extra-time.ts';
import { type Validated, validate } from './validate.ts';
import { warnOfWindows } from './windows.ts';

export async function importSessions(context: Context, request: ImportRequest): Promise<Result> {
  const { host } = context;
  await checkOutputPaths(context, request);
  const source: RosterSource = request.file === '-' ? { stdin: request.bytes } : { path: request.file, signal: host.interrupted };
  const table = await openRoster(source, readingOf(context, request.reading));
  try {
    const { reading: declared, constants, allowNoEmail, extraTime } = request;
    const mapping = await mapTable(table, {
      ...declared.declaration,
      constants,
      allowNoEmail,
      extraTime,
      ...columnQuestions(context, table.name),
    });
    const target = targetOf(context, request, mapping);
    const reading = { now: () => startOf(context, request, target), zone: context.settings().timeZone, dates: declared.dates };
    const validated = await validate(mapping, reading);
    tellRead(context, mapping, validated);
    await saveLayout(context, declared, mapping);
    return await importValidated(context, request, { mapping, validated, target });
  } finally {
    await table.close();
  }
}

type Checked = { mapping: Mapping; validated: Validated; target: ImportTarget };

async function importValidated(context: Context, request: ImportRequest, checked: Checked): Promise<Result> {
  const { mapping, validated } = checked;
  if (validated.problems.length > 0) {
    tellProblems(context, request, mapping, validated);
    if (!request.skipInvalid) {
      if (request.rejects !== undefined) await writeRejects(request.rejects, ruleFor(context, request), mapping.table, validated);
      throw refusedFile(request, mapping, validated);
    }
  }
  const options: ImportOptions = {
    ...request,
    dialect: context.settings().dialect,
    zone: context.zone(),
    extra: validated.extra,
    // A colon behind the field asks for the types of -F.
    mapped: Object.keys(request.reading.declaration.map).map((field) => field.replace(/:$/, '')),
  };
  const client = await context.uninterruptedClient();
  client.pacer.limit({ atOnce: request.concurrency, perSecond: request.rate });
  const { entries, granted } = await withExtraTime(context, client, validated.entries, request);
  const job: ImportJob = {
    entries,
    aside: { invalid: validated.invalid, left_out: [...validated.leftOut.values()].reduce((sum, number) => sum + number, 0) },
    options,
    client,
    host: context.host,
    say: context.say,
  };
  // The requests depend on the exam, which the real run reads under the lock: the steps are the rows of the file.
  return context.act({
    steps: job.entries,
    show: () => plannedImport(context, request, job, checked),
    perform: () => realImport(context, request, job, { ...checked, granted }),
  });
}

async function realImport(
  context: Context,
  request: ImportRequest,
  job: ImportJob,
  { mapping, validated, target, granted }: Checked & { granted: number },
): Promise<Result> {
  const lock = await lockExam(context, target.folder, `sessions import ${basename(request.file)} --exam ${request.exam}`);
  try {
    const ended = await importUnderLock(context, request, job, { target, lock, rows: validated.total });
    return await showResult(context, request, {
      exam: idAs(request.exam, job.client.idType('exam')),
      mapping,
      validated,
      granted,
      ...ended,
    });
  } finally {
    lock.release();
  }
}

/** The dry run: the plan of the import as rows, without a lock or a journal. */
async function plannedImport(context: Context, request: ImportRequest, job: ImportJob, { validated, target }: Checked): Promise<Result> {
  const rows = await rowsToResume(request, target);
  const prepared = await prepareImport(job, target, rows && { rows });
  showPlan(context, request, job, prepared);
  showWindows(context, job, prepared);
  const { plan, removals } = prepared;
  const aside = await asideRows(validated);
  const view = { dialect: job.options.dialect, zone: context.zone(), removals };
  return {
    kind: 'list',
    rows: planRows(plan, aside, view),
    columns: planColumns,
    id: null,
    ...(removals?.refused ? { failure: removals.refused } : {}),
  };
}

type UnderLock = { target: ImportTarget; lock: HeldLock; rows: number };

/** The import, while no other process of this machine imports into the exam: prepare, show and ask, execute. */
async function importUnderLock(context: Context, request: ImportRequest, job: ImportJob, { target, lock, rows }: UnderLock) {
  const { host } = context;
  const { client } = job;
  const resumed = await runToResume(context, request, { client, ...target });
  const run = new ImportRun(context, { target, client, lock, rows }, resumed);
  const stopping = () =>
    context.say('Finishing the requests in flight. Press Ctrl-C again to stop now; either way the import can be resumed.');
  host.interrupted.addEventListener('abort', stopping, { once: true });
  try {
    const prepared = await preparedWithAnswer(context, job, target, resumed);
    const named = examNamed(context, job, prepared);
    const work = prepared.plan.counts.create + prepared.plan.counts.update;
    showPlan(context, request, job, prepared);
    if (prepared.removals?.refused) throw prepared.removals.refused;
    // Before the import, so that either all of the command is sent or nothing.
    await admitDeletions(client, request.exam, prepared.removals?.remove.length ?? 0);
    tellUpdates(context, prepared.plan);
    if (prepared.removals) tellRemovals(context, prepared.removals);
    showWindows(context, job, prepared);
    if (work > 0) await context.confirm(() => sentence`Import ${students(work)} into ${named} ${context.place()}?`);
    if (work > 0) await run.begin(prepared.plan.presence);
    const askResend = (lost: number) => askToResend(context, lost);
    const result = await executeImport(job, prepared, { journal: run.journal, progress: (total) => context.progress(total), askResend });
    return await withRemovals(context, request, { client, run, prepared, named, result });
  } finally {
    host.interrupted.removeEventListener('abort', stopping);
    await run.close();
  }
}

/** The plan; where rows are provably missing, with them if the user says so. */
async function preparedWithAnswer(
  context: Context,
  job: ImportJob,
  target: ImportTarget,
  resumed: Journal | undefined,
): Promise<PreparedImport> {
  const prepared = await prepareImport(job, target, resumed && { rows: resumed.rows, journal: resumed });
  const { absent, missing } = prepared.plan.counts;
  if (absent + missing === 0 || prepared.resendAbsent || !(await askToResend(context, absent + missing))) return prepared;
  return withResend(prepared, job, resumed?.rows);
}

type Imported = { client: Client; run: ImportRun; prepared: PreparedImport; named: Sentence; result: ImportResult };

/** Deletes the students missing from the file, once the import is complete. */
async function withRemovals(context: Context, request: ImportRequest, { client, run, prepared, named, result }: Imported) {
  const { plan, removals } = prepared;
  if (!removals || removals.remove.length === 0) return { result };
  if (failureOf(result, request)) {
    context.warn('No student was deleted, because the import is not complete.');
    return { result };
  }
  const journal = () => run.continueWithRemovals(plan.presence, result);
  const removal = await removeMissing(context, { client, removals, named, imported: result.sent, journal });
  return { result: { ...result, run: run.journal?.header.run }, removal };
}

function examNamed(context: Context, { client, options }: ImportJob, { exam }: PreparedImport): Sentence {
  return examInWords(options.exam, exam, client, context.zone());
}

function showPlan(context: Context, request: ImportRequest, job: ImportJob, prepared: PreparedImport) {
  const { plan } = prepared;
  if (request.removeMissing && job.aside.invalid > 0 && plan.notInFile.length > 0)
    context.warn('No student will be deleted, because rows of the file are invalid.');
  tellPlan(context, request, examNamed(context, job, prepared), plan);
}

function showWindows(context: Context, { entries, options }: ImportJob, { exam }: PreparedImport) {
  warnOfWindows(context, { entries, ...options }, exam);
}

async function askToResend({ host, globals }: Context, lost: number): Promise<boolean> {
  if (globals.yes || !canAsk(host, globals.noInput)) return false;
  return host.prompts.confirm(sentence`${students(lost)} may have been sent, but the exam does not show them. Send them again?`);
}
