/** The pool of an exam, each proctor as the service takes them: what is compared with a table, and copied into another exam. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import { fieldAt, textOfJson } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';

/** A proctor of a pool. `value`: as the service takes them; `keys`: by what the column may name them. */
export type Proctor = { value: string; keys: readonly string[] };

/** Throws `bad_answer` for a proctor who cannot be named. */
export async function poolOf(client: Client, exam: string): Promise<Proctor[]> {
  const { idKey, userEmailKey, proctorValues } = client.dialect;
  const pool = await client.list(operations.listProctors, { params: { id: exam } });
  return pool.map((shown) => {
    const [address, name] = [userEmailKey, 'name'].map((key) => fieldAt(shown, key) ?? null);
    const id = idOf(shown);
    const value = proctorValues === 'address' ? (address ?? null) : (id ?? null);
    const keys = [id ?? null, address, name].flatMap((each) => ((each ?? null) === null ? [] : addressKey(textOfJson(each ?? null))));
    if (value !== null) return { value: textOfJson(value), keys };
    const field = proctorValues === 'address' ? userEmailKey : idKey;
    throw new CliError('bad_answer', sentence`A proctor of exam ${exam} is shown without "${field}", so it is unknown who is in its pool.`);
  });
}
