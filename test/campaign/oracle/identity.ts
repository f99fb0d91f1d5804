/** An ID proves nobody: each write to a session, held against whom the program had been shown under that ID, and when. */

import type { Service } from '../../support/service.ts';
import { minute } from '../../support/stage.ts';
import type { Change } from '../../support/truth.ts';
import type { Pursued } from './oracle.ts';

/** How old what justifies a write may be, with what the service itself takes. Milliseconds. */
const fresh = 2_500;
/** The same while the pace is limited. */
const freshWhilePaced = 10_500;

/** Why a write hit somebody other than was meant; undefined if it did not, or nobody could have known. */
export function brokenIdentity({ seen, arrived }: Service, change: Change, { intent, sight, reasked }: Pursued): string | undefined {
  const { kind, before, by, cause, id } = change;
  if (kind !== 'session' || !before || typeof by !== 'number') return undefined;
  const request = arrived.find(({ n }) => n === cause);
  // Sessions that go with their exam, and those whose state mails change, are not written by themselves.
  if (!request?.path.endsWith(`/student_sessions/${id}`)) return undefined;
  // A run begins with its first write: what was seen before by a command that sent nothing binds nobody.
  const began = Math.min(
    ...arrived.filter(({ method, by: maker }) => method !== 'GET' && sight.invocations.has(Number(maker))).map((one) => Number(one.by)),
  );
  const isOfRun = (one: number) => (sight.invocations.has(one) && one >= began) || intent.undoes?.has(one) === true;
  // Its ID may have been another session's before it was created.
  const made = sight.truth.record.findLast((one) => one.kind === 'session' && one.id === id && !one.before && one.n < change.n);
  const isSince = ({ at, email }: (typeof seen)[number]) => !made || at > made.at || (at === made.at && email === made.after?.email);
  const showings = seen.filter((one) => one.id === id && isOfRun(one.by));
  const what = `session ${id} was ${change.after ? 'changed' : 'deleted'}`;
  const isLimited = ({ at, reply }: (typeof arrived)[number]) => at <= request.at && at > request.at - minute && isTooMany(reply?.answer);
  const within = intent.words.includes('--rate') || arrived.some(isLimited) ? freshWhilePaced : fresh;
  const recent = showings.filter(({ at }) => at >= request.at - within);
  if (showings.length === 0) return `${what} without having been read`;
  if (recent.length === 0) return `${what} on what was read ${Math.round((request.at - (showings.at(-1)?.at ?? 0)) / 1000)} s before`;
  // Asked again about a plan that had changed, a person has said yes to whoever is there now.
  // Whom a move deletes here is in the other exam.
  if (
    intent.byAddress ||
    intent.kind === 'sessions move' ||
    [...sight.invocations, ...(intent.undoes ?? [])].some((one) => reasked.has(one))
  )
    return undefined;
  const person = (showings.find(isSince) ?? showings[0])?.email?.toLowerCase();
  // Shown as somebody else by the last read before it, the session is not the one that was meant.
  const latest = showings.findLast(({ n }) => n < request.n)?.email?.toLowerCase();
  if (latest !== undefined && latest !== person && latest === before.email?.toString().toLowerCase())
    return `${what}, which was ${person} when it was read first, and was shown as ${latest} right before`;
  if (person === before.email?.toString().toLowerCase() || recent.some(({ email }) => email?.toLowerCase() === person)) return undefined;
  return `${what}, which was ${person} when it was read first, and is ${String(before.email)} now`;
}

function isTooMany(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 429;
}
