/**
 * `sessions import` from start to end: reads, maps and validates the file; then plans, asks, sends and proves as a run
 * (`src/runs`), and shows the outcome of every line. A dry run shows the plan alone.
 */
import type { Client } from '../../api/client.ts';
import { examInWords, examShown } from '../../api/in-words.ts';
import type { Context, Result, Row } from '../../command.ts';
import type { ExamBounds } from '../../model/exam-window.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import type { Entries } from '../../roster/map/entries.ts';
import { type Mapping, mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import { carryOut, eachStep, lookInExams, openRun, type Steps } from '../../runs/index.ts';
import { runOrigin } from '../../state/run-origin.ts';
import { sentence } from '../../text/sentence.ts';
import { examsAmong, type SelectedExam } from '../exam-selection.ts';
import { examsByKey } from '../ids-file.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/table-reading.ts';
import { warnOfWindows } from '../student-windows.ts';
import type { AsId } from './exam-rows.ts';
import { questionAbout } from './import-question.ts';
import { type ImportInto, type ImportRequest, identityOf, importKind } from './import-request.ts';
import { showResult } from './import-result.ts';
import { reportLines } from './line-reports.ts';
import { resultOf } from './line-results.ts';
import { invalidLine, refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './messages.ts';
import { NamedExams } from './named-exams.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { asideRows, planByExamColumns, planColumns, planRows } from './plan-rows.ts';
import { writeRejects } from './rejects.ts';
import { tellRemovals } from './removals.ts';
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
      namesExams: 'among' in request.into,
      allowNoEmail,
      extraTime,
      ...columnQuestions(context, table.name),
    });
    const began = startOf(context, request);
    const named = 'among' in request.into ? await examsToName(context, request, request.into) : undefined;
    const validated = await validate(mapping, { now: began, zone: context.settings().timeZone, dates: declared.dates }, named);
    tellRead(context, mapping, validated);
    await saveLayout(context, declared, mapping);
    await refuseInvalid(context, request, mapping, validated);
    const client = await pacedClient(context, request);
    const exams = 'exam' in request.into ? [request.into.exam] : (named?.named ?? []).map(({ id }) => id);
    const job = { request, named: named?.named, options: optionsOf(context, request, { exams, validated }), mapping, validated };
    const { entries, granted } = await withExtraTime(context, client, validated.entries, { ...request, exams });
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

function* changing(rows: Iterable<Row>): Generator<Row, undefined> {
  for (const row of rows) if (row.action !== 'unchanged') yield row;
}

type NamedInto = Exclude<ImportInto, { exam: string }>;

/** The exams that lines may name: the only ones that are read before the lines are checked. */
async function examsToName(context: Context, request: ImportRequest, { among, timetable }: NamedInto): Promise<NamedExams> {
  const keys = timetable === undefined ? undefined : await examsByKey(timetable, runOrigin(context.settings()));
  await pacedClient(context, request);
  return new NamedExams(await examsAmong(context, among), context.zone(), keys);
}

async function pacedClient(context: Context, { concurrency, rate }: ImportRequest): Promise<Client> {
  const client = await context.uninterruptedClient();
  client.pacer.limit({ atOnce: concurrency, perSecond: rate });
  return client;
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

function optionsOf(
  context: Context,
  request: ImportRequest,
  { exams, validated: { extra } }: { exams: readonly string[]; validated: Validated },
): ImportScope {
  // A colon behind the field asks for the types of -F.
  const mapped = Object.keys(request.reading.declaration.map).map((field) => field.replace(/:$/, ''));
  return { ...request, exams, dialect: context.settings().dialect, zone: context.zone(), extra, mapped };
}

type Job = {
  request: ImportRequest;
  /** The exams that the lines name; undefined where all are for the same one. */
  named: readonly SelectedExam[] | undefined;
  options: ImportScope;
  mapping: Mapping;
  validated: Validated;
  entries: Entries;
  /** Lines with a close time from extra time. */
  granted: number;
  began: number;
};

function importEntries(
  context: Context,
  { request, named: byLine, options, mapping, validated, entries, granted, began }: Job,
): Promise<Result> {
  const { exams } = options;
  const { invalid, leftOut } = validated;
  const aside = { invalid, left_out: [...leftOut.values()].reduce((sum, number) => sum + number, 0) };
  let made: RosterPlan | undefined;
  const shown = new Map<string, JsonObject | undefined>(byLine?.map(({ id, shown }) => [id, shown]));
  /** The steps of the lines, where a run is resumed. */
  let resumed: ReadonlyMap<number, number> | undefined;
  const planned = () => {
    if (!made) throw new Error('There is no plan yet.');
    return made;
  };
  const named = (exam: string) => examInWords(exam, shown.get(exam), context.settings(), context.zone());
  const look = (world: Parameters<typeof lookInExams>[0]) =>
    lookInExams(
      world,
      exams.map((id, number) => ({ id, students: entries.ofExam(number) })),
    );
  return carryOut(context, {
    kind: importKind,
    identity: identityOf(request),
    again: 'resume',
    locks: exams.map((exam) => `import ${exam}`),
    keep: keptFields(options),
    wholeProof: true,
    withBody: false,
    began,
    settleTime: request.settle,
    resendAbsent: request.resendAbsent,
    // Whether the list can tell who is there is judged with the plan.
    consents: { allowDuplicate: true },
    async plan(world) {
      await world.client.pacer.each(
        exams.filter((exam) => !shown.has(exam)),
        async (exam) => void shown.set(exam, await examShown(world.client, exam)),
      );
      const plan = new RosterPlan(await look(world), entries, options);
      plan.addSteps(invalid);
      if (!request.unmatched) refuseUnmatched(plan);
      made = plan;
      const { steps, readings, stale, removals } = plan;
      return { steps, readings, looked: true, stale, refused: removals?.refused };
    },
    async stepsOf(recorded, world) {
      const plan = new RosterPlan(await look(world), entries, options, recorded.stepAt);
      const { giveUp, stepOf } = carryOver({ recorded, plan, options, resendAbsent: request.resendAbsent });
      made = plan;
      resumed = stepOf;
      return { steps: plan.steps, giveUp };
    },
    tell() {
      const plan = planned();
      if (request.removeMissing && !plan.removals && plan.exams.some(({ notInFile }) => notInFile.length > 0))
        context.warn(
          invalid > 0
            ? 'No student will be deleted, because lines of the file are invalid.'
            : 'No student will be deleted, because the import cannot be complete.',
        );
      tellPlan(context, request, named, plan);
      tellUpdates(context, plan);
      if (plan.removals && !plan.removals.refused) tellRemovals(context, plan.removals);
      const bounds = exams.map((exam) => boundsOf(shown.get(exam)));
      warnOfWindows(context, windowsOf(entries, options, bounds));
    },
    question({ steps }) {
      const { exams, removals } = planned();
      const work = resumed ? stepsByExam(steps) : new Map(exams.map(({ id, counts }) => [id, counts.create + counts.update]));
      return questionAbout({ work, remove: removals?.remove ?? [], named });
    },
    typed() {
      const removing = planned().removals?.remove.length ?? 0;
      return removing > 0 ? String(removing) : undefined;
    },
    async show() {
      const plan = planned();
      const view = { dialect: options.dialect, zone: options.zone, removals: plan.removals, asId: byLine && (await asIdOf(context)) };
      const columns = byLine ? planByExamColumns : planColumns;
      const aside = await asideRows(validated);
      const rows = () => planRows(plan, aside, view);
      // On a screen, the lines that change nothing would hide the others; the plan has their number.
      return { kind: 'list', rows: rows(), columns, sheet: { rows: changing(rows()), columns }, id: null };
    },
    async result(ended) {
      const plan = planned();
      const steps = ended.run === undefined ? new Map<number, number>() : (resumed ?? stepsByPlace(plan));
      const result = resultOf({ plan, ended, options, aside, stepOf: (place) => steps.get(place) });
      return showResult(context, request, { named: byLine, asId: await asIdOf(context), mapping, validated, granted, run: ended, result });
    },
  });
}

async function asIdOf(context: Context): Promise<AsId> {
  const { idType } = await context.client();
  return (exam) => idAs(exam, idType('exam'));
}

function stepsByExam(steps: Steps): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, { exam = '' }] of eachStep(steps)) found.set(exam, (found.get(exam) ?? 0) + 1);
  return found;
}

function boundsOf(exam: JsonObject | undefined): ExamBounds {
  return { starts: instantOf(exam?.start_time), ends: instantOf(exam?.end_time) };
}

/** `bounds`: of the exams, by their numbers. */
function* windowsOf(entries: Entries, { shard, extra }: ImportScope, bounds: readonly ExamBounds[]) {
  const [allOpen, allClose] = [instantOf(extra.open_time), instantOf(extra.close_time)];
  for (const entry of entries) {
    const [opens, closes] = [entry.open_time ?? allOpen, entry.close_time ?? allClose];
    if (!inShard(entry, shard)) continue;
    const exam = bounds[entry.exam] ?? boundsOf(undefined);
    yield { exam, opens, closes, granted: Boolean(entry.granted), who: sentence`line ${entry.line}, ${entry.email ?? 'no address'}` };
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
