/**
 * Looking: what became of the steps that were sent. At once, and again with longer and longer waits until all of them are judged
 * (`judge.ts`), or their settle time is over, when a late request has arrived. The record is read once a turn.
 */
import { type Client, examOf, type Shown } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { atOnce, backoff } from '../api/pacer.ts';
import { proctorsIn } from '../api/request.ts';
import { CliError, type ErrorCode, orError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { count } from '../model/count.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type Candidate, compared, judge, type Sight } from './judge.ts';
import { addressOf, mailedOf, otherExam, otherStudent, type Reading, readExam } from './reading.ts';
import { isSameExam } from './rolls.ts';
import { freshAtMost, note, oneByOne, type Running, readOne, steadyNow } from './running.ts';
import { creates, examOfStep, type Item, isToLookAt, type Kind, kindOf, listedAs, type Resource, resourceOf, type Step } from './step.ts';

/** After so long, a person is told what is awaited. Milliseconds. */
const saidAfter = 3_000;
const longestWait = 5_000;

/** What of its own steps and of others' a run needs to know for a turn of looking. */
type Turn = { running: Running; sights: Map<Item, Sight>; owned: ReadonlyMap<string, ReadonlySet<string>> };

/** Looks until each step is judged. An error of a read leaves what the answers said. */
export async function look(running: Running, items: readonly Item[]): Promise<void> {
  const { host, context, zone, settleTime, stop, run } = running;
  const left = items.filter(isToLookAt);
  const began = steadyNow(host);
  for (const item of left) item.since ??= began - Math.max(0, host.now() - item.at);
  const overAt = ({ since = began }: Item) => since + settleTime;
  let isSaid = false;
  for (let turn = 1; left.length > 0 && !stop.endsLooking; turn += 1) {
    const sights = new Map<Item, Sight>();
    const owned = await ownedIn(running, left);
    const now = steadyNow(host);
    const failed = await see({ running, sights, owned }, left);
    if (failed?.status === 401) stop.stop(failed);
    if (stop.endsLooking) return;
    for (const item of left.splice(0)) {
      const isLast = now >= overAt(item);
      const sight = sights.get(item);
      const verdict = sight && judge(item, sight, { isLast, zone, run: run.run.id });
      if (verdict) note(running, item, verdict);
      if (!verdict && !isLast) left.push(item);
      else if (!verdict && failed) note(running, item, { state: 'unknown', error: item.error ?? unread(failed) });
    }
    if (left.length === 0) return;
    const until = Math.max(...left.map(overAt));
    if (!isSaid && steadyNow(host) - began >= saidAfter) {
      isSaid = true;
      context.say(awaited(left, until - steadyNow(host)));
    }
    const wait = Math.max(1, Math.min(backoff(turn), longestWait, until - steadyNow(host)));
    await context.whileWaiting(() => host.sleep(wait)).catch(() => {});
  }
}

function unread({ message }: CliError): CliError {
  return new CliError('outcome_unknown', sentence`The service accepted the request, and the result could not be read: ${message}`);
}

function awaited(left: readonly Item[], milliseconds: number) {
  const ids = left.flatMap(({ id, step }) => id ?? step.exam ?? []);
  const which = ids.length === 0 ? '' : ` (${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''})`;
  return sentence`The result of ${count(left.length, 'request')}${which} is not shown yet; it is looked up for ${Math.ceil(milliseconds / 1000)} s at most.`;
}

/** By exam, the sessions that runs from here know: none of them is a stranger. */
async function ownedIn({ record, origin }: Running, left: readonly Item[]): Promise<Turn['owned']> {
  const lost = left.filter(({ step, id }) => kindOf(step) === 'student' && id === undefined);
  const exams = [...new Set(lost.flatMap((item) => examOfStep(item.step) ?? []))];
  const rows = exams.length === 0 ? [] : await record.find(origin, { exams, ops: studentCreates });
  const byExam = Map.groupBy(rows, ({ exam }) => exam ?? '');
  return new Map([...byExam].map(([exam, of]) => [exam, new Set(of.flatMap(({ session }) => session ?? []))]));
}

/** After such a failure of a read the others would fail, too. */
const endsReading: ReadonlySet<ErrorCode> = new Set(['network', 'timeout', 'token_refused', 'not_logged_in']);

/** Resolves to the first failure of a read, which leaves its steps without a sight. */
async function see(turn: Turn, left: readonly Item[]): Promise<CliError | undefined> {
  const { running, sights } = turn;
  const { client } = running;
  const isSession = ({ step }: Item) => resourceOf(step) === 'session' && ['student', 'update', 'deletion'].includes(kindOf(step));
  const byExam = Map.groupBy(left.filter(isSession), (item) => examOfStep(item.step) ?? '');
  const alone = left.filter((item) => !isSession(item) && ['update', 'deletion'].includes(kindOf(item.step)));
  const reads: (() => Promise<unknown>)[] = [];
  const seeEach = (of: readonly Item[], sight: (item: Item) => Promise<Sight>) => {
    for (const item of of) reads.push(async () => sights.set(item, await sight(item)));
  };
  for (const [exam, of] of byExam) {
    if (exam === '' || (of.length <= oneByOne && of.every(({ step }) => kindOf(step) !== 'student'))) alone.push(...of);
    else reads.push(() => seeInExam(turn, exam, of));
  }
  const ofKind = (kind: Kind) => left.filter(({ step }) => kindOf(step) === kind);
  if (ofKind('new exam').length > 0) reads.push(() => seeExams(turn, ofKind('new exam')));
  seeEach(alone, (item) => byId(running, item));
  seeEach(ofKind('mails'), (item) => seeMails(client, item));
  seeEach(ofKind('pool'), async (item) => ({ is: 'pool', wrong: await poolLacks(item.step, client) }));
  let failed: CliError | undefined;
  const read = async (act: () => Promise<unknown>) => {
    if (failed && endsReading.has(failed.code)) return;
    const result = await orError(act());
    if (result instanceof CliError) failed ??= result;
  };
  await client.pacer.map(reads, read, atOnce(reads.length));
  return failed;
}

async function seeInExam(turn: Turn, exam: string, of: readonly Item[]): Promise<void> {
  const { running, sights } = turn;
  const reading = await readExam(running.client, exam);
  const unlisted: Item[] = [];
  const seen = (item: Item, data: JsonObject) => {
    const [alike, ofOther] = [alikeIn(running, reading, item), isOfOther(running, item, data)];
    return { is: 'shown' as const, data, alike, ofOther };
  };
  for (const item of of) {
    const session = item.id === undefined ? undefined : reading.withId(item.id);
    if (item.id === undefined) sights.set(item, candidatesIn(turn, reading, item));
    else if (session && showsAll(item, session.data)) sights.set(item, seen(item, session.data));
    else unlisted.push(item);
  }
  // A list may be late, or leave out a field: the record itself says it.
  await running.client.pacer.map(
    unlisted,
    async (item) => {
      const sight = await byId(running, item);
      // The ID in its answer is that of another exam's student.
      if (sight.is === 'not there' && sight.isElsewhere && creates(item.step))
        return void sights.set(item, candidatesIn(turn, reading, item));
      const listed = item.id !== undefined && reading.withId(item.id) !== undefined;
      sights.set(item, sight.is === 'shown' ? { ...seen(item, sight.data), isUnlisted: !listed } : sight);
    },
    atOnce(unlisted.length),
  );
}

/** The sessions of its student, without those beside which a create was meant: they were there when it was planned. */
function alikeIn({ wasThere }: Running, reading: Reading, { id: own, step }: Item): string[] {
  return reading.of(step).flatMap(({ id }) => (id === undefined || (id !== own && wasThere.has(listedAs('session', id))) ? [] : id));
}

/** Whether what a step has created shows the address, or name and start, of what another step creates. */
function isOfOther(running: Running, item: Item, shown: JsonObject): boolean {
  const resource = creates(item.step);
  const key = addressKey(addressOf(shown) ?? '');
  const isTheirs = ({ step: { email, exam, body = {} } }: Item) =>
    resource === 'exam' ? isSameExam(running, body, shown) : exam === item.step.exam && email !== undefined && addressKey(email) === key;
  return resource !== undefined && !isTheirs(item) && running.items.some((other) => creates(other.step) === resource && isTheirs(other));
}

function showsAll({ step }: Item, data: JsonObject): boolean {
  return Object.keys(step.body ?? {}).every((field) => Object.hasOwn(data, field));
}

async function byId(running: Running, item: Item): Promise<Sight> {
  const resource = resourceOf(item.step);
  const shown = await readOne(running, resource, item.id ?? '');
  const exam = shown && resource === 'session' ? examOf(shown.data, running.client) : undefined;
  const isElsewhere = exam !== undefined && exam !== (examOfStep(item.step) ?? exam);
  return shown && !isElsewhere ? { is: 'shown', data: shown.data, alike: [] } : { is: 'not there', isElsewhere };
}

/** New, if it was not there at planning and no other step has made it. */
function candidate({ items, wasThere }: Running, resource: Resource, id: string, data: JsonObject): Candidate {
  const isNew = !wasThere.has(listedAs(resource, id)) && !items.some((item) => item.id === id && creates(item.step) === resource);
  return { id, data, isNew };
}

/** A new session that no run from here explains may be the student under another address: as long as there is one, nobody is absent. */
function candidatesIn({ running, owned }: Turn, reading: Reading, { step }: Item): Sight {
  const found = reading.of(step).flatMap(({ id, data }) => (id === undefined ? [] : candidate(running, 'session', id, data)));
  const known = owned.get(reading.exam);
  const sent = new Set(running.items.flatMap((item) => (item.step.email === undefined ? [] : addressKey(item.step.email))));
  const strangers = reading.sessions.filter(({ id, email }) => {
    if (id === undefined || running.wasThere.has(listedAs('session', id)) || known?.has(id)) return false;
    return email === undefined || !sent.has(addressKey(email));
  });
  return { is: 'candidates', found, strangers: strangers.flatMap(({ id }) => id ?? []) };
}

async function seeExams({ running, sights }: Turn, of: readonly Item[]): Promise<void> {
  const { client } = running;
  const all = await client.list(operations.listExams, {});
  const byId = new Map(all.map((exam) => [idOf(exam), exam]));
  for (const item of of) {
    const { id, step } = item;
    const listed = id === undefined ? undefined : byId.get(id);
    if (listed) sights.set(item, { is: 'shown', data: listed, alike: [], ofOther: isOfOther(running, item, listed) });
    else if (id !== undefined) {
      const shown = await readOne(running, 'exam', id);
      sights.set(item, shown ? { is: 'shown', data: shown.data, alike: [], isUnlisted: true } : { is: 'not there' });
    } else {
      const candidates = all.flatMap((data) => {
        const its = idOf(data);
        return its === undefined ? [] : candidate(running, 'exam', its, data);
      });
      const found = candidates.filter(({ data }) => isSameExam(running, step.body ?? {}, data));
      // Without a start, nothing tells which of the new ones it is.
      const strangers = step.body?.start_time === undefined ? candidates.filter(({ isNew }) => isNew).map(({ id: its }) => its) : [];
      sights.set(item, { is: 'candidates', found, strangers });
    }
  }
}

async function seeMails(client: Client, { step }: Item): Promise<Sight> {
  const { sessions } = await readExam(client, step.exam ?? '');
  return { is: 'mails', waiting: sessions.length - mailedOf(sessions), all: sessions.length };
}

/** The proctors of a request that the pool does not show as they have to be. */
export async function poolLacks(
  { operation, params, body = {} }: Pick<Step, 'operation' | 'params' | 'body'>,
  client: Client,
): Promise<string[]> {
  const wanted = proctorsIn(body, client.dialect).map(textOfJson);
  const pool = await client.list(operations.listProctors, { params: { ...params } });
  const shown = new Set(pool.flatMap(valuesIn));
  return wanted.filter((proctor) => shown.has(addressKey(proctor)) === (operation.method === 'DELETE'));
}

/** All values of a proctor, whose fields the specification leaves open. */
function valuesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [addressKey(textOfJson(value))];
}

/** The session that was created in place of one that is to be deleted, as it is now; or why the old one stays. */
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
