/**
 * A session that is deleted because it was created elsewhere goes only while the new one is shown with everything that went along. At the
 * end both are looked for once more: in the instant of the deletion, somebody else may have deleted the new one.
 */
import type { Shown } from '../api/known.ts';
import { CliError } from '../errors.ts';
import { firstInLine } from '../model/first-of.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { compared } from './judge.ts';
import { addressOf, otherExam, otherStudent, readExam } from './reading.ts';
import { freshAtMost, type Running, readOne } from './running.ts';
import { creates, type Item, type Step } from './step.ts';

/** The new session as it is now, or why the old one stays. */
export async function replacementOf(running: Running, { after = [] }: Step): Promise<Shown | CliError> {
  const { client, items, zone } = running;
  const before = after.flatMap((by) => items[by] ?? []);
  const { id = '', stored, step } = before.find((item) => creates(item.step)) as Item;
  const shown = await readOne(running, 'session', id, freshAtMost);
  const why = (text: string) => {
    const hint = sentence`Look at it: proctor-cli ${typedCommand('sessions get', [id])}`;
    return new CliError('changed_meanwhile', sentence`Session ${id} is not as it was to be: ${text}.`, { hint });
  };
  if (!shown) return why('it is no longer there');
  const { data } = shown;
  const { email: _, ...values } = Object.assign({}, ...before.map(({ step: { body } }) => body));
  const other = otherExam(step.exam, data, client) ?? otherStudent(stored ?? step.email, data);
  if (other !== undefined) return why(other);
  const { different, notShown } = compared(step, values, data, zone);
  const unseen = [...notShown, ...(addressOf(data) === undefined && step.email !== undefined ? ['email'] : [])];
  const wrong = [...different, ...unseen.map((field) => `${field} is not shown`)];
  return wrong.length === 0 ? shown : why(wrong.join('; '));
}

/** By exam, the creates for which an old session was deleted just now. */
export function replacedIn({ items }: Pick<Running, 'items'>): Map<string, Item[]> {
  const done = items.filter(({ step, state, sentNow }) => step.restore && state === 'done' && sentNow);
  const makers = done.flatMap(({ step }) => items[step.after?.[0] ?? -1] ?? []);
  return Map.groupBy(makers, ({ step }) => step.exam ?? '');
}

/** Students who are not in the exam by now, or not once: somebody else has deleted the new session, or has added another one. */
export async function lostIn(running: Running, exam: string, of: readonly Item[]): Promise<CliError | undefined> {
  const { client, run } = running;
  const reading = await readExam(client, exam);
  const isOnce = async ({ id = '', stored, step }: Item) => {
    const [one, ...others] = reading.of({ email: stored ?? step.email, number: step.number });
    return one ? one.id === id && others.length === 0 : (await readOne(running, 'session', id)) !== undefined;
  };
  const seen = await client.pacer.map(of, async (maker) => ({ maker, isThere: await isOnce(maker) }));
  const wrong = seen.flatMap(({ maker, isThere }) => (isThere ? [] : maker));
  if (wrong.length === 0) return undefined;
  const who = firstInLine(wrong, ({ id = '', step: { email, number } }) => `${email ?? number ?? ''} (session ${id})`, 5);
  const [list, undo] = [typedCommand('sessions list', [], typedOption('--exam', exam)), typedCommand('runs undo', [run.run.id])];
  const hint = sentence`To put the students of this run back: proctor-cli ${undo}; look at the exam: proctor-cli ${list}`;
  return new CliError('partly_done', sentence`By now exam ${exam} does not show ${who} once.`, { hint });
}
