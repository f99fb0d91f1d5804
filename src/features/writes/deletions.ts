/**
 * Exams and sessions that are deleted by their IDs, and sessions of an exam that pass a filter: each is read for the question, read
 * again after the yes, and deleted only as it was shown. Of one that is not there, nothing is asked; of several, it keeps its row.
 */
import type { Client } from '../../api/client.ts';
import { examInWords, examShown, ofExams, sessionInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pacer.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { count, students } from '../../model/count.ts';
import { describeSession } from '../../model/describe.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { type SessionFilter, sessionFilter } from '../../model/session-filter.ts';
import { countedStatus, phaseOf, statusText } from '../../model/status.ts';
import { carryOut, type ListedSession, type Reading, readRecord, readStudents, type Step } from '../../runs/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { knownId } from '../listed-sessions.ts';
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

type Choice = { exam: string; filter: SessionFilter };

/** Throws `usage` where no filter is given. */
export async function deleteChosen(context: Context, { exam, filter }: Choice): Promise<Result> {
  const keep = sessionFilter(filter);
  if (!keep) {
    throw new CliError('usage', sentence`--exam alone would delete all sessions of exam ${exam}.`, {
      hint: 'Choose among them with --status, --not-status or --email. Nothing was sent.',
    });
  }
  const client = await context.client();
  let named = sentence`exam ${exam}`;
  let chosen: readonly ListedSession[] = [];
  let all = 0;
  return carryOut(context, {
    kind: 'sessions delete',
    identity: [exam, JSON.stringify(filter)],
    again: 'anew',
    needsYes: true,
    async plan() {
      named = examInWords(exam, await examShown(client, exam), client, context.zone());
      const reading = await readStudents(context, exam);
      all = reading.sessions.length;
      chosen = reading.sessions.filter(({ data }) => keep(data));
      const steps = chosen.map((session) => ({ ...deletionOf(knownId(session, exam, client), session.data, client), exam }));
      return { steps, readings: new Map([[exam, reading]]) };
    },
    tell: () => tellChosen(context, exam, chosen, all),
    question: ({ steps }) => sentence`Delete ${count(steps.length, 'student session')} of ${named}`,
    result: (ended) => severalResult(context, ended, 'deleted'),
  });
}

function tellChosen(context: Context, exam: string, chosen: readonly ListedSession[], all: number) {
  if (chosen.length === 0) return context.say(sentence`No sessions to delete: none of the ${all} of exam ${exam} is chosen.`);
  const { sessionNameKey: nameKey } = context.settings().dialect;
  const lines = firstLines(chosen, ({ id = '', data }): Sentence => {
    const about = describeSession(data, { nameKey });
    return sentence`  ${id}${about === '' ? '' : `  ${about}`}`;
  });
  const statuses = Map.groupBy(chosen, ({ data }) => countedStatus(statusText(data.status)) ?? 'no status');
  const counts = [...statuses].map(([status, sessions]) => `${sessions.length} ${status}`).join(', ');
  context.say(inLines([sentence`To delete: ${chosen.length} of the ${count(all, 'session')} of exam ${exam} (${counts}).`, ...lines]));
}
