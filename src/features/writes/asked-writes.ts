/**
 * Deletions of exams and sessions, and mails: what asks before it is sent. Each target is read for the question, and its request is sent only
 * while it is as it was shown. `api` asks the same about the same operations.
 */
import { type Operation, operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pacer.ts';
import { readExam, readRecord } from '../../api/reading.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { firstLines, students } from '../../model/count.ts';
import { examInWords, sessionInWords } from '../../model/describe.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Reading } from '../../model/listing.ts';
import { addressless, mailsOf } from '../../model/mail-counts.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { type Consents, carryOut, type Item, type Plan, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, ofExams, typedSelection } from '../exam-selection.ts';
import { severalResult } from './results.ts';
import { ofSession } from './single-writes.ts';

/** `reading`: of an exam, who is in it. The words of the step are in the question: where they differ, the plan has changed. */
type Asked = { step: Step; reading?: Reading };
type Asking = {
  operation: Operation;
  read(context: Context, id: string): Promise<Asked>;
  question(context: Context, plan: Plan): Promise<Sentence> | Sentence;
};

function ofDeletions(operation: Operation, noun: string, read: Asking['read']): Asking {
  return {
    operation,
    read,
    async question(context, { steps }) {
      const exams = operation.resource === 'exam' ? [] : steps.flatMap(({ exam }) => exam ?? []);
      const of = await ofExams(await context.client(), exams, context.zone());
      if (steps.length > 1) return sentence`Delete ${steps.length} ${noun}s${of}`;
      return sentence`Delete ${operation.resource === 'exam' ? '' : `${noun} `}${steps[0]?.about}${of}`;
    },
  };
}

const ofExam = ofDeletions(operations.deleteExam, 'exam', examDeletion);
const ofSessions = ofDeletions(operations.deleteSession, 'student session', sessionDeletion);

const ofMails: Asking = {
  operation: operations.sendEmails,
  read: async (context, id) => mailing(context, id, await readRecord(await context.client(), 'exam', id)),
  question(_, { steps, readings }) {
    if (steps.length === 1) return sentence`Send the exam mails of ${steps[0]?.about}`;
    const all = steps.reduce((sum, { exam = '' }) => sum + mailsOf(readings?.get(exam)?.sessions ?? []).all, 0);
    return sentence`Send the exam mails of ${steps.length} exams to ${students(all)}`;
  },
};

export const askings: readonly Asking[] = [ofExam, ofSessions, ofMails];

/** Each of several, before whoever is asked. */
function tellEach({ globals, say }: Context, verb: string, { steps }: Plan): void {
  if (steps.length === 1 || globals.yes) return;
  for (const line of firstLines(steps, ({ about = '' }) => sentence`Will ${verb}: ${about}`)) say(line);
}

export function askedPlan(all: readonly Asked[]): Plan {
  const readings = all.flatMap(({ reading }) => (reading ? [[reading.exam, reading] as const] : []));
  return { steps: all.map(({ step }) => step), readings: new Map(readings) };
}

/** Of one that is not there, nothing is asked; of several, it keeps its row. */
export function deleteEach(context: Context, operation: Operation, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  const resource = operation === operations.deleteExam ? 'exam' : 'session';
  const { read, question } = resource === 'exam' ? ofExam : ofSessions;
  return carryOut(context, {
    kind: `${resource}s delete`,
    identity: ids.toSorted(),
    needsYes: true,
    places: () => [],
    async plan() {
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(operation, { params: { id } });
      const missing = (id: string): Asked => ({ step: { operation, params: { id }, about: `${id} (missing)` } });
      const one = async (id: string) => (ids.length === 1 ? read(context, id) : ((await orGone(read(context, id))) ?? missing(id)));
      return askedPlan(await (await context.client()).pacer.map(ids, one, atOnce(ids.length)));
    },
    tell: (plan) => tellEach(context, 'delete', plan),
    // The exams in its words are read for whoever is asked.
    question: (plan) => (context.globals.yes ? undefined : question(context, plan)),
    typed({ steps }) {
      if (resource === 'session') return undefined;
      return steps.length === 1 ? steps[0]?.params.id : `delete ${steps.length} exams`;
    },
    result: (ended) => severalResult(context, ended, { did: 'deleted', resource }),
  });
}

/** An exam as it is, with the number of its students: both are in the question, and the plan has changed where they differ. */
async function examDeletion(context: Context, id: string): Promise<Asked> {
  const client = await context.client();
  const exam = await readRecord(client, 'exam', id);
  const reading = await readExam(client, id);
  const started = reading.sessions.filter(({ data }) => !['waiting', undefined].includes(phaseOf(data.status))).length;
  const so = started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`;
  const about = sentence`${examInWords(id, exam, client, context.zone())} with ${students(reading.sessions.length)}${so}`;
  const { [client.dialect.examNameKey]: name = null, start_time = null, end_time = null } = exam;
  const expects = { [client.dialect.examNameKey]: name, start_time, end_time };
  return { step: { operation: operations.deleteExam, params: { id }, exam: id, expects, about }, reading };
}

async function sessionDeletion(context: Context, id: string): Promise<Asked> {
  const client = await context.client();
  const shown = await readRecord(client, 'session', id);
  const about = sessionInWords(id, shown, client);
  const expects = { status: statusText(shown.status) };
  return { step: { operation: operations.deleteSession, params: { id }, ...(await ofSession(context, shown)), expects, about } };
}

/** One request for each exam, sent once and never repeated. The engine looks who was mailed before. */
export function mailStudents(context: Context, selection: ExamSelection, consents: Consents): Promise<Result> {
  const exams = chosenExams(context, selection);
  return carryOut(context, {
    kind: 'exams send-emails',
    identity: typedSelection(selection),
    consents,
    needsYes: true,
    places: async () => (await exams.ids()).map((id) => `students ${id}` as const),
    async plan() {
      const { pacer } = await context.client();
      return askedPlan(await pacer.map(await exams.read(), ({ id, shown }) => mailing(context, id, shown)));
    },
    tell(plan) {
      for (const said of plan.leftOut ?? []) context.say(sentence`Not mailed: ${said}`);
      tellEach(context, 'mail', plan);
    },
    question: (plan) => ofMails.question(context, plan),
    async result(ended, plan) {
      if (ended.there?.is === 'mailed') for (const why of ended.there.why) context.say(sentence`Nothing was sent: ${why}`);
      const rowsOf = ({ state, step: { exam = '' } }: Item) => {
        const { all, without } = mailsOf(plan?.readings?.get(exam)?.sessions ?? []);
        return [state === 'done' && without > 0 ? { reason: sentence`to ${students(all)}${addressless(without)}` } : {}];
      };
      return severalResult(context, ended, { did: 'sent', resource: 'exam', rowsOf });
    },
  });
}

async function mailing(context: Context, id: string, shown: JsonObject): Promise<Asked> {
  const client = await context.client();
  const reading = await readExam(client, id);
  const { all, mailed, without } = mailsOf(reading.sessions);
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  const about = sentence`${examInWords(id, shown, client, context.zone())} to its ${students(all)}${again}${addressless(without)}`;
  return { step: { operation: operations.sendEmails, params: { id }, exam: id, about }, reading };
}
