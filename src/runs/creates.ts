/**
 * Look before creating: a student by address or number in a reading, and by what is recorded of them; an exam by name and start. What is
 * there already is a question on a terminal and an error in a script, unless a flag has said it. Called under the locks of what is
 * created, so that nobody who shares this record can create the same meanwhile.
 */
import { examOf } from '../api/client.ts';
import { ageOfMoment, momentOf } from '../api/known.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { addressKey } from '../model/address-key.ts';
import { students } from '../model/count.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { blockedBy } from './ended.ts';
import { compared } from './judge.ts';
import { lookForMails } from './mails.ts';
import { addressOf, type ListedSession, type Reading, readExam } from './reading.ts';
import type { Looked, Said } from './request.ts';
import { itemOf, studentOf } from './rows.ts';
import { type Running, readOne, type World } from './running.ts';
import { creates, kindOf, listedAs, type Plan, type Resource, type Step } from './step.ts';

/** For a plan whose first step creates an exam or a student, or whose steps mail. */
export async function lookFirst(world: World, plan: Plan, said: Said): Promise<Looked> {
  const [first] = plan.steps;
  const wasThere = new Set<string>();
  for (const { sessions } of plan.readings?.values() ?? []) for (const { id } of sessions) noteThere(wasThere, 'session', id);
  const kind = first && kindOf(first);
  if (kind === 'mails') return lookForMails(world, plan, said);
  if (first && kind === 'new exam') return lookForExam(world, { plan, step: first, said, wasThere });
  if (first && kind === 'student') return lookForStudent(world, { plan, step: first, said, wasThere });
  return { is: 'free', plan, wasThere };
}

function noteThere(wasThere: Set<string>, resource: Resource, id: string | undefined): void {
  if (id !== undefined) wasThere.add(listedAs(resource, id));
}

/** The session of a student in an exam: as it is listed, or a recorded one that the list shows as it was stored, or not at all. */
export async function sessionOf(world: World, reading: Reading, step: Pick<Step, 'email' | 'number'>): Promise<ListedSession | undefined> {
  const [listed] = reading.of(step);
  if (listed) return listed;
  const student = studentOf(step, world.record);
  const of = { exams: [reading.exam], states: ['done', 'failed'] };
  const found = student === null ? [] : await world.record.find(world.origin, { ...of, student });
  for (const { id, stored, step: by } of found.map(itemOf)) {
    if (id === undefined || creates(by) !== 'session') continue;
    const isTheirs = (shown: string | undefined) =>
      shown === undefined || [step.email, stored].some((known) => known !== undefined && addressKey(known) === addressKey(shown));
    const known = reading.withId(id);
    if (known && isTheirs(known.email)) return known;
    const data = known ? undefined : (await readOne(world, 'session', id))?.data;
    const exam = data && (examOf(data, world.client) ?? reading.exam);
    if (data && isTheirs(addressOf(data)) && exam === reading.exam) return { id, email: addressOf(data), data };
  }
  return undefined;
}

/** Who or what is there by now, where the reading that a create rests on is so old that somebody else may have come. */
export async function cameMeanwhile(running: Running, step: Step): Promise<CliError | undefined> {
  const { readAt, settleTime, host, client, wasThere } = running;
  if (ageOfMoment(readAt, host) <= settleTime) return undefined;
  running.readAt = momentOf(host);
  const resource = creates(step) ?? 'exam';
  const session = async (exam: string) => [(await sessionOf(running, await readExam(client, exam), step))?.data ?? {}];
  const alike = async () => (await client.list(operations.listExams, {})).filter((exam) => isSameExam(running, step, exam));
  const found = await (resource === 'session' ? session(step.exam ?? '') : alike());
  const id = found.map(idOf).find((each) => each !== undefined && !wasThere.has(listedAs(resource, each)));
  return id === undefined ? undefined : new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`);
}

type Looking = { plan: Plan; step: Step; said: Said; wasThere: Set<string> };

async function lookForStudent(world: World, { plan, step, said, wasThere }: Looking): Promise<Looked> {
  const exam = step.exam ?? '';
  await refuseUnknown(world, step, 'student');
  const reading = plan.readings?.get(exam) ?? (await readExam(world.client, exam));
  for (const { id } of reading.sessions) noteThere(wasThere, 'session', id);
  // A list that is late leaves out whom another run has created: this ID is theirs, whatever a later answer names.
  const recorded = await world.record.find(world.origin, { exams: [exam], ops: studentCreates });
  for (const { session } of recorded) noteThere(wasThere, 'session', session ?? undefined);
  const free: Looked = { is: 'free', plan: { ...plan, readings: new Map([[exam, reading]]) }, wasThere };
  const there = await sessionOf(world, reading, step);
  if (there) {
    const what = sentence`${step.email ?? step.number ?? ''} is in exam ${exam} already, as session ${there.id ?? ''}`;
    return decided(world, { step, said, what, shown: there.data, resource: 'session' }, free);
  }
  const hidden = reading.hiding(step);
  if (hidden.length === 0 || said.consents.allowDuplicate) return free;
  throw new CliError(
    'invalid_input',
    sentence`The list of exam ${exam} shows no ${step.email === undefined ? 'number' : 'address'} of ${students(hidden.length)}, so it is unknown whether the student is there already. Nothing was sent.`,
    { hint: 'Check the exam. To create the student all the same: --allow-duplicate' },
  );
}

async function lookForExam(world: World, { plan, step, said, wasThere }: Looking): Promise<Looked> {
  const { client, zone, record, origin } = world;
  await refuseUnknown(world, step, 'exam');
  const exams = await client.list(operations.listExams, {});
  for (const exam of exams) noteThere(wasThere, 'exam', idOf(exam));
  const isAlike = (exam: JsonObject) => isSameExam(world, step, exam);
  const listed = exams.find(isAlike);
  const recorded = listed ? [] : (await record.find(origin, { ops: [operations.createExam.id], states: ['done'] })).map(itemOf);
  const unlisted = recorded.find(({ id, step: { body = {} } }) => id !== undefined && !wasThere.has(listedAs('exam', id)) && isAlike(body));
  for (const { id } of recorded) noteThere(wasThere, 'exam', id);
  const shown = listed ?? (unlisted?.id === undefined ? undefined : (await readOne(world, 'exam', unlisted.id))?.data);
  const free: Looked = { is: 'free', plan, wasThere };
  if (!shown) return free;
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = step.body ?? {};
  const which = name === null ? 'An exam' : `An exam ${String(name)}`;
  const what = sentence`${which} that starts at ${showTime(String(start), zone)} is there already, as exam ${idOf(shown) ?? ''}`;
  return decided(world, { step, said, what, shown, resource: 'exam' }, free);
}

/** Whether an exam has the name and the start that a step gives to a new one. */
export function isSameExam({ client }: World, { body = {} }: Step, exam: JsonObject): boolean {
  const { [client.dialect.examNameKey]: name = null, start_time: start = null } = body;
  const at = instantOf(exam.start_time);
  return (exam[client.dialect.examNameKey] ?? null) === name && at !== undefined && at === instantOf(start);
}

/** A request to create the same whose outcome is unknown stays the answer until its run is closed. Throws `outcome_unknown`. */
async function refuseUnknown(world: World, step: Step, noun: 'student' | 'exam'): Promise<void> {
  const { record, origin } = world;
  const student = studentOf(step, record);
  if (noun === 'student' && student === null) return;
  const about = student === null ? { ops: [operations.createExam.id] } : { exams: [step.exam ?? ''], student };
  const rows = await record.find(origin, { ...about, states: ['sending', 'unknown'] });
  const open = rows.find((row) => {
    const { step: other } = itemOf(row);
    return creates(other) !== undefined && (noun === 'student' || isSameExam(world, step, other.body ?? {}));
  });
  if (!open) return;
  const what = sentence`Run ${open.run} has sent a request to create the same ${noun}, and its outcome is unknown.`;
  throw blockedBy(open.run, 'outcome_unknown', what);
}

type Existing = { step: Step; said: Said; what: Sentence; shown: JsonObject; resource: Resource };

/** Of what is there already, a flag or a person decides. Throws `different`, `already_there`. */
async function decided(world: World, { step, said, what, shown, resource }: Existing, free: Looked): Promise<Looked> {
  const { context, zone } = world;
  const { consents, agreed } = said;
  const id = idOf(shown) ?? '';
  const hint = sentence`Nothing was sent. Look at it: proctor-cli ${typedCommand(`${resource}s get`, [id])}`;
  if (consents.ifNotExists) {
    // It was found by its address, in whatever spelling the service has stored that.
    const { email: _address, ...values } = step.body ?? {};
    const isWhole = Object.keys(values).every((field) => Object.hasOwn(shown, field));
    const { data } = isWhole ? { data: shown } : ((await readOne(world, resource, id)) ?? { data: shown });
    const { different } = compared(step, values, data, zone);
    if (different.length === 0) return { is: 'there', resource, shown: data };
    throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, { hint });
  }
  const key = `there ${listedAs(resource, id)}`;
  if (consents.allowDuplicate || agreed.has(key)) return free;
  const { globals, host } = context;
  if (!globals.yes && !globals.dryRun && canAsk(host, globals.noInput))
    return { is: 'ask', question: { key, words: sentence`${what}. Create another one?` } };
  // `api` has no flags for it.
  throw new CliError('already_there', sentence`${what}.`, step.raw ? { hint } : {});
}
