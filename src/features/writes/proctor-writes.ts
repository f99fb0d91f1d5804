/**
 * The proctor pools of exams: one request for all proctors of an exam; its outcome is read from the pool. Addresses are looked up among the
 * users of the institute, unless none is set, or the service takes addresses (dialect.proctorValues). What has no @ is an ID.
 */

import { operations } from '../../api/operations.ts';
import { poolBody, poolLacks, proctorsIn } from '../../api/pool.ts';
import type { Context, Result } from '../../command.ts';
import { firstInLine } from '../../model/count.ts';
import { textOfJson } from '../../model/json.ts';
import { carryOut, type Item } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, typedSelection } from '../exam-selection.ts';
import { instituteUsers, userNamed } from '../proctors.ts';
import { severalResult } from './results.ts';

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  selection: ExamSelection;
  proctors: readonly string[];
  institute?: string | undefined;
};

export async function changePools(context: Context, { kind, selection, proctors, institute: given }: Pool): Promise<Result> {
  const adds = kind === 'proctors add';
  const operation = adds ? operations.addProctors : operations.removeProctors;
  const exams = chosenExams(context, selection);
  // The embedded service knows its institute once it has been started.
  await context.client();
  const { dialect, institute: ofProfile } = context.settings();
  const institute = given ?? ofProfile;
  const isLookedUp = dialect.proctorValues !== 'address' && proctors.some(isAddress);
  if (isLookedUp && institute === undefined) {
    const which = firstInLine(proctors.filter(isAddress), (address) => address, 3);
    context.say(sentence`No institute is set (--institute), so ${which} cannot be looked up and is sent unchanged.`);
  }
  const values = isLookedUp && institute !== undefined ? await idsOf(context, proctors, institute) : proctors;
  const body = poolBody(values, dialect);
  return carryOut(context, {
    kind,
    identity: { exams: typedSelection(selection), proctors: [...proctors], institute: institute ?? null },
    places: () => [],
    async plan() {
      const client = await context.client();
      const steps = await client.pacer.map(await exams.ids(), async (exam) => {
        const step = { operation, params: { id: exam }, exam, body };
        const changed = await poolLacks(step, client);
        // Whose place in the pool it does not change is not sent, and an undo leaves them alone.
        return changed.length === 0
          ? { ...step, before: poolBody([], dialect), isSo: true as const }
          : { ...step, body: poolBody(changed, dialect) };
      });
      return { steps };
    },
    question({ steps }) {
      if (steps.length === 1) return undefined;
      const who = firstInLine(values, (proctor) => proctor, 5);
      const which = firstInLine(steps, ({ params }) => params.id ?? '', 10);
      const noun = values.length === 1 ? 'proctor' : 'proctors';
      const [verb, side] = adds ? ['Add', 'to'] : ['Remove', 'from'];
      return sentence`${verb} ${noun} ${who} ${side} ${steps.length} exams (${which})`;
    },
    result(ended) {
      const all = proctorsIn(body, dialect);
      const was = adds ? { result: 'there', reason: 'was in the pool already' } : { result: 'gone', reason: 'was not in the pool' };
      const rowsOf = ({ state, step: { body: sent, before = sent } }: Item) => {
        const changed = new Set(proctorsIn(before, dialect).map(textOfJson));
        return all.map((proctor) => ({ proctor, ...(state === 'done' && !changed.has(textOfJson(proctor)) ? was : {}) }));
      };
      return severalResult(context, ended, { did: adds ? 'added' : 'removed', resource: 'proctor', rowsOf });
    },
  });
}

/** The IDs in the order given, each once. Throws `not_found`, `invalid_input`. */
async function idsOf(context: Context, proctors: readonly string[], institute: string): Promise<string[]> {
  const users = await instituteUsers(await context.client(), institute);
  const ids = proctors.map((given) => {
    if (!isAddress(given)) return given;
    const { id, email, name } = userNamed(given, users);
    context.say(sentence`${email} is user ${id}${name === undefined ? '' : `, ${name}`}.`);
    return id;
  });
  return [...new Set(ids)];
}

function isAddress(text: string): boolean {
  return text.includes('@');
}
