/**
 * A reading that shows what was written from here: a list may be behind, so that one which does not show what a run of the last moments
 * has done is read again, until the settle time of that run has passed. Who imports students and then gives them time would miss them.
 */
import { asSent } from '../api/as-sent.ts';
import { examOf } from '../api/client.ts';
import type { Context } from '../command.ts';
import type { JsonObject } from '../model/json.ts';
import { runOrigin } from '../state/run-origin.ts';
import { sentence } from '../text/sentence.ts';
import { type Reading, readExam } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { createsStudent, targetOf } from './step.ts';
import { isGood } from './step-states.ts';
import { lateLooks, shownNow } from './world.ts';

/** What was done to a session, the latest last. `old`: the values before, as far as they are known. */
type Written = { id: string; run: string; at: number } & (
  | { is: 'created' | 'deleted' }
  | { is: 'updated'; body: JsonObject; old: JsonObject }
);

export async function readStudents(context: Context, exam: string): Promise<Reading> {
  const { host } = context;
  const [client, written] = [await context.client(), await writtenLately(context, exam)];
  let reading = await readExam(client, host, exam);
  const left = async () => {
    for (const one of written.values())
      if (host.now() - one.at < settleTimeOf(context) && (await isBehind(context, reading, one))) return one;
    return undefined;
  };
  const behind = written.size === 0 ? undefined : await left();
  if (!behind) return reading;
  context.say(sentence`The list of exam ${exam} does not show yet what run ${behind.run} has done; it is read again.`);
  for await (const _ of lateLooks({ context, host, settleTime: settleTimeOf(context) })) {
    reading = await readExam(client, host, exam);
    if (!(await left())) break;
  }
  return reading;
}

function settleTimeOf({ settings }: Context): number {
  return 2 * settings().timeoutMilliseconds;
}

/** By the session. */
async function writtenLately(context: Context, exam: string): Promise<ReadonlyMap<string, Written>> {
  const { host, settings } = context;
  const state = await context.state();
  const found = new Map<string, Written>();
  const since = host.now() - settleTimeOf(context);
  const recent = (await state.runs()).filter(({ origin, lastAt }) => origin === runOrigin(settings()) && lastAt >= since);
  for (const { id: run, lastAt: at } of recent.toReversed()) {
    const { book } = await recordedRun(state, run);
    for (const { index, step, state: is, ours, id } of book.outcomes()) {
      if (!ours || !isGood(is) || id === undefined || book.examOf(index) !== exam) continue;
      if (createsStudent(step)) found.set(id, { id, run, at, is: 'created' });
      else if (targetOf(step, step.params)?.resource !== 'session' && !step.made) continue;
      else if (step.operation.method === 'DELETE') found.set(id, { id, run, at, is: 'deleted' });
      else if (found.get(id)?.is !== 'created')
        found.set(id, { id, run, at, is: 'updated', body: step.body ?? {}, old: { ...step.expects, ...step.before } });
    }
  }
  return found;
}

/** Whether the reading shows the session as it was before. What others have done since is no sign of that. */
async function isBehind(context: Context, reading: Reading, written: Written): Promise<boolean> {
  const { id } = written;
  const listed = reading.withId(id);
  if (written.is === 'updated') {
    if (!listed) return false;
    const set = Object.keys(written.body);
    const old = Object.fromEntries(Object.entries(written.old).filter(([field]) => set.includes(field)));
    const shows = (body: JsonObject) => asSent('session', body, listed.data, context.zone()).different.length === 0;
    return set.length > 0 && Object.keys(old).length === set.length && !shows(written.body) && shows(old);
  }
  if ((listed !== undefined) === (written.is === 'created')) return false;
  const client = await context.client();
  const shown = await shownNow({ client, host: context.host }, 'session', id);
  const isThere = shown !== undefined && (examOf(shown.data, client) ?? reading.exam) === reading.exam;
  return isThere === (written.is === 'created');
}
