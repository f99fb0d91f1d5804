/** Proctors of an exam, and users of an institute, by what people write for them; and how a pool is changed. */

import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { instituteNeeded } from '../api/refusal.ts';
import type { Context, Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { fieldAt, idOf, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { addressKey } from '../model/listing.ts';
import { nearest } from '../model/nearest.ts';
import { poolBody, proctorIn, proctorsIn } from '../model/pool.ts';
import { type Engine, type Execution, executePlan, poolLacks, StepList, targetOf } from '../runs/index.ts';
import { capitalised, firstInLine, sentence } from '../text/sentence.ts';
import { severalResult } from './crud/results.ts';
import { chosenExams, type ExamSelection, inOneSpelling, typedSelection } from './exam-selection.ts';

/** `keys`: each of the others, in one spelling. */
type ProctorName = {
  id: string | undefined;
  email: string | undefined;
  name: string | undefined;
  keys: readonly string[];
};
/** `value`: as the service takes them in a pool. `values`: all that it shows of them. */
export type Proctor = ProctorName & { value: string; values: readonly string[] };

function personIn(shown: JsonObject, { dialect }: Client): ProctorName {
  const id = idOf(shown);
  const texts = [fieldAt(shown, dialect.userEmailKey), shown.name];
  const [email, name] = texts.map((value) => (typeof value === 'string' ? value : undefined));
  const keys = [id, email, name].filter((value) => value !== undefined).map(personKey);
  return { id, email, name, keys };
}

function personKey(text: string): string {
  return text.includes('@') ? addressKey(text) : inOneSpelling(text);
}

export function meantBy<P extends ProctorName>(text: string, people: readonly P[]): P[] {
  const key = personKey(text);
  return people.filter(({ keys }) => keys.includes(key));
}

/** The proctors of each exam, as the service shows them. */
export async function listProctors(context: Context, selection: ExamSelection): Promise<Result> {
  const client = await context.client();
  const exams = await chosenExams(context, selection, { reads: true }).ids();
  const pools = await client.pacer.map(exams, async (id) => {
    const exam = client.shownAs('exam', id);
    const pool = await client.list(operations.listProctors, { params: { id } }, { unsure: 'warn' });
    // A field of this name in the record itself says less.
    return pool.map((shown) => Object.assign({ exam }, shown, { exam }));
  });
  return { kind: 'list', rows: pools.flat(), columns: context.columns, id: 'id' };
}

/** The pool of an exam, with what runs from here have just written to it. Throws `bad_answer` for a proctor who cannot be named. */
export async function poolOf({ client, reads }: Engine, exam: string): Promise<Proctor[]> {
  return proctorsOf(client, exam, (await reads.pool(exam)).shown);
}

/** Throws `bad_answer` for a proctor who cannot be named. */
export function proctorsOf(client: Client, exam: string, pool: readonly JsonObject[]): Proctor[] {
  const { idKey, userEmailKey, proctorValues } = client.dialect;
  const [field, key] = proctorValues === 'address' ? (['email', userEmailKey] as const) : (['id', idKey] as const);
  return pool.map((shown) => {
    const person = personIn(shown, client);
    const value = person[field];
    if (value !== undefined) return { ...person, value, values: proctorIn(shown, client.dialect).values };
    const what = sentence`A proctor of exam ${exam} is shown without "${key}", so it is unknown who is in its pool.`;
    throw new CliError('bad_answer', what);
  });
}

const setInstitute = sentence`${instituteNeeded}. If the service takes addresses: proctor-cli config set dialect.proctorValues address`;

/**
 * What is sent for a typed proctor: a number as it is, all else as the user whom it means. Throws
 * `not_found`, `invalid_input`, and `usage` without an institute.
 */
export function proctorFinder(context: Context, institute = context.settings().institute) {
  let users: Promise<readonly ServiceUser[]> | undefined;
  return async (text: string): Promise<string> => {
    const takesAddresses = context.settings().dialect.proctorValues === 'address';
    if (/^\d+$/.test(text) || (takesAddresses && text.includes('@'))) return text;
    if (institute === undefined) {
      const what = sentence`No institute is set in which to look for the proctor ${text}.`;
      throw new CliError('usage', what, { hint: setInstitute });
    }
    users ??= context.client().then((client) => instituteUsers(client, institute));
    const { id, email = id } = userNamed(text, await users, institute);
    return takesAddresses ? email : id;
  };
}

type ServiceUser = ProctorName & { id: string };

async function instituteUsers(client: Client, institute: string): Promise<readonly ServiceUser[]> {
  const listed = await client.list(operations.listUsers, { params: { institute_id: institute } });
  return listed.flatMap((shown) => {
    const { id, ...user } = personIn(shown, client);
    return id === undefined ? [] : [{ ...user, id }];
  });
}

/** Throws `not_found`, and `invalid_input` for an address or a name of several. */
function userNamed(text: string, users: readonly ServiceUser[], institute: string): ServiceUser {
  const field = text.includes('@') ? 'email' : 'name';
  const what = sentence`the ${field === 'email' ? 'address' : 'ID or the name'} ${text}`;
  const untouched = 'No proctor was added or removed.';
  const found = meantBy(text, users);
  if (found.length > 1) {
    const all = firstInLine(found, ({ id }) => id, 5);
    const several = sentence`${capitalised(what)} belongs to ${found.length} users: ${all}.`;
    throw new CliError('invalid_input', several, { hint: sentence`Give the ID of the right user. ${untouched}` });
  }
  const [user] = found;
  if (user) return user;
  const shown = users.flatMap(({ [field]: value }) => value ?? []);
  const near = nearest(text, shown);
  throw new CliError('not_found', sentence`No user of institute ${institute} has ${what}.`, {
    hint: near === undefined ? 'List the users with: proctor-cli users list' : sentence`Did you mean ${near}? ${untouched}`,
  });
}

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  selection: ExamSelection;
  proctors: readonly string[];
  institute: string | undefined;
};

/** `proctors add` and `proctors remove`: one request for all proctors of an exam. */
export async function changePools(context: Context, { kind, selection, proctors, institute: given }: Pool): Promise<Result> {
  const adds = kind === 'proctors add';
  const exams = chosenExams(context, selection);
  // The embedded service knows its institute once it has been started.
  const client = await context.client();
  const { dialect } = client;
  const find = proctorFinder(context, given);
  const values = new Set<string>();
  // A word is an ID, also of a proctor who is no user of the institute.
  for (const text of proctors) values.add(/[@\s]/.test(text) ? await find(text) : text);
  const change = adds ? 'add' : 'remove';
  const all = proctorsIn(poolBody([...values], dialect), dialect);
  return executePlan(context, {
    kind,
    identity: { exams: typedSelection(selection), proctors: [...proctors], institute: given ?? null },
    locks: () => [],
    async plan({ reads }) {
      // A step has only the proctors that change the pool, so that an undo takes back no others.
      const changes = await client.pacer.map(await exams.ids(), async (exam) => ({
        exam,
        lacks: await poolLacks(reads, exam, { change, proctors: all }),
      }));
      const steps = new StepList();
      for (const { exam, lacks } of changes) {
        steps.add({ kind: 'change pool', exam, change, proctors: all.filter((each) => lacks.includes(textOfJson(each))) });
      }
      return { steps: steps.all };
    },
    question({ steps }) {
      if (steps.length === 1) return undefined;
      const who = firstInLine(proctors, (proctor) => proctor, 5);
      const which = firstInLine(steps, (step) => String(targetOf(step)), 10);
      const [verb, side] = adds ? ['Add', 'to'] : ['Remove', 'from'];
      return sentence`${verb} ${who} ${side} the proctors of ${steps.length} exams (${which})`;
    },
    result(ended) {
      const was = adds ? { result: 'there' } : { result: 'gone', reason: 'not in the pool' };
      const rowsOf = ({ state, step }: Execution) => {
        const changed = ('proctors' in step ? step.proctors : []).map(textOfJson);
        const isSame = (proctor: Json) => state === 'done' && !changed.includes(textOfJson(proctor));
        return all.map((proctor) => ({ proctor, ...(isSame(proctor) ? was : {}) }));
      };
      return severalResult(context, ended, { did: adds ? 'added' : 'removed', resource: 'proctor', rowsOf });
    },
  });
}
