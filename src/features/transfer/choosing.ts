/** Which of the sessions can move to an exam, which cannot and why, and which were moved there before. */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Row } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { movedHere, type Reading, readRecord, readStudents } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { knownId } from '../listed-sessions.ts';
import { lostThere, type Moving, whyStays } from './moving.ts';

/** `result`: the word of its row. */
export type Refused = { id: string; error: CliError; result: 'failed' | 'in both' };
export type Choice = { moving: Moving[]; before: Row[]; refused: Refused[]; reading: Reading };

/** Throws `not_found` without the exam, and `bad_answer` where its list does not show who is in it. */
export async function choose(context: Context, ids: readonly string[], to: string): Promise<Choice> {
  const client = await context.client();
  const shown = await readRecord(context, 'exam', to);
  const reading = await readStudents(context, to);
  refuseHidden(reading, client);
  const sources = new Map<string, JsonObject | CliError>();
  await client.pacer.each(ids, async (id) => sources.set(id, await shownOrMissing(context, id)));
  const exams = await examsOf(context, client, [...sources.values()]);
  const choice: Choice = { moving: [], before: [], refused: [], reading };
  let earlier: Promise<ReadonlyMap<string, string>> | undefined;
  const refuse = (id: string, error: CliError, result: Refused['result'] = 'failed') => choice.refused.push({ id, error, result });
  for (const id of ids) {
    const source = sources.get(id);
    if (!source) continue;
    if (source instanceof CliError) {
      earlier ??= movedHere(context, to);
      const row = await movedBefore(client, { id, made: (await earlier).get(id), to });
      if (row) choice.before.push(row);
      else refuse(id, source);
      continue;
    }
    const why = whyStays(source, to, client);
    const email = why === undefined ? await addressOf(context, client, id, source) : undefined;
    const there = email === undefined ? [] : reading.withAddress(email);
    const first = choice.moving.find((each) => email !== undefined && addressKey(each.email) === addressKey(email));
    if (why !== undefined) refuse(id, notMoved(id, why));
    else if (email === undefined) refuse(id, notMoved(id, 'it shows no address'));
    else if (there.some((each) => each.id === id)) refuse(id, notMoved(id, `it is in exam ${to} already`));
    else if (there.length > 1)
      refuse(id, notMoved(id, `${email} is in exam ${to} more than once (sessions ${there.map((each) => each.id).join(', ')})`));
    else if (first) refuse(id, notMoved(id, `session ${first.session} has the same address`));
    else {
      const of = examOf(source, client);
      const [known] = there;
      const moving: Moving = {
        session: id,
        source,
        email,
        exam: of === undefined ? undefined : { id: of, shown: exams.get(of) },
        to: { id: to, shown },
        there: known?.id === undefined ? undefined : { ...known, id: known.id },
      };
      const lost = lostThere(moving);
      if (lost === undefined) choice.moving.push(moving);
      else refuse(id, differsThere(moving, lost), 'in both');
    }
  }
  return choice;
}

/** Without the addresses of the exam, a student could be added twice. */
function refuseHidden({ exam, sessions, showsAddresses }: Reading, client: Client) {
  for (const session of sessions) knownId(session, exam, client);
  const masked = sessions.filter(({ mask }) => mask !== undefined).length;
  if (sessions.length === 0 || (showsAddresses && masked === 0)) return;
  const which = showsAddresses ? sentence`no address of ${students(masked)}` : 'no addresses';
  throw new CliError('bad_answer', sentence`The list of exam ${exam} shows ${which}, so it is unknown which students are in it.`, {
    hint: 'Nothing was sent. Without addresses, a student could be added twice.',
  });
}

/** The session; its error where it is not there. */
async function shownOrMissing(context: Context, id: string): Promise<JsonObject | CliError> {
  try {
    return await readRecord(context, 'session', id);
  } catch (error) {
    if (error instanceof CliError && error.code === 'not_found') return error;
    throw error;
  }
}

async function examsOf(
  context: Context,
  client: Client,
  sources: readonly (JsonObject | CliError)[],
): Promise<ReadonlyMap<string, JsonObject | undefined>> {
  const ids = new Set(sources.flatMap((source) => (source instanceof CliError ? [] : (examOf(source, client) ?? []))));
  const shown = await client.pacer.map([...ids], async (id) => [id, await orGone(readRecord(context, 'exam', id))] as const);
  return new Map(shown);
}

/** The address of a session; what may be a mask is one where the listing of its exam shows others. */
async function addressOf(context: Context, client: Client, id: string, source: JsonObject): Promise<string | undefined> {
  const email = addressIn(source);
  const exam = examOf(source, client);
  if (email !== undefined || exam === undefined) return email;
  return (await readStudents(context, exam)).withId(id)?.email;
}

/** The row of a session that an earlier run has moved: it is gone here, and its student is there. */
async function movedBefore(
  client: Client,
  { id, made, to }: { id: string; made: string | undefined; to: string },
): Promise<Row | undefined> {
  const there = made === undefined ? undefined : await orGone(client.get(operations.getSession, { params: { id: made } }));
  if (made === undefined || !there) return undefined;
  const type = client.idType('session');
  return {
    session: idAs(id, type),
    email: addressIn(there, { plain: true }) ?? null,
    from: null,
    to: idAs(to, client.idType('exam')),
    as: idAs(made, type),
    result: 'moved before',
  };
}

function notMoved(session: string, why: string): CliError {
  return new CliError('invalid_input', sentence`Session ${session} is not moved: ${why}.`, {
    hint: sentence`Look at it with: proctor-cli ${typedCommand('sessions get', [session])}`,
  });
}

/** A student who is in both exams, and would lose something if this session were deleted. */
function differsThere(moving: Moving, lost: string): CliError {
  const { session, there, to } = moving;
  const made = there?.id ?? '';
  return new CliError(
    'not_applied',
    sentence`${bothInWords(moving.email, { session, exam: moving.exam?.id, made, to: to.id })} Session ${made} differs from session ${session}: ${lost}.`,
    {
      hint: sentence`Compare: proctor-cli ${typedCommand('sessions get', [session])}; proctor-cli ${typedCommand('sessions get', [made])}`,
    },
  );
}

type Both = { session: string; exam: string | undefined; made: string; to: string };

export function bothInWords(email: string | undefined, { session, exam, made, to }: Both): Sentence {
  const here = exam === undefined ? '' : ` in exam ${exam}`;
  return sentence`${email ?? 'The student'} is in both exams: session ${session}${here} and session ${made} in exam ${to}.`;
}
