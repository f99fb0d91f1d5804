/**
 * Sessions of an exam that are deleted because they pass a filter: one listing, a preview by name, and a request for
 * each. Right before its DELETE each session is read again, and kept if it is not as it was listed.
 */
import { type Client, idOf } from '../api/client.ts';
import { changedSince, type Question } from '../api/confirmations.ts';
import { examInWords, examShown } from '../api/in-words.ts';
import { operations } from '../api/operations.ts';
import type { RequestStep } from '../api/request.ts';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count } from '../model/count.ts';
import { describeSession } from '../model/describe.ts';
import { firstLines } from '../model/first-of.ts';
import type { JsonObject } from '../model/json.ts';
import { type SessionFilter, sessionFilter } from '../model/session-filter.ts';
import { countedStatus, statusText } from '../model/status.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';

type ChosenSessions = { exam: string; filter: SessionFilter };

/** The requests that delete the chosen sessions; they are told by name. Throws `usage` where no filter is given. */
export async function deletionsOf(context: Context, { exam, filter }: ChosenSessions): Promise<RequestStep[]> {
  const keep = sessionFilter(filter);
  if (!keep) {
    throw new CliError('usage', sentence`--exam alone would delete all sessions of exam ${exam}.`, {
      hint: 'Choose among them with --status, --not-status or --email. Nothing was sent.',
    });
  }
  // Without a terminal and without --yes nothing will be deleted: it is refused before the list is read.
  if (!context.globals.dryRun && !canAsk(context.host, context.globals.noInput)) await context.confirm(() => sentence`Delete them`);
  const client = await context.client();
  const chosen = new Map<string, JsonObject>();
  let all = 0;
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
    const id = idOf(session, client);
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    all += 1;
    if (keep(session)) chosen.set(id, session);
  }
  await tellChosen(context, client, exam, chosen, all);
  return [...chosen].map(([id, session]) => ({
    operation: operations.deleteSession,
    params: { id },
    subject: id,
    changed: () => changedSince(client, id, session),
  }));
}

/** `Delete 5 student sessions of exam 6 (Algebra, 2027-02-01 09:00 +01:00)`; each request checks its own session. */
export async function deletionQuestion(context: Context, exam: string, steps: readonly RequestStep[]): Promise<Question> {
  const client = await context.client();
  const named = examInWords(exam, await examShown(client, exam), client, context.zone());
  return { text: sentence`Delete ${count(steps.length, 'student session')} of ${named}`, changed: async () => undefined };
}

async function tellChosen(context: Context, client: Client, exam: string, chosen: ReadonlyMap<string, JsonObject>, all: number) {
  if (chosen.size === 0) return context.say(sentence`No sessions to delete: none of the ${all} of exam ${exam} is chosen.`);
  const { sessionNameKey: nameKey } = client.dialect;
  const lines = firstLines([...chosen], ([id, session]): Sentence => {
    const about = describeSession(session, { nameKey });
    return sentence`  ${id}${about === '' ? '' : `  ${about}`}`;
  });
  const statuses = Map.groupBy(chosen.values(), ({ status }) => countedStatus(statusText(status)) ?? 'no status');
  const counts = [...statuses].map(([status, sessions]) => `${sessions.length} ${status}`).join(', ');
  context.say(inLines([sentence`To delete: ${chosen.size} of the ${count(all, 'session')} of exam ${exam} (${counts}).`, ...lines]));
}
