/** An open run is planned anew, and another file may have left out what it was to do: that is named. */
import { readList } from '../api/reading.ts';
import { firstInLine } from '../model/count.ts';
import { keyOf } from '../model/listing.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Engine, freshMs } from './engine.ts';
import { type Execution, idIn } from './execution.ts';
import type { GivenUp } from './request.ts';
import { nameOf, type Plan } from './step.ts';
import { created, isCreate, isUpdate, resourceOf, studentOf, targetOf, wantedBy } from './steps/data.ts';
import { isSoAlready } from './steps/index.ts';

type Subject = Pick<Execution, 'step' | 'id'>;

/** What was given up, is not there, and is not planned again; in words. */
export async function leftBehind(engine: Engine, plan: Plan, { run, items }: GivenUp): Promise<Sentence | undefined> {
  const { client, zone, reads } = engine;
  // Who is to be in another exam by now is not left behind.
  const keyIn = ({ step, id }: Subject) =>
    isCreate(step) ? `new ${created(step)} ${keyOf(wantedBy(step), client.dialect)}` : `${resourceOf(step)} ${id}`;
  const planned = new Set(plan.steps.map((step) => keyIn({ step, id: idIn(targetOf(step)) })));
  const listOf = (exam: string | undefined) => {
    if (exam === undefined) return reads.once('exams', freshMs, () => readList(client, exam));
    return plan.readings?.get(exam) ?? reads.students(exam, freshMs);
  };
  const isLeft = async (item: Execution) => {
    const { step, id, exam } = item;
    if (planned.has(keyIn(item))) return false;
    // Who was to be in an exam that is not there goes with it.
    if (isCreate(step)) return (created(step) === 'exam' || exam !== undefined) && (await listOf(exam)).of(wantedBy(step)).length === 0;
    const shown = isUpdate(step) && id !== undefined ? await reads.record(resourceOf(step), id) : undefined;
    return shown !== undefined && !isSoAlready(step, shown.data, zone);
  };
  const seen = await client.pacer.map(items, isLeft);
  const who = ({ step, id }: Execution) => studentOf(step).email ?? studentOf(step).number ?? nameOf(resourceOf(step), id);
  const left = new Map(items.filter((_, at) => seen[at]).map((item) => [who(item), item]));
  if (left.size === 0) return undefined;
  const which = firstInLine([...left], ([name, { step }]) => (step.line === undefined ? name : `line ${step.line}, ${name}`), 5);
  return sentence`Run ${run.id} of the same command was to do ${left.size} more, which are neither there nor in this plan: ${which}.`;
}
