/**
 * Sessions of an exam that are deleted because they pass a filter: one reading, a preview by name, and a step for each. Right before
 * its DELETE each session is read again, and kept if it is not as it was listed.
 */
import { examInWords, examShown } from '../api/in-words.ts';
import type { Context, Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { count } from '../model/count.ts';
import { describeSession } from '../model/describe.ts';
import { firstLines } from '../model/first-of.ts';
import { type SessionFilter, sessionFilter } from '../model/session-filter.ts';
import { countedStatus, statusText } from '../model/status.ts';
import { carryOut, type ListedSession, readStudents } from '../runs/index.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import { severalResult } from './writes/outcome-rows.ts';
import { deletionOf } from './writes/session-writes.ts';

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
      const steps = chosen.map(({ id, data }) => {
        if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
        return { ...deletionOf(id, data, client), exam };
      });
      return { steps, readings: new Map([[exam, reading]]) };
    },
    tell: () => tellChosen(context, exam, chosen, all),
    question: ({ steps }) => sentence`Delete ${count(steps.length, 'student session')} of ${named}`,
    result: async (ended) => severalResult(context, client, ended, 'deleted'),
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
