/**
 * Exams and sessions that are deleted by their IDs: each is read for the question, read again after the yes, and deleted
 * only as it was shown. Of one that is not there, nothing is asked; of several, it keeps its row.
 */
import type { Client } from '../../api/client.ts';
import { examInWords, ofExams, sessionInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pacer.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { carryOut, type Reading, readRecord, readStudents, type Step } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { severalResult } from './outcome-rows.ts';
import { aboutSession } from './session-writes.ts';

/** `reading`: of an exam, who is in it. */
type Deletion = { step: Step; named: Sentence; reading?: Reading };

/** `one`, `noun`: what stands before the name of one, and of several. `typed`: the text to type in place of "yes". */
type Deleting = { kind: string; one: string; noun: string; ids: readonly string[]; typed?: string | undefined };

export function deleteExams(context: Context, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  const typed = ids.length === 1 ? ids[0] : `delete ${ids.length} exams`;
  const missing = (id: string) => ({
    step: { operation: operations.deleteExam, params: { id }, exam: id },
    named: sentence`exam ${id} (missing)`,
  });
  return deleteEach(context, { kind: 'exams delete', one: '', noun: 'exams', ids, typed }, examToDelete, missing);
}

export function deleteSessions(context: Context, given: readonly string[]): Promise<Result> {
  const missing = (id: string) => ({
    step: { operation: operations.deleteSession, params: { id } },
    named: sentence`${id} (missing)`,
  });
  return deleteEach(
    context,
    { kind: 'sessions delete', one: 'student session ', noun: 'student sessions', ids: [...new Set(given)] },
    sessionToDelete,
    missing,
  );
}

function deleteEach(
  context: Context,
  { kind, one, noun, ids, typed }: Deleting,
  read: (context: Context, client: Client, id: string) => Promise<Deletion>,
  missing: (id: string) => Deletion,
): Promise<Result> {
  let deletions: readonly Deletion[] = [];
  return carryOut(context, {
    kind,
    identity: ids,
    again: 'resume',
    needsYes: true,
    async plan() {
      const client = await context.client();
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(missing(id).step.operation, { params: { id } });
      const one = async (id: string) => {
        const deletion = read(context, client, id);
        return ids.length === 1 ? deletion : ((await orGone(deletion)) ?? missing(id));
      };
      const all = await client.pacer.map(ids, one, atOnce(ids.length));
      deletions = all;
      return {
        steps: all.map(({ step }) => step),
        readings: new Map(all.flatMap(({ reading }) => (reading ? [[reading.exam, reading] as const] : []))),
      };
    },
    async question() {
      const named = deletions.map((each) => each.named);
      const exams = deletions.flatMap(({ step }) => (step.operation.resource === 'session' ? (step.exam ?? []) : []));
      const of = await ofExams(await context.client(), exams, context.zone());
      if (named.length === 1) return sentence`Delete ${one}${named.join('')}${of}`;
      return sentence`Delete ${named.length} ${noun}${of}: ${firstInLine(named, (each) => each, 10)},`;
    },
    typed: () => typed,
    result: (ended) => severalResult(context, ended, 'deleted'),
  });
}

/** An exam as it is, with the number of its students: both are in the question, and the plan has changed where they differ. */
export async function examToDelete(context: Context, client: Client, id: string): Promise<Required<Deletion>> {
  const exam = await readRecord(context, 'exam', id);
  const reading = await readStudents(context, id);
  const all = reading.sessions.length;
  const started = reading.sessions.filter(({ data }) => !['waiting', undefined].includes(phaseOf(data.status))).length;
  const about = `with ${students(all)}${started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`}`;
  const { [client.dialect.examNameKey]: name = null, start_time = null, end_time = null } = exam;
  const expects = { [client.dialect.examNameKey]: name, start_time, end_time };
  return {
    step: { operation: operations.deleteExam, params: { id }, exam: id, expects, about },
    named: sentence`${examInWords(id, exam, client, context.zone())} ${about}`,
    reading,
  };
}

export async function sessionToDelete(context: Context, client: Client, id: string): Promise<Deletion> {
  const shown = await readRecord(context, 'session', id);
  return { step: deletionOf(id, shown, client), named: sessionInWords(id, shown, client) };
}

export function deletionOf(id: string, shown: JsonObject, client: Client): Step {
  return {
    operation: operations.deleteSession,
    params: { id },
    ...aboutSession(shown, client),
    expects: { status: statusText(shown.status) },
  };
}
