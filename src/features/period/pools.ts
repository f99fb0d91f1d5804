/** The column of proctors: whom the timetable means, and who is in the pools of the exams. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { poolBody } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { idOf } from '../../model/id.ts';
import { fieldAt, type Json, textOfJson } from '../../model/json.ts';
import type { Step } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { instituteUsers, userNamed, userWithAddress } from '../writes/users-of-institute.ts';
import type { ExamEntry, FieldChange } from './exam-entry.ts';

/** The field of a plan that stands for the pool. */
export const poolField = 'proctors';

/** By what the service knows each proctor of the timetable. Problems are added to `problems`. */
export async function withProctors(
  context: Context,
  entries: readonly ExamEntry[],
  { institute = context.settings().institute, problems }: { institute: string | undefined; problems: FileProblems },
): Promise<ExamEntry[]> {
  const { dialect } = context.settings();
  const takesAddresses = dialect.proctorValues === 'address';
  const all = entries.flatMap(({ proctors }) => proctors?.texts ?? []);
  const needsUsers = all.some((text) => (takesAddresses ? !text.includes('@') : text.includes('@') || /\s/.test(text)));
  if (needsUsers && institute === undefined)
    throw new CliError('usage', 'The timetable names proctors, but no institute is set in which to look them up.', {
      hint: 'Set it: --institute ID, or for good: proctor-cli config set institute ID',
    });
  const isLookedUp = institute !== undefined && all.length > 0 && !(takesAddresses && !needsUsers);
  const users = isLookedUp ? await instituteUsers(await context.client(), institute) : undefined;
  const named = (text: string): string => {
    // An ID is what it is, whoever has it.
    if (!users || (takesAddresses && text.includes('@')) || /^\d+$/.test(text)) return text;
    const user = text.includes('@') ? userWithAddress(users, text) : userNamed(users, text);
    return takesAddresses ? (user.email ?? user.id) : user.id;
  };
  return entries.map((entry) => {
    if (!entry.proctors) return entry;
    const { texts, at } = entry.proctors;
    const pool = texts.flatMap((text) => {
      try {
        return [named(text)];
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        problems.add(at, error.message, error.hint);
        return [];
      }
    });
    return { ...entry, pool: sorted(pool) };
  });
}

function sorted(pool: readonly string[]): string[] {
  return [...new Map(pool.map((proctor) => [addressKey(proctor), proctor])).values()].sort();
}

/** Who is in the pool of each exam, as proctors are named to the service. Throws `bad_answer` for one that cannot be named. */
export async function poolsOf(client: Client, exams: readonly string[]): Promise<Map<string, string[]>> {
  const pools = new Map<string, string[]>();
  const { dialect } = client;
  await client.pacer.map(exams, async (id) => {
    const shown = await client.list(operations.listProctors, { params: { id } });
    const values = shown.map((proctor) => {
      const address = fieldAt(proctor, dialect.userEmailKey);
      const value = dialect.proctorValues === 'address' ? (address === undefined ? undefined : textOfJson(address)) : idOf(proctor);
      if (value !== undefined) return value;
      throw new CliError(
        'bad_answer',
        sentence`A proctor of exam ${id} is shown without an ID, a name or an address, so the column of proctors cannot be compared.`,
        {
          hint: 'Leave the column out: --ignore-column HEADER',
        },
      );
    });
    pools.set(id, sorted(values));
  });
  return pools;
}

/** The change of a pool; undefined where it is so. */
export function poolChange({ pool: to }: ExamEntry, from: readonly string[] | undefined): FieldChange | undefined {
  if (to === undefined || (from ?? []).map(addressKey).join('\n') === to.map(addressKey).join('\n')) return undefined;
  return { field: poolField, from: from === undefined ? null : [...from], to: [...to] };
}

/** The requests that bring about the change of a pool; `exam`: its ID, or the step that creates it. */
export function poolSteps(
  changes: readonly FieldChange[],
  exam: Pick<Step, 'params' | 'exam' | 'made'>,
  dialect: Client['dialect'],
): Step[] {
  const change = changes.find(({ field }) => field === poolField);
  if (!change) return [];
  const [from, to] = [textsIn(change.from), textsIn(change.to)];
  const [old, now] = [new Set(from.map(addressKey)), new Set(to.map(addressKey))];
  const parts = [
    { operation: operations.addProctors, who: to.filter((proctor) => !old.has(addressKey(proctor))) },
    { operation: operations.removeProctors, who: from.filter((proctor) => !now.has(addressKey(proctor))) },
  ];
  return parts
    .filter(({ who }) => who.length > 0)
    .map(({ operation, who }) => ({ ...exam, operation, body: poolBody(who, dialect), before: poolBody(who, dialect) }));
}

export function textsIn(value: Json): string[] {
  return Array.isArray(value) ? value.map((each) => textOfJson(each)) : [];
}
