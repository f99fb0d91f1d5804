/**
 * Which sessions are to be extended, as the service shows them: by their IDs, or from one reading of their exam. Of those that cannot
 * be extended each is named with its reason.
 */
import { type Client, examOf } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusFilter, statusOf } from '../../model/status.ts';
import { type Reading, readRecord, readStudents } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { knownId, wholeSession } from '../listed-sessions.ts';

/** Sessions by name, or those of an exam: of one status, or all that have not finished. */
export type SessionChoice = { ids: readonly string[] } | { exam: string; status: string | undefined };

/** Why a session cannot be extended. */
export type NotExtended = { id: string; error: CliError };

export type ChosenSession = { id: string; exam: string | undefined; email: string | undefined; shown: JsonObject };

export type ChosenSessions = {
  sessions: readonly ChosenSession[];
  /** The exams of the sessions, as far as the service shows them. */
  exams: ReadonlyMap<string, JsonObject>;
  readings: ReadonlyMap<string, Reading>;
  refused: readonly NotExtended[];
  /** Sessions of the exam that have finished, and are passed over. */
  finished: number;
};

/** Throws what keeps the service from being asked, `invalid_input` for a status that nothing can be extended in. */
export function choose(context: Context, client: Client, choice: SessionChoice): Promise<ChosenSessions> {
  return 'ids' in choice ? byIds(context, client, choice.ids) : ofExam(context, client, choice);
}

async function byIds(context: Context, client: Client, ids: readonly string[]): Promise<ChosenSessions> {
  const refused: NotExtended[] = [];
  const sessions: ChosenSession[] = [];
  const read = await client.pacer.map([...new Set(ids)], async (id) => {
    return { id, shown: await orRefusal(readRecord(context, 'session', id)) };
  });
  for (const { id, shown } of read) {
    if (shown instanceof CliError) refused.push({ id, error: shown });
    else if (phaseOf(shown.status) === 'finished') refused.push({ id, error: cannot(id, 'it has finished the exam') });
    else sessions.push({ id, exam: examOf(shown, client), email: addressIn(shown, { plain: true }), shown });
  }
  const exams = new Map<string, JsonObject>();
  await client.pacer.each(new Set(sessions.flatMap(({ exam }) => exam ?? [])), async (exam) => {
    const shown = await orGone(readRecord(context, 'exam', exam));
    if (shown) exams.set(exam, shown);
  });
  return { sessions, exams, readings: new Map(), refused, finished: 0 };
}

/** What keeps one session from being read, and no other. */
async function orRefusal<T>(read: Promise<T>): Promise<T | CliError> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CliError && ['not_found', 'rejected', 'bad_answer'].includes(error.code)) return error;
    throw error;
  }
}

async function ofExam(
  context: Context,
  client: Client,
  { exam, status }: { exam: string; status: string | undefined },
): Promise<ChosenSessions> {
  const wanted = status === undefined ? undefined : statusFilter(status);
  if (wanted !== undefined && phaseOf(wanted) === 'finished') {
    throw new CliError('invalid_input', sentence`Sessions that are ${wanted} cannot be extended: they have finished the exam.`);
  }
  const shownExam = await readRecord(context, 'exam', exam);
  const reading = await readStudents(context, exam);
  const sessions: ChosenSession[] = [];
  let finished = 0;
  for (const listed of reading.sessions) {
    const isFinished = phaseOf(listed.data.status) === 'finished';
    if (isFinished) finished += 1;
    if (isFinished || (wanted !== undefined && statusOf(listed.data.status) !== wanted)) continue;
    const id = knownId(listed, exam, client);
    sessions.push({ id, exam, email: listed.email, shown: await wholeSession(client, id, listed.data) });
  }
  return {
    sessions,
    exams: new Map([[exam, shownExam]]),
    readings: new Map([[exam, reading]]),
    refused: [],
    finished,
  };
}

export function cannot(id: string, why: string): CliError {
  const hint: Sentence = sentence`If necessary, set the time directly: proctor-cli ${typedCommand('sessions update', [id], '--close-time TIME')}`;
  return new CliError('invalid_input', sentence`Session ${id} cannot be extended: ${why}.`, { hint });
}
