/**
 * Exams and sessions that are deleted by their IDs: each is read for the question, and deleted only as it was shown. Of one that is not
 * there, nothing is asked; of several, it keeps its row.
 */

import { type Operation, operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pacer.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { examInWords, sessionInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { carryOut, type Plan, type Reading, readExam, readRecord, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { ofExams } from '../exam-selection.ts';
import { severalResult } from './results.ts';
import { ofSession } from './session-updates.ts';

/** `reading`: of an exam, who is in it. */
type Deletion = { step: Step; reading?: Reading };

/** What a kind of deletion asks: the question about its steps, and the text to type in place of "yes". */
type Deleting = {
  kind: string;
  operation: Operation;
  read(context: Context, id: string): Promise<Deletion>;
  question(context: Context, plan: Plan): Promise<Sentence> | Sentence;
  typed?(plan: Plan): string | undefined;
};

const ofExam: Deleting = {
  kind: 'exams delete',
  operation: operations.deleteExam,
  read: examDeletion,
  question: (_, { steps }) =>
    steps.length === 1 ? sentence`Delete ${named(steps)}` : sentence`Delete ${steps.length} exams: ${named(steps)},`,
  typed: ({ steps }) => (steps.length === 1 ? steps[0]?.params.id : `delete ${steps.length} exams`),
};

const ofSessions: Deleting = {
  kind: 'sessions delete',
  operation: operations.deleteSession,
  read: sessionDeletion,
  async question(context, { steps }) {
    const exams = steps.flatMap(({ exam }) => exam ?? []);
    const of = await ofExams(await context.client(), exams, context.zone());
    if (steps.length === 1) return sentence`Delete student session ${named(steps)}${of}`;
    return sentence`Delete ${steps.length} student sessions${of}: ${named(steps)},`;
  },
};

/** By its operation, what a deletion asks. */
export const deletions: readonly Deleting[] = [ofExam, ofSessions];

/** `most`: how many of them are named. */
export function named(steps: readonly Step[], most = 10): string {
  return firstInLine(steps, ({ about, params }) => about ?? params.id ?? '', most);
}

export function deleteEach(context: Context, operation: Operation, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  const deleting = operation === operations.deleteExam ? ofExam : ofSessions;
  const { kind, read, question, typed } = deleting;
  return carryOut(context, {
    kind,
    identity: ids.toSorted(),
    needsYes: true,
    places: () => [],
    async plan() {
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(operation, { params: { id } });
      const missing = (id: string): Deletion => ({ step: { operation, params: { id }, about: `${id} (missing)` } });
      const one = async (id: string) => (ids.length === 1 ? read(context, id) : ((await orGone(read(context, id))) ?? missing(id)));
      const all = await (await context.client()).pacer.map(ids, one, atOnce(ids.length));
      const readings = all.flatMap(({ reading }) => (reading ? [[reading.exam, reading] as const] : []));
      return { steps: all.map(({ step }) => step), readings: new Map(readings) };
    },
    // The exams in its words are read for whoever is asked.
    question: (plan) => (context.globals.yes ? undefined : question(context, plan)),
    ...(typed ? { typed } : {}),
    result: (ended) => severalResult(context, ended, { did: 'deleted', resource: operation.resource === 'exam' ? 'exam' : 'session' }),
  });
}

/** An exam as it is, with the number of its students: both are in the question, and the plan has changed where they differ. */
async function examDeletion(context: Context, id: string): Promise<Deletion> {
  const client = await context.client();
  const exam = await readRecord(context, 'exam', id);
  const reading = await readExam(client, id);
  const started = reading.sessions.filter(({ data }) => !['waiting', undefined].includes(phaseOf(data.status))).length;
  const so = started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`;
  const about = sentence`${examInWords(id, exam, client, context.zone())} with ${students(reading.sessions.length)}${so}`;
  const { [client.dialect.examNameKey]: name = null, start_time = null, end_time = null } = exam;
  const expects = { [client.dialect.examNameKey]: name, start_time, end_time };
  return { step: { operation: operations.deleteExam, params: { id }, exam: id, expects, about }, reading };
}

async function sessionDeletion(context: Context, id: string): Promise<Deletion> {
  const shown = await readRecord(context, 'session', id);
  const about = sessionInWords(id, shown, await context.client());
  const expects = { status: statusText(shown.status) };
  return { step: { operation: operations.deleteSession, params: { id }, ...(await ofSession(context, shown)), expects, about } };
}
