/**
 * `sessions import` from start to end: reads, maps and validates the file; then plans, asks, sends and proves as a run
 * (`src/runs`), and shows the outcome of every line. A dry run shows the plan alone.
 */
import { examInWords, examShown } from '../../api/in-words.ts';
import type { Context, Result } from '../../command.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import type { Entries } from '../../roster/map/entries.ts';
import { type Mapping, mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import { carryOut, type ListedSession, lookForStudents, openRun } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/table-reading.ts';
import { warnOfWindows } from '../student-windows.ts';
import { type ImportRequest, identityOf, importKind } from './import-request.ts';
import { showResult } from './import-result.ts';
import { reportLines } from './line-reports.ts';
import { resultOf } from './line-results.ts';
import { invalidLine, refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './messages.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { asideRows, planColumns, planRows } from './plan-rows.ts';
import { writeRejects } from './rejects.ts';
import { removalInWords, tellRemovals } from './removals.ts';
import { carryOver } from './resume-lines.ts';
import { withExtraTime } from './roster-extra-time.ts';
import { type ImportScope, keptFields, RosterPlan, refuseUnmatched } from './roster-plan.ts';
import { inShard } from './shard.ts';
import { type Validated, validate } from './validate.ts';

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
    const began = startOf(context, request);
    const validated = await validate(mapping, { now: began, zone: context.settings().timeZone, dates: declared.dates });
    tellRead(context, mapping, validated);
    await saveLayout(context, declared, mapping);
    await refuseInvalid(context, request, mapping, validated);
    const client = await context.uninterruptedClient();
    client.pacer.limit({ atOnce: request.concurrency, perSecond: request.rate });
    const job = { request, options: optionsOf(context, request, validated), mapping, validated };
    const { entries, granted } = await withExtraTime(context, client, validated.entries, request);
    const stopping = () =>
      context.say('Finishing the requests in flight. Press Ctrl-C again to stop now; either way the import can be resumed.');
    host.interrupted.addEventListener('abort', stopping, { once: true });
    try {
      return await importEntries(context, { ...job, entries, granted, began: await began() });
    } finally {
      host.interrupted.removeEventListener('abort', stopping);
    }
  } finally {
    await table.close();
  }
}

/**
 * The instant from which relative times count, found once it is asked for: that of the run to resume, so that each line means there
 * what it meant before; now, where there is none.
 */
function startOf(context: Context, request: ImportRequest): () => Promise<number> {
  let began: Promise<number> | undefined;
  const now = context.host.now();
  return () => {
    began ??= openRun(context, { kind: importKind, identity: identityOf(request) }).then((run) => run?.at ?? now);
    return began;
  };
}

/** Shows the problems of the file; without --skip-invalid, they are its end. */
async function refuseInvalid(context: Context, request: ImportRequest, mapping: Mapping, validated: Validated): Promise<void> {
  if (validated.problems.length === 0) return;
  tellProblems(context, mapping, validated);
  if (request.skipInvalid) return;
  if (request.rejects !== undefined) await writeRejects(request.rejects, ruleFor(context, request), mapping.table, validated);
  await reportLines(context, request, validated.problems.map(invalidLine));
  throw refusedFile(request, mapping, validated);
}

function optionsOf(context: Context, request: ImportRequest, { extra }: Validated): ImportScope {
  // A colon behind the field asks for the types of -F.
  const mapped = Object.keys(request.reading.declaration.map).map((field) => field.replace(/:$/, ''));
  return { ...request, dialect: context.settings().dialect, zone: context.zone(), extra, mapped };
}

type Job = {
  request: ImportRequest;
  options: ImportScope;
  mapping: Mapping;
  validated: Validated;
  entries: Entries;
  /** Lines with a close time from extra time. */
  granted: number;
  began: number;
};

function importEntries(context: Context, { request, options, mapping, validated, entries, granted, began }: Job): Promise<Result> {
  const { exam } = options;
  const { invalid, leftOut } = validated;
  const aside = { invalid, left_out: [...leftOut.values()].reduce((sum, number) => sum + number, 0) };
  let made: RosterPlan | undefined;
  let shown: JsonObject | undefined;
  /** The steps of the lines, where a run is resumed. */
  let resumed: ReadonlyMap<number, number> | undefined;
  const planned = () => {
    if (!made) throw new Error('There is no plan yet.');
    return made;
  };
  const named = () => examInWords(exam, shown, context.settings(), context.zone());
  return carryOut(context, {
    kind: importKind,
    identity: identityOf(request),
    again: 'resume',
    locks: [`import ${exam}`],
    keep: keptFields(options),
    wholeProof: true,
    withBody: false,
    began,
    settleTime: request.settle,
    resendAbsent: request.resendAbsent,
    // Whether the list can tell who is there is judged with the plan.
    consents: { allowDuplicate: true },
    async plan(world) {
      shown ??= await examShown(world.client, exam);
      const plan = new RosterPlan(await lookForStudents(world, exam, entries), entries, options);
      plan.addSteps(invalid);
      if (!request.unmatched) refuseUnmatched(plan, exam);
      made = plan;
      const { steps, reading, stale, removals } = plan;
      return { steps, readings: new Map([[exam, reading]]), looked: true, stale, refused: removals?.refused };
    },
    async stepsOf(recorded, world) {
      const plan = new RosterPlan(await lookForStudents(world, exam, entries), entries, options, recorded.stepAt);
      const { giveUp, stepOf } = carryOver({ recorded, plan, options, resendAbsent: request.resendAbsent });
      made = plan;
      resumed = stepOf;
      return { steps: plan.steps, giveUp };
    },
    tell() {
      const plan = planned();
      if (request.removeMissing && !plan.removals && plan.notInFile.length > 0)
        context.warn(
          invalid > 0
            ? 'No student will be deleted, because lines of the file are invalid.'
            : 'No student will be deleted, because the import cannot be complete.',
        );
      tellPlan(context, request, named(), plan);
      tellUpdates(context, plan);
      if (plan.removals && !plan.removals.refused) tellRemovals(context, plan.removals);
      warnOfWindows(context, windowsOf(entries, options), { starts: instantOf(shown?.start_time), ends: instantOf(shown?.end_time) });
    },
    question({ steps }) {
      const { counts, removals } = planned();
      return questionAbout(named(), resumed ? steps.length : counts.create + counts.update, removals?.remove ?? []);
    },
    typed() {
      const removing = planned().removals?.remove.length ?? 0;
      return removing > 0 ? String(removing) : undefined;
    },
    async show() {
      const plan = planned();
      const view = { dialect: options.dialect, zone: options.zone, removals: plan.removals };
      return { kind: 'list', rows: planRows(plan, await asideRows(validated), view), columns: planColumns, id: null };
    },
    async result(ended) {
      const plan = planned();
      const steps = ended.run === undefined ? new Map<number, number>() : (resumed ?? stepsByPlace(plan));
      const result = resultOf({ plan, ended, options, aside, stepOf: (place) => steps.get(place) });
      const { idType } = await context.client();
      return showResult(context, request, { exam: idAs(exam, idType('exam')), mapping, validated, granted, run: ended, result });
    },
  });
}

function questionAbout(exam: Sentence, work: number, remove: readonly ListedSession[]): Sentence {
  const [one] = remove;
  const who = one && remove.length === 1 ? ` (${removalInWords(one)})` : '';
  const deletes = sentence`delete ${students(remove.length)}${who} of ${exam} that ${remove.length === 1 ? 'is' : 'are'} missing from the file`;
  if (work === 0) return sentence`${deletes.replace('delete', 'Delete')},`;
  const imports = sentence`Import ${students(work)} into ${exam}`;
  return remove.length === 0 ? imports : sentence`${imports}, then ${deletes},`;
}

function* windowsOf(entries: Entries, { shard, extra }: ImportScope) {
  const [allOpen, allClose] = [instantOf(extra.open_time), instantOf(extra.close_time)];
  for (const entry of entries) {
    const [opens, closes] = [entry.open_time ?? allOpen, entry.close_time ?? allClose];
    if (!inShard(entry, shard)) continue;
    yield { opens, closes, granted: Boolean(entry.granted), who: sentence`line ${entry.line}, ${entry.email ?? 'no address'}` };
  }
}

/** The step of each line that creates or updates its student. */
function stepsByPlace({ steps }: RosterPlan): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (let index = 0; index < steps.length; index += 1) {
    const kind = steps.kindAt(index);
    if (kind === 'create' || kind === 'update') found.set(steps.placeAt(index), index);
  }
  return found;
}
