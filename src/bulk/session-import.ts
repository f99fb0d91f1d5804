/**
 * `sessions import` from its first byte to its last word: reads, maps and validates the file, takes
 * the exam's lock, finds the run to go on with, imports, and tells what became of every row.
 */
import { basename } from 'node:path';
import type { Client } from '../api/client.ts';
import type { Context, Result } from '../command.ts';
import { canAsk } from '../host.ts';
import type { HeldLock } from '../lock.ts';
import { students } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { checkAskedFiles, ruleFor } from './asked-files.ts';
import { conclude } from './conclude.ts';
import { type ImportOptions, runImport } from './import.ts';
import { createJournal } from './journal/journal.ts';
import { type Mapping, mapTable } from './map/index.ts';
import { openRoster } from './read/index.ts';
import type { Source } from './read/source-file.ts';
import { writeRejects } from './rejects.ts';
import { type Removal, removeMissing } from './remove-missing.ts';
import { failureOf } from './report.ts';
import { rowsToGoOnWith, runToGoOnWith, startOf, type Target, targetOf } from './resume.ts';
import { type Plan, planImport } from './roster-plan.ts';
import { holdTarget } from './target.ts';
import { askEncoding, planColumns, planRows, refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './tell.ts';
import { type Validated, validate } from './validate.ts';

export type ImportRequest = {
  /** Path of the roster; - for stdin. */
  file: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Where the journals of all imports are kept. */
  folder: string;
  map: Record<string, string>;
  constants: JsonObject;
  encoding: string | undefined;
  allowNoEmail: boolean;
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
  const table = await openRoster(source, {
    encoding: request.encoding,
    headers: Object.values(request.map),
    ...(canAsk(host, context.globals.noInput) ? { chooseEncoding: (doubt) => askEncoding(context, doubt) } : {}),
  });
  try {
    const mapping = await mapTable(table, { map: request.map, constants: request.constants, allowNoEmail: request.allowNoEmail });
    const target = targetOf(context, request, mapping);
    const validated = await validate(mapping, { now: () => startOf(context, request, target), zone: context.settings().timeZone });
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
  if (context.globals.dryRun) {
    const plan = await planImport(validated.entries, await context.patientClient(), options, await rowsToGoOnWith(request, target));
    tellPlan(context, request, plan);
    return { kind: 'list', rows: planRows(plan, validated), columns: planColumns, id: null };
  }
  const lock = await holdTarget(context, target.folder, `sessions import ${basename(request.file)} --exam ${request.exam}`);
  try {
    const client = await context.patientClient();
    const { report, missing, sent } = await runUnderLock(context, request, { ...target, client, lock, options, validated });
    let removal: Removal | undefined;
    if (missing.length > 0 && request.removeMissing && !failureOf(report)) {
      // Who stands in an invalid row is not missing, and nobody can tell who that is.
      if (validated.problems.length > 0) context.warn('Nobody was deleted, because rows of the file are invalid.');
      else removal = await removeMissing(context, client, request.exam, missing);
    }
    return await conclude(context, request, { mapping, validated, report, sent, removal });
  } finally {
    lock.release();
  }
}

type UnderLock = Target & { client: Client; lock: HeldLock; options: ImportOptions; validated: Validated };

/** The import, while no other process of this machine imports into the exam. */
async function runUnderLock(context: Context, request: ImportRequest, target: UnderLock) {
  const { client, folder, identity, lock, options, validated } = target;
  const { host } = context;
  const world = { now: host.now, secrets: context.secrets };
  const resumed = await runToGoOnWith(context, request, target);
  if (resumed) lock.describe({ run: resumed.header.run });
  let journal = resumed;
  let missing: Plan['notInFile'] = [];
  /** Rows brought to their end by this process, whatever earlier ones did. */
  let sent = 0;
  const stopping = () => context.say('Stopping: what is under way is waited for. The same again stops at once, and can be gone on with.');
  host.interrupted.addEventListener('abort', stopping, { once: true });
  try {
    const report = await runImport(
      validated.entries,
      {
        client,
        host,
        resumed,
        async begin(baseline, rows) {
          journal = await createJournal(folder, { ...identity, baseline, rows }, world);
          lock.describe({ run: journal.header.run });
          return journal;
        },
        say: context.say,
        async confirm(plan) {
          missing = plan.notInFile;
          tellPlan(context, request, plan);
          tellUpdates(context, plan);
          const work = plan.counts.create + plan.counts.update;
          if (work > 0) await context.confirm(() => sentence`Import ${students(work)} into exam ${request.exam} ${context.place()}?`);
        },
        async askResend(lost) {
          if (context.globals.yes || !canAsk(host, context.globals.noInput)) return false;
          return host.prompts.confirm(sentence`${students(lost)} may have been sent, and the exam does not show them. Send them again?`);
        },
        progress(total) {
          const progress = context.progress(total);
          const tick = (ok: boolean) => {
            if (ok) sent += 1;
            progress.tick(ok);
          };
          return { ...progress, tick };
        },
      },
      options,
    );
    return { report, missing, sent };
  } finally {
    host.interrupted.removeEventListener('abort', stopping);
    // All is durable since the last note, or the report tells why not.
    await journal?.close().catch(() => {});
  }
}
