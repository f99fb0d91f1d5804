/** `runs undo`: a run of its own, whose steps take back what another one did. What stays is named with its reason. */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import {
  type Beside,
  carryOut,
  closeRun,
  type Ended,
  failureOf,
  type Reading,
  readExam,
  type Step,
  type UndoPlan,
  undoPlaces,
  undoPlan,
  worldOf,
} from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { itemRow } from './going-on.ts';
import { idTypesOf, rowsOf, stepRow } from './run-rows.ts';
import { keptError, keptInWords, toUndo, undoQuestion } from './undo-words.ts';

export async function undoNamed(context: Context, id: string): Promise<Result> {
  const world = await worldOf(context);
  const run = await world.record.run(id);
  if (run.state === 'open' && !context.globals.dryRun) {
    const { stopped } = await closeRun(world, run);
    if (stopped) throw stopped;
  }
  let plan: UndoPlan = { steps: [], kept: [], beside: [] };
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

async function resultOf(context: Context, ended: Ended, { kept, beside }: UndoPlan): Promise<Result> {
  const types = await idTypesOf(context);
  const rows = [
    ...ended.items.map((item) => itemRow(item, types, 'undone')),
    ...kept.map(({ step, id, why, gone }) => ({ ...stepRow(step, id, types), result: gone ? 'undone before' : 'kept', reason: why })),
  ];
  if (ended.items.length === 0) context.say('There is nothing to undo.');
  const failure = failureOf(ended, { did: 'undone', idType: types.session }) ?? (await lostBeside(context, beside));
  return rowsOf(rows, failure ?? keptError(kept, false, types.session));
}

/** Two machines may each have deleted the session beside which it saw the other's. */
async function lostBeside(context: Context, beside: readonly Beside[]): Promise<CliError | undefined> {
  const client = await context.client();
  const readings = new Map<string, Reading>();
  for (const exam of new Set(beside.map((each) => each.exam))) readings.set(exam, await readExam(client, exam));
  const lost = beside.filter(({ exam, others }) => !others.some((id) => readings.get(exam)?.withId(id)));
  const [first] = lost;
  if (!first) return undefined;
  const add = typedCommand('sessions create', [], typedOption('--exam', first.exam), typedOption('--email', first.email));
  const who = firstInLine(lost, ({ exam, email }) => `${email} (exam ${exam})`, 20);
  const gone = sentence`No session is left of ${who}: what was to stay was deleted meanwhile, too.`;
  return new CliError('partly_done', gone, { hint: sentence`Register each student again: proctor-cli ${add}` });
}
