/**
 * `sessions import` from start to end: reads, maps and validates the file; then plans, asks, sends and proves as a run
 * (`src/runs`), and shows the outcome of every line. A dry run shows the plan alone.
 */
import { examInWords, examShown } from '../../api/in-words.ts';
import type { Context, Result } from '../../command.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Entries } from '../../roster/map/entries.ts';
import { type Mapping, mapTable } from '../../roster/map/index.ts';
import { openRoster } from '../../roster/read/index.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import { carryOut, type Ended, lookForStudents, openRun, type Plan, type Recorded, type Resumption, type World } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { columnQuestions, saveLayout } from '../rosters/column-questions.ts';
import { readingOf } from '../rosters/reading.ts';
import { identityOf, importKind } from './import-identity.ts';
import { type Aside, resultOf } from './line-results.ts';
import { refusedFile, tellPlan, tellProblems, tellRead, tellUpdates } from './messages.ts';
import { checkOutputPaths, ruleFor } from './output-files.ts';
import { asideRows, planColumns, planRows } from './plan-rows.ts';
import { writeRejects } from './rejects.ts';
import { removalInWords, tellRemovals } from './removals.ts';
import type { ImportOptions, ImportRequest } from './request.ts';
import { showResult } from './result.ts';
import { carryOver } from './resume-lines.ts';
import { withExtraTime } from './roster-extra-time.ts';
import { keptFields, RosterPlan, refuseUnmatched } from './roster-plan.ts';
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
    const began = startOf(context, request);
    const validated = await validate(mapping, { now: began, zone: context.settings().timeZone, dates: declared.dates });
    tellRead(context, mapping, validated);
    await saveLayout(context, declared, mapping);
    return await importValidated(context, request, { mapping, validated, began });
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

type Checked = { mapping: Mapping; validated: Validated; began(): Promise<number> };

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
  const importing = new Importing(context, { request, options, entries, checked, granted });
  const stopping = () =>
    context.say('Finishing the requests in flight. Press Ctrl-C again to stop now; either way the import can be resumed.');
  context.host.interrupted.addEventListener('abort', stopping, { once: true });
  try {
    return await importing.run();
  } finally {
    context.host.interrupted.removeEventListener('abort', stopping);
  }
}

type Job = { request: ImportRequest; options: ImportOptions; entries: Entries; checked: Checked; granted: number };

/** One import: its plan, and what is asked and shown of it. */
class Importing {
  readonly #context: Context;
  readonly #job: Job;
  readonly #aside: Aside;
  #plan: RosterPlan | undefined;
  #exam: JsonObject | undefined;
  /** The steps of the lines, where a run is resumed. */
  #stepOf: ReadonlyMap<number, number> | undefined;

  constructor(context: Context, job: Job) {
    this.#context = context;
    this.#job = job;
    const { invalid, leftOut } = job.checked.validated;
    this.#aside = { invalid, left_out: [...leftOut.values()].reduce((sum, number) => sum + number, 0) };
  }

  async run(): Promise<Result> {
    const { request, options, checked } = this.#job;
    return carryOut(this.#context, {
      kind: importKind,
      identity: identityOf(request),
      again: 'resume',
      lock: `import ${request.exam}`,
      keep: keptFields(options),
      wholeProof: true,
      withBody: false,
      began: await checked.began(),
      settleTime: request.settle,
      resendAbsent: request.resendAbsent,
      // Whether the list can tell who is there is judged with the plan.
      consents: { allowDuplicate: true },
      plan: (world) => this.#newPlan(world),
      stepsOf: (recorded, world) => this.#resumed(recorded, world),
      tell: () => this.#tell(),
      question: (plan) => this.#question(plan),
      typed: () => (this.#removing > 0 ? String(this.#removing) : undefined),
      show: () => this.#shown(),
      result: (ended) => this.#result(ended),
    });
  }

  get #planned(): RosterPlan {
    if (!this.#plan) throw new Error('There is no plan yet.');
    return this.#plan;
  }

  get #removing(): number {
    return this.#planned.removals?.remove.length ?? 0;
  }

  async #newPlan(world: World): Promise<Plan> {
    const { options, entries } = this.#job;
    const { exam } = options;
    this.#exam ??= await examShown(world.client, exam);
    const there = await lookForStudents(world, exam, entries);
    const plan = new RosterPlan(there, entries, options);
    plan.addSteps(this.#aside.invalid);
    if (!options.unmatched) refuseUnmatched(plan, exam);
    this.#plan = plan;
    const { steps, reading, stale, removals } = plan;
    return { steps, readings: new Map([[exam, reading]]), looked: true, stale, refused: removals?.refused };
  }

  async #resumed(recorded: Recorded, world: World): Promise<Resumption> {
    const { options, entries } = this.#job;
    const there = await lookForStudents(world, options.exam, entries);
    const plan = new RosterPlan(there, entries, options, recorded.stepAt);
    const { giveUp, stepOf } = carryOver({ recorded, plan, options });
    this.#plan = plan;
    this.#stepOf = stepOf;
    return { steps: plan.steps, giveUp };
  }

  #named(): Sentence {
    const { options } = this.#job;
    return examInWords(options.exam, this.#exam, this.#context.settings(), this.#context.zone());
  }

  #tell() {
    const { request, options, entries } = this.#job;
    const plan = this.#planned;
    if (request.removeMissing && !plan.removals && plan.notInFile.length > 0)
      this.#context.warn(
        this.#aside.invalid > 0
          ? 'No student will be deleted, because lines of the file are invalid.'
          : 'No student will be deleted, because the import cannot be complete.',
      );
    tellPlan(this.#context, request, this.#named(), plan);
    tellUpdates(this.#context, plan);
    if (plan.removals && !plan.removals.refused) tellRemovals(this.#context, plan.removals);
    warnOfWindows(this.#context, { entries, ...options }, this.#exam);
  }

  #question({ steps }: Plan): Sentence {
    const { create, update } = this.#planned.counts;
    const work = this.#stepOf ? steps.length : create + update;
    const remove = this.#planned.removals?.remove ?? [];
    const [one] = remove;
    const who = one && remove.length === 1 ? ` (${removalInWords(one)})` : '';
    const deletes = sentence`delete ${students(remove.length)}${who} of ${this.#named()} that ${remove.length === 1 ? 'is' : 'are'} missing from the file`;
    if (work === 0) return sentence`${deletes.replace('delete', 'Delete')},`;
    const imports = sentence`Import ${students(work)} into ${this.#named()}`;
    return remove.length === 0 ? imports : sentence`${imports}, then ${deletes},`;
  }

  async #shown(): Promise<Result> {
    const { options, checked } = this.#job;
    const plan = this.#planned;
    const aside = await asideRows(checked.validated);
    const view = { dialect: options.dialect, zone: this.#context.zone(), removals: plan.removals };
    return { kind: 'list', rows: planRows(plan, aside, view), columns: planColumns, id: null };
  }

  async #result(ended: Ended): Promise<Result> {
    const { request, options, checked, granted } = this.#job;
    const plan = this.#planned;
    const steps = this.#stepOf ?? stepsByPlace(plan);
    const result = resultOf({
      plan,
      ended,
      options,
      aside: this.#aside,
      stepOf: (place) => (ended.run === undefined ? undefined : steps.get(place)),
    });
    const client = await this.#context.client();
    const { mapping, validated } = checked;
    return showResult(this.#context, request, { exam: idAs(request.exam, client.idType('exam')), mapping, validated, granted, result });
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
