/**
 * `sessions import` from its first byte to its last word: reads, maps and validates the file, takes
 * the exam's lock, finds the run to go on with, imports, and tells what became of every row.
 */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Client } from '../api/client.ts';
import type { Column, Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host.ts';
import { holdLock } from '../lock.ts';
import type { JsonObject } from '../model/json.ts';
import { type ImportOptions, type Plan, planImport, runImport } from './import.ts';
import { createJournal, type Identity, type Journal, openJournal } from './journal/journal.ts';
import { listRunsOf, targetFolder } from './journal/runs.ts';
import { type Mapping, mapTable } from './map/index.ts';
import { openRoster } from './read/index.ts';
import type { Source } from './read/source-file.ts';
import { checkRejectsPlace, type Reject, rejectsOf, writeRejects } from './rejects.ts';
import { failureOf, type Report, rowStates } from './report.ts';
import { settle } from './settle.ts';
import {
  annotate,
  askEncoding,
  correct,
  count,
  planColumns,
  planRows,
  refusedFile,
  students,
  tellPlan,
  tellProblems,
  tellRead,
  toldAtMost,
} from './tell.ts';
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
} & Omit<ImportOptions, 'dialect' | 'extra'>;

export async function importSessions(context: Context, request: ImportRequest): Promise<Result> {
  const { host } = context;
  if (request.rejects !== undefined) await checkRejectsPlace(request.rejects);
  const source: Source = request.file === '-' ? { stdin: request.bytes } : { path: request.file };
  const table = await openRoster(source, {
    encoding: request.encoding,
    headers: Object.values(request.map),
    ...(canAsk(host, context.globals.noInput) ? { chooseEncoding: (doubt) => askEncoding(context, doubt) } : {}),
  });
  try {
    const mapping = await mapTable(table, { map: request.map, constants: request.constants, allowNoEmail: request.allowNoEmail });
    const validated = await validate(mapping, { now: host.now(), zone: context.settings().timeZone });
    tellRead(context, mapping, validated);
    return await importValidated(context, request, mapping, validated);
  } finally {
    await table.close();
  }
}

async function importValidated(context: Context, request: ImportRequest, mapping: Mapping, validated: Validated): Promise<Result> {
  const rejects = rejectsOf(validated.problems);
  if (validated.problems.length > 0) {
    tellProblems(context, request, mapping, validated);
    if (!request.skipInvalid) {
      if (request.rejects !== undefined) await writeRejects(request.rejects, mapping.table, rejects);
      throw refusedFile(request, mapping, validated, rejects.size);
    }
  }
  const settings = context.settings();
  const options: ImportOptions = { ...request, dialect: settings.dialect, extra: validated.extra };
  const origin = settings.sandbox ? 'sandbox' : settings.origin;
  if (context.globals.dryRun) {
    const plan = await planImport(validated.entries, await context.patientClient(), options, undefined);
    tellPlan(context, request, plan);
    return { kind: 'list', rows: planRows(plan, validated), columns: planColumns };
  }
  const folder = targetFolder(request.folder, { origin, exam: request.exam });
  const lock = await holdLock(join(folder, 'lock'), {
    pid: context.host.pid,
    machine: context.host.machine,
    since: context.host.now(),
    command: `sessions import ${basename(request.file)} --exam ${request.exam}`,
  });
  try {
    const identity: Identity = {
      origin,
      exam: request.exam,
      input: mapping.table.digest,
      // The zone decides what a local time means.
      mapping: [mapping.digest, settings.timeZone].filter(Boolean).join(' '),
      ...(request.shard === undefined ? {} : { shard: `${request.shard.index}/${request.shard.count}` }),
    };
    const client = await context.patientClient();
    const { report, missing, sent } = await runUnderLock(context, request, { client, folder, identity, options, validated });
    let notRemoved: CliError | undefined;
    if (missing.length > 0 && request.removeMissing && !failureOf(report)) {
      // Who stands in an invalid row is not missing, and nobody can tell who that is.
      if (validated.problems.length > 0) context.warn('Nobody was deleted, because rows of the file are invalid.');
      else {
        // The report of the rows is told also where a deletion fails.
        notRemoved = await removeMissing(context, client, missing).then(
          () => undefined,
          (error: unknown) => {
            if (error instanceof CliError) return error;
            throw error;
          },
        );
      }
    }
    const result = await conclude(context, request, { mapping, validated, rejects, report, sent });
    return notRemoved === undefined ? result : { ...result, failure: notRemoved };
  } finally {
    lock.release();
  }
}

type UnderLock = { client: Client; folder: string; identity: Identity; options: ImportOptions; validated: Validated };

/** The import, while no other process of this machine imports into the exam. */
async function runUnderLock(context: Context, request: ImportRequest, target: UnderLock) {
  const { client, folder, identity, options, validated } = target;
  const { host } = context;
  const world = { now: host.now, secrets: context.secrets };
  const resumed = await runToGoOnWith(context, request, target);
  let journal = resumed;
  let missing: Plan['notInFile'] = [];
  /** Rows brought to their end by this process, whatever earlier ones did. */
  let sent = 0;
  try {
    const report = await runImport(
      validated.entries,
      {
        client,
        host,
        resumed,
        async begin(baseline, rows) {
          journal = await createJournal(folder, { ...identity, baseline, rows }, world);
          return journal;
        },
        say: context.say,
        async confirm(plan) {
          missing = plan.notInFile;
          tellPlan(context, request, plan);
          const work = plan.counts.create + plan.counts.update;
          if (work > 0)
            await context.confirm(
              () => `Import ${students(work)} into exam ${request.exam} at ${client.origin} (profile ${context.settings().profile})?`,
            );
        },
        async askResend(lost) {
          if (context.globals.yes || !canAsk(host, context.globals.noInput)) return false;
          return host.prompts.confirm(`${students(lost)} were sent and are not there. Send them again?`);
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
    await journal?.close();
  }
}

/** The journal of an unfinished run of the same import. Throws where an unfinished run is of another one. */
async function runToGoOnWith(
  context: Context,
  request: ImportRequest,
  { client, folder, identity }: UnderLock,
): Promise<Journal | undefined> {
  const { runs, unreadable } = await listRunsOf(folder);
  const [damaged] = unreadable;
  if (damaged) throw damaged.problem;
  const unfinished = runs.find(({ state, header }) => state !== 'finished' && header.shard === identity.shard);
  if (!unfinished) return undefined;
  const { run } = unfinished.header;
  const { journal, changed, torn } = await openJournal(unfinished.path, identity, { now: context.host.now, secrets: context.secrets });
  if (torn > 0) context.say(`The last line of run ${run} was cut short; ${torn} bytes of it are gone, and no request.`);
  // A run that is being taken back is not gone on with.
  const undone = [...journal.rows.entries()].some(([, { step }]) => step === 'delete');
  if (undone || (changed.length > 0 && request.startOver)) {
    // A late request of that run has to show in the listing that the new one is planned from.
    if (journal.rows.counts().doubt > 0) {
      const waiting = { client, host: context.host, exam: request.exam, journal, compared: new Set<string>(), wait: request.settle };
      await settle([], waiting);
    }
    await journal.note('finished', undone ? 'taken back' : 'started over');
    await journal.close();
    return undefined;
  }
  if (changed.length === 0) {
    context.say(`Going on with run ${run} of ${new Date(unfinished.startedAt).toISOString()}.`);
    return journal;
  }
  await journal.close();
  const words = { input: 'the file', mapping: 'how its columns are read', origin: 'the service', exam: 'the exam', shard: 'the share' };
  throw new CliError(
    'invalid_input',
    `Run ${run} into exam ${request.exam} is not finished, and since then ${changed.map((part) => words[part]).join(' and ')} changed.`,
    {
      hint: `Import the file as it was to finish it, or give it up with --start-over; see: proctor-cli imports show ${run}`,
    },
  );
}

async function removeMissing(context: Context, client: Client, missing: Plan['notInFile']) {
  const { perform } = await import('../api/perform.ts');
  const { operations } = await import('../api/operations.ts');
  const named = missing.slice(0, 10).map(({ email, session }) => email ?? `session ${session}`);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  await context.confirm(() => `Delete ${students(missing.length)} of the exam that the file lacks: ${named.join(', ')}${more}?`);
  for (const { session, email } of missing) {
    if (session === undefined) continue;
    await perform(client, operations.deleteSession, { params: { id: session } });
    context.say(`Deleted student session ${session}${email === undefined ? '' : ` (${email})`}.`);
  }
}

const columns: readonly Column[] = [
  'run',
  'exam',
  'rows',
  'left_out',
  'invalid',
  ...rowStates,
  'not_in_file',
  'verified',
  'seconds',
  'rate',
].map((key) => ({ key }));

type Ended = { mapping: Mapping; validated: Validated; rejects: Map<number, Reject>; report: Report; sent: number };

/** Tells what became of every row: people on stderr, programs on stdout, the files that were asked for. */
async function conclude(context: Context, request: ImportRequest, { mapping, validated, rejects, report, sent }: Ended): Promise<Result> {
  const { counts, problems, verified, notInFile, milliseconds, run } = report;
  for (const { row, state, reason } of problems) if (!rejects.has(row)) rejects.set(row, { code: state, reason });
  if (request.rejects !== undefined) {
    await writeRejects(request.rejects, mapping.table, rejects);
    if (rejects.size > 0) context.say(`${rejects.size} rows are in ${request.rejects}, each with its reason.`);
  }
  const seconds = Math.round(milliseconds) / 1000;
  const invalid = new Set(validated.problems.map(({ row }) => row)).size;
  const row: Row = {
    run: run ?? null,
    exam: request.exam,
    rows: validated.total,
    left_out: [...validated.leftOut.values()].reduce((sum, count) => sum + count, 0),
    invalid,
    ...counts,
    not_in_file: notInFile ?? null,
    verified,
    seconds,
    rate: seconds > 0 ? Math.round(sent / seconds) : null,
    problems: [
      ...validated.problems.map(({ line, reason }) => ({ line, email: null, state: 'invalid', reason })),
      ...problems.map(({ line, email, state, reason }) => ({ line, email, state, reason })),
    ],
  };
  for (const { line, state, reason } of problems) annotate(context, request, line, `${state}: ${reason}`);
  const failure =
    failureOf(report) ??
    (invalid > 0
      ? new CliError('partly_done', `${count(invalid, 'row')} ${invalid === 1 ? 'is' : 'are'} invalid and not imported.`, { hint: correct })
      : undefined);
  // Rows that just had not had their turn are counted, not told one by one.
  const told = problems.filter(({ state }) => state !== 'unsent');
  for (const { line, email, state, reason } of told.slice(0, toldAtMost)) {
    context.warn(`line ${line}, ${email ?? 'no address'}: ${state}: ${reason}.`);
  }
  if (told.length > toldAtMost) context.warn(`… and ${told.length - toldAtMost} more.`);
  if (verified && !failure) {
    const ours = rowStates.reduce((sum, state) => sum + counts[state], 0);
    const share = request.shard === undefined ? 'the file' : `share ${request.shard.index}/${request.shard.count} of the file`;
    context.say(`Verified: all ${students(ours)} of ${share} are in exam ${request.exam}.`);
  }
  if (request.report !== undefined) await writeFile(request.report, `${JSON.stringify(row, undefined, 2)}\n`, { mode: 0o600 });
  return {
    kind: 'one',
    row,
    columns: columns.filter(({ key }) => row[key] !== 0 && row[key] !== null),
    brief: true,
    ...(failure ? { failure } : {}),
  };
}
