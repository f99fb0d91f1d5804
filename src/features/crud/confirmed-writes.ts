/**
 * What reads each target first: deletions and mails for their question, and updates of sessions. The request is sent only while the target
 * is as it was shown.
 */

import { type Client, examOf } from '../../api/client.ts';
import { type Operation, operations, requestFor } from '../../api/operations.ts';
import { readExam, readRecord } from '../../api/reading.ts';
import type { Body, Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { replacedBy, shownOf } from '../../model/compare.ts';
import { examInWords, sessionInWords } from '../../model/describe.ts';
import { setsTimes, settable, timeFields } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressIn, addressless, mailsOf, numberIn, type Reading } from '../../model/listing.ts';
import { phaseOf } from '../../model/status.ts';
import {
  type Consents,
  deletionOf,
  type Engine,
  type Execution,
  executePlan,
  locksOf,
  nobody,
  nothingRequired,
  type Plan,
  type Step,
  type StepDraft,
  type Student,
  stepsOf,
  targetOf,
} from '../../runs/index.ts';
import { firstLines, type Sentence, sentence, students } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, ofExams, typedSelection } from '../exam-selection.ts';
import { declaredFields } from '../exam-students.ts';
import { severalResult, timeRows } from './results.ts';

type ConfirmedStep = { step: StepDraft; reading?: Reading };
type ConfirmedWrite = {
  operation: Operation;
  read(engine: Engine, id: string): Promise<ConfirmedStep>;
  question(context: Context, plan: Plan): Promise<Sentence | undefined> | Sentence | undefined;
};

const missing = (id: string) => sentence`${id} (missing)`;

const isFound = (step: Step) => step.label !== missing(String(targetOf(step)));

const ofExamDeletion: ConfirmedWrite = {
  operation: operations.deleteExam,
  read: examDeletion,
  question(_, { steps }) {
    const [first, ...others] = steps.filter(isFound);
    return first && sentence`Delete ${others.length > 0 ? `${others.length + 1} exams` : first.label}`;
  },
};

const ofSessionDeletion: ConfirmedWrite = {
  operation: operations.deleteSession,
  read: sessionDeletion,
  async question(context, { steps: all }) {
    const steps = all.filter(isFound);
    if (steps.length === 0) return undefined;
    const exams = steps.flatMap(({ exam }) => (typeof exam === 'string' ? exam : []));
    const of = await ofExams(await context.client(), exams, context.zone());
    const which = steps.length > 1 ? sentence`${steps.length} student sessions` : sentence`student session ${steps[0]?.label}`;
    return sentence`Delete ${which}${of}`;
  },
};

const ofMails: ConfirmedWrite = {
  operation: operations.sendEmails,
  read: async (engine, id) => mailing(engine, id, await readRecord(engine.client, 'exam', id)),
  question(_, { steps, readings }) {
    if (steps.length === 1) return sentence`Send the exam mails of ${steps[0]?.label}`;
    const all = steps.reduce((sum, { exam }) => sum + mailsOf(readings?.get(String(exam))?.all ?? []).all, 0);
    return sentence`Send the exam mails of ${steps.length} exams to ${students(all)}`;
  },
};

export const askings: readonly ConfirmedWrite[] = [ofExamDeletion, ofSessionDeletion, ofMails];

function tellEach({ globals, say }: Context, verb: string, { steps }: Plan): void {
  if (steps.length === 1 || globals.yes) return;
  for (const line of firstLines(steps, ({ label = '' }) => sentence`Will ${verb}: ${label}`)) say(line);
}

export function askedPlan(all: readonly ConfirmedStep[]): Plan {
  const readings = all.flatMap(({ reading }) => reading ?? []);
  return {
    steps: stepsOf(all.map(({ step }) => step)),
    readings: new Map(readings.map((reading) => [reading.exam, reading])),
  };
}

export function deleteEach(context: Context, operation: Operation, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  const resource = operation === operations.deleteExam ? 'exam' : 'session';
  const { read, question } = resource === 'exam' ? ofExamDeletion : ofSessionDeletion;
  return executePlan(context, {
    kind: `${resource}s delete`,
    identity: ids.toSorted(),
    needsYes: true,
    locks: () => [],
    async plan(engine) {
      // A mistaken ID is refused before anything is read.
      for (const id of ids) requestFor(operation, { params: { id } });
      const readOrMissing = async (id: string): Promise<ConfirmedStep> => {
        const step = { ...deletionOf(resource, id), label: missing(id) };
        return (await orGone(read(engine, id))) ?? { step };
      };
      const act = ids.length === 1 ? (id: string) => read(engine, id) : readOrMissing;
      return askedPlan(await engine.client.pacer.map(ids, act));
    },
    tell: (plan) => tellEach(context, 'delete', plan),
    question: (plan) => question(context, plan),
    typed({ steps }) {
      const [first, ...others] = steps.filter(isFound);
      if (resource === 'session' || !first) return undefined;
      return others.length === 0 ? String(targetOf(first)) : `delete ${others.length + 1} exams`;
    },
    result: (ended) => severalResult(context, ended, { did: 'deleted', resource }),
  });
}

/** If the number of its students, which the label has, differs later, the question is asked again. */
async function examDeletion({ client, zone, reads }: Engine, id: string): Promise<ConfirmedStep> {
  const exam = await readRecord(client, 'exam', id);
  const reading = await reads.list(id);
  const phases = reading.all.map(({ data }) => phaseOf(data.status) ?? 'waiting');
  const started = phases.filter((phase) => phase !== 'waiting').length;
  const so = started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`;
  const label = sentence`${examInWords(id, exam, client, zone)} with ${students(reading.all.length)}${so}`;
  const requires = { ...nothingRequired, target: replacedBy(settable('exam', client.dialect), exam) };
  const inIt = reading.all.flatMap((session) => session.id ?? []);
  return { step: { ...deletionOf('exam', id), exam: id, requires, students: inIt, label }, reading };
}

async function sessionDeletion({ client }: Engine, id: string): Promise<ConfirmedStep> {
  const shown = await readRecord(client, 'session', id);
  const requires = { ...nothingRequired, target: shownOf(declaredFields(client.dialect), shown) };
  const label = sessionInWords(id, shown, client);
  return { step: { ...deletionOf('session', id), ...ofSession(client, shown), requires, label } };
}

/** One request for each exam, never repeated. */
export function mailStudents(context: Context, selection: ExamSelection, consents: Consents): Promise<Result> {
  const exams = chosenExams(context, selection);
  return executePlan(context, {
    kind: 'exams send-emails',
    identity: typedSelection(selection),
    consents,
    needsYes: true,
    locks: async () => (await exams.ids()).map((id) => `students ${id}` as const),
    async plan(engine) {
      const all = await exams.read();
      return askedPlan(await engine.client.pacer.map(all, ({ id, shown }) => mailing(engine, id, shown)));
    },
    tell(plan) {
      if (plan.there?.is === 'mailed') for (const why of plan.there.why) context.say(sentence`Not mailed: ${why}`);
      tellEach(context, 'mail', plan);
    },
    question: (plan) => ofMails.question(context, plan),
    async result(ended, plan) {
      if (ended.there?.is === 'mailed' && ended.items.length === 0)
        for (const why of ended.there.why) context.say(sentence`Nothing was sent: ${why}`);
      const rowsOf = ({ state, exam = '' }: Execution) => {
        const { all, without } = mailsOf(plan?.readings?.get(exam)?.all ?? []);
        return [state === 'done' ? { reason: sentence`to ${students(all)}${addressless(without)}` } : {}];
      };
      return severalResult(context, ended, { did: 'sent', resource: 'exam', rowsOf });
    },
  });
}

async function mailing({ client, zone, reads }: Engine, id: string, shown: JsonObject): Promise<ConfirmedStep> {
  const reading = await reads.list(id);
  const { all, mailed, without } = mailsOf(reading.all);
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  const label = sentence`${examInWords(id, shown, client, zone)} to its ${students(all)}${again}${addressless(without)}`;
  return { step: { kind: 'send mails', exam: id, label }, reading };
}

function ofSession(client: Client, shown: JsonObject) {
  const number = numberIn(shown, client.dialect.sessionNumberKey);
  return { exam: examOf(shown, client), student: { email: addressIn(shown), number } };
}

/** An update or a deletion with the values that it replaces; of a session with exam and student. */
export async function withCurrentValues(client: Client, step: StepDraft): Promise<StepDraft> {
  if (!('resource' in step) || typeof step.id !== 'string') return step;
  const { resource, id } = step;
  const shown = await readRecord(client, resource, id);
  const ofTarget = resource === 'session' ? ofSession(client, shown) : {};
  if ('previous' in step) {
    // A time that is not shown is not set.
    const known = Object.keys(step.body).filter((field) => Object.hasOwn(shown, field) || timeFields.includes(field));
    return { ...step, ...ofTarget, previous: shownOf(known, shown) };
  }
  if (resource === 'session')
    return { ...step, ...ofTarget, requires: { ...nothingRequired, target: shownOf(declaredFields(client.dialect), shown) } };
  const { all: sessions } = await readExam(client, id);
  return { ...step, students: sessions.flatMap((session) => session.id ?? []) };
}

type SessionUpdates = Body & { ids: readonly string[]; put: boolean };

export function updateSessions(context: Context, { ids: given, body, typedTimes, put }: SessionUpdates): Promise<Result> {
  const ids = [...new Set(given)];
  const hasLocks = body.email !== undefined || setsTimes(body);
  const common = { kind: 'update', resource: 'session', exam: undefined, method: put ? 'PUT' : 'PATCH', body, previous: {} } as const;
  /** Whom an ID named when it was read first, before the locks were waited for. */
  const meant = new Map<string, Student>();
  const planOf = async ({ client }: Engine) => {
    const drafts = await client.pacer.map(ids, async (id) => {
      const unread: StepDraft = { ...common, id };
      const step = (await orGone(withCurrentValues(client, unread))) ?? unread;
      const { student = nobody } = step;
      if (!meant.has(id)) meant.set(id, student);
      return { step: { ...step, student: meant.get(id) ?? student } };
    });
    return askedPlan(drafts);
  };
  return executePlan(context, {
    kind: setsTimes(body) ? 'sessions times' : 'sessions update',
    identity: { sessions: ids.toSorted(), put, body: { ...body, ...typedTimes } },
    locks: async (engine) => (hasLocks ? locksOf((await planOf(engine)).steps) : []),
    plan: planOf,
    result(ended) {
      const ofTimes = setsTimes(body) ? { columns: context.columns, rowsOf: timeRows } : {};
      return severalResult(context, ended, { did: 'updated', resource: 'session', ...ofTimes });
    },
  });
}
