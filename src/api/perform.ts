/**
 * Verified writes: the values sent are compared with the answer (`as-sent.ts`). If an answer was lost, or does
 * not show the effect of an update or a deletion, the resource is read, and that read decides the outcome.
 */
import { CliError, orError } from '../errors.ts';
import { addressIn, addressKey, maskIn, showsPlain } from '../model/address-key.ts';
import { count } from '../model/count.ts';
import type { WritableResource } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import type { Answer } from './answer.ts';
import { notCarriedOut } from './answer-errors.ts';
import { asSent } from './as-sent.ts';
import { type Client, idOf } from './client.ts';
import { filled, type Operation, operations, typedLook } from './operations.ts';
import type { RequestInput } from './request.ts';
import { deniesAll, reasonIn, reportsFailure, reportsSuccess } from './verdict.ts';

export type Performed = {
  /** The resource after the request, if the service shows it. */
  data: Json | undefined;
  /** How the outcome is known, if the answer alone does not show it. */
  evidence?: Sentence;
  /** `partly_done`: a resource was created, and is not as it was sent. */
  altered?: CliError;
};

/**
 * Sends one write. Throws `not_applied` if the service did not do what it accepted, `outcome_unknown` only if
 * a read does not settle it. `isReadAfterwards`: the caller reads the resource whatever the answer shows.
 */
export async function perform(
  client: Client,
  operation: Operation,
  input: RequestInput,
  { isReadAfterwards = false }: { isReadAfterwards?: boolean } = {},
): Promise<Performed> {
  const target = targetOf(client, operation, input);
  let answer: Answer;
  try {
    answer = await client.call(operation, input);
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'outcome_unknown')) throw error;
    if (target) return settle(target, operation, input.body, error);
    if ((error.happened || error.saidNo) && operation.writes?.writing === 'create') return findCreated(client, operation, input, error);
    throw error;
  }
  const { data, status } = answer;
  if (isReadAfterwards) return { data };
  if (operation.writes?.writing === 'create') return created(client, operation.writes.resource, input.body ?? {}, data as JsonObject);
  if (target && operation.method === 'DELETE') return deleted(target, data, status);
  if (target && input.body) return updated(target, input.body, data as JsonObject, status);
  if (deniesAll(data)) throw refused(operation, input, status, reasonIn(data));
  if (input.body && operation.resource === 'proctor' && data !== undefined && !reportsSuccess(data)) {
    return pooled(client, operation, input, answer);
  }
  if (reportsFailure(data)) throw halfRefused(operation, input, status, reasonIn(data));
  return { data };
}

/** The one resource that an update or a deletion is about, and that can be read. */
type Target = {
  /** The time zone for messages. */
  zone: string;
  resource: WritableResource;
  /** "exam 42". */
  subject: string;
  /** Whether a body shows the resource itself. */
  isShownBy(data: Json): boolean;
  read(): Promise<JsonObject>;
  /** Which command shows it. */
  look: string;
};

const singles = {
  '/exams/:id': { resource: 'exam', get: operations.getExam },
  '/student_sessions/:id': { resource: 'session', get: operations.getSession },
} as const;
const nouns = { exam: 'exam', session: 'student session' } as const;
const commands = { exam: 'exams', session: 'sessions' } as const;

function targetOf(client: Client, { path, method }: Operation, { params = {} }: RequestInput): Target | undefined {
  const single = Object.hasOwn(singles, path) && method !== 'GET' ? singles[path as keyof typeof singles] : undefined;
  if (!single) return undefined;
  const { resource, get } = single;
  return {
    resource,
    zone: client.zone,
    subject: `${nouns[resource]} ${params.id}`,
    isShownBy: (data) =>
      [data, ...(isJsonObject(data) ? Object.values(data) : [])].some((part) => isJsonObject(part) && idOf(part, client) === params.id),
    read: () => client.get(get, { params }),
    look: `proctor-cli ${typedCommand(`${commands[resource]} get`, [params.id ?? ''])}`,
  };
}

/** The resource exists and is printed even if it differs: another request would create a second one. */
function created(client: Client, resource: WritableResource, body: JsonObject, data: JsonObject): Performed {
  const { different } = asSent(resource, body, data, client.zone);
  if (different.length === 0) return { data };
  const id = idOf(data, client) ?? '';
  const what = sentence`${capitalised(nouns[resource])} ${id} was created, but differs from what was sent: ${different.join('; ')}.`;
  const command = `proctor-cli ${typedCommand(`${commands[resource]} update`, [id])}`;
  return { data, altered: new CliError('partly_done', what, { hint: sentence`Do not create it again. To change it: ${command}` }) };
}

/** Finds the session of an added student if the answer does not identify it. Throws `lost` if the list does not tell. */
async function findCreated(
  client: Client,
  operation: Operation,
  { params = {}, body = {} }: RequestInput,
  lost: CliError,
): Promise<Performed> {
  const { email } = body;
  if (operation.writes?.resource !== 'session' || typeof email !== 'string') throw lost;
  const exam = params.exam_id ?? params.id ?? '';
  const found = await orError(sessionsWith(client, exam, email));
  if (found instanceof CliError) throw lost;
  const { sessions, hidden } = found;
  const [session] = sessions;
  const known = lost.status === undefined ? {} : { status: lost.status };
  if (lost.saidNo && sessions.length === 0 && !hidden) {
    const what = sentence`${lost.message} The list of exam ${exam} does not show ${email}.`;
    throw new CliError('not_applied', what, {
      hint: sentence`Correct what the service's message names, and run the command again.`,
      ...known,
    });
  }
  if (session && sessions.length === 1 && !lost.saidNo) {
    const evidence = sentence`The answer does not show the student, but the list of exam ${exam} does: ${email} is student session ${idOf(session, client) ?? ''}.`;
    return { ...created(client, 'session', body, session), evidence };
  }
  const times = sessions.length === 0 ? 'does not show' : `shows ${count(sessions.length, 'session')} with`;
  throw new CliError('outcome_unknown', sentence`${lost.message} The list of exam ${exam} ${times} ${email}.`, {
    hint: lost.hint,
    happened: lost.happened,
    ...known,
  });
}

/** The sessions of an exam with an address, and with an ID. `hidden`: the list hides an address, or shows none: it may be there as well. */
async function sessionsWith(client: Client, exam: string, email: string): Promise<{ sessions: JsonObject[]; hidden: boolean }> {
  const sessions: JsonObject[] = [];
  const shown = { all: 0, addresses: 0, masked: 0 };
  const all = await client.all(operations.listExamSessions, { params: { exam_id: exam } });
  const beside = { plain: showsPlain(all) };
  for (const session of all) {
    const address = addressIn(session, beside);
    shown.all += 1;
    if (address !== undefined) shown.addresses += 1;
    if (maskIn(session, beside) !== undefined) shown.masked += 1;
    const isStudent = typeof session.email === 'string' && addressKey(session.email) === addressKey(email);
    if (isStudent && idOf(session, client) !== undefined) sessions.push(session);
  }
  return { sessions, hidden: shown.masked > 0 || (shown.all > 0 && shown.addresses === 0) };
}

async function updated(target: Target, body: JsonObject, data: JsonObject, status: number): Promise<Performed> {
  const { resource, subject, look, zone } = target;
  const answered = asSent(resource, body, data, zone);
  if (answered.different.length + answered.notShown.length === 0) return { data };
  const now = await orError(target.read());
  if (now instanceof CliError) {
    if (answered.different.length > 0) throw notApplied(target, status, answered.different.join('; '));
    const what = sentence`The service answered ${status} to the update of ${subject}, without ${answered.notShown.join(', ')}, and reading it afterwards failed: ${now.message}`;
    throw new CliError('outcome_unknown', what, {
      hint: sentence`Before you run the command again, check with: ${look}`,
      happened: true,
      status,
    });
  }
  const { different, notShown } = asSent(resource, body, now, zone);
  if (different.length > 0) throw notApplied(target, status, different.join('; '));
  if (notShown.length === 0) return { data: now, evidence: sentence`The answer did not show the change, but ${subject} has it now.` };
  if (deniesAll(data)) throw notApplied(target, status, reasonGiven(data) || 'the answer says so');
  if (!reportsSuccess(data) && (reportsFailure(data) || !target.isShownBy(data))) throw unshown(target, status, notShown);
  return {
    data: now,
    evidence: sentence`The service does not show ${notShown.join(', ')} of ${subject}, so it is unknown whether the update changed that.`,
  };
}

/** Why nothing was done, as a part of a sentence; empty if the service does not say. */
function reasonGiven(data: Json): string {
  return reasonIn(data).replace(/\.$/, '');
}

/** A body may mean anything, even that nothing was done: reading decides. */
async function deleted(target: Target, data: Json | undefined, status: number): Promise<Performed> {
  if (data === undefined) return { data };
  const now = await orError(target.read());
  if (now instanceof CliError && now.code === 'not_found') return { data };
  if (!(now instanceof CliError)) {
    const said = reportsFailure(data) ? reasonGiven(data) : '';
    throw notApplied(target, status, said === '' ? 'it still exists' : `it still exists (${said})`);
  }
  const what = sentence`The service answered ${status} to the deletion of ${target.subject}, and reading it afterwards failed: ${now.message}`;
  throw new CliError('outcome_unknown', what, {
    hint: sentence`Before you run the command again, check with: ${target.look}`,
    happened: true,
    status,
  });
}

/** The answer is not the resource, and the resource does not show what was sent: nothing tells. */
function unshown({ subject, look }: Target, status: number, notShown: readonly string[]): CliError {
  const what = sentence`The service answered ${status} to the update of ${subject}, but neither its answer nor ${subject} shows ${notShown.join(', ')}.`;
  return new CliError('outcome_unknown', what, { hint: sentence`Check it in the service's own pages; ${look} does not show it.`, status });
}

/** Proctors that were added or removed: an answer that is not the pool as it has to be now is checked by reading the pool. */
async function pooled(
  client: Client,
  operation: Operation,
  { params = {}, body = {} }: RequestInput,
  { data, status }: Answer,
): Promise<Performed> {
  const wanted = [body[client.dialect.proctorsKey] ?? []].flat().map(textOfJson);
  const removing = operation.method === 'DELETE';
  const wrong = (pool: readonly Json[]) => {
    const shown = new Set(pool.flatMap(valuesIn));
    return wanted.filter((proctor) => shown.has(addressKey(proctor)) === removing);
  };
  if (Array.isArray(data) && (removing || data.length > 0) && wrong(data).length === 0) return { data };
  const pool = await orError(client.all(operations.listProctors, { params }));
  const does = filled(operation.does, params);
  const hint = sentence`Check before you retry: proctor-cli ${typedLook(operation.look ?? '', params)}`;
  if (pool instanceof CliError) {
    const what = sentence`The service answered ${status} to the request to ${does}, and reading the pool afterwards failed: ${pool.message}`;
    throw new CliError('outcome_unknown', what, { hint, happened: true, status });
  }
  const left = wrong(pool);
  if (left.length === 0) return { data };
  const shows = removing ? 'still shows' : 'does not show';
  const what = sentence`The service accepted the request to ${does} (${status}), but the pool ${shows} ${left.join(', ')}.`;
  throw new CliError('not_applied', what, { hint, status });
}

/** All values of a proctor, whose fields the specification leaves open. */
function valuesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [addressKey(textOfJson(value))];
}

function notApplied({ subject, look }: Target, status: number, why: string): CliError {
  const what = sentence`The service accepted the request for ${subject} (${status}), but did not carry it out: ${why}.`;
  return new CliError('not_applied', what, { hint: sentence`Check it before you retry: ${look}`, status });
}

/** For a write that no single read can settle: the service's own answer counts. */
function refused({ does, look }: Operation, { params = {} }: RequestInput, status: number, said: string): CliError {
  const what = notCarriedOut(filled(does, params), status, { said });
  return new CliError('not_applied', what, {
    status,
    ...(look === undefined ? {} : { hint: sentence`Check before you retry: proctor-cli ${typedLook(look, params)}` }),
  });
}

/** The error for an answer that says both yes and no, such as `{"sent": 12, "errors": ["…"]}`: a part may have been done. */
function halfRefused({ does, look }: Operation, { params = {} }: RequestInput, status: number, said: string): CliError {
  const what = notCarriedOut(filled(does, params), status, { said, partly: true });
  return new CliError('outcome_unknown', what, {
    status,
    ...(look === undefined ? {} : { hint: sentence`Check before you retry: proctor-cli ${typedLook(look, params)}` }),
  });
}

/** Finds out by a read whether a write without an answer happened. Throws `lost` if the read cannot show it. */
async function settle(target: Target, { method }: Operation, body: JsonObject | undefined, lost: CliError): Promise<Performed> {
  const { resource, subject, zone } = target;
  const now = await orError(target.read());
  const unsettled = (what: string, hint: Sentence) =>
    new CliError('outcome_unknown', sentence`${lost.message} ${what}`, {
      hint,
      ...(lost.status === undefined ? {} : { status: lost.status }),
    });
  if (method === 'DELETE') {
    if (now instanceof CliError && now.code === 'not_found')
      return { data: undefined, evidence: sentence`The answer was lost, but ${subject} no longer exists.` };
    if (now instanceof CliError) throw lost;
    throw unsettled(`${capitalised(subject)} still exists.`, sentence`Check again in a moment; deleting it again is safe.`);
  }
  if (now instanceof CliError || !body) throw lost;
  const { different, notShown } = asSent(resource, body, now, zone);
  const left = [...different, ...notShown.map((field) => `${field} is not shown`)];
  if (left.length === 0) {
    const how = lost.saidNo ? 'The answer says that nothing was done' : 'The answer was lost';
    return { data: now, evidence: sentence`${how}, but ${subject} was updated.` };
  }
  if (lost.saidNo) {
    const hint = sentence`Check it before you retry: ${target.look}`;
    throw new CliError('not_applied', sentence`${lost.message} Reading it afterwards shows: ${left.join('; ')}.`, { hint });
  }
  throw unsettled(`Reading it afterwards shows: ${left.join('; ')}.`, sentence`Sending the same update again is safe.`);
}
