/**
 * `sessions import` from its first byte to its last word: reads, maps and validates the file, takes
 * the exam's lock, finds the run to resume, shows the plan and asks, imports, and tells what became of every row.
 */
import { basename } from 'node:path';
import type { Context, Progress, Result } from '../command.ts';
import { canAsk } from '../host.ts';
import type { HeldLock } from '../lock.ts';
import { students } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import type { DateOrder } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { checkAskedFiles, ruleFor } from './asked-files.ts';
import { conclude } from './conclude.ts';
import { execute, type Import, type ImportOptions, prepare, preview } from './import.ts';
import { createJournal } from './journal/journal.ts';
import { type Mapping, mapTable } from './map/index.ts';
import { asideRows, planColumns, planRows } from './plan-rows.ts';
import { openRoster } from './read/index.ts';
import type { Source } from './read/source-file.ts';
import { writeRejects } from './rejects.ts';
import { type Removal, removeMissing } from './remove-missing.ts';
import { failureOf } from './report.ts';
import { rowsToResume, runToResume, startOf, type Target, targetOf } from './resume.ts';
import { holdTarget } from './target.ts';
import { askEncoding, askStudents, examInWords, refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './tell.ts';
import { type Validated, validate } from './validate.ts';

export type ImportRequest = {
  /** Path of the roster; - for stdin. */
  file: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Where the journals of all imports are kept. */
  folder: string;
  map: Record<string, string[]>;
  /** Header → the values of the rows that are imported. */
  only: Record<string, string[]>;
  /** Headers of columns that decide nothing. */
  any: readonly string[];
  sheet: string | undefined;
  dates: DateOrder | undefined;
  constants: JsonObject;
  encoding: string | undefined;
  skipInvalid: boolean;
  startOver: boolean;
  removeMissing: boolean;
  rejects: string | undefined;
  report: string | undefined;
  /** Whether `rejects` and `report` may replace files. */
  force: boolean;
} & Omit<ImportOptions, 'dialect' | 'extra'>;

export async function importSessions(context: Context, request: ImportRequest): Promise<Result> {
  const { host } = context;
  await checkAskedFiles(context, request);
  const source: Source = request.file === '-' ? { stdin: request.bytes } : { path: request.file, signal: host.interrupted };
  const mayAsk = canAsk(host, context.globals.noInput);
  const table = await openRoster(source, {
    encoding: request.encoding,
    headers: Object.values(request.map).flat(),
    sheet: request.sheet,
    ...(mayAsk ? { chooseEncoding: (doubt) => askEncoding(context, doubt) } : {}),
  });
  try {
    const { map, constants, allowNoEmail, only, any } = request;
    const asking = mayAsk ? { askYes: host.prompts.confirm, askStudents: askStudents(context) } : {};
    const mapping = await mapTable(table, { map, constants, allowNoEmail, only, any, ...asking });
    const target = targetOf(context, request, mapping);
    const reading = { now: () => startOf(context, request, target), zone: context.settings().timeZone, dates: request.dates };
    const validated = await validate(mapping, reading);
    tellRead(context, mapping, validated);
    return await importValidated(context, request, { mapping, validated, target });
  } finally {
    await table.close();
  }
}

type Checked = { mapping: Mapping; validated: Validated; target: Target };

async function importValidated(context: Context, request: ImportRequest, { mapping, validated, target }: Checked): Promise<Result> {
  if (validated.problems.length > 0) {
    tellProblems(context, request, mapping, validated);
    if (!request.skipInvalid) {
      if (request.rejects !== undefined) await writeRejects(request.rejects, ruleFor(context, request), mapping.table, validated);
      throw refusedFile(request, mapping, validated);
    }
  }
  const options: ImportOptions = { ...request, dialect: context.settings().dialect, extra: validated.extra };
  const job: Import = {
    entries: validated.entries,
    aside: { invalid: validated.invalid, left_out: [...validated.leftOut.values()].reduce((sum, number) => sum + number, 0) },
    options,
    client: await context.patientClient(),
    host: context.host,
    say: context.say,
    askResend: (lost) => askResend(context, lost),
  };
  if (context.globals.dryRun) {
    const rows = await rowsToResume(request, target);
    const exam = await examInWords(context, job.client, request.exam);
    const plan = await preview(job, rows);
    tellPlan(context, request, exam, plan);
    const aside = await asideRows(validated);
    const view = { nameKey: options.dialect.sessionNameKey, zone: context.zone(), removeMissing: request.removeMissing };
    return { kind: 'list', rows: planRows(plan, aside, view), columns: planColumns, id: null };
  }
  const lock = await holdTarget(context, target.folder, `sessions import ${basename(request.file)} --exam ${request.exam}`);
  try {
    const { result, missing, sent } = await importUnderLock(context, request, { ...target, job, lock, rows: validated.total });
    let removal: Removal | undefined;
    if (missing.length > 0 && request.removeMissing && !failureOf(result, request)) {
      // Who stands in an invalid row is not missing, and nobody can tell who that is.
      if (validated.problems.length > 0) context.warn('Nobody was deleted, because rows of the file are invalid.');
      else removal = await removeMissing(context, job.client, request.exam, missing);
    }
    return await conclude(context, request, { mapping, validated, result, sent, removal });
  } finally {
    lock.release();
  }
}

type UnderLock = Target & { job: Import; lock: HeldLock; rows: number };

/** The import, while no other process of this machine imports into the exam: the plan, the question, what comes of it. */
async function importUnderLock(context: Context, request: ImportRequest, { job, folder, identity, lock, rows }: UnderLock) {
  const { host } = context;
  let journal = await runToResume(context, request, { client: job.client, folder, identity });
  if (journal) lock.describe({ run: journal.header.run });
  const stopping = () => context.say('Stopping: what is in flight is waited for. The same again stops at once, and can be resumed.');
  host.interrupted.addEventListener('abort', stopping, { once: true });
  /** Rows brought to their end by this process, whatever earlier ones did. */
  let sent = 0;
  const progress = (total: number): Progress => {
    const shown = context.progress(total);
    const tick = (ok: boolean) => {
      if (ok) sent += 1;
      shown.tick(ok);
    };
    return { ...shown, tick };
  };
  try {
    const exam = await examInWords(context, job.client, request.exam);
    const prepared = await prepare(job, journal);
    const { counts, notInFile, presence } = prepared.plan;
    tellPlan(context, request, exam, prepared.plan);
    tellUpdates(context, prepared.plan);
    const work = counts.create + counts.update;
    if (work > 0) await context.confirm(() => sentence`Import ${students(work)} into ${exam} ${context.place()}?`);
    if (!journal && work > 0) {
      const header = { ...identity, baseline: presence.digest(), rows };
      journal = await createJournal(folder, header, { now: host.now, secrets: context.secrets });
      lock.describe({ run: journal.header.run });
    }
    const result = await execute(job, prepared, journal, progress);
    return { result, missing: notInFile, sent };
  } finally {
    host.interrupted.removeEventListener('abort', stopping);
    // All is durable since the last note, or the result tells why not.
    await journal?.close().catch(() => {});
  }
}

async function askResend({ host, globals }: Context, lost: number): Promise<boolean> {
  if (globals.yes || !canAsk(host, globals.noInput)) return false;
  return host.prompts.confirm(sentence`${students(lost)} may have been sent, and the exam does not show them. Send them again?`);
}
