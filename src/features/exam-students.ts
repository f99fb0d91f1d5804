/** Students of an exam, or sessions by ID, and who cannot take part in a change. */
import { type Client, examOf } from '../api/client.ts';
import { ownTimes, readRecord, wholeList } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, type ErrorCode, orGone } from '../errors.ts';
import { settable } from '../model/fields.ts';
import { idAs, type JsonObject } from '../model/json.ts';
import type { Reading } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Engine, existingIn } from '../runs/index.ts';
import { firstInLine, type Sentence, sentence } from '../text/sentence.ts';

/** Where a list leaves one out, the session is read by its ID. */
export function declaredFields(dialect: Client['dialect']): string[] {
  return [...settable('session', dialect), 'status'];
}

/** Reads a session itself where the list leaves out a field. Throws `list_in_doubt` for a list that is not whole. */
export async function studentsOf(engine: Engine, exam: string, fields = ownTimes): Promise<Reading> {
  return wholeList(engine.client, await (await existingIn(engine, exam)).whole(), fields);
}

/** `exam`: empty where the session does not show it. */
export type ShownSession = { id: string; exam: string; shown: JsonObject };

/** The sessions with these IDs, each once; one that does not exist shows no fields. */
export async function sessionsById(context: Context, ids: readonly string[]): Promise<ShownSession[]> {
  const client = await context.client();
  return client.pacer.map(new Set(ids), async (id) => {
    const shown = (await orGone(readRecord(client, 'session', id))) ?? {};
    return { id, exam: examOf(shown, client) ?? '', shown };
  });
}

/** The exams of sessions, by ID. */
export async function examsOf(context: Context, sessions: readonly { exam: string }[]): Promise<Map<string, JsonObject>> {
  const client = await context.client();
  const ids = new Set(sessions.flatMap(({ exam }) => exam || []));
  return new Map(await client.pacer.map(ids, async (id) => [id, await readRecord(client, 'exam', id)] as const));
}

export type Refusal = { id: string; code: ErrorCode; why: Sentence };
/** `others` can take part, with these options. `alone`: the hint where none can. */
type Together = {
  verb: 'extend' | 'move';
  others: readonly string[];
  options: readonly string[];
  alone: Sentence | undefined;
};

/** One session that cannot take part refuses all: run again, the command would change the others twice. */
export function jointRefusal(client: Client, refusals: readonly [Refusal, ...Refusal[]], together: Together): CliError {
  const { verb, others, options, alone } = together;
  const [first] = refusals;
  const items = refusals.map(({ id, code, why }) => ({ id: idAs(id, client.idType('session')), code, message: why }));
  const which = firstInLine(refusals, ({ id, why }) => `session ${id} (${why})`, 3);
  const find = sentence`Look for it: proctor-cli ${typedCommand('sessions find', [first.id])}`;
  const rest = sentence`To ${verb} the others: proctor-cli ${typedCommand(`sessions ${verb}`, others, ...options)}`;
  const hint = sentence`Nothing was sent. ${others.length > 0 ? rest : (alone ?? find)}`;
  return new CliError(first.code, sentence`Cannot ${verb} ${which}.`, { hint, items });
}
