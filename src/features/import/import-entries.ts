/** The lines of a roster, from the plan to the outcome of each, as a run (`src/runs`). A dry run shows the plan alone. */

import type { Context, Result, Row } from '../../command.ts';
import { count, students } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import type { Entries } from '../../roster/map/entries.ts';
import type { Mapping } from '../../roster/map/index.ts';
import { carryOut, eachStep, lookInExams, type Steps } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { examShown } from '../exams-in-words.ts';
import { type ExamBounds, warnOfWindows } from '../student-windows.ts';
import type { AsId } from './exam-rows.ts';
import { type ImportRequest, identityOf, importKind } from './import-request.ts';
import { showResult } from './import-result.ts';
import { resultOf } from './line-results.ts';
import { tellPlan, tellUpdates } from './messages.ts';
import { asideRows, planByExamColumns, planColumns, planRows } from './plan-rows.ts';
import { type Missing, removalInWords, removalOf, tellRemovals } from './removals.ts';
import { carryOver } from './resume-lines.ts';
import { type ImportScope, keptFields, RosterPlan, refuseUnmatched } from './roster-plan.ts';
import type { Validated } from './validate.ts';

function* changing(rows: Iterable<Row>): Generator<Row, undefined> {
  for (const row of rows) if (row.action !== 'unchanged') yield row;
}

export type Job = {
  request: ImportRequest;
  /** The exams that the lines name; undefined where all are for the same one. */
  named: readonly SelectedExam[] | undefined;
  options: ImportScope;
  mapping: Mapping;
  validated: Validated;
  began: number;
};

type World = Parameters<typeof lookInExams>[0];

export function importEntries(context: Context, { request, named: byLine, options, mapping, validated, began }: Job): Promise<Result> {
  const { exams } = options;
  const { entries, invalid, leftOut } = validated;
  let made: RosterPlan | undefined;
  const shown = new Map<string, JsonObject | undefined>(byLine?.map(({ id, shown }) => [id, shown]));
  /** The steps of the lines, where a run is resumed. */
  let resumed: ReadonlyMap<number, number> | undefined;
  const planned = () => {
    if (!made) throw new Error('There is no plan yet.');
    return made;
  };
  const named = (exam: string) => examInWords(exam, shown.get(exam), context.settings(), context.zone());
  /** Who of the lines is in their exams. */
  const lookFor = (world: World) =>
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
      const plan = new RosterPlan(await lookFor(world), entries, options);
      made = plan;
      plan.addSteps(invalid);
      if (!request.unmatched) refuseUnmatched(plan);
      const { steps, readings, stale, removals } = plan;
      return { steps, readings, looked: true, stale, refused: removals?.refused };
    },
    async stepsOf(recorded, world) {
      const plan = new RosterPlan(await lookFor(world), entries, options, recorded.stepAt);
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
      const aside = { invalid, left_out: [...leftOut.values()].reduce((sum, number) => sum + number, 0) };
      const result = resultOf({ plan, ended, options, aside, stepOf: (place) => steps.get(place) });
      const removal = removalOf(context, ended, result.sent > 0);
      return showResult(context, request, { named: byLine, asId: await asIdOf(context), mapping, validated, removal, result });
    },
  });
}

async function asIdOf(context: Context): Promise<AsId> {
  const client = await context.client();
  return (exam) => idAs(exam, client.idType('exam'));
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
function* windowsOf(entries: Entries, { extra }: ImportScope, bounds: readonly ExamBounds[]) {
  const [allOpen, allClose] = [instantOf(extra.open_time), instantOf(extra.close_time)];
  for (const entry of entries) {
    const [opens, closes] = [entry.open_time ?? allOpen, entry.close_time ?? allClose];
    const exam = bounds[entry.exam] ?? boundsOf(undefined);
    yield { exam, opens, closes, who: sentence`line ${entry.line}, ${entry.email ?? 'no address'}` };
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

/** Exams that a question names; the others are counted. */
const namedAtMost = 10;

/** `work`: how many students are created or updated, by exam. `named`: an exam in words. */
type Asked = { work: ReadonlyMap<string, number>; remove: readonly Missing[]; named(exam: string): Sentence };

function questionAbout({ work: ofAll, remove, named }: Asked): Sentence {
  const work = new Map([...ofAll].filter(([, number]) => number > 0));
  const each = (numbers: ReadonlyMap<string, number>, link: string) =>
    firstInLine([...numbers], ([exam, number]) => `${number} ${link} ${named(exam)}`, namedAtMost);
  const [first = ['', 0], ...others] = work;
  const all = [...work.values()].reduce((sum, number) => sum + number, 0);
  const into = others.length === 0 ? sentence`${named(first[0])}` : sentence`${count(work.size, 'exam')}: ${each(work, 'into')}`;
  const imports = sentence`Import ${students(all)} into ${into}`;
  const [one] = remove;
  if (!one) return imports;
  const removed = new Map<string, number>();
  for (const { exam } of remove) removed.set(exam, (removed.get(exam) ?? 0) + 1);
  const who = remove.length === 1 ? ` (${removalInWords(one.student)})` : '';
  const of = removed.size === 1 ? named(one.exam) : sentence`${count(removed.size, 'exam')} (${each(removed, 'of')})`;
  const deletes = sentence`delete ${students(remove.length)}${who} of ${of} that ${remove.length === 1 ? 'is' : 'are'} missing from the file`;
  return all === 0 ? sentence`${deletes.replace('delete', 'Delete')},` : sentence`${imports}, then ${deletes},`;
}
