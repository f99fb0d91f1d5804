/**
 * `sessions import` from its first byte to its last word: reads, maps and validates the file, takes
 * the exam's lock, finds the run to resume, shows the plan and asks, imports, and tells what became of every row.
 */
import { basename } from 'node:path';
import { examInWords, examShown } from '../../api/in-words.ts';
import type { Context, Progress, Result } from '../../command.ts';
import { canAsk } from '../../host/host.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import type { HeldLock } from '../../state/lock.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { lockExam } from './exam-lock.ts';
import { failureOf } from './failure.ts';
import { execute, type Import, prepare, preview } from './import.ts';
import { createJournal } from './journal/journal.ts';
import { type Mapping, mapTable } from './map/index.ts';
import { askEncoding, askStudents, refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './messages.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { asideRows, planColumns, planRows } from './plan-rows.ts';
import { openRoster } from './read/index.ts';
import type { RosterSource } from './read/source-file.ts';
import { writeRejects } from './rejects.ts';
import { planRemovals, type Removals, removeMissing, tellRemovals } from './remove-missing.ts';
import type { ImportOptions, ImportRequest } from './request.ts';
import { showResult } from './result.ts';
import { type ImportTarget, rowsToResume, runToResume, startOf, targetOf } from './resume.ts';
import type { ImportPlan } from './roster-plan.ts';
import { type Validated, validate } from './validate.ts';
import { warnOfWindows } from './windows.ts';

export async function importSessions(context: Context, request: ImportRequest): Promise<Result> {
  const { host } = context;
  await checkOutputPaths(context, request);
  const source: RosterSource = request.file === '-' ? { stdin: request.bytes } : { path: request.file, signal: host.interrupted };
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

type Checked = { mapping: Mapping; validated: Validated; target: ImportTarget };

async function importValidated(context: Context, request: ImportRequest, { mapping, validated, target }: Checked): Promise<Result> {
  if (validated.problems.length > 0) {
    tellProblems(context, request, mapping, validated);
    if (!request.skipInvalid) {
      if (request.rejects !== undefined) await writeRejects(request.rejects, ruleFor(context, request), mapping.table, validated);
      throw refusedFile(request, mapping, validated);
    }
  }
  const options: ImportOptions = { ...request, dialect: context.settings().dialect, zone: context.zone(), extra: validated.extra };
  const job: Import = {
    entries: validated.entries,
    aside: { invalid: validated.invalid, left_out: [...validated.leftOut.values()].reduce((sum, number) => sum + number, 0) },
    options,
    client: await context.patientClient(),
    host: context.host,
    say: context.say,
    askResend: (lost) => askResend(context, lost),
  };
  const readExam = () => examShown(job.client, request.exam);
  const inWords = (exam: JsonObject | undefined) => examInWords(request.exam, exam, job.client, context.zone());
  if (context.globals.dryRun) {
    const rows = await rowsToResume(request, target);
    const exam = await readExam();
    const plan = await preview(job, rows);
    const removals = removalsOf(context, request, plan, job);
    tellPlan(context, request, inWords(exam), plan);
    warnOfWindows(context, { entries: job.entries, ...options }, exam);
    const aside = await asideRows(validated);
    const view = { dialect: options.dialect, zone: context.zone(), removals };
    return {
      kind: 'list',
      rows: planRows(plan, aside, view),
      columns: planColumns,
      id: null,
      ...(removals?.refused ? { failure: removals.refused } : {}),
    };
  }
  const lock = await lockExam(context, target.folder, `sessions import ${basename(request.file)} --exam ${request.exam}`);
  try {
    const ended = await importUnderLock(context, request, { ...target, job, lock, rows: validated.total, readExam, inWords });
    return await showResult(context, request, { exam: idAs(request.exam, job.client.idType('exam')), mapping, validated, ...ended });
  } finally {
    lock.release();
  }
}

/** Whom `--remove-missing` would delete; undefined without it, and while nobody can tell who stands in a row. */
function removalsOf({ warn }: Context, { exam, removeMissing }: ImportRequest, plan: ImportPlan, { aside }: Import): Removals | undefined {
  if (!removeMissing) return undefined;
  if (aside.invalid === 0) return planRemovals(plan, exam, removeMissing);
  if (plan.notInFile.length > 0) warn('No student will be deleted, because rows of the file are invalid.');
  return undefined;
}

type UnderLock = ImportTarget & {
  job: Import;
  lock: HeldLock;
  rows: number;
  readExam(): Promise<JsonObject | undefined>;
  inWords(exam: JsonObject | undefined): Sentence;
};

/** The import, while no other process of this machine imports into the exam: the plan, the question, what comes of it. */
async function importUnderLock(
  context: Context,
  request: ImportRequest,
  { job, folder, identity, lock, rows, readExam, inWords }: UnderLock,
) {
  const { host } = context;
  let journal = await runToResume(context, request, { client: job.client, folder, identity });
  if (journal) lock.describe({ run: journal.header.run });
  const stopping = () =>
    context.say('Finishing the requests in flight. Press Ctrl-C again to stop now; either way the import can be resumed.');
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
    const exam = await readExam();
    const named = inWords(exam);
    const prepared = await prepare(job, journal);
    const { counts, presence } = prepared.plan;
    const removals = removalsOf(context, request, prepared.plan, job);
    tellPlan(context, request, named, prepared.plan);
    if (removals?.refused) throw removals.refused;
    tellUpdates(context, prepared.plan);
    if (removals) tellRemovals(context, removals);
    warnOfWindows(context, { entries: job.entries, ...job.options }, exam);
    const work = counts.create + counts.update;
    if (work > 0) await context.confirm(() => sentence`Import ${students(work)} into ${named} ${context.place()}?`);
    const begun = async () => {
      const ids = job.client.idType('exam');
      const header = { ...identity, baseline: presence.digest(), rows, ...(ids ? { ids } : {}) };
      journal = await createJournal(folder, header, {
        now: host.now,
        secrets: context.secrets,
        idType: () => job.client.idType('session'),
      });
      lock.describe({ run: journal.header.run });
      return journal;
    };
    if (!journal && work > 0) journal = await begun();
    const result = await execute(job, prepared, journal, progress);
    if (!removals || removals.remove.length === 0) return { result, sent };
    if (failureOf(result, request)) {
      context.warn('No student was deleted, because the import is not complete.');
      return { result, sent };
    }
    const forRemoval = async () => {
      if (!journal) {
        const made = await begun();
        await made.note('planned', { untouched: result.untouched });
        return made;
      }
      await journal.note('resumed');
      return journal;
    };
    const removal = await removeMissing(context, { client: job.client, removals, named, imported: sent, journal: forRemoval });
    return { result: { ...result, run: journal?.header.run }, sent, removal };
  } finally {
    host.interrupted.removeEventListener('abort', stopping);
    // All is durable since the last note, or the result tells why not.
    await journal?.close().catch(() => {});
  }
}

async function askResend({ host, globals }: Context, lost: number): Promise<boolean> {
  if (globals.yes || !canAsk(host, globals.noInput)) return false;
  return host.prompts.confirm(sentence`${students(lost)} may have been sent, but the exam does not show them. Send them again?`);
}
