/**
 * Which sessions are to be extended, and until when: read from the service, computed, nothing sent.
 * A session whose new close_time cannot be computed is named with the reason.
 */
import type { ItemFailure } from '../../api/batch.ts';
import { type Client, examOf, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusFilter, statusOf } from '../../model/status.ts';
import { formatTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { type ChangeMove, emailOf, readResource } from '../changes/index.ts';
import { type Extension, extended, NoWindow } from './extension.ts';

/** Sessions by name, or those of an exam: of one status, or all that have not finished. */
export type SessionChoice = { ids: readonly string[] } | { exam: string; status: string | undefined };

export type ChosenSessions = {
  moves: ChangeMove[];
  failures: ItemFailure[];
  /** Sessions of the exam that have finished, and are passed over. */
  finished: number;
  /** The longest that one of them is extended by, in milliseconds. */
  longest: number;
};

/** Throws what keeps the service from being asked, `invalid_input` for a status that nothing can be extended in. */
export async function choose(client: Client, choice: SessionChoice, extension: Extension): Promise<ChosenSessions> {
  const chosen: ChosenSessions = { moves: [], failures: [], finished: 0, longest: 0 };
  const readExam = exams(client);

  async function add(id: string, session: JsonObject, exam = examOf(session, client)) {
    try {
      const { from, end, until, by } = await newTime(session, exam);
      const to = formatTime(until, client.dialect.timeFormat);
      chosen.moves.push({
        kind: 'session',
        id,
        exam,
        email: emailOf(session),
        fields: { close_time: { old: from, new: to } },
        started: phaseOf(session.status) === 'writing',
        ...(from === null && exam !== undefined ? { follows: { id: exam, ends: end } } : {}),
      });
      chosen.longest = Math.max(chosen.longest, by);
    } catch (error) {
      if (!(error instanceof NoWindow)) throw error;
      chosen.failures.push({ id, error: cannot(id, error.message) });
    }
  }

  async function newTime({ open_time, close_time }: JsonObject, of: string | undefined) {
    const needsExam = (close_time ?? null) === null || ('share' in extension && (open_time ?? null) === null);
    if (needsExam && of === undefined) throw new NoWindow('it has no times of its own, and does not show its exam');
    const exam = needsExam && of !== undefined ? await readExam(of) : {};
    const window = { opens: open_time, closes: close_time, starts: exam.start_time, ends: exam.end_time };
    return extended(window, extension);
  }

  if ('ids' in choice) {
    for (const id of choice.ids) {
      const session = await readResource(client, 'session', id);
      if (session instanceof CliError) chosen.failures.push({ id, error: session });
      else if (phaseOf(session.status) === 'finished') chosen.failures.push({ id, error: cannot(id, 'it has finished the exam') });
      else await add(id, session);
    }
    return chosen;
  }
  const { exam, status } = choice;
  const seen = new Set<string>();
  const wanted = status === undefined ? undefined : statusFilter(status);
  if (wanted !== undefined && phaseOf(wanted) === 'finished') {
    throw new CliError('invalid_input', sentence`Sessions that are ${wanted} cannot be extended: they have finished the exam.`);
  }
  for await (const listed of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
    const finished = phaseOf(listed.status) === 'finished';
    if (finished) chosen.finished += 1;
    if (finished || (wanted !== undefined && statusOf(listed.status) !== wanted)) continue;
    const id = idOf(listed, client);
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    // A list with several pages may show a session twice.
    if (seen.has(id)) continue;
    seen.add(id);
    // A list may show less of a session than the session itself does.
    const whole = 'open_time' in listed && 'close_time' in listed;
    await add(id, whole ? listed : await client.get(operations.getSession, { params: { id } }), exam);
  }
  return chosen;
}

function cannot(id: string, why: string): CliError {
  return new CliError('invalid_input', sentence`Session ${id} cannot be extended: ${why}.`, {
    hint: sentence`If necessary, set the time directly: proctor-cli ${typedCommand('sessions update', [id], '--close-time TIME')}`,
  });
}

/** Each exam is read once. */
function exams(client: Client): (id: string) => Promise<JsonObject> {
  const read = new Map<string, Promise<JsonObject>>();
  return (id) => {
    const exam = read.get(id) ?? client.get(operations.getExam, { params: { id } });
    read.set(id, exam);
    return exam;
  };
}
