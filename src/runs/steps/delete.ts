/** An exam or a session is deleted; of a student who lives on elsewhere only beside what is seen there. */
import type { Moment, Shown } from '../../api/known.ts';
import { otherExam } from '../../api/reading.ts';
import { CliError, orElse } from '../../errors.ts';
import { differences, unexpected } from '../../model/compare.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import { addressIn, otherStudent } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { showTime } from '../../model/time.ts';
import { count, firstInLine, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import type { Engine } from '../engine.ts';
import type { Change, Execution } from '../execution.ts';
import { gone, type Inverse, isOwn, stays, type Undoing, whyNotOurs } from '../undoing.ts';
import { addStudent, copyOf, createSession, movedWithExam } from './create-session.ts';
import { judgeTwice } from './creation.ts';
import { isFinal, type Loss, nameOfTarget, notApplied, type Observation, type StepRules, shownDone, type VerdictOptions } from './rules.ts';
import { bodyOf, type CreateSession, copyIn, type Delete, StepList, stepsOf } from './step.ts';
import { changedMeanwhile, ofTarget, otherExamOrStudent, sessionAndExam, targetGone } from './target.ts';

export const deletion: StepRules<Delete> = {
  ...ofTarget,
  locks: ({ exam, survivor }) => (survivor?.origin && typeof exam === 'string' ? [`students ${exam}`] : []),
  mayTake: () => true,
  losses,
  precheck,
  verdict,
  finalChecks,
  isReversible: false,
  inverse,
};

async function losses(engine: Engine, execution: Execution<Delete>, listed: JsonObject | undefined): Promise<Loss[]> {
  const { step, id } = execution;
  if (step.resource === 'exam') return [{ exam: id, why: 'take it from its students' }];
  const found = await sessionAndExam(engine, execution, listed);
  return found ? [{ exam: found.exam, why: 'take the exam from a student', session: found.session }] : [];
}

/** Its own GET, made right before, has to show all that was read for the plan. A list proves nothing here, nor does a shared read. */
async function precheck(run: ActiveRun, execution: Execution<Delete>): Promise<Moment | Change> {
  const { reads, zone } = run.engine;
  const { step } = execution;
  const { resource, id, requires } = step;
  const staying = step.survivor && (await findSurvivor(run, execution));
  if (staying && 'is' in staying) return staying;
  const shown = await reads.record(resource, id);
  if (!shown) return targetGone(run, execution);
  const { data, at } = shown;
  const why = otherExamOrStudent(run, execution, data) ?? unexpected(resource, requires.target, data, zone);
  if (why !== undefined) return changedMeanwhile(resource, id, why);
  const added = resource === 'exam' ? await addedTo(run, step) : undefined;
  if (added !== undefined) return changedMeanwhile(resource, id, added);
  return staying && staying.at.wall < at.wall ? staying.at : at;
}

/** The students, in words, who have come into an exam since its deletion was planned. */
async function addedTo({ engine }: ActiveRun, { id, students }: Delete): Promise<string | undefined> {
  const { all: sessions } = await engine.reads.list(id);
  const added = sessions.filter((session) => session.id === undefined || !students.includes(session.id));
  const who = firstInLine(added, ({ id, email }) => email ?? id ?? '', 5);
  return added.length === 0 ? undefined : `it has ${count(added.length, 'new student')} (${who})`;
}

/** The session by which a student stays. A copy has to show all that was carried over. */
async function findSurvivor(run: ActiveRun, execution: Execution<Delete>): Promise<Shown | Change> {
  const { client, zone, reads } = run.engine;
  const { sessions, exam, email, shows } = survivorOf(run, execution);
  const why = (data: JsonObject) => {
    const other = otherExam(exam, data, client) ?? otherStudent(email, data);
    if (other !== undefined || !shows) return other;
    const { different, notShown } = differences('session', shows, data, zone);
    if (addressIn(data) === undefined && email !== undefined) notShown.push('email');
    return [...different, ...notShown.map((field) => `${field} is not shown`)].join('; ') || undefined;
  };
  const all = await client.pacer.map(sessions, (id) => reads.record('session', id));
  const found = all.find((each) => each && why(each.data) === undefined);
  if (found) return found;
  const [[id = ''], [first]] = [sessions, all];
  return changedMeanwhile('session', id, (first && why(first.data)) ?? 'it is no longer there');
}

function isOfStudent(execution: Execution): execution is Execution<CreateSession> {
  return execution.step.kind === 'create session';
}

/** Other sessions of the student, or else the copy that is made in the place of this one. */
function survivorOf(run: ActiveRun, { step, exam }: Execution<Delete>) {
  const { survivor, student } = step;
  if (survivor && 'sessions' in survivor) return { email: student.email, ...survivor, exam: survivor.exam ?? exam };
  const copying = run.of(copyIn(step));
  const creator = copying.find(isOfStudent);
  const { email: _, ...shows } = Object.assign({}, ...copying.map((each) => bodyOf(each.step))) as JsonObject;
  const email = creator?.storedAs ?? creator?.step.student.email;
  return { sessions: [creator?.id ?? ''], exam: creator?.exam, email, shows };
}

function verdict(execution: Execution<Delete>, observation: Observation, options: VerdictOptions): Change | undefined {
  const { step, code, error } = execution;
  const isDeleted = () => shownDone(execution, { owned: true }, sentence`${nameOfTarget(execution)} no longer exists`);
  if (observation.is === 'not there') return code === '404' ? { is: 'gone', error } : isDeleted();
  if (observation.is !== 'shown') return undefined;
  const { data: shown } = observation;
  // The ID of a session that is gone may be another student's by now.
  if (step.resource === 'session' && otherStudent(step.student.email, shown) !== undefined) return isDeleted();
  const stillThere = sentence`${nameOfTarget(execution)} still exists.`;
  return isFinal(execution, options) ? { ...notApplied(execution, stillThere), facts: { shown } } : undefined;
}

/** Checks that students who stay by another session still have it, and that nobody changed an exam while it was deleted. */
function finalChecks(run: ActiveRun, executions: readonly Execution<Delete>[]) {
  const done = executions.filter(({ state, sentByThisProcess }) => state === 'done' && sentByThisProcess);
  const staying = done.filter(({ step }) => step.survivor).map((execution) => ({ step: execution.step, ...survivorOf(run, execution) }));
  const byExam = Map.groupBy(staying, ({ exam = '' }) => exam);
  const ofStudents = [...byExam].map(([exam, of]) => ({ exam, check: () => findLost(run, exam, of) }));
  const ofExams = done.filter(({ step }) => step.resource === 'exam');
  return [...ofStudents, ...ofExams.map(({ step }) => ({ exam: step.id, check: () => findTaken(run, step) }))];
}

async function findTaken(run: ActiveRun, step: Delete): Promise<void> {
  const added = await orElse(addedTo(run, step), () => undefined);
  if (added === undefined) return;
  throw new CliError('partly_done', sentence`Exam ${step.id} was deleted while somebody changed it: ${added}.`);
}

type Staying = { step: Delete } & ReturnType<typeof survivorOf>;

/** Somebody else may have deleted the other session, or added one. */
async function findLost(run: ActiveRun, exam: string, of: readonly Staying[]): Promise<void> {
  const { client, reads, zone } = run.engine;
  const shownBefore = new Map(of.map((each) => [each, client.known.shown('session', each.sessions[0] ?? '')?.data]));
  const reading = await reads.list(exam);
  judgeTwice(run, reading);
  const isThere = async (id: string) => !!(reading.withId(id) ?? (await reads.record('session', id)));
  const isTwice = ({ step, email }: Staying) => step.survivor?.origin !== undefined && reading.of({ ...step.student, email }).length > 1;
  const isLost = async (each: Staying) => isTwice(each) || !(await Promise.all(each.sessions.map(isThere))).includes(true);
  const seen = await client.pacer.map(of, isLost);
  const lost = of.filter((_, at) => seen[at]);
  const [first] = lost;
  if (!first) return;
  const { email, shows = copyOf(shownBefore.get(first) ?? {}, client.dialect).fields } = first;
  const { open_time, ...values } = shows;
  const who = firstInLine(lost, ({ step: { student } }) => student.email ?? student.number ?? '', 5);
  const fields = Object.entries(values).map(([field, value]) =>
    typedOption(typeof value === 'string' ? '-f' : '-F', `${field}=${textOfJson(value)}`),
  );
  const address = email === undefined ? '' : typedOption('--email', email);
  const create = typedCommand('sessions create', [], typedOption('--exam', exam), address, ...fields);
  const opens = open_time === undefined ? '' : sentence`The first could start from ${showTime(open_time, zone)}. `;
  const hint = isTwice(first)
    ? sentence`To put the students of this run back: proctor-cli runs undo ${run.id}`
    : sentence`${opens}Register each student again: proctor-cli ${create}`;
  const what = sentence`Exam ${exam} no longer shows ${who} exactly once: somebody else has changed it.`;
  throw new CliError('partly_done', what, { hint });
}

/** Puts the student of a moved session back, while the new session stands and can be deleted. */
async function inverse(undoing: Undoing, { step, exam = '' }: Execution<Delete>): Promise<Inverse> {
  const { survivor, student } = step;
  if (!survivor?.origin) return stays`a deletion cannot be taken back`;
  const { reads, zone } = undoing.engine;
  const creator = undoing.of(copyIn(step)).find(isOfStudent);
  if (!creator) return stays`the session in its place is not known`;
  const check = isOwn(creator) ? await createSession.inverse(undoing, creator) : whyNotOurs(creator);
  if (!check) return stays`the session in its place is not known`;
  if ('why' in check) return { ...check, why: sentence`session ${creator.id ?? ''}: ${check.why}` };
  const existing = await undoing.existing(exam);
  if (!existing) return stays`the students of exam ${exam} cannot be read`;
  const now = (await reads.record('exam', exam))?.data ?? {};
  const origin = movedWithExam(survivor.origin, now, undoing.engine);
  const there = await existing.find(student);
  const unknown = existing.unknown(student);
  if (unknown !== undefined) return stays`run ${unknown} may have created the student again`;
  if (!there && existing.reading.hiding(student).length > 0) return stays`the list of exam ${exam} does not show who is in it`;
  if (!there?.id) {
    const steps = new StepList();
    addStudent(steps, origin, { exam, examShows: origin.examShows });
    return steps.all;
  }
  const { id } = there;
  if (existing.reading.of(student).length > 1) return stays`the student is in exam ${exam} more than once`;
  const shown = (await reads.record('session', id))?.data ?? there.data;
  const lacks = (fields: JsonObject) => differences('session', fields, shown, zone).different.length > 0;
  const { open_time, ...values } = origin.fields;
  undoing.survivors.set(creator.step.number, { exam, sessions: [id], shows: origin.fields });
  const again = sentence`the student is in exam ${exam} again, as session ${id}`;
  if (lacks(values) || existing.otherStudent(student, there) !== undefined) return stays`${again}, with other values`;
  if (open_time === undefined || !lacks({ open_time })) return gone`${again}`;
  // An undo that was stopped has left the open time to set.
  const requires = { target: {}, exam: origin.examShows, notIn: [] };
  const body = { open_time };
  const previous = { open_time: null };
  return stepsOf([{ kind: 'update', resource: 'session', id, exam, method: 'PATCH', student, body, requires, previous }]);
}
