/** `runs undo`: a run of its own, whose steps take back what another one did. What stays is named with its reason. */
import { filled } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { whoInWords } from '../../model/describe.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { type Json, stringifyJson } from '../../model/json.ts';
import { instantOf, showTime } from '../../model/time.ts';
import type { Run } from '../../record/index.ts';
import { carryOut, closeRun, type Ended, failureOf, type Step, type UndoPlan, undoPlaces, undoPlan, worldOf } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { ofExams } from '../exam-selection.ts';
import { itemRow } from './going-on.ts';
import { idTypesOf, rowsOf, stepRow } from './run-rows.ts';

type KeptStep = UndoPlan['kept'][number];

export async function undoNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const run = await world.record.run(id);
  if (run.state === 'open' && !context.globals.dryRun) {
    const { stopped } = await closeRun(world, run);
    if (stopped) throw stopped;
  }
  let plan: UndoPlan = { steps: [], kept: [] };
  return carryOut(context, {
    kind: 'runs undo',
    identity: [id],
    undoOf: id,
    places: () => undoPlaces(world, run),
    async plan() {
      plan = await undoPlan(world, run);
      const refused = plan.steps.length === 0 ? keptError(plan.kept, true, (await idTypesOf(context)).session) : undefined;
      return { ...plan, refused };
    },
    tell({ steps }) {
      // A time of what is put back is one with it.
      if (plan.ofDoubles && steps.length > 0)
        context.say('Only the doubles of this run are undone. To undo all the rest, run the command once more.');
      for (const line of firstLines(steps.filter(isWhole), (step) => toUndo(step, context.zone()))) context.say(line);
      const stays = plan.kept.filter(({ gone }) => !gone);
      for (const line of firstLines(stays, keptInWords)) context.warn(line);
    },
    question: ({ steps }) => undoQuestion(context, run, steps.filter(isWhole)),
    result: (ended) => resultOf(context, ended, plan),
  });
}

function isWhole({ made }: Step): boolean {
  return made === undefined;
}

async function resultOf(context: Context, ended: Ended, { kept }: UndoPlan): Promise<Result> {
  const types = await idTypesOf(context);
  const rows = [
    ...ended.items.map((item) => itemRow(item, types, 'undone')),
    ...kept.map(({ step, id, why, gone }) => ({ ...stepRow(step, id, types), result: gone ? 'undone before' : 'kept', reason: why })),
  ];
  if (ended.items.length === 0) context.say('There is nothing to undo.');
  return rowsOf(rows, failureOf(ended, { did: 'undone', idType: types.session }) ?? keptError(kept, false, types.session));
}

function toUndo({ operation, params, email, body = {} }: Step, zone: string): Sentence {
  const values = operation.method === 'PATCH' ? Object.entries(body).map(([field, value]) => valueBack(field, value, zone)) : [];
  return sentence`Will undo: ${filled(operation.does, params)}${email === undefined ? '' : ` ${email}`}${values.length === 0 ? '' : `: ${values.join(', ')}`}`;
}

/** What a field is set back to. */
function valueBack(field: string, value: Json, zone: string): string {
  if (value === null) return `no ${field}`;
  return `${field} ${instantOf(value) === undefined ? stringifyJson(value) : showTime(String(value), zone)}`;
}

async function undoQuestion(context: Context, { id, command, at }: Run, steps: readonly Step[]): Promise<Sentence> {
  const students = new Map(
    steps.flatMap(({ operation, params, email }) =>
      operation.resource === 'session' && params.id !== undefined ? [[params.id, email]] : [],
    ),
  );
  const deletes = steps.filter(({ operation }) => operation.method === 'DELETE').length;
  const creates = steps.filter(({ operation }) => operation.writes?.writing === 'create').length;
  const values = steps.length - deletes - creates;
  const parts = [
    ...(creates > 0 ? [`put back ${count(creates, 'student')}`] : []),
    ...(values > 0 ? [`restore ${count(values, 'value')}`] : []),
    ...(deletes > 0 ? [`delete ${count(deletes, 'record')}`] : []),
  ];
  const who = students.size === 0 ? '' : ` (${whoInWords([...students].map(([session, email]) => ({ session, email })))})`;
  const exams = steps.flatMap(({ exam }) => exam ?? []);
  const of = await ofExams(await context.client(), exams, context.zone());
  return sentence`Undo run ${id} (${command}, ${showTime(new Date(at).toISOString(), context.zone())}): ${parts.join(', ')}${who}${of},`;
}

function keptInWords(kept: KeptStep): Sentence {
  return sentence`Not undone: ${named(kept)}: ${kept.why}.`;
}

/** `isAll`: nothing else was left to do. Undefined where nothing stays. */
function keptError(kept: readonly KeptStep[], isAll: boolean, idType: IdType | undefined): CliError | undefined {
  const stays = kept.filter(({ gone }) => !gone);
  if (stays.length === 0) return undefined;
  const which = firstInLine(stays, (each) => `${named(each)} (${each.why})`, 3);
  return new CliError(
    isAll ? 'differences' : 'partly_done',
    sentence`${count(stays.length, 'step')} of the run cannot be taken back: ${which}.`,
    {
      hint: 'Each is named with its reason; the same command does no more.',
      items: stays.map(({ id = '', why }) => ({ id: idAs(id, idType), code: 'not_applied' as const, message: why })),
    },
  );
}

function named({ step, id }: KeptStep): string {
  const resource = step.operation.resource === 'session' ? 'session' : 'exam';
  return [resource, id ?? step.params.id ?? step.exam, step.email].filter(Boolean).join(' ');
}
