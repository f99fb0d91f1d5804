/** What the creates of students and exams share: the looks before and after, and the proof by an ID. */
import type { Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import { ageOfMoment, type Moment, momentOf } from '../../api/known.ts';
import { otherExam } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { idOf } from '../../model/id.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { keyOf, keysIn, type Listed, type Listing, otherStudent, Reading } from '../../model/listing.ts';
import { sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { shortList } from '../engine.ts';
import { type Change, type Execution, isRefusedAsThere, isUnknown, isWritten } from '../execution.ts';
import { type ExistingRecords, existingExams, existingSessions, lackedBy } from '../existing-records.ts';
import { checkPlan, hidden } from './already-there.ts';
import { verdict } from './creation-verdict.ts';
import { type Candidate, finalAnswers, type Looking, type Observation, type StepRules, untilShown } from './rules.ts';
import {
  type Create,
  type CreateSession,
  isCreate,
  listedAs,
  lookAt,
  operationOf,
  type Resource,
  resourceOf,
  showsAll,
  wantedBy,
} from './step.ts';
import { changed } from './target.ts';

/** The rules of both creates. */
export const creation = {
  mayTake: () => false,
  losses: async () => [],
  checkPlan,
  looksAfter: [409, 422],
  refusalIsFinal: false,
  onSuccess,
  onDenial: untilShown,
  isAbsolute: false,
  isVerifiable: true,
  observe,
  verdict,
  resend: 'once proven absent',
} satisfies Partial<StepRules<Create>>;

const isOfCreate = (execution: Execution): execution is Execution<Create> => isCreate(execution.step);

function listOf({ step, exam }: Execution<Create>): string | undefined {
  return resourceOf(step) === 'exam' ? undefined : exam;
}

/** The list on which it rests is read again once it is older than the settle time. */
export async function precheck(run: ActiveRun, execution: Execution<Create>): Promise<Moment | Change> {
  const began = momentOf(run.engine.host);
  return (await appearedSince(run, execution)) ?? began;
}

/** Throws `list_in_doubt` where the list hides whether it is there. */
async function appearedSince(run: ActiveRun, execution: Execution<Create>): Promise<Change | undefined> {
  const { engine, readAt } = run;
  const { settleTimeMs, host, reads } = engine;
  if (ageOfMoment(readAt, host) <= settleTimeMs) return undefined;
  const { step } = execution;
  const resource = resourceOf(step);
  const exam = listOf(execution);
  const wanted = wantedBy(step);
  const existing = await reads.once<ExistingRecords<Listing>>(`existing ${exam}`, settleTimeMs, () =>
    exam === undefined ? existingExams(engine) : existingSessions(engine, exam),
  );
  const there = [...existing.reading.of(wanted), step.isAnother ? undefined : await existing.of(wanted)];
  const id = there.flatMap((each) => each?.id ?? []).find((each) => isNew(run, resource, each));
  if (id === undefined && !step.isAnother && existing.reading instanceof Reading) {
    const others = existing.reading.hiding(wanted).filter((each) => run.creator(resource, each.id ?? '') === undefined);
    if (others.length > 0) throw hidden(existing.reading.exam, others, step);
  }
  if (id === undefined) return undefined;
  const hint = sentence`Nothing was sent for it. ${lookAt(resource, id)}`;
  return changed(new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`, { hint }));
}

const unshown = 'but no read shows it yet. It is not sent again.';

/** Its ID decides; whether it is so, a look shows. */
function onSuccess(run: ActiveRun, execution: Execution<Create>, reply: Reply): Change {
  const { step } = execution;
  const { status } = reply;
  const resource = resourceOf(step);
  const data = run.engine.client.recordIn(reply, operationOf(step));
  const shown = isJsonObject(data) ? data : undefined;
  const id = shown && idOf(shown);
  const unknown = (code: string, more: string): Change => {
    const what = sentence`The service answered the request to create the ${resource} (${status}) ${more}`;
    return { outcome: { state: 'unknown', error: new CliError('outcome_unknown', what, { status }) }, facts: { code } };
  };
  if (shown === undefined || id === undefined) return unknown('2xx', `and shows no ID, ${unshown}`);
  // Not ours, and no proof: the list decides.
  const other = run.creator(resource, id);
  if (other && other !== execution) return unknown('2xx', `with ${resource} ${id}, which it gave to another request, too.`);
  if (run.wasThere.has(listedAs(resource, id))) return unknown('was there', `with ${resource} ${id}, which was there before.`);
  const storedAs = otherStudent(step.student.email, shown) === undefined ? undefined : addressIn(shown);
  const { outcome, facts } = unknown('2xx', `and names ${resource} ${id}, ${unshown}`);
  return { outcome, facts: { ...facts, id, shown, owned: true, storedAs } };
}

async function observe(looking: Looking, execution: Execution<Create>): Promise<Observation> {
  const { run, list } = looking;
  const { client, reads } = run.engine;
  const { id, step, exam } = execution;
  if (list && id === undefined) return candidates(looking, list, execution);
  const listed = list?.withId(id);
  // A list may be late, or leave out a field: the record itself says it.
  const isWhole = listed && showsAll(listed.data, step.body);
  const shown = isWhole || id === undefined ? listed : await reads.record(resourceOf(step), id);
  if (!shown) return { is: 'not there', isGone: !list && exam !== undefined && !(await reads.record('exam', exam)) };
  const { data } = shown;
  // The ID in its answer is that of another exam's student.
  if (!isWhole && otherExam(exam, data, client) !== undefined) return list ? candidates(looking, list, execution) : { is: 'not there' };
  if (isOthers(looking, execution, data)) return { is: 'not there' };
  const isUnplaced = !listed && exam !== undefined && examOf(data, client) === undefined;
  const unlisted = listed || !list ? looking.lacked : id;
  if (unlisted !== undefined && !isUnplaced && looking.isLast(execution)) run.stop.stop(shortList(listOf(execution), unlisted));
  return { is: 'shown', data, unlisted, isUnplaced, ...(list && alikeIn(looking, list, execution)) };
}

/** It was not there before, and no step is known to have created it. */
function isNew(run: ActiveRun, resource: Resource, id: string): boolean {
  return !run.wasThere.has(listedAs(resource, id)) && run.creator(resource, id) === undefined;
}

/** By what they ask for: the creates of the list of these that may have made something, as far as their answers say. */
export function claimsOn(run: ActiveRun, executions: readonly Execution[]): ReadonlyMap<string | undefined, readonly Execution[]> {
  const one = executions.find(isOfCreate);
  const mayHaveMade = (each: Execution) => isWritten(each) || each.code === '2xx' || (isUnknown(each) && !isRefusedAsThere(each));
  const isOfList = (each: Execution) => isOfCreate(each) && listOf(each) === (one && listOf(one)) && mayHaveMade(each);
  const ofList = one ? run.executions.filter(isOfList) : [];
  return Map.groupBy(ofList, ({ step }) => keyOf(wantedBy(step), run.engine.client.dialect));
}

/** Whether a record shows what other steps have asked for, and no more are there than they may have made: its ID in an answer is no proof. */
function isOthers({ run, list, claims }: Pick<Looking, 'run' | 'list' | 'claims'>, { step }: Execution<Create>, data: JsonObject): boolean {
  const { dialect } = run.engine.client;
  const keys = keysIn(data, dialect);
  if (keys.includes(keyOf(wantedBy(step), dialect) ?? '')) return false;
  const isAdded = ({ id }: Listed) => id !== undefined && !run.wasThere.has(listedAs(resourceOf(step), id));
  const isClaimed = ([first, ...others]: readonly Execution[]) =>
    first !== undefined && (list?.of(wantedBy(first.step)) ?? []).filter(isAdded).length <= 1 + others.length;
  return keys.some((key) => isClaimed(claims.get(key) ?? []));
}

/** What was answered with the ID of what others have made has no proven ID. */
export function releaseOthers(looking: Pick<Looking, 'run' | 'list' | 'claims'>, executions: readonly Execution[]): void {
  const { run, list } = looking;
  for (const execution of executions.filter(isOfCreate)) {
    const shown = list?.withId(execution.id);
    if (!shown || !isOthers(looking, execution, shown.data)) continue;
    const resource = resourceOf(execution.step);
    const what = sentence`The service answered the request to create the ${resource} with ${resource} ${execution.id},`;
    const error = new CliError('outcome_unknown', sentence`${what} which shows what another request of this run was to create.`);
    const facts = { id: undefined, owned: false, storedAs: undefined };
    run.transitionLater(execution, { outcome: { state: 'unknown', error }, facts });
  }
}

function alikeIn({ run }: Pick<Looking, 'run'>, list: Listing, { id: own, step }: Execution<Create>) {
  if (step.kind === 'create exam') return {};
  const ids = list.of(wantedBy(step)).flatMap(({ id }) => id ?? []);
  const added = ids.filter((id) => id === own || !run.wasThere.has(listedAs('session', id)));
  const alike = added.filter((id) => id === own || isNew(run, 'session', id));
  return { alike, isOther: added.length > 0 && !added.includes(own ?? '') };
}

/** Whom a colleague has registered, too, the last reading of an exam shows. */
export function judgeTwice(run: ActiveRun, reading: Reading): void {
  const isHere = (each: Execution): each is Execution<CreateSession> =>
    each.step.kind === 'create session' && each.state === 'done' && each.exam === reading.exam;
  for (const execution of run.executions.filter(isHere)) {
    const listed = reading.withId(execution.id);
    if (!listed) continue;
    const observation = { is: 'shown', data: listed.data, ...alikeIn({ run }, reading, execution) } as const;
    const judged = verdict(execution, observation, { isLast: true, zone: run.engine.zone, run: run.id });
    if (judged?.outcome.reason === 'duplicate') run.transitionLater(execution, judged);
  }
}

/** One new record for each create of unknown outcome that it explains. */
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

/** What a create without a proven ID may have made: a stranger, too, under another address. */
async function candidates(looking: Looking, list: Listing, execution: Execution<Create>): Promise<Observation> {
  const { run, known, explained } = looking;
  const { client, reads } = run.engine;
  const { step } = execution;
  const resource = resourceOf(step);
  // What another step has created may be stored under this address.
  const shown = list.of(wantedBy(step)).filter(({ id }) => id !== undefined && run.creator(resource, id) === undefined);
  const isStranger = ({ id }: Listed) =>
    id !== undefined && isNew(run, resource, id) && !known.has(id) && (explained.get(id) ?? execution) === execution;
  const strangers = list.all.filter(isStranger).flatMap(({ id }) => id ?? []);
  const found = await client.pacer.map(shown, async ({ id = '', data }): Promise<Candidate> => {
    const whole = showsAll(data, step.body) ? undefined : await reads.record(resource, id);
    return { id, data: { ...data, ...whole?.data }, isNew: isNew(run, resource, id) };
  });
  const isDoubtful = found.length + strangers.length === 0 && mayBeAbsent(execution) && looking.isLast(execution);
  const lacking = isDoubtful ? await lackedBy(run.engine, list, listOf(execution), known) : undefined;
  const error = lacking === undefined ? undefined : shortList(listOf(execution), lacking);
  if (error) run.stop.stop(error);
  return { is: 'candidates', found, strangers, lacking: error };
}

/** Whether a create without an answer is absent once nothing shows it. */
function mayBeAbsent({ code = '' }: Execution): boolean {
  return code !== '2xx' && !finalAnswers.has(code);
}
