/** What is there already, before a plan that begins with a create is sent: it is asked about, refused, or a success. */
import { CliError } from '../../errors.ts';
import { maskAmong } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { type Listed, Reading } from '../../model/listing.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import type { Engine } from '../engine.ts';
import { existingExams, existingSessions } from '../existing-records.ts';
import { ConfirmationRequired, type Consented, createUnknown, mayAsk } from '../request.ts';
import { comparedWith } from './creation-verdict.ts';
import { notShownIn } from './rules.ts';
import { type Create, isCreate, listedAs, lookAt, nameOf, type Plan, resourceOf, showsAll, wantedBy } from './step.ts';

/** Of a plan that begins with a create. Throws `outcome_unknown`, `different`, `already_there`, or asks. */
export async function checkPlan(engine: Engine, plan: Plan, consented: Consented): Promise<Plan> {
  const [step] = plan.steps;
  if (!step || !isCreate(step)) return plan;
  const exam = typeof step.exam === 'string' ? step.exam : '';
  const isExam = step.kind === 'create exam';
  const existing = isExam ? await existingExams(engine) : await existingSessions(engine, exam, plan.readings?.get(exam));
  const { reading } = existing;
  const wanted = wantedBy(step);
  const run = existing.unknown(wanted);
  if (run !== undefined) throw createUnknown(run, `the same ${isExam ? 'exam' : 'student'}`);
  const there = await existing.of(wanted);
  const students = reading instanceof Reading ? reading : undefined;
  const readings = students ? new Map([[exam, students]]) : plan.readings;
  const free: Plan = { ...plan, readings, existing: [existing] };
  if (there) return decided(engine, step, consented, { ...there, other: existing.otherStudent(wanted, there) }, free);
  const hiding = students?.hiding(wanted) ?? [];
  if (hiding.length === 0) return free;
  if (consented.consents.allowDuplicate) return asAnother(free, step);
  throw hidden(exam, hiding, step);
}

/** For students of a list who may be the one that would be created. */
export function hidden(exam: string, students: readonly Listed[], step: Create): CliError {
  const by = step.student.email === undefined ? 'number' : 'address';
  const instead = maskAmong(students.map(({ data }) => data));
  const what = sentence`The list of exam ${exam} shows no ${by} of ${count(students.length, 'student')}${instead}`;
  const way = step.typed ? 'sessions create with --allow-duplicate' : '--allow-duplicate';
  return new CliError('list_in_doubt', sentence`${what}, so it is unknown whether the student is there already.`, {
    hint: sentence`Nothing was sent for it. To create the student all the same: ${way}`,
  });
}

/** Nothing that is there is what it creates. */
function asAnother(plan: Plan, create: Create): Plan {
  return { ...plan, steps: plan.steps.map((each) => (each === create ? { ...create, isAnother: true } : each)) };
}

type There = Listed & { other: string | undefined };

async function decided(engine: Engine, step: Create, said: Consented, there: There, free: Plan): Promise<Plan> {
  const { context, client, zone, reads } = engine;
  const { allowDuplicate, ifNotExists } = said.consents;
  const resource = resourceOf(step);
  const { id = '', data: shown } = there;
  const { email, number } = step.student;
  const exam = typeof step.exam === 'string' ? step.exam : '';
  const what =
    resource === 'exam'
      ? sentence`${capitalised(examInWords(id, shown, client, zone))} is there already`
      : sentence`${email ?? number} is in exam ${exam} already, as session ${id}`;
  const hint = sentence`Nothing was sent. ${lookAt(resource, id)}`;
  if (ifNotExists) {
    const { data } = (showsAll(shown, step.body) ? undefined : await reads.record(resource, id)) ?? there;
    const { different: values, notShown } = comparedWith(step, data, zone);
    const different = [there.other ?? [], values].flat();
    if (different.length > 0)
      throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, { hint });
    if (notShown.length > 0) context.warn(notShownIn(notShown, nameOf(resource, id), [data]));
    return { steps: [], there: { is: 'there', shown: data } };
  }
  const key = `there ${listedAs(resource, id)}`;
  if (allowDuplicate || said.agreed.has(key)) return asAnother(free, step);
  if (mayAsk(context)) throw new ConfirmationRequired({ key, words: sentence`${what}. Create another one?` });
  // `api` has no flags for it.
  throw new CliError('already_there', sentence`${what}.`, step.typed ? { hint } : {});
}
