/** `sessions update`: a new address must be nobody else's in the exam. */
import { operations } from '../../api/operations.ts';
import { readExam } from '../../api/reading.ts';
import type { Body, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { setsTimes } from '../../model/fields.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { executePlan, locksOf, type Step, type World } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { ofItsTarget } from './asked-writes.ts';
import { severalResult } from './results.ts';

type SessionUpdates = Body & { ids: readonly string[]; put: boolean };

export function updateSessions(context: Context, updates: SessionUpdates): Promise<Result> {
  const { body, typedTimes, put } = updates;
  const ids = [...new Set(updates.ids)];
  const hasPlaces = body.email !== undefined || setsTimes(body);
  const operation = put ? operations.putSession : operations.patchSession;
  const stepsOf = ({ client }: World) =>
    client.pacer.map(ids, async (id) => {
      const step: Step = { operation, params: { id }, body, always: put || undefined };
      return (await orGone(ofItsTarget(client, step))) ?? step;
    });
  return executePlan(context, {
    kind: setsTimes(body) ? 'sessions times' : 'sessions update',
    identity: { sessions: ids.toSorted(), put, body: { ...body, ...typedTimes } },
    locks: async (world) => (hasPlaces ? locksOf(await stepsOf(world)) : []),
    async plan(world) {
      const steps = await stepsOf(world);
      return { steps, ...(await taken(world, steps)) };
    },
    result: (ended) => severalResult(context, ended, { did: 'updated', resource: 'session' }),
  });
}

async function taken({ client }: World, [step]: readonly Step[]) {
  const { exam, body: { email } = {}, params: { id } = {} } = step ?? {};
  if (typeof email !== 'string' || email === '' || exam === undefined) return {};
  const reading = await readExam(client, exam);
  const readings = new Map([[exam, reading]]);
  const other = reading.of({ email }).find((each) => each.id !== id);
  if (!other) return { readings };
  const what = sentence`${email} is in exam ${exam} already, as session ${other.id ?? 'without an ID'}.`;
  const hint = sentence`Nothing was sent. Look at both: proctor-cli ${typedCommand('sessions find', [email])}`;
  return { readings, refused: new CliError('already_there', what, { hint }) };
}
