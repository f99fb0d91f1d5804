/**
 * Look before creating: an exam by name and start, students by the claims of earlier runs. What is there already is a question on a
 * terminal and an error in a script, unless a flag has said it.
 */

import { operations } from '../api/operations.ts';
import { CliError, orGone } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { asSent } from '../model/as-sent.ts';
import { students } from '../model/count.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import type { Claim, ClaimName } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { claimsOf } from './claims.ts';
import type { Consents, Looked } from './looked.ts';
import { type ListedSession, readExam } from './reading.ts';
import { poolLacks } from './settle.ts';
import { createsExam, createsStudent, eachStep, examOfStep, listedAs, type Plan, type Step, withFirst } from './step.ts';
import { lookForStudents } from './students-there.ts';
import type { World } from './world.ts';

/** For a plan whose first step creates an exam; who is there already was decided where others were computed. */
export async function lookFirst(world: World, plan: Plan, consents: Consents): Promise<Looked> {
  if (plan.looked) return { is: 'free', plan, listed: plan.listed ?? [], stale: plan.stale ?? [] };
  const first = plan.steps.at(0);
  if (first && createsExam(first)) return lookForExam(world, plan, first, consents);
  return { is: 'free', plan, listed: [], stale: await staleClaims(world, plan) };
}

/** Claims of students whom a plan creates and who are provably not there any more, because somebody else has deleted them. */
async function staleClaims(world: World, { steps, readings = new Map() }: Plan): Promise<ClaimName[]> {
  const stale: ClaimName[] = [];
  for (const [exam, reading] of readings) {
    const creates = function* () {
      for (const [, step] of eachStep(steps)) if (createsStudent(step) && examOfStep(step) === exam) yield step;
    };
    stale.push(...(await lookForStudents(world, exam, { [Symbol.iterator]: creates }, reading)).stale);
  }
  return stale;
}

/** `hidden`: sessions that may be the student, whose address the list does not show. Throws `invalid_input`. */
export function refuseHidden(hidden: readonly ListedSession[], exam: string, { allowDuplicate }: Consents): void {
  if (allowDuplicate || hidden.length === 0) return;
  throw new CliError(
    'invalid_input',
    sentence`The list of exam ${exam} shows no address of ${students(hidden.length)}, so it is unknown whether the student is there already. Nothing was sent.`,
    {
      hint: 'Check the exam. To create the student all the same: --allow-duplicate',
    },
  );
}

/** The claims of an exam of the same name and start. */
async function claimsFor(world: World, step: Step): Promise<Claim[]> {
  const [name] = claimsOf(step, undefined, world);
  return (await world.state.claims(world.origin, 'exams')).filter(({ key }) => key === name?.key);
}

/** Throws `already_running` where another run has sent the same, and the outcome of that request is unknown. */
function refuseOpen(claims: readonly Claim[]): void {
  const open = claims.find(({ done }) => !done);
  if (!open) return;
  throw new CliError('already_running', sentence`Run ${open.run} has sent a request to create the same exam, and its outcome is unknown.`, {
    hint: sentence`Nothing was sent. Settle it first: proctor-cli ${typedCommand('runs resume', [open.run])}`,
  });
}

/** The exams, and those of the name and start that a step creates. */
async function examsLike(
  { client }: Pick<World, 'client'>,
  step: Step,
): Promise<{ exams: readonly JsonObject[]; alike: readonly JsonObject[] }> {
  const exams = await client.list(operations.listExams, {});
  return { exams, alike: exams.filter((exam) => isAlike({ client }, step, exam)) };
}

/** Whether an exam has the name and the start that a step gives to a new one. */
export function isAlike({ client }: Pick<World, 'client'>, { body = {} }: Step, exam: JsonObject): boolean {
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  const at = instantOf(exam.start_time);
  return (exam[client.dialect.examNameKey] ?? null) === name && at !== undefined && at === instantOf(start);
}

export function thereAlready({ client, zone }: Pick<World, 'client' | 'zone'>, { body = {} }: Step, id: string): Sentence {
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  return sentence`${name === null ? 'An exam' : `An exam ${String(name)}`} that starts at ${showTime(String(start), zone)} is there already, as exam ${id}`;
}

async function lookForExam(world: World, plan: Plan, step: Step, consents: Consents): Promise<Looked> {
  const { zone } = world;
  const claims = await claimsFor(world, step);
  refuseOpen(claims);
  const { exams, alike } = await examsLike(world, step);
  const listed = exams.flatMap((exam) => idOf(exam) ?? []).map((id) => listedAs('exam', id));
  const claimed = alike.length > 0 ? undefined : await claimedExam(world, step, claims);
  const before = alike[0] ?? claimed;
  if (!before) return { is: 'free', plan, listed, stale: claims };
  const id = idOf(before) ?? '';
  const what = thereAlready(world, step, id);
  const { different } = asSent('exam', step.body ?? {}, before, zone);
  if (consents.ifNotExists) {
    const missing = different.length === 0 ? await missingIn(world, plan, id) : undefined;
    if (missing !== undefined)
      throw new CliError('different', sentence`${what}, but without ${missing.what}.`, {
        hint: sentence`Nothing was sent. Look at it: proctor-cli ${typedCommand(missing.list, [], typedOption('--exam', id))}`,
      });
    if (different.length === 0) return { is: 'there', shown: before };
    throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, {
      hint: sentence`Nothing was sent. To change it: proctor-cli ${typedCommand('exams update', [id])}`,
    });
  }
  await consentTo(world, consents.allowDuplicate, what);
  return {
    is: 'free',
    plan: {
      ...plan,
      steps: withFirst(plan.steps, { ...step, number: 1 + Math.max(alike.length, ...claims.map((claim) => claim.number)) }),
    },
    listed,
    stale: [],
  };
}

/**
 * What is known from here of exams that a plan creates: `late`: exams that no list shows yet; `steps`: with the numbers of their claims.
 * `open`: why one is not to be sent, by its place: a run has sent the same, and the outcome is unknown.
 */
export type ExamsThere = {
  late: readonly JsonObject[];
  steps: readonly Step[];
  open: ReadonlyMap<number, CliError>;
  stale: readonly ClaimName[];
};

/** For a plan that creates several exams, of which none is in the list. */
export async function lookForExams(world: World, creates: readonly Step[], isListed: (id: string) => boolean): Promise<ExamsThere> {
  const all = Map.groupBy(await world.state.claims(world.origin, 'exams'), ({ key }) => key);
  const last = new Map<string, number>();
  const late = new Map<string, JsonObject>();
  const stale: ClaimName[] = [];
  const steps: Step[] = [];
  const open = new Map<number, CliError>();
  for (const [at, step] of creates.entries()) {
    const [{ key = '' } = {}] = claimsOf(step, undefined, world);
    const claims = all.get(key) ?? [];
    const sent = claims.find(({ done }) => !done);
    if (sent) open.set(at, examSent(sent.run));
    if (!last.has(key)) {
      last.set(key, 0);
      for (const claim of claims) {
        const { session: id, done } = claim;
        if (!done) continue;
        const shown = id === null || isListed(id) ? undefined : await orGone(world.client.get(operations.getExam, { params: { id } }));
        if (id !== null && shown) late.set(id, shown);
        if (id !== null && (shown || isListed(id))) last.set(key, Math.max(last.get(key) ?? 0, claim.number));
        else stale.push(claim);
      }
    }
    const number = (last.get(key) ?? 0) + 1;
    last.set(key, number);
    steps.push(number === 1 ? step : { ...step, number });
  }
  return { late: [...late.values()], steps, open, stale };
}

/** Why an exam is not created: a run has sent the same, and nobody knows its outcome. */
export function examSent(run: string): CliError {
  return new CliError('outcome_unknown', sentence`Run ${run} has sent a request to create the same exam, and its outcome is unknown.`, {
    hint: sentence`The request is not sent again by itself. If the exam does not exist, first send the request again, then repeat this command. To send it: proctor-cli ${typedCommand('runs resume', [run])}`,
  });
}

/** What a plan gives to the exam that it creates, and another one lacks. `list`: the command that shows it. */
async function missingIn(world: World, { steps }: Plan, id: string): Promise<{ what: Sentence; list: string } | undefined> {
  const emails: string[] = [];
  for (const [, step] of eachStep(steps, 1)) {
    if (step.operation.id === operations.addProctors.id) {
      const lacking = await poolLacks(step, { id }, world.client);
      if (lacking.length > 0) return { what: sentence`proctors ${lacking.join(', ')}`, list: 'proctors list' };
    }
    if (createsStudent(step) && step.email !== undefined) emails.push(step.email);
  }
  if (emails.length === 0) return undefined;
  const reading = await readExam(world.client, world.host, id);
  const lacking = emails.filter((email) => reading.withAddress(email).length === 0);
  return lacking.length === 0 ? undefined : { what: sentence`${lacking.length} of the ${students(emails.length)}`, list: 'sessions list' };
}

/** An exam that a run from here has created and that a late list does not show yet. */
async function claimedExam(world: World, step: Step, claims: readonly Claim[]): Promise<JsonObject | undefined> {
  for (const { session: id } of claims) {
    if (id === null) continue;
    const shown = await orGone(world.client.get(operations.getExam, { params: { id } }));
    if (shown && isAlike(world, step, shown)) return shown;
  }
  return undefined;
}

/** Asks on a terminal; throws `already_there` where nobody can be asked and no flag has said it. */
export async function consentTo(world: World, consent: boolean | undefined, what: string): Promise<void> {
  if (consent) return;
  const { globals, host } = world.context;
  if (!globals.yes && !globals.dryRun && canAsk(host, globals.noInput)) {
    if (await host.prompts.confirm(sentence`${what}. Create another one?`)) return;
    throw new CliError('interrupted', 'Cancelled.', { hint: 'Nothing was changed.' });
  }
  throw new CliError('already_there', sentence`${what}.`);
}
