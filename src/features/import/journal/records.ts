/**
 * The records of a journal: a request that is about to be sent (an intent), its
 * outcome, an event of the run (a note). No token and no address in clear: a student is a
 * hash that means nothing without this run's salt.
 */
import { hash } from 'node:crypto';
import { addressKey } from '../../../model/address-key.ts';
import type { IdType } from '../../../model/id.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { type RowCounts, rowStateNames } from '../../../model/row-states.ts';
import type { Secrets } from '../../../model/secrets.ts';
import { type Format, isCount, isIdTypeIfAny, isOneOf, isTextIfAny } from '../../../state/journal/journal-format.ts';

/** The first line: what this run imports, and where. */
export type RunHeader = {
  /** The format's version. */
  journal: typeof version;
  run: string;
  origin: string;
  exam: string;
  /** The JSON type of the exam's ID, where the service has shown it. */
  ids?: IdType;
  /** `i/n`, where the run takes a share of the rows. */
  shard?: string;
  /** Milliseconds since 1970 from which the relative times of the input count, where it has some. */
  start?: number;
  /** Digests of the file, of the mapping, and of the students that were present at the start. */
  input: string;
  mapping: string;
  baseline: string;
  /** How many rows the input has; each is in one state of `model/row-states.ts`. */
  rows: number;
  /** Digest of the list of accommodations, where one was given. */
  accommodations?: string;
  salt: string;
};

export const version = 1;

export const steps = ['create', 'update', 'delete'] as const;
/** POST, PATCH, DELETE. */
export type JournalStep = (typeof steps)[number];

/**
 * What is known of a step. From an answer: `done`, `rejected`, `not_sent` (it was not sent, or the
 * service provably did nothing), `unknown`. From a listing: `done`; `unchanged`: the student is there, and
 * not through this run; `different`, `duplicate`, `absent`, `missing` as in `model/row-states.ts`.
 */
export const outcomes = ['not_sent', 'rejected', 'unknown', 'done', 'unchanged', 'different', 'duplicate', 'absent', 'missing'] as const;
export type OutcomeName = (typeof outcomes)[number];

/**
 * Codes of a create's outcome that say how a listing settles it. `confirmed` (unknown): the service said that it did it, so
 * it is not sent again whatever a listing shows. `taken` (rejected): the service said that the student is there already.
 * `limited` (unknown): it said that there were too many requests; not_sent, where the student is not there. `renamed`
 * (unknown): it answered with another address than was sent, so that its listing may show the student under one.
 */
export const settledLater = { confirmed: 'confirmed', taken: 'taken', limited: 'limited', renamed: 'renamed' } as const;

/** The code of `absent` where a listing that hides no student showed it. */
export const notListed = 'not_listed';

/**
 * `row` names a row of the input, the same number at each reading of the same file: from 1, each
 * once. `key` is the student's (`keyOf`). `next`: the row is not done with this step, a PATCH follows.
 */
export type RowIntent = { row: number; key: string; intent: JournalStep; next?: 'update' };
/** `ids`: the JSON type of the session's ID; absent in journals of earlier versions. */
export type RowOutcome = { row: number; outcome: OutcomeName; session?: string; ids?: IdType; code?: string; reason?: string };
export const notes = ['planned', 'resumed', 'stopped', 'finished'] as const;
/**
 * `untouched`: the states of the rows of which the journal has no record; those that it leaves out are `not_sent`. `shown`: the
 * listing at the end showed the address of each student that the run created.
 */
export type RunNote = { note: (typeof notes)[number]; reason?: string; untouched?: Partial<RowCounts>; shown?: true };
/** `begun`: its DELETE is about to be sent. */
export const removalStates = ['begun', 'deleted', 'failed', 'unknown'] as const;
export type RemovalState = (typeof removalStates)[number];
/** The deletion of a student missing from the file. `removal`: the session; `key` is the student's, as in an intent. */
export type RemovalRecord = { removal: string; key: string; is: RemovalState };
export type JournalRecord = RowIntent | RowOutcome | RunNote | RemovalRecord;

const keyBytes = 16;

/**
 * SHA-256 of the salt and what names a student (the e-mail address), cut to 128 bit: 22 characters. The
 * same for two spellings of one address: a service may store another than it was sent.
 */
export function studentKey(salt: string, student: string): string {
  return hash('sha256', `${salt} ${addressKey(student)}`, 'buffer').toString('base64url', 0, keyBytes);
}

/** What names the student of a row without an address. */
export function nameOfRow(row: number): string {
  return `row ${row}`;
}

const longest = 300;

/** A message of the service as a journal may keep it: without secrets and addresses, and of limited length. */
export function safeReason(reason: string, secrets: Secrets): string {
  return secrets
    .maskedWords(reason.slice(0, 2 * longest))
    .replace(/[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/g, '(address)')
    .slice(0, longest);
}

export function isHeader(value: Json): value is RunHeader {
  if (!isJsonObject(value) || value.journal !== version || !isCount(value.rows)) return false;
  const texts = [value.run, value.origin, value.exam, value.input, value.mapping, value.baseline, value.salt];
  return (
    texts.every((text) => typeof text === 'string') &&
    isTextIfAny(value.shard) &&
    isTextIfAny(value.accommodations) &&
    isIdTypeIfAny(value.ids) &&
    (value.start === undefined || isCount(value.start))
  );
}

export function isRecord(value: Json): value is JournalRecord {
  if (!isJsonObject(value)) return false;
  if (value.note !== undefined) return isNote(value);
  if (value.removal !== undefined) return typeof value.removal === 'string' && isKey(value.key) && isOneOf(removalStates, value.is);
  if (!isCount(value.row) || value.row === 0) return false;
  if (value.outcome !== undefined)
    return isOneOf(outcomes, value.outcome) && [value.session, value.code, value.reason].every(isTextIfAny) && isIdTypeIfAny(value.ids);
  const next = value.next === undefined || (value.next === 'update' && value.intent === 'create');
  return isOneOf(steps, value.intent) && next && isKey(value.key);
}

function isNote({ note, reason, untouched, shown }: JsonObject): boolean {
  return isOneOf(notes, note) && isTextIfAny(reason) && isCountsIfAny(untouched) && (shown === undefined || shown === true);
}

function isKey(value: Json | undefined): boolean {
  return typeof value === 'string' && /^[\w-]{22}$/.test(value);
}

function isCountsIfAny(value: Json | undefined): boolean {
  if (value === undefined) return true;
  return isJsonObject(value) && Object.entries(value).every(([name, count]) => isOneOf(rowStateNames, name) && isCount(count));
}

/** The journal of an import. */
export const importFormat: Format<RunHeader, JournalRecord> = { version, isHeader, isRecord };
