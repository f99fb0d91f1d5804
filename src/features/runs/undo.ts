/** `runs undo`: a run is taken back, as far as what it did is still as it left it. */
import { filled } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError, orElse } from '../../errors.ts';
import { idAs, textIn } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { showTime } from '../../model/time.ts';
import { cell, cellKind } from '../../output/cell.ts';
import type { Run, RunRecord } from '../../record/index.ts';
import {
  bodyOf,
  created,
  type Ended,
  type Engine,
  type Execution,
  engineOf,
  executePlan,
  isLasting,
  loadExecutions,
  type NotUndone,
  openRuns,
  operationOf,
  resourceOf,
  type Step,
  targetOf,
  type UndoPlan,
} from '../../runs/index.ts';
import { count, firstInLine, firstLines, type Sentence, sentence } from '../../text/sentence.ts';
import { failureOf } from '../crud/failure.ts';
import { outcomeCells } from '../crud/results.ts';
import { ofExams } from '../exam-selection.ts';
import { stepRow } from './recorded-runs.ts';
import { runHere } from './resume.ts';

export async function undoNamed(context: Context, id: string): Promise<Result> {
  const engine = await engineOf(context);
  let run = await runHere(engine, id);
  const undone = run.undoOf === null ? undefined : await orElse(engine.record.run(run.undoOf), () => undefined);
  const { settleRun, endRun, planAnewHint, undoLocks, undoPlan } = await openRuns();
  return executePlan(context, {
    kind: 'runs undo',
    identity: [id],
    undoOf: id,
    locks: () => undoLocks(engine, id),
    async plan() {
      // The unknown steps of the run are looked up before anything is planned. Nothing is given up before the yes.
      if (run.state === 'open' && !context.globals.dryRun) {
        await settleRun(engine, run);
        run = await engine.record.run(id);
      }
      const plan = await undoPlan(engine, id);
      const stays = plan.kept.filter(isStillThere);
      // Students whom the undone undo has deleted are to be there again.
      const isBack = ({ id }: Execution) => !stays.some((each) => each.id === id);
      const again = async () => undone && planAnewHint(engine, undone, (await loadExecutions(engine.record, undone.id)).filter(isBack));
      const isRefused = plan.steps.length === 0 && stays.length > 0;
      const refused = isRefused ? await keptError('differences', stays, engine, run, await again()) : undefined;
      return { ...plan, refused, isPart: plan.ofDoubles || stays.length > 0 };
    },
    beforeRun: async () => {
      if (run.state === 'open') await endRun(engine, run);
    },
    tell({ steps, kept, ofDoubles }) {
      if (ofDoubles && steps.length > 0)
        context.say('This undoes only students who are there twice. Run the same command once more to undo the rest.');
      const lines = firstLines(steps.filter(hasKnownTarget), (step) => toUndo(step, context));
      for (const line of lines) context.say(line);
      for (const line of firstLines(notUndone(kept), (each) => sentence`Not undone: ${each}.`)) context.warn(line);
    },
    question: (plan) => undoQuestion(context, run, plan),
    result: (ended, plan) => undoResult(context, engine, ended, plan),
  });
}

/** A time of a student who is put back counts with the student. */
function hasKnownTarget(step: Step): boolean {
  return typeof targetOf(step) !== 'object';
}

async function undoResult(
  context: Context,
  engine: Engine,
  ended: Ended,
  { kept = [], ofDoubles = false }: Partial<UndoPlan> = {},
): Promise<Result> {
  const { client } = engine;
  const done = ended.items.map((item): Row => ({ ...stepRow(item, client), ...outcomeCells(item, 'undone') }));
  const others = kept.map((each) => ({
    ...stepRow(each, client),
    result: each.gone ? 'undone before' : 'kept',
    reason: each.why,
  }));
  if (ended.items.length === 0) context.say('There is nothing to undo.');
  const failure = failureOf(ended, { did: 'undone', idType: client.idType('session') });
  const stays = kept.filter(isStillThere);
  const hint = 'The rest of the run stays. Run the same command once more to undo that, too.';
  const ofRest = ofDoubles ? new CliError('partly_done', 'Only the students who were there twice are undone.', { hint }) : undefined;
  const partly = stays.length > 0 ? await keptError('partly_done', stays, engine) : ofRest;
  return { kind: 'list', rows: [...done, ...others], columns: context.columns, id: 'session', failure: failure ?? partly };
}

/** What stays, and why: a start and an end may have the same words. */
function notUndone(kept: readonly NotUndone[]): string[] {
  return [...new Set(kept.filter(isStillThere).map((each) => `${notUndoneName(each)} (${each.why})`))];
}

/** Whether something stays that is not taken back: a step of which nothing is there was undone before. */
function isStillThere({ gone }: NotUndone): boolean {
  return !gone;
}

function toUndo(step: Step, { zone, settings }: Context): Sentence {
  const { does, method } = operationOf(step);
  const [id, exam] = [targetOf(step), step.exam].map((ref) => (typeof ref === 'string' ? ref : ''));
  const name = resourceOf(step) === 'exam' ? textIn(step.requires.target[settings().dialect.examNameKey]) : undefined;
  const what = [filled(does, { id: id || exam || '', exam_id: exam ?? '' }), name ?? step.student.email].filter(Boolean).join(' ');
  if (method !== 'PATCH') return sentence`Will ${what}${isMailed(step) ? ', who was mailed' : ''}`;
  const values = Object.entries(bodyOf(step)).map(([field, value]) => {
    const shown = cell(value, cellKind('field', { field }), zone(), 'none');
    return `${field} ${shown}`;
  });
  return sentence`Will ${what}: ${values.join(', ')}`;
}

async function undoQuestion(context: Context, { id, command, at }: Run, plan: UndoPlan): Promise<Sentence> {
  const [steps, stay] = [plan.steps.filter(hasKnownTarget), plan.kept.filter(isStillThere)];
  const deletions = steps.filter(deletesRecord);
  const creates = steps.filter((step) => created(step) !== undefined);
  const restores = steps.filter((step) => !creates.includes(step) && !deletions.includes(step));
  const values = restores.reduce((sum, step) => sum + (Object.keys(bodyOf(step)).length || 1), 0);
  const { exam: gone = [], session: students = [] } = Object.groupBy(deletions, resourceOf);
  const counts = [
    ['put back', creates.length, 'student'],
    ['restore', values, 'value'],
    ['delete', students.length, 'student'],
  ] as const;
  const parts = counts.flatMap(([does, number, what]) => (number > 0 ? `${does} ${count(number, what)}` : []));
  // The exams that are deleted are named behind the others.
  const others = steps.filter((step) => parts.length === 0 || !gone.includes(step));
  const exams = others.flatMap(({ exam }) => (typeof exam === 'string' ? exam : []));
  const of = await ofExams(await context.client(), exams, context.zone());
  const ids = firstInLine(gone, (step) => String(targetOf(step)), 5);
  const thenExams = gone.length === 0 ? '' : `, then delete ${gone.length === 1 ? 'exam' : 'exams'} ${ids}`;
  const what = parts.length === 0 ? sentence`delete${of.replace(/^ of/, '')}` : sentence`${parts.join(', ')}${of}${thenExams}`;
  const mailed = deletions.filter(isMailed);
  const lasting = [deletions.some(isLasting) ? 'deletions' : [], mailed.length > 0 ? 'mails' : []].flat().join(' and ');
  const names = firstInLine(mailed, (step) => step.student.email ?? `session ${targetOf(step)}`, 3);
  const who = mailed.length === 0 ? '' : `${mailed.length} of them ${mailed.length === 1 ? 'was' : 'were'} mailed: ${names}; `;
  const so = lasting === '' ? '' : ` (${who}${lasting} cannot be taken back)`;
  const { lost = [], left = [] } = Object.groupBy(stay, ({ step }) => (deletesRecord(step) ? 'lost' : 'left'));
  const kept = `${keptWords(left, 'stays', 'stay')}${keptWords(lost, 'is not brought back', 'are not brought back')}`;
  return sentence`Undo run ${id} (${command}, ${showTime(at, context.zone())}): ${what}${so}${kept},`;
}

/** Whether a step deletes an exam or a session: a change of the pool has the same method. */
function deletesRecord(step: Step): boolean {
  return operationOf(step).method === 'DELETE' && 'resource' in step;
}

function keptWords(kept: readonly NotUndone[], one: string, several: string): string {
  return kept.length === 0 ? '' : `; ${firstInLine(kept, notUndoneName, 3)} ${kept.length === 1 ? one : several}`;
}

function isMailed(step: Step): boolean {
  return statusOf(step.requires.target.status) === 'mail_sent';
}

/** `of`: the run of which nothing is taken back. */
async function keptError(
  code: 'differences' | 'partly_done',
  stays: readonly NotUndone[],
  { client, record }: Engine,
  of?: Run,
  again?: Sentence,
): Promise<CliError> {
  const which = firstInLine(notUndone(stays), String, 3);
  const what = sentence`${count(stays.length, 'step')} of the run ${stays.length === 1 ? 'was' : 'were'} not undone: ${which}.`;
  // To resume it would do more of what was to be undone.
  const command = (line: string) => `proctor-cli ${typedCommand(line, [of?.id ?? ''])}`;
  const close = sentence`The run stays unfinished. To end it as it is: ${command('runs close')}`;
  const look = of ? sentence`Nothing was changed. See what the run did: ${command('runs show')}` : 'The output has a row for each step.';
  return new CliError(code, what, {
    hint: of?.state === 'open' ? close : (again ?? (await laterUndo(record, stays)) ?? look),
    items: stays.map(({ id = '', why }) => ({ id: idAs(id, client.idType('session')), code: 'not_applied', message: why })),
  });
}

/** The hint to undo the later run that has changed what stays; none where that would delete what the later run has created. */
async function laterUndo(record: RunRecord, stays: readonly NotUndone[]): Promise<Sentence | undefined> {
  const [later] = stays.flatMap(({ by }) => by ?? []);
  if (later === undefined || (await loadExecutions(record, later)).some(({ step }) => created(step) !== undefined)) return undefined;
  return sentence`To undo that, too, first undo the later run: proctor-cli ${typedCommand('runs undo', [later])}`;
}

function notUndoneName({ step, id, exam }: NotUndone): string {
  const { email, number } = step.student;
  const what = id === undefined && exam !== undefined ? ['exam', exam] : [resourceOf(step), id];
  return [...what, email ?? number].filter(Boolean).join(' ');
}
