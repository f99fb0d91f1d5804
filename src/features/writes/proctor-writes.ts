/**
 * The proctor pools of exams: one request for all proctors of an exam; its outcome is read from the pool. Proctors given by their address are
 * looked up among the users of the institute: an address that no user has, or several have, is refused before anything is sent. What has
 * no @ is an ID, and stays as it is; so does an address where no institute is set, or where the service takes addresses (dialect.proctorValues).
 */

import { operations } from '../../api/operations.ts';
import { poolBody } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { firstInLine } from '../../model/first-of.ts';
import { textOfJson } from '../../model/json.ts';
import { carryOut, poolLacks } from '../../runs-before/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import type { ExamSelection } from '../exam-selection.ts';
import { settledSelection } from '../settled-selection.ts';
import { severalResult } from './outcome-rows.ts';
import { instituteUsers, userWithAddress } from './users-of-institute.ts';

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  selection: ExamSelection;
  proctors: readonly string[];
  institute?: string | undefined;
};

export async function changePools(context: Context, { kind, selection, proctors, institute }: Pool): Promise<Result> {
  const adds = kind === 'proctors add';
  const operation = adds ? operations.addProctors : operations.removeProctors;
  const { dialect } = context.settings();
  const { ids: exams } = await settledSelection(context, selection);
  let body: ReturnType<typeof poolBody> | undefined;
  return carryOut(context, {
    kind,
    identity: [...exams, ...proctors],
    again: 'anew',
    async plan() {
      const client = await context.client();
      const added = poolBody(await proctorIds(context, proctors, institute), dialect);
      body = added;
      const steps = await client.pacer.map(exams, async (exam) => {
        const step = { operation, params: { id: exam }, exam, body: added };
        // An undo takes back only the proctors whose place in the pool the request changes.
        return { ...step, before: poolBody(await poolLacks(step, step.params, client), dialect) };
      });
      return { steps };
    },
    question() {
      if (exams.length === 1) return undefined;
      const given = [body?.[dialect.proctorsKey] ?? []].flat();
      const who = firstInLine(given, (proctor) => textOfJson(proctor), 5);
      const which = firstInLine(exams, (exam) => exam, 10);
      const words = adds ? ['Add', 'to'] : ['Remove', 'from'];
      return sentence`${words[0] ?? ''} ${given.length === 1 ? 'proctor' : 'proctors'} ${who} ${words[1] ?? ''} ${exams.length} exams (${which})`;
    },
    result: (ended) => severalResult(context, ended, adds ? 'added' : 'removed'),
  });
}

/** The IDs in the order given, each once. Throws `not_found`, `invalid_input`. */
export async function proctorIds(context: Context, proctors: readonly string[], institute: string | undefined): Promise<string[]> {
  if (!proctors.some(isAddress) || context.settings().dialect.proctorValues === 'address') return [...proctors];
  const client = await context.client();
  const id = institute ?? context.settings().institute;
  if (id === undefined) {
    const which = firstInLine(proctors.filter(isAddress), (address) => address, 3);
    context.say(sentence`No institute is set (--institute), so ${which} cannot be looked up and is sent unchanged.`);
    return [...proctors];
  }
  const users = await instituteUsers(client, id);
  const resolved = proctors.map((given) => (isAddress(given) ? userWithAddress(users, given) : given));
  const said = resolved.flatMap((each): Sentence[] => {
    if (typeof each === 'string') return [];
    return [sentence`${each.email} is user ${each.id}${each.name === undefined ? '' : `, ${each.name}`}.`];
  });
  context.say(inLines(said));
  return [...new Set(resolved.map((each) => (typeof each === 'string' ? each : each.id)))];
}

function isAddress(text: string): boolean {
  return text.includes('@');
}
