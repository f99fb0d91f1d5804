/**
 * The column of proctors says who they are: others are removed from the pool. Whom the pool shows, by ID, address or name, needs no
 * look-up; the others are looked up among the users of the institute, unless they are IDs already.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { poolBody } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import type { Step } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type InstituteUsers, instituteUsers, meantBy, type Proctor, userNamed } from '../proctors.ts';
import type { ExamLine } from './read-timetable.ts';

/** Who is in the pool, and who is to be. */
export type PoolChange = { from: readonly string[]; to: readonly string[] };

/** Who changes in a pool, by the column of a line; undefined where it says so, or nothing. Who is not found is a problem of the line. */
export type ProctorColumn = (line: ExamLine, pool: readonly Proctor[]) => Promise<PoolChange | undefined>;

export function proctorColumn(context: Context, institute = context.settings().institute): ProctorColumn {
  let users: Promise<InstituteUsers> | undefined;
  /** As the service takes a proctor. Throws `not_found`, `invalid_input`, and `usage` without an institute. */
  const named = async (text: string): Promise<string> => {
    const takesAddresses = context.settings().dialect.proctorValues === 'address';
    if (text.includes('@') ? takesAddresses : /^\d+$/.test(text)) return text;
    const what = sentence`The timetable names the proctor ${text}, but no institute is set in which to look for them.`;
    const hint = 'Set it: --institute ID, or for good: proctor-cli config set institute ID';
    if (institute === undefined) throw new CliError('usage', what, { hint });
    users ??= context.client().then((client) => instituteUsers(client, institute));
    const { id, email = id } = userNamed(text, await users);
    return takesAddresses ? email : id;
  };
  return async ({ proctors, problem }, pool) => {
    if (proctors === undefined) return undefined;
    const shown = (text: string) => meantBy(text, pool)[0]?.value;
    const to = new Map<string, string>();
    for (const text of proctors) {
      try {
        const value = shown(text) ?? (await named(text));
        to.set(addressKey(value), shown(value) ?? value);
      } catch (error) {
        if (!(error instanceof CliError) || !['not_found', 'invalid_input'].includes(error.code)) throw error;
        problem('proctors', error.message, error.hint);
      }
    }
    const from = pool.map(({ value }) => value);
    const isSo = from.length === to.size && from.every((value) => to.has(addressKey(value)));
    return isSo ? undefined : { from, to: [...to.values()] };
  };
}

/** Who comes is added before others are removed: the exam is never without proctors in between. `first`: the index of the first step. */
export function poolSteps({ from, to }: PoolChange, where: Pick<Step, 'params' | 'exam' | 'made'>, client: Client, first: number): Step[] {
  const without = (some: readonly string[], others: readonly string[]) => some.filter((each) => !others.includes(each));
  const [added, removed] = [without(to, from), without(from, to)];
  const body = (who: readonly string[]) => poolBody(who, client.dialect);
  const add: Step[] = added.length === 0 ? [] : [{ ...where, operation: operations.addProctors, body: body(added) }];
  const after = add.map(() => first);
  return removed.length === 0 ? add : [...add, { ...where, operation: operations.removeProctors, body: body(removed), after }];
}
