/** What the creates of students and exams share: the looks before and after, and the proof by an ID. */
import type { Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import { ageOfMoment, type Moment, momentOf } from '../../api/known.ts';
import { otherExam } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { examInWords, nameOf } from '../../model/describe.ts';
import { idOf, isJsonObject, type JsonObject } from '../../model/json.ts';
import { addressIn, keyOf, keysIn, type Listed, type Listing, maskAmong, otherStudent, type Reading } from '../../model/listing.ts';
import { capitalised, count, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, shortList } from '../engine.ts';
import { type Change, type Execution, isRefusedAsThere, isUnknown, isWritten } from '../execution.ts';
import { existingIn, lackedBy } from '../existing-records.ts';
import { ConfirmationRequired, type Consented, createUnknown, mayAsk } from '../request.ts';
import { comparedWith, verdict } from './creation-verdict.ts';
import { type Candidate, isAnswered, type Looking, notShownIn, type Observation, type StepRules, untilShown } from './rules.ts';
import type { Create, CreateSession, Plan, Resource } from './step.ts';
import { isCreate, listedAs, lookAt, operationOf, resourceOf, showsAs, wantedBy } from './step.ts';
import { changed } from './target.ts';

/** The rules of both creates. */
export const creation = {
  mayTake: () => false,
  losses: async () => [],
  checkPlan,
  precheck,
  refusalIsFinal: false,
  onSuccess,
  onDenial: untilShown,
  isIdempotent: false,
  isVerifiable: true,
  list: ({ exam }) => ({ exam }),
  observe,
  verdict,
  resend: 'once proven absent',
  isReversible: true,
} satisfies Partial<StepRules<Create>>;

const isOfCreate = (execution: Execution): execution is Execution<Create> => isCreate(execution.step);

/** The list on which it rests is read again once it is older than the settle time. Throws `list_in_doubt` where it hides whether it is there. */
async function precheck(run: ActiveRun, { step, exam }: Execution<Create>): Promise<Moment | Change> {
  const { engine, readAt } = run;
  const { settleTimeMs, host, reads } = engine;
  const began = momentOf(host);
  if (ageOfMoment(readAt, host) <= settleTimeMs) return began;
  const resource = resourceOf(step);
  const wanted = wantedBy(step);
  const existing = await reads.once(`existing ${exam}`, settleTimeMs, () => existingIn(engine, exam));
  const there = [...existing.reading.of(wanted), step.isAnother ? undefined : await existing.find(wanted)];
  const id = there.flatMap((each) => each?.id ?? []).find((each) => isNew(run, resource, each));
  if (id === undefined && !step.isAnother) {
    const others = existing.reading.hiding(wanted).filter((each) => run.creator(resource, each.id ?? '') === undefined);
    if (others.length > 0) throw hidden(exam, others, step);
  }
  if (id === undefined) return began;
  const hint = sentence`Nothing was sent for it. ${lookAt(resource, id)}`;
  return changed(new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`, { hint }));
}

const unshown = 'but no read shows it yet. It is not sent again.';

/** The ID in the answer decides whose the new record is; a look then shows its values. */
function onSuccess(run: ActiveRun, execution: Execution<Create>, reply: Reply): Change {
  const { step } = execution;
  const { status } = reply;
  const resource = resourceOf(step);
  const data = run.engine.client.recordIn(reply, operationOf(step));
  const shown = isJsonObject(data) ? data : undefined;
  const id = shown && idOf(shown);
  const unknown = (code: string, more: string): Change => {
    const what = sentence`The service answered the request to create the ${resource} (${status}) ${more}`;
    return { is: 'unknown', error: new CliError('outcome_unknown', what, { status }), facts: { code } };
  };
  if (shown === undefined || id === undefined) return unknown('2xx', `and shows no ID, ${unshown}`);
  // Such an ID is not ours, and proves nothing: the list decides.
  const other = run.creator(resource, id);
  if (other && other !== execution) return unknown('2xx', `with ${resource} ${id}, which it gave to another request, too.`);
  if (run.wasBefore(resource, id)) return unknown('was there', `with ${resource} ${id}, which was there before.`);
  const storedAs = otherStudent(step.student.email, shown) === undefined ? undefined : addressIn(shown);
  const change = unknown('2xx', `and names ${resource} ${id}, ${unshown}`);
  return { ...change, facts: { ...change.facts, id, shown, owned: true, storedAs } };
}

async function observe(looking: Looking, execution: Execution<Create>): Promise<Observation> {
  const { run, list } = looking;
  const { client, reads } = run.engine;
  const { id, step, exam } = execution;
  if (list && id === undefined) return candidates(looking, list, execution);
  const listed = list?.withId(id);
  // A list may be late, cut, or leave out a field: the record itself says it.
  const isWhole = listed && showsAs(resourceOf(step), step.body, listed.data);
  const shown = isWhole || id === undefined ? listed : await reads.record(resourceOf(step), id);
  // The ID in its answer may be that of another exam's student.
  const isElsewhere = shown && !isWhole && otherExam(exam, shown.data, client) !== undefined;
  if (isElsewhere && list) return candidates(looking, list, execution);
  if (!shown || isElsewhere) return { is: 'not there', isGone: !list && exam !== undefined && !(await reads.record('exam', exam)) };
  const { data } = shown;
  if (isOthers(looking, execution, data)) return { is: 'not there' };
  const isUnplaced = !listed && exam !== undefined && examOf(data, client) === undefined;
  const unlisted = listed || !list ? looking.lacked : id;
  if (unlisted !== undefined && !isUnplaced && looking.isLast(execution)) run.stop.stop(shortList(exam, unlisted));
  return { is: 'shown', data, unlisted, isUnplaced, ...(list && alikeIn(looking, list, execution)) };
}

/** Whether a record was not there before, and no step is known to have created it. */
function isNew(run: ActiveRun, resource: Resource, id: string): boolean {
  return !run.wasBefore(resource, id) && run.creator(resource, id) === undefined;
}

/** The creates in the same list that may have made something, as far as their answers say, by what they ask for. */
export function claimsOn(run: ActiveRun, executions: readonly Execution[]): ReadonlyMap<string | undefined, readonly Execution[]> {
  const one = executions.find(isOfCreate);
  const mayHaveMade = (each: Execution) => isWritten(each) || each.code === '2xx' || (isUnknown(each) && !isRefusedAsThere(each));
  const isOfList = (each: Execution) => isOfCreate(each) && each.exam === one?.exam && mayHaveMade(each);
  const ofList = one ? run.executions.filter(isOfList) : [];
  return Map.groupBy(ofList, ({ step }) => keyOf(wantedBy(step), run.engine.client.dialect));
}

/** Whether a record shows what other steps have asked for, and no more are there than they may have made: its ID in an answer is no proof. */
function isOthers({ run, list, claims }: Pick<Looking, 'run' | 'list' | 'claims'>, { step }: Execution<Create>, data: JsonObject): boolean {
  const { dialect } = run.engine.client;
  const keys = keysIn(data, dialect);
  if (keys.includes(keyOf(wantedBy(step), dialect) ?? '')) return false;
  const isAdded = ({ id }: Listed) => id !== undefined && !run.wasBefore(resourceOf(step), id);
  const isClaimed = ([first, ...others]: readonly Execution[]) =>
    first !== undefined && (list?.of(wantedBy(first.step)) ?? []).filter(isAdded).length <= 1 + others.length;
  return keys.some((key) => isClaimed(claims.get(key) ?? []));
}

/** Takes the ID from creates that were answered with the ID of what others have made: it proves nothing. */
export function releaseOthers(looking: Pick<Looking, 'run' | 'list' | 'claims'>, executions: readonly Execution[]): void {
  const { run, list } = looking;
  for (const execution of executions.filter(isOfCreate)) {
    const shown = list?.withId(execution.id);
    if (!shown || !isOthers(looking, execution, shown.data)) continue;
    const resource = resourceOf(execution.step);
    const what = sentence`The service answered the request to create the ${resource} with ${resource} ${execution.id},`;
    const error = new CliError('outcome_unknown', sentence`${what} which has the values of another request of this run.`);
    const facts = { id: undefined, owned: false, storedAs: undefined };
    run.transitionLater(execution, { is: 'unknown', error, facts });
  }
}

function alikeIn({ run }: Pick<Looking, 'run'>, list: Listing, { id: own, step }: Execution<Create>) {
  const resource = resourceOf(step);
  const ids = list.of(wantedBy(step)).flatMap(({ id }) => id ?? []);
  const added = ids.filter((id) => id === own || !run.wasBefore(resource, id));
  const alike = added.filter((id) => id === own || isNew(run, resource, id));
  return { alike, isOther: resource === 'session' && added.length > 0 && !added.includes(own ?? '') };
}

/** Marks students as duplicates whom a colleague has registered, too, as the last reading of an exam shows. */
export function judgeTwice(run: ActiveRun, reading: Reading): void {
  const isHere = (each: Execution): each is Execution<CreateSession> =>
    each.step.kind === 'create session' && each.state === 'done' && each.exam === reading.exam;
  for (const execution of run.executions.filter(isHere)) {
    const listed = reading.withId(execution.id);
    if (!listed) continue;
    const observation = { is: 'shown', data: listed.data, ...alikeIn({ run }, reading, execution) } as const;
    const judged = verdict(execution, observation, { isLast: true, zone: run.engine.zone, run: run.id });
    if (judged?.is === 'duplicate') run.transitionLater(execution, judged);
  }
}

/** One new record for each create of unknown outcome, which may have made it. */
export function explainedIn(run: ActiveRun, list: Listing, executions: readonly Execution[]): ReadonlyMap<string, Execution> {
  const lost = executions.filter(({ id, step }) => id === undefined && isCreate(step));
  return new Map(
    lost.flatMap((execution) => {
      const ids = list.of(wantedBy(execution.step)).flatMap(({ id }) => id ?? []);
      const first = ids.find((id) => isNew(run, resourceOf(execution.step), id));
      return first === undefined ? [] : [[first, execution] as const];
    }),
  );
}

/** The records that a create without a proven ID may have made, also under another address. */
async function candidates(looking: Looking, list: Listing, execution: Execution<Create>): Promise<Observation> {
  const { run, known, explained } = looking;
  const { client, reads } = run.engine;
  const { step, exam, code = '' } = execution;
  const resource = resourceOf(step);
  // What another step has created may be stored under this address.
  const shown = list.of(wantedBy(step)).filter(({ id }) => id !== undefined && run.creator(resource, id) === undefined);
  const isStranger = ({ id }: Listed) =>
    id !== undefined && isNew(run, resource, id) && !known.has(id) && (explained.get(id) ?? execution) === execution;
  const strangers = list.all.filter(isStranger).flatMap(({ id }) => id ?? []);
  const found = await client.pacer.map(shown, async ({ id = '', data }): Promise<Candidate> => {
    const whole = showsAs(resource, step.body, data) ? undefined : await reads.record(resource, id);
    return { id, data: { ...data, ...whole?.data }, isNew: isNew(run, resource, id) };
  });
  // A create without an answer is absent once nothing shows it.
  const mayBeAbsent = code !== '2xx' && !isAnswered(execution);
  const isDoubtful = found.length + strangers.length === 0 && mayBeAbsent && looking.isLast(execution);
  const lacking = isDoubtful ? await lackedBy(run.engine, list, known) : undefined;
  const error = lacking === undefined ? undefined : shortList(exam, lacking);
  if (error) run.stop.stop(error);
  return { is: 'candidates', found, strangers, lacking: error };
}

/** Checks a plan that begins with a create. Throws `outcome_unknown`, `different`, `already_there`, or asks. */
async function checkPlan(engine: Engine, plan: Plan, consented: Consented): Promise<Plan> {
  const [step] = plan.steps;
  if (!step || !isCreate(step)) return plan;
  const exam = step.kind === 'create exam' ? undefined : String(step.exam);
  const existing = await existingIn(engine, exam, plan.readings?.get(exam ?? ''));
  const wanted = wantedBy(step);
  const run = existing.unknown(wanted);
  if (run !== undefined) throw createUnknown(run, `the same ${exam === undefined ? 'exam' : 'student'}`);
  const there = await existing.find(wanted);
  const readings = exam === undefined ? plan.readings : new Map([[exam, existing.reading as Reading]]);
  const free: Plan = { ...plan, readings, existing: [existing] };
  if (there) return decided(engine, step, consented, { ...there, other: existing.otherStudent(wanted, there) }, free);
  const hiding = existing.reading.hiding(wanted);
  if (hiding.length === 0) return free;
  if (consented.consents.allowDuplicate) return asAnother(free, step);
  throw hidden(exam, hiding, step);
}

/** The refusal if a list hides the address or number of students, one of whom may be the new student. */
function hidden(exam: string | undefined, students: readonly Listed[], step: Create): CliError {
  const by = step.student.email === undefined ? 'number' : 'address';
  const instead = maskAmong(students.map(({ data }) => data));
  const what = sentence`The list of exam ${exam} shows no ${by} of ${count(students.length, 'student')}${instead}`;
  const way = step.typed ? 'sessions create with --allow-duplicate' : '--allow-duplicate';
  return new CliError('list_in_doubt', sentence`${what}, so it is unknown whether the student is there already.`, {
    hint: sentence`Nothing was sent for it. To create the student all the same: ${way}`,
  });
}

/** The plan with a consent: what is there already is not what it creates. */
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
      : sentence`${there.other === undefined ? (email ?? number) : (number ?? email)} is in exam ${exam} already, as session ${id}`;
  const hint = sentence`Nothing was sent. ${lookAt(resource, id)}`;
  if (ifNotExists) {
    const { data } = (showsAs(resource, step.body, shown) ? undefined : await reads.record(resource, id)) ?? there;
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
