/** What SQLite and the file system report about the state, in words: one sentence for each way in which it fails. */
import { CliError } from '../errors.ts';
import { whyNotWritten } from '../files/why-not-written.ts';
import { sentence } from '../text/sentence.ts';

type Failure = Error & { errcode?: number; code?: string };

/** What SQLite cannot know: a row whose content was damaged. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

/** SQLite's primary codes. */
const codes = { busy: 5, locked: 6, readOnly: 8, io: 10, damaged: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

const reasons: Record<number, string> = {
  [codes.readOnly]: 'it is read-only',
  [codes.io]: 'the disk reports an error',
  [codes.full]: 'the disk is full',
  [codes.cannotOpen]: 'it cannot be opened',
};

/** Whether another process uses the database at this moment. */
export function isBusy(error: unknown): boolean {
  const code = primary(error);
  return code === codes.busy || code === codes.locked;
}

/** Whether the error is about the state, and not one of the caller's. */
export function isStateFailure(error: unknown): boolean {
  const { code = '' } = error as Failure;
  return error instanceof DamagedRow || ['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE', 'ERR_INVALID_STATE'].includes(code);
}

/** The error for people: `state_damaged` where what is there cannot be right, else `state_failed`. */
export function stateFailure(place: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { code, message } = error as Failure;
  const sqlite = primary(error);
  if (error instanceof DamagedRow) return damaged(place, message, error);
  if (sqlite === codes.notADatabase) return damaged(place, 'it is not a database', error);
  // Statements that do not fit the tables, and numbers that nobody has written.
  if (sqlite === codes.damaged || sqlite === 1 || code === 'ERR_OUT_OF_RANGE')
    return damaged(place, 'SQLite cannot read what is in it', error);
  const why = reasons[sqlite ?? -1] ?? whyNotWritten(error);
  const said = sentence`The state ${place} cannot be used: ${why}.`;
  if (isClosed(code, sqlite)) return new CliError('state_failed', said, { hint: elsewhere, cause: error });
  return new CliError('state_failed', said, { cause: error });
}

const elsewhere = 'Nothing more was sent. Record runs in a folder that you can write: export PROCTOR_STATE_DIR=FOLDER';

/** The place itself is closed to this user; waiting, or more room, does not help. */
function isClosed(code: string | undefined, sqlite: number | undefined): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(code ?? '') || sqlite === codes.readOnly || sqlite === codes.cannotOpen;
}

export function damaged(place: string, why: string, cause?: unknown): CliError {
  return new CliError('state_damaged', sentence`The state ${place} is damaged: ${why}.`, { cause });
}

/** The last sentence of a process that has waited for others: half a minute is far more than any commit takes. */
export function busyTooLong(place: string, seconds: number): CliError {
  return new CliError('state_failed', sentence`Another program has kept the state ${place} locked for ${seconds} s.`, {
    hint: 'Nothing more was sent. Find the program that has the file open, and stop it; then run the same command again.',
  });
}

function primary(error: unknown): number | undefined {
  const { errcode } = error as Failure;
  return errcode === undefined ? undefined : errcode % 256;
}
