/** Nobody twice without a consent: each student, exam and mailing that the program created, held against those that were there. */

import type { Service } from '../../support/service.ts';
import type { By, Change, Fields } from '../../support/truth.ts';
import type { Intent } from '../intents/intent.ts';
import type { Family } from '../world/families.ts';
import type { Pursued } from './oracle.ts';

/** What the oracle knows of an invocation. */
export type Invocation = {
  by: number;
  machine: number;
  words: readonly string[];
  intent: Intent;
  startedAt: number;
  /** By whose wish; undefined where nobody's is known. */
  pursued: Pursued | undefined;
};

type Made = Change & { after: Fields };

/** `invocations`: those of the story so far. */
export function doublesOf({ truth, arrived, seen, showing }: Service, family: Family, invocations: ReadonlyMap<By, Invocation>) {
  return { broken, brokenMails };

  /** Why a session that the program has just created is one too many. */
  function broken(change: Change): string | undefined {
    const { kind, before, after } = change;
    const mine = invocations.get(change.by);
    if (kind !== 'session' || before || !after || !mine) return undefined;
    const key = String(after.email ?? '').toLowerCase();
    if (key === '') return undefined;
    for (const other of present(change, key, after.exam_id)) {
      // The network did one request twice: the program can only report that.
      if (other.cause === change.cause && change.cause !== undefined) continue;
      const theirs = invocations.get(other.by);
      if (mine.intent.consents || mine.words.includes('--allow-duplicate')) continue;
      // What `api` sends is looked for only by what is recorded of this student.
      if (mine.intent.raw && (deleted(mine, key) || String(other.after.email).toLowerCase() !== key)) continue;
      const who = `${key} was registered again in exam ${String(after.exam_id)} by invocation ${mine.by}`;
      // Two machines that share nothing notice it afterwards.
      if (theirs && theirs.machine === mine.machine && sentAs(change) === sentAs(other))
        return `${who}, and invocation ${theirs.by} of the same machine had created session ${other.id}`;
      else if (!theirs && !mine.intent.raw && couldBeSeen(change, other, mine))
        return `${who}, and session ${other.id} was there to be seen`;
    }
    return undefined;
  }

  /** Mails of one consent. */
  function brokenMails(intent: Intent, its: readonly number[]): string | undefined {
    const sent = arrived.filter(
      ({ method, path, by, reply }) =>
        method === 'POST' && path.endsWith('/send_emails') && its.includes(Number(by)) && !wasRefused(reply?.answer),
    );
    const again = its.filter((by) => invocations.get(by)?.words.includes('--resend')).length;
    const consents = again + (intent.words.includes('--resend') ? 0 : 1);
    return sent.length > consents ? `mails were sent ${sent.length} times for ${consents} consents` : undefined;
  }

  /** Whether a session of the student was deleted from the same machine, so that nothing is recorded any more. */
  function deleted({ machine }: Invocation, key: string): boolean {
    return truth.record.some(
      ({ kind, after, before, by }) =>
        kind === 'session' && !after && String(before?.email).toLowerCase() === key && invocations.get(by)?.machine === machine,
    );
  }

  /** The other sessions of this student that are in the exam when one is created. */
  function present(change: Change, key: string, exam: unknown): Made[] {
    const made = truth.record.filter(
      ({ n, kind, before, after, id }) => n < change.n && kind === 'session' && !before && after && id !== change.id,
    ) as Made[];
    return made.filter(({ id, n }) => {
      // Its ID may have been another student's before.
      if (made.some((one) => one.id === id && one.n > n)) return false;
      const last = truth.record.findLast((one) => one.n < change.n && one.kind === 'session' && one.id === id);
      return last?.after?.exam_id === exam && String(last?.after?.email ?? '').toLowerCase() === key;
    });
  }

  /** The address in the request that created a session; the one that it has, where somebody else did. */
  function sentAs({ cause, after }: Change): string {
    const request = arrived.find(({ n }) => n === cause);
    return String(request?.body.email ?? after?.email).toLowerCase();
  }

  /** Whether the program was shown a session of somebody else, or would have been by a list that shows all. */
  function couldBeSeen(change: Change, other: Made, { by, startedAt }: Invocation): boolean {
    if (family.hides) return false;
    const request = arrived.find(({ n }) => n === change.cause);
    const sentAt = request?.at ?? change.at;
    // That the service takes two addresses for one, nobody knows before.
    if (sentAs(change) !== String(other.after.email).toLowerCase()) return false;
    if (seen.some((one) => one.id === other.id && one.by === by && one.at < sentAt && one.email === other.after.email)) return true;
    const { lag = 0, replicaBehind = 0 } = showing;
    return other.at + Math.max(lag, replicaBehind) < startedAt;
  }
}

/** An answer that says that nothing was done. */
function wasRefused(answer: unknown): boolean {
  const { status = 200, body } = (typeof answer === 'object' && answer !== null ? answer : {}) as { status?: number; body?: Fields };
  return [400, 401, 403, 404, 409, 422, 429].includes(status) || body?.success === false;
}
