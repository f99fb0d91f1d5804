/**
 * What asks before it is sent: deletions and mails. Each target is read for the question, and its request is
 * sent only while it is as it was shown.
 */
import { type Client, examOf } from '../../api/client.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { readExam, readRecord } from '../../api/reading.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { firstLines, students } from '../../model/count.ts';
import { examInWords, sessionInWords } from '../../model/describe.ts';
import { examTimes } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn, type Reading } from '../../model/listing.ts';
import { addressless, mailsOf } from '../../model/mail-counts.ts';
import { phaseOf } from '../../model/status.ts';
import { type Consents, type Execution, executePlan, kindOf, type Plan, resourceOf, type Step, type World } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { declaredFields } from '../copy/copied.ts';
import { chosenExams, type ExamSelection, ofExams, typedSelection } from '../exam-selection.ts';
import { replacedBy, shownOf } from '../times/exam-change.ts';
import { severalResult } from './results.ts';

type Asked = { step: Step; reading?: Reading };
type Asking = {
  operation: Operation;
  read(world: World, id: string): Promise<Asked>;
  question(context: Context, plan: Plan): Promise<Sentence> | Sentence;
};

const ofExamDeletion: Asking = {
  operation: operations.deleteExam,
  read: examDeletion,
  question(_, { steps }) {
    return steps.length > 1 ? sentence`Delete ${steps.length} exams` : sentence`Delete ${steps[0]?.about}`;
  },
};

const ofSessionDeletion: Asking = {
  operation: operations.deleteSession,
  read: sessionDeletion,
  async question(context, { steps }) {
    const exams = steps.flatMap(({ exam }) => exam ?? []);
    const of = await ofExams(await context.client(), exams, context.zone());
    const which = steps.length > 1 ? sentence`${steps.length} student sessions` : sentence`student session ${steps[0]?.about}`;
    return sentence`Delete ${which}${of}`;
  },
};

const ofMails: Asking = {
  operation: operations.sendEmails,
  read: async (world, id) => mailing(world, id, await readRecord(world.client, 'exam', id)),
  question(_, { steps, readings }) {
    if (steps.length === 1) return sentence`Send the exam mails of ${steps[0]?.about}`;
    const all = steps.reduce((sum, { exam = '' }) => sum + mailsOf(readings?.get(exam)?.sessions ?? []).all, 0);
    return sentence`Send the exam mails of ${steps.length} exams to ${students(all)}`;
  },
};

export const askings: readonly Asking[] = [ofExamDeletion, ofSessionDeletion, ofMails];

function tellEach({ globals, say }: Context, verb: string, { steps }: Plan): void {
  if (steps.length === 1 || globals.yes) return;
  for (const line of firstLines(steps, ({ about = '' }) => sentence`Will ${verb}: ${about}`)) say(line);
}

export function askedPlan(all: readonly Asked[]): Plan {
  const readings = all.flatMap(({ reading }) => reading ?? []);
  return {
    steps: all.map(({ step }) => step),
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
    async plan(world) {
      // A mistaken ID is refused before anything is read.
      for (const id of ids) requestFor(operation, { params: { id } });
      const readOrMissing = async (id: string): Promise<Asked> => {
        const step = { operation, params: { id }, about: `${id} (missing)` };
        return (await orGone(read(world, id))) ?? { step };
      };
      const act = ids.length === 1 ? (id: string) => read(world, id) : readOrMissing;
      return askedPlan(await world.client.pacer.map(ids, act));
    },
    tell: (plan) => tellEach(context, 'delete', plan),
    question: (plan) => question(context, plan),
    typed({ steps }) {
      if (resource === 'session') return undefined;
      return steps.length === 1 ? steps[0]?.params.id : `delete ${steps.length} exams`;
    },
    result: (ended) => severalResult(context, ended, { did: 'deleted', resource }),
  });
}

/** Where the number of its students differs later, the question is asked again. */
async function examDeletion({ client, zone }: World, id: string): Promise<Asked> {
  const exam = await readRecord(client, 'exam', id);
  const reading = await readExam(client, id);
  const phases = reading.sessions.map(({ data }) => phaseOf(data.status) ?? 'waiting');
  const started = phases.filter((phase) => phase !== 'waiting').length;
  const so = started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`;
  const about = sentence`${examInWords(id, exam, client, zone)} with ${students(reading.sessions.length)}${so}`;
  const { examNameKey } = client.dialect;
  const expects = shownOf([examNameKey, ...examTimes], exam);
  return { step: { operation: operations.deleteExam, params: { id }, exam: id, expects, about }, reading };
}

async function sessionDeletion({ client }: World, id: string): Promise<Asked> {
  const shown = await readRecord(client, 'session', id);
  return {
    step: {
      operation: operations.deleteSession,
      params: { id },
      ...ofSession(client, shown),
      expects: shownOf(declaredFields(client.dialect), shown),
      about: sessionInWords(id, shown, client),
    },
  };
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
    async plan(world) {
      const all = await exams.read();
      return askedPlan(await world.client.pacer.map(all, ({ id, shown }) => mailing(world, id, shown)));
    },
    tell(plan) {
      for (const said of plan.leftOut ?? []) context.say(sentence`Not mailed: ${said}`);
      tellEach(context, 'mail', plan);
    },
    question: (plan) => ofMails.question(context, plan),
    async result(ended, plan) {
      if (ended.there?.is === 'mailed') for (const why of ended.there.why) context.say(sentence`Nothing was sent: ${why}`);
      const rowsOf = ({ state, step: { exam = '' } }: Execution) => {
        const { all, without } = mailsOf(plan?.readings?.get(exam)?.sessions ?? []);
        return [state === 'done' && without > 0 ? { reason: sentence`to ${students(all)}${addressless(without)}` } : {}];
      };
      return severalResult(context, ended, { did: 'sent', resource: 'exam', rowsOf });
    },
  });
}

async function mailing({ client, zone }: World, id: string, shown: JsonObject): Promise<Asked> {
  const reading = await readExam(client, id);
  const { all, mailed, without } = mailsOf(reading.sessions);
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  const about = sentence`${examInWords(id, shown, client, zone)} to its ${students(all)}${again}${addressless(without)}`;
  return { step: { operation: operations.sendEmails, params: { id }, exam: id, about }, reading };
}

function ofSession(client: Client, shown: JsonObject) {
  const number = numberIn(shown, client.dialect.sessionNumberKey);
  return { exam: examOf(shown, client), email: addressIn(shown), number };
}

/** An update or a deletion with the values that it replaces; of a session with exam and student. */
export async function ofItsTarget(client: Client, step: Step): Promise<Step> {
  const kind = kindOf(step);
  if (kind !== 'update' && kind !== 'deletion') return step;
  const resource = resourceOf(step);
  const shown = await readRecord(client, resource, step.params.id ?? '');
  const before = kind === 'update' ? { before: replacedBy(Object.keys(step.body ?? {}), shown) } : {};
  if (resource === 'exam') return { ...step, ...before };
  const expects = kind === 'update' ? step.expects : shownOf(declaredFields(client.dialect), shown);
  return { ...step, ...before, expects, ...ofSession(client, shown) };
}
