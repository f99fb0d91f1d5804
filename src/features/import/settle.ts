/**
 * Settles requests with an unknown outcome: waits until a late one would have
 * arrived, lists the exam until two complete listings agree, and looks each student up.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { mayHideRows } from './hidden-students.ts';
import type { Journal } from './journal/journal.ts';
import { notListed, settledLater } from './journal/records.ts';
import type { Rows } from './journal/rows.ts';
import type { Presence } from './presence.ts';
import { type ListingOptions, listWhole } from './whole-listing.ts';

/** A row whose student has to be looked up. The code of its outcome says what else is known (`settledLater`). */
export type UnknownRow = { row: number; email?: string | undefined };

export type SettledRows = {
  presence: Presence;
  /** Rows that are missing, and whose request was not refused: they may be sent again. */
  absent: number[];
};

type SettleOptions = ListingOptions & {
  journal: Journal;
  wait: number;
  /** The listing before the first of these requests. */
  before?: Presence;
  /**
   * The addresses in which two listings have to agree: all that are imported, since a request in flight
   * may be for any of them. Students added by other clients do not matter. Undefined: all of the exam.
   */
  imported?: Iterable<string>;
};

const listingsAtMost = 6;

/** The message before a listing for so many requests; `which`: their rows. */
export function settlingMessage(requests: number, wait: number, which = ''): Sentence {
  return sentence`Listing the exam in ${Math.ceil(wait / 1000)} s to find the outcome of ${count(requests, 'request')}${which}.`;
}

/** A late request has to have arrived before a listing proves anything; what the service has confirmed has arrived. */
export function waitBefore(unknown: readonly UnknownRow[], rows: Rows, settle: number, longestWait: number): number {
  const { confirmed, limited } = settledLater;
  const codes = new Set(unknown.map(({ row }) => rows.get(row)?.code));
  if ([...codes].some((code) => code !== confirmed && code !== limited)) return settle;
  return codes.has(limited) ? longestWait : 0;
}

/** Throws `outcome_unknown` if the listings never agree, `bad_answer` if they are incomplete; unknown rows then stay unknown. */
export async function settle(unknown: readonly UnknownRow[], options: SettleOptions): Promise<SettledRows> {
  const { journal, before } = options;
  const presence = await agreedListing(options, unknown);
  const absent: number[] = [];
  const left: { row: number; code: string | undefined }[] = [];
  for (const { row, email } of unknown) {
    const code = journal.rows.get(row)?.code;
    const [student, ...more] = presence.addressed(email);
    const session = student?.session === undefined ? {} : { session: student.session };
    if (more.length > 0) journal.outcome({ row, outcome: 'duplicate' });
    else if (student) {
      const isOthers = code === settledLater.taken || (student.session !== undefined && before?.withSession(student.session) !== undefined);
      journal.outcome({ row, outcome: isOthers ? 'unchanged' : 'done', ...session });
    }
    // It stays rejected, or no listing can show that it is missing.
    else if (code !== settledLater.taken && code !== settledLater.confirmed && email !== undefined) left.push({ row, code });
  }
  const cannotTell = left.length > 0 && mayHideRows(presence, { ...options, rows: journal.rows, salt: journal.header.salt, before });
  for (const { row, code } of cannotTell ? [] : left) {
    if (code === settledLater.limited) journal.outcome({ row, outcome: 'not_sent', reason: 'too many requests (429)' });
    else {
      journal.outcome({ row, outcome: 'absent', code: notListed });
      absent.push(row);
    }
  }
  await journal.flush();
  return { presence, absent };
}

async function agreedListing(options: SettleOptions, unknown: readonly UnknownRow[]): Promise<Presence> {
  const { host, exam, journal, wait, imported } = options;
  const list = async () => {
    const { presence, gone } = await listWhole(options, journal.rows);
    for (const row of gone) journal.outcome({ row, outcome: 'missing' });
    return presence;
  };
  if (wait > 0) host.log?.({ event: 'wait', wait, reason: 'late_requests' });
  await host.sleep(wait);
  // A confirmed student needs no second listing: the student is there, or the listing is late.
  const once = unknown.length > 0 && unknown.every(({ row }) => journal.rows.get(row)?.code === settledLater.confirmed);
  let before: string | undefined;
  for (let listing = 0; listing < listingsAtMost; listing += 1) {
    const now = await list();
    if (once && (listing === listingsAtMost - 1 || unknown.every(({ email }) => email === undefined || now.addressed(email).length > 0)))
      return now;
    const digest = now.digest(imported);
    if (digest === before && !once) return now;
    before = digest;
    await host.sleep(once ? Math.max(wait, options.patience) / listingsAtMost : wait / 4);
  }
  throw new CliError(
    'outcome_unknown',
    sentence`The students of exam ${exam} keep changing, so the outcome of some requests stays unknown.`,
    {
      hint: 'Run the same command again while nothing else changes the exam.',
    },
  );
}
