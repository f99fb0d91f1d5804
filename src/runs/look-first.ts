/**
 * Look before creating: a student by address in a reading, an exam by name and start, mails by the students' states and the finished
 * runs of mails. What is there already is a question on a terminal and an error in a script, unless a flag has said it.
 */

import { asSent } from '../api/as-sent.ts';
import { examOf, idOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, orGone } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count, students } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { statusOf } from '../model/status.ts';
import { instantOf, showTime } from '../model/time.ts';
import type { Claim, ClaimName } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { claimsOf, studentScope } from './claims.ts';
import { type Reading, readExam } from './reading.ts';
import { otherStudent } from './relies.ts';
import { createsExam, createsStudent, eachStep, examOfStep, listedAs, type Plan, type Step, withFirst } from './step.ts';
import type { World } from './world.ts';

/** What flags have said of what is there already. */
export type Consents = {
  allowDuplicate?: boolean | undefined;
  ifNotExists?: boolean | undefined;
  resend?: boolean | undefined;
  unlessMailed?: boolean | undefined;
};

/** `there`: it is there already, and that is a success. `stale`: claims of what provably is not there any more. */
export type Looked =
  | { is: 'free'; plan: Plan; listed: readonly string[]; stale: readonly ClaimName[] }
  | { is: 'there'; resource: 'exam' | 'session'; shown: JsonObject }
  | { is: 'mailed'; why: string };

/** For a plan whose first step creates an exam, or whose only one creates or mails; who is there already was decided where others were computed. */
export async function lookFirst(world: World, plan: Plan, consents: Consents): Promise<Looked> {
  if (plan.looked) return { is: 'free', plan, listed: [], stale: plan.stale ?? [] };
  const first = plan.steps.at(0);
  const step = plan.steps.length === 1 ? first : undefined;
  // A request of `api` is looked at only where a run from here has claimed the same student.
  if (first?.raw && !(createsStudent(first) && (await claimsFor(world, first, examOfStep(first))).length > 0))
    return { is: 'free', plan, listed: [], stale: [] };
  if (first && createsExam(first)) return lookForExam(world, plan, first, consents);
  if (step && createsStudent(step)) return lookForStudent(world, plan, step, consents);
  if (step && step.operation.id === operations.sendEmails.id) return lookForMails(world, plan, step, consents);
  return { is: 'free', plan, listed: [], stale: await staleClaims(world, plan) };
}

/**
 * Claims of students whom a plan creates and who are provably not there any more, because somebody else has deleted them. Throws
 * `bad_answer` for a list that lacks one who is there.
 */
async function staleClaims(world: World, { steps, readings = new Map() }: Plan): Promise<ClaimName[]> {
  const { state, origin, client } = world;
  const stale: ClaimName[] = [];
  for (const [exam, reading] of readings) {
    const all = await state.claims(origin, studentScope(exam));
    const unlisted = all.filter(({ done, session }) => done && session !== null && !reading.withId(session));
    if (unlisted.length === 0) continue;
    const emails = new Map<string, string>();
    for (const [, step] of eachStep(steps))
      if (createsStudent(step) && step.email !== undefined && examOfStep(step) === exam)
        emails.set(state.studentKey(step.email), step.email);
    let second: Reading | undefined;
    for (const { session, shownKey, ...claim } of unlisted) {
      const email = emails.get(claim.key);
      if (email === undefined || session === null) continue;
      const shown = await orGone(client.get(operations.getSession, { params: { id: session } }));
      const isStudent = shown && otherStudent({ email }, shown, world, { shownKey: shownKey ?? undefined }) === undefined;
      if (isStudent && (examOf(shown, client) ?? exam) === exam) throw incompleteListing(exam, session);
      second ??= await readExam(client, world.host, exam);
      if (second.withAddress(email).length === 0) stale.push(claim);
    }
  }
  return stale;
}

export function incompleteListing(exam: string, session: string): CliError {
  return new CliError(
    'bad_answer',
    sentence`The listing of exam ${exam} is incomplete: it lacks session ${session}, which the service shows by its ID.`,
    {
      hint: 'Check the paging of the service with: proctor-cli doctor',
    },
  );
}

async function lookForStudent(world: World, plan: Plan, step: Step, consents: Consents): Promise<Looked> {
  const exam = examOfStep(step) ?? '';
  const reading = plan.readings?.get(exam) ?? (await readExam(world.client, world.host, exam, world.keep));
  const withReading = (steps: Plan['steps']): Looked => ({
    is: 'free',
    plan: { ...plan, steps, readings: new Map([[exam, reading]]) },
    listed: [...reading.sessions].flatMap(({ id }) => id ?? []),
    stale: [],
  });
  if (step.email === undefined) return withReading([{ ...step, exam }]);
  const { email } = step;
  const alike = reading.withAddress(email);
  const claims = await claimsFor(world, step, exam);
  const claimed = await claimedStudent(world, { reading, email, exam }, claims);
  const [before] = alike;
  const shown = before?.data ?? claimed.shown;
  if (!shown) {
    refuseHidden(reading, exam, consents);
    const free = withReading([{ ...step, exam }]);
    return free.is === 'free' ? { ...free, stale: claimed.stale } : free;
  }
  const id = idOf(shown, world.client) ?? '';
  const { different } = asSent('session', step.body ?? {}, shown, world.zone);
  if (consents.ifNotExists) {
    if (different.length === 0) return { is: 'there', resource: 'session', shown };
    throw new CliError(
      'different',
      sentence`${email} is in exam ${exam} already (session ${id}), and differs from what was given: ${different.join('; ')}.`,
      {
        hint: sentence`Nothing was sent. To change it: proctor-cli ${typedCommand('sessions update', [id])}`,
      },
    );
  }
  const number = 1 + Math.max(alike.length, 1, ...claims.map((claim) => claim.number));
  await consentTo(world, consents.allowDuplicate, sentence`${email} is in exam ${exam} already, as session ${id}`);
  return withReading([{ ...step, exam, number }]);
}

/** A list that shows no address, or hides some, cannot tell whether the student is there. */
export function refuseHidden(reading: Reading, exam: string, { allowDuplicate }: Consents): void {
  if (allowDuplicate || reading.showsAddresses || reading.sessions.length === 0) return;
  throw new CliError(
    'invalid_input',
    sentence`The list of exam ${exam} shows no address of ${students(reading.sessions.length)}, so nobody can tell whether the student is there already. Nothing was sent.`,
    {
      hint: 'Check the exam. To create the student all the same: --allow-duplicate',
    },
  );
}

function claimsFor(world: World, step: Step, exam: string | undefined): Promise<Claim[]> {
  const [name] = claimsOf(step, exam, world);
  return name === undefined
    ? Promise.resolve([])
    : world.state.claims(world.origin, name.scope).then((all) => all.filter(({ key }) => key === name.key));
}

type Sought = { reading: Reading; email: string; exam: string };

/** What the claims of other runs say of a student whom a reading does not show. */
async function claimedStudent(
  world: World,
  { reading, email, exam }: Sought,
  claims: readonly Claim[],
): Promise<{ shown: JsonObject | undefined; stale: ClaimName[] }> {
  const stale: ClaimName[] = [];
  for (const claim of claims) {
    const { session, shownKey, run } = claim;
    if (!claim.done || session === null) {
      throw new CliError('already_running', sentence`Run ${run} has sent the same student, and its outcome is open.`, {
        hint: sentence`Nothing was sent. Settle it first: proctor-cli ${typedCommand('runs resume', [run])}`,
      });
    }
    const listed = reading.withId(session);
    if (listed) return { shown: listed.data, stale };
    const shown = await orGone(world.client.get(operations.getSession, { params: { id: session } }));
    const isStudent = shown && otherStudent({ email }, shown, world, { shownKey: shownKey ?? undefined }) === undefined;
    if (shown && isStudent && (examOf(shown, world.client) ?? exam) === exam) return { shown, stale };
    stale.push(claim);
  }
  if (stale.length > 0 && (await readExam(world.client, world.host, exam, world.keep)).withAddress(email).length > 0)
    return { shown: undefined, stale: [] };
  return { shown: undefined, stale };
}

/** The exams, and those of the name and start that a step creates. */
export async function examsLike(
  { client }: Pick<World, 'client'>,
  { body = {} }: Step,
): Promise<{ exams: readonly JsonObject[]; alike: readonly JsonObject[] }> {
  const exams = await client.all(operations.listExams, {});
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  const alike = exams.filter(
    (exam) =>
      (exam[client.dialect.examNameKey] ?? null) === name &&
      instantOf(exam.start_time) !== undefined &&
      instantOf(exam.start_time) === instantOf(start),
  );
  return { exams, alike };
}

export function thereAlready({ client, zone }: Pick<World, 'client' | 'zone'>, { body = {} }: Step, id: string): Sentence {
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  return sentence`${name === null ? 'An exam' : `An exam ${String(name)}`} that starts at ${showTime(String(start), zone)} is there already, as exam ${id}`;
}

async function lookForExam(world: World, plan: Plan, step: Step, consents: Consents): Promise<Looked> {
  const { client, zone } = world;
  const { exams, alike } = await examsLike(world, step);
  const listed = exams.flatMap((exam) => idOf(exam, client) ?? []).map((id) => listedAs('exam', id));
  const claims = await claimsFor(world, step, undefined);
  const open = claims.find(({ done }) => !done);
  if (open)
    throw new CliError('already_running', sentence`Run ${open.run} has sent the same exam, and its outcome is open.`, {
      hint: sentence`Nothing was sent. Settle it first: proctor-cli ${typedCommand('runs resume', [open.run])}`,
    });
  const [before] = alike;
  if (!before) return { is: 'free', plan, listed, stale: claims };
  const id = idOf(before, client) ?? '';
  const what = thereAlready(world, step, id);
  const { different } = asSent('exam', step.body ?? {}, before, zone);
  if (consents.ifNotExists) {
    if (different.length === 0) return { is: 'there', resource: 'exam', shown: before };
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

async function lookForMails(world: World, plan: Plan, step: Step, { resend, unlessMailed }: Consents): Promise<Looked> {
  const exam = examOfStep(step) ?? '';
  const reading = plan.readings?.get(exam) ?? (await readExam(world.client, world.host, exam, world.keep));
  const free: Looked = { is: 'free', plan: { ...plan, readings: new Map([[exam, reading]]) }, listed: [], stale: [] };
  const all = reading.sessions.length;
  const mailed = reading.sessions.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
  const earlier = await mailedBefore(world, exam);
  if (resend || (mailed === 0 && earlier === undefined)) return free;
  if (mailed > 0 && mailed < all) {
    throw new CliError(
      'partly_mailed',
      sentence`${mailed} of the ${students(all)} of exam ${exam} have been mailed already, ${all - mailed} have not.`,
    );
  }
  const why =
    mailed === all && all > 0
      ? `all ${students(all)} of exam ${exam} have been mailed already`
      : `run ${earlier} has mailed the students of exam ${exam}`;
  if (unlessMailed) return { is: 'mailed', why };
  const { globals, host } = world.context;
  if (!globals.yes && canAsk(host, globals.noInput) && !globals.dryRun) {
    if (
      await host.prompts.confirm(
        sentence`${why.charAt(0).toUpperCase()}${why.slice(1)}. Mail ${all === 1 ? 'the student' : `all ${count(all, 'student')}`} again?`,
      )
    )
      return free;
    throw new CliError('interrupted', 'Cancelled.', { hint: 'Nothing was changed.' });
  }
  throw new CliError('already_mailed', sentence`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
}

/** The run of mails that was done for an exam from here. */
async function mailedBefore({ state, origin }: World, exam: string): Promise<string | undefined> {
  for (const run of await state.runs()) {
    if (run.origin !== origin || run.kind !== 'exams send-emails') continue;
    const [step] = await state.steps(run.id);
    if (step?.target !== exam) continue;
    if ((await state.events(run.id)).some(({ event }) => event === 'done')) return run.id;
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
