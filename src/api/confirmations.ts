/**
 * The questions before an irreversible request, each with the values it showed. A question may stay open for
 * minutes: its subject is read again right before the request, and a subject that has changed is kept.
 */
import { CliError, orGone } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { addressKey } from '../model/address-key.ts';
import { students } from '../model/count.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf, statusOf, statusText } from '../model/status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { inBatch } from './batch.ts';
import { type Client, examOf } from './client.ts';
import { type ChosenSession, firstMismatch, keptBecause } from './delete-chosen.ts';
import { examInWords, examShown, sessionInWords, shownBy } from './in-words.ts';
import { operations } from './operations.ts';

/** `changed`: why the request for a subject must not be sent, `not_applied`. Throws the errors of the read. */
export type Question = { text: Sentence; changed(id: string): Promise<CliError | undefined> };

/** Items named in a question; the rest are counted. */
const namedAtMost = 10;

/** `Delete exam 3 (Algebra, 2027-02-01 09:00 +01:00) with 12 students (5 of them have started)`. */
export async function deletionOfExams(client: Client, ids: readonly string[], zone: string): Promise<Question> {
  const shown = new Map<string, ExamShown>();
  for (const id of ids) shown.set(id, await examNow(client, id, zone, await examShown(client, id)));
  const named = [...shown.values()].map(({ named, all, started }) => sentence`${named} with ${students(all)}${startedInWords(started)}`);
  const text = ids.length === 1 ? sentence`Delete ${named.join('')}` : sentence`Delete ${ids.length} exams: ${firstOf(named)},`;
  return {
    text,
    changed: async (id) => {
      const why = await examChange(client, id, zone, shown.get(id), 'started');
      return why && notAsShown(sentence`Exam ${id} was kept: ${why}.`, sentence`${typedCommand('exams get', [id])}`);
    },
  };
}

/** `Delete student session 7 (ada@example.org, registered)`; of many, the first are named and all are counted by status. */
export async function deletionOfSessions(client: Client, host: Pick<Host, 'interrupted'>, ids: readonly string[]): Promise<Question> {
  const shown = new Map<string, JsonObject | undefined>();
  // Stops after three failures in a row: a dead service does not get a request for each of a thousand sessions.
  await inBatch(ids, host, async (id) => {
    const { data, error } = await shownBy(client.call(operations.getSession, { params: { id } }, { once: true }));
    shown.set(id, data);
    return { error };
  });
  const named = ids.slice(0, namedAtMost).map((id) => sessionInWords(id, shown.get(id)));
  const rest = ids.slice(namedAtMost).map((id) => shownStatus(shown.get(id)) ?? 'not shown');
  const byStatus = [...Map.groupBy(rest, (status) => status)].map(([status, all]) => `${all.length} ${status}`);
  const more = rest.length > 0 ? ` and ${rest.length} more (${byStatus.join(', ')})` : '';
  const text =
    ids.length === 1 ? sentence`Delete ${named.join('')}` : sentence`Delete ${ids.length} student sessions: ${named.join('; ')}${more},`;
  return {
    text,
    changed: (id) => changedSince(client, id, shown.get(id)),
  };
}

/** Why a session must not be deleted any more that was chosen by what it showed. Throws the errors of the read. */
export async function changedSince(client: Client, id: string, shown: JsonObject | undefined): Promise<CliError | undefined> {
  const now = await orGone(client.get(operations.getSession, { params: { id } }));
  const why = now && firstMismatch(asShown(id, shown, client), now, client);
  return why === undefined ? undefined : keptBecause(id, why);
}

/** `Send the exam mails of exam 5 (Algebra, …) to its 5 students`, and the students who would get a second mail. */
export async function mailsOfExam(client: Client, id: string, zone: string): Promise<Question> {
  const shown = await examNow(client, id, zone, await examShown(client, id));
  const { named, all, mailed } = shown;
  const again = mailed === 0 ? '' : sentence` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  return {
    text: sentence`Send the exam mails of ${named} to its ${students(all)}${again}`,
    changed: async () => {
      const why = await examChange(client, id, zone, shown, 'mailed');
      return why && notAsShown(sentence`No mail of exam ${id} was sent: ${why}.`, sentence`${typedCommand('exams status', [id])}`);
    },
  };
}

type ExamShown = {
  /** The exam with name and start. */
  named: Sentence;
  all: number;
  /** Past `registered`. */
  mailed: number;
  /** Past `mail_sent`. */
  started: number;
};

async function examNow(client: Client, id: string, zone: string, exam: JsonObject | undefined): Promise<ExamShown> {
  const now = { named: examInWords(id, exam, client, zone), all: 0, mailed: 0, started: 0 };
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: id } })) {
    const status = shownStatus(session);
    now.all += 1;
    if (status !== undefined && statusOf(status) !== 'registered') now.mailed += 1;
    if (status !== undefined && phaseOf(status) !== 'waiting') now.started += 1;
  }
  return now;
}

/** How an exam differs from what was shown, in words; undefined if it does not. */
async function examChange(client: Client, id: string, zone: string, shown: ExamShown | undefined, counted: 'started' | 'mailed') {
  // For a missing one, the request itself returns the error.
  const exam = await orGone(client.get(operations.getExam, { params: { id } }));
  if (!exam || !shown) return undefined;
  const now = await examNow(client, id, zone, exam);
  if (now.named !== shown.named) return sentence`it is now ${now.named}`;
  if (now.all !== shown.all) return sentence`it now has ${students(now.all)}, not ${shown.all}`;
  if (now[counted] <= shown[counted]) return undefined;
  return sentence`${now[counted]} of its students ${now[counted] === 1 ? 'has' : 'have'} ${counted === 'mailed' ? 'been mailed' : 'started'} by now, not ${shown[counted]}`;
}

function asShown(id: string, session: JsonObject | undefined, client: Client): ChosenSession {
  // The session could not be read and only its ID was confirmed: it is deleted unless its student has started.
  if (!session) return { id, exam: undefined, status: undefined, isStudent: () => true };
  const { email } = session;
  const isStudent = (now: string | undefined) =>
    typeof email === 'string' && email.trim() !== '' ? now !== undefined && addressKey(now) === addressKey(email) : now === undefined;
  return { id, exam: examOf(session, client), status: shownStatus(session), isStudent };
}

function shownStatus(session: JsonObject | undefined): string | undefined {
  return statusText(session?.status) ?? undefined;
}

function startedInWords(started: number): string {
  return started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`;
}

function firstOf(named: readonly Sentence[]): string {
  const first = named.slice(0, namedAtMost).join('; ');
  return named.length > namedAtMost ? `${first} and ${named.length - namedAtMost} more` : first;
}

function notAsShown(message: Sentence, look: Sentence): CliError {
  return new CliError('not_applied', message, { hint: sentence`Check the present state, then run the command again: proctor-cli ${look}` });
}
